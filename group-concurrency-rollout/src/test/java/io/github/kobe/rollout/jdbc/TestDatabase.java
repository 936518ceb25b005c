package io.github.kobe.rollout.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.testing.Depth;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** A database of a test's own, with the tables in it. */
public final class TestDatabase implements AutoCloseable {

    /** What it is made by. */
    public enum Product {
        H2,
        POSTGRESQL;

        /** PostgreSQL takes some seconds to start. */
        public static List<Product> ofThisDepth() {
            return Depth.current() == Depth.SHORT ? List.of(H2) : List.of(values());
        }

        public TestDatabase open() {
            if (this == H2) {
                TestDatabase database = h2();
                new JdbcTemplate(database.dataSource()).execute(Tables.OF_H2);
                return database;
            }
            return open("");
        }

        TestDatabase openWithoutTables() {
            return this == H2 ? h2() : postgres("");
        }

        /** The time of PostgreSQL is off by so much. */
        TestDatabase open(String off) {
            TestDatabase database = postgres(off);
            JdbcRolloutStore.of(database.dataSource()).createTables();
            return database;
        }
    }

    private final String url;
    private final HikariDataSource dataSource;
    private final Runnable dropping;

    private TestDatabase(String url, Runnable dropping) {
        this.url = url;
        this.dropping = dropping;
        dataSource = pool(url);
    }

    /** What the scripts of all versions leave, which takes a tenth of their time. */
    private static final class Tables {

        private static final String OF_H2 = written();

        private static String written() {
            try (TestDatabase database = h2()) {
                JdbcRolloutStore.of(database.dataSource()).createTables();
                return String.join(
                        "\n", new JdbcTemplate(database.dataSource()).queryForList("script nosettings", String.class));
            }
        }
    }

    /** One server for all tests of this process, which ends with it. */
    private static final class Server {

        /** On a busy machine it may take longer than the ten seconds that it is given otherwise. */
        private static final Duration LONGEST_START = Duration.ofSeconds(50);

        private static final EmbeddedPostgres POSTGRES = start();

        private static EmbeddedPostgres start() {
            try {
                return EmbeddedPostgres.builder()
                        .setServerConfig("max_connections", "300")
                        .setPGStartupWait(LONGEST_START)
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static TestDatabase h2() {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";
        return new TestDatabase(url, () -> {});
    }

    /** A schema of its own. */
    private static TestDatabase postgres(String off) {
        String schema = "test_" + UUID.randomUUID().toString().replace('-', '_');
        JdbcTemplate server = new JdbcTemplate(Server.POSTGRES.getPostgresDatabase());
        server.execute("create schema " + schema);
        String url = Server.POSTGRES.getJdbcUrl("postgres", "postgres") + "&currentSchema=" + schema;
        if (!off.isEmpty()) {
            server.execute("create function " + schema + ".clock_timestamp() returns timestamptz language sql as"
                    + " $$ select pg_catalog.clock_timestamp() " + off + " $$");
            url += ",pg_catalog";
        }
        return new TestDatabase(url, () -> server.execute("drop schema " + schema + " cascade"));
    }

    static HikariDataSource pool(String url) {
        return pool(url, Duration.ofSeconds(30));
    }

    /** Whoever asks for a connection waits for so long at most. */
    static HikariDataSource pool(String url, Duration longest) {
        HikariConfig config = new HikariConfig();
        config.setConnectionTimeout(longest.toMillis());
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(20);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    public DataSource dataSource() {
        return dataSource;
    }

    String url() {
        return url;
    }

    /** {@return the port of PostgreSQL} */
    static int port() {
        return Server.POSTGRES.getPort();
    }

    @Override
    public void close() {
        if (url.startsWith("jdbc:h2:mem")) {
            new JdbcTemplate(dataSource).execute("shutdown");
        }
        dataSource.close();
        dropping.run();
    }
}
