package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.ConfigCodec;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.StoreDoor;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Stores rollouts in H2 or PostgreSQL. All nodes that share the database share the rollouts: one of them drives each
 * plan, and another takes it over if that one is lost.
 *
 * <pre>{@code
 * Rollouts rollouts = Rollouts.builder(executor)
 *         .stages(Stage.named("Migrate").step(ctx -> migrate(ctx.tenantId(), ctx.config())))
 *         .store(JdbcRolloutStore.of(dataSource).createTables())
 *         .build();
 * }</pre>
 *
 * <p>A killed node is noticed after four heartbeats, 8 seconds, and its plans continue elsewhere within 15. A node that
 * can't reach the database interrupts its stages one heartbeat before that, after 6 seconds. A node that comes back later,
 * from a long pause for instance, can write nothing more. The time is the database's; the nodes' clocks don't matter.
 *
 * <p>An operation that is called within a transaction of the same {@link DataSource} is part of it. Needs Spring's
 * {@code spring-jdbc}, and no Spring container.
 *
 * <p>An H2 database in a file needs two settings in its URL. Without {@code WRITE_DELAY=0}, a killed process loses its
 * last half second. Without {@code DB_CLOSE_ON_EXIT=FALSE}, H2 may close the file before the application has stopped.
 * PostgreSQL needs an {@code idle_in_transaction_session_timeout} of some seconds: otherwise a node that hangs in the
 * middle of a transaction, or whose machine disappears without closing its connection, keeps its locks, and no other
 * can take over.
 *
 * <p>Thread-safe. The {@code with} methods return another store, which shares only the database.
 *
 * @since 0.1.0
 */
public final class JdbcRolloutStore implements StoreDoor {

    private static final String DEFAULT_APPLICATION = "default";
    private static final Pattern APPLICATION = Pattern.compile("\\P{Cntrl}{1,100}");

    private static final Duration POLLING_INTERVAL = Duration.ofSeconds(1);
    private static final Duration HEARTBEAT = Duration.ofSeconds(2);
    private static final int MISSED_HEARTBEATS = 4;

    private final DataSource dataSource;
    private final PlatformTransactionManager transactionManager;
    private final String application;
    private final @Nullable ConfigCodec codec;
    private final SchedulerSettings settings;
    private final Database database;

    /** Made when it is asked for, since that looks into the database: each setting makes a store of its own. */
    private final AtomicReference<@Nullable JdbcStore> store = new AtomicReference<>();

    private JdbcRolloutStore(
            DataSource dataSource,
            PlatformTransactionManager transactionManager,
            String application,
            @Nullable ConfigCodec codec,
            SchedulerSettings settings) {
        this.dataSource = dataSource;
        this.transactionManager = transactionManager;
        this.application = application;
        this.codec = codec;
        this.settings = settings;
        database = new Database(dataSource, application, transactionManager);
    }

    /**
     * Makes a store in a database that has the tables, or gets them by {@link #createTables}.
     *
     * @param dataSource the database: H2, or PostgreSQL
     * @return the store
     */
    public static JdbcRolloutStore of(DataSource dataSource) {
        return new JdbcRolloutStore(
                Objects.requireNonNull(dataSource, "dataSource"),
                new JdbcTransactionManager(dataSource),
                DEFAULT_APPLICATION,
                null,
                new SchedulerSettings(POLLING_INTERVAL, HEARTBEAT, MISSED_HEARTBEATS));
    }

    /**
     * Names the application whose rollouts these are. Several applications may share a database: none sees the plans, the tasks
     * and the tenants of another. All nodes of one application have the same name, over its upgrades too.
     *
     * @param name 1 to 100 characters, not all blank, none of them a control character; the default is {@code default}
     * @return another store
     * @throws IllegalArgumentException if it is another text
     */
    public JdbcRolloutStore withApplication(String name) {
        if (!APPLICATION.matcher(name).matches() || name.isBlank()) {
            throw new IllegalArgumentException("application is '" + name.replaceAll("\\p{Cntrl}", " ")
                    + "'; it must be 1 to 100 characters, not all blank, none of them a control character");
        }
        return new JdbcRolloutStore(dataSource, transactionManager, name, codec, settings);
    }

    /** {@return the name of the application whose rollouts these are} */
    public String application() {
        return application;
    }

    /**
     * Sets in which form configurations are kept, those that are written from now on and those that are there. By default they
     * are kept as they are.
     *
     * @param form the codec, the same on all nodes
     * @return another store
     */
    public JdbcRolloutStore withCodec(ConfigCodec form) {
        return new JdbcRolloutStore(
                dataSource, transactionManager, application, Objects.requireNonNull(form, "codec"), settings);
    }

    /** {@return in which form configurations are kept, if that was set} */
    public Optional<ConfigCodec> codec() {
        return Optional.ofNullable(codec);
    }

    /**
     * Sets how often this node looks for plans that it could drive. It finds its own unfinished work at once.
     *
     * @param interval more than zero; the default is 1 second
     * @return another store
     * @throws IllegalArgumentException if it isn't more than zero
     */
    public JdbcRolloutStore withPollingInterval(Duration interval) {
        return with(new SchedulerSettings(interval, settings.heartbeat(), settings.missedHeartbeats()));
    }

    /**
     * Sets how often this node sends a heartbeat, and how many may be missed before another node takes over its plans.
     * It must be the same on all nodes.
     *
     * @param interval more than zero; the default is 2 seconds
     * @param missed at least 4; the default is 4
     * @return another store
     * @throws IllegalArgumentException if one of them is out of its range
     */
    public JdbcRolloutStore withHeartbeat(Duration interval, int missed) {
        return with(new SchedulerSettings(settings.pollingInterval(), interval, missed));
    }

    private JdbcRolloutStore with(SchedulerSettings other) {
        return new JdbcRolloutStore(dataSource, transactionManager, application, codec, other);
    }

    /**
     * Sets the transaction manager of the database, if it isn't plain JDBC's: an application that uses JPA has its own.
     *
     * @param manager the transaction manager
     * @return another store
     */
    public JdbcRolloutStore withTransactionManager(PlatformTransactionManager manager) {
        return new JdbcRolloutStore(
                dataSource, Objects.requireNonNull(manager, "manager"), application, codec, settings);
    }

    /**
     * Creates the tables, or brings those of an earlier version up to this one. The scripts are in the folders {@code h2} and
     * {@code postgresql} beside this class, named so that Flyway can run them. Nodes of the earlier version can't go on with
     * the tables.
     *
     * @return this
     * @throws IllegalStateException if the database is neither H2 nor PostgreSQL
     */
    public JdbcRolloutStore createTables() {
        new Schema(database).create();
        return this;
    }

    /**
     * Checks that the tables exist, in this version.
     *
     * @return this
     * @throws IllegalStateException if they don't, or the database is neither H2 nor PostgreSQL
     * @throws DataAccessException if the database doesn't answer
     */
    public JdbcRolloutStore requireTables() {
        new Schema(database).require();
        return this;
    }

    /** For this library alone: {@inheritDoc}. */
    @Override
    public PlanStore plans() {
        return Objects.requireNonNull(store.updateAndGet(
                made -> made == null ? new JdbcStore(database, codec().orElseGet(ConfigCodec::none), settings) : made));
    }
}
