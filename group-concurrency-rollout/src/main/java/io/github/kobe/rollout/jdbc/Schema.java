package io.github.kobe.rollout.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * The tables, by version. Each version is a script in a folder of the database's name, which Flyway can run too, and leaves
 * something behind that tells that it ran.
 */
final class Schema {

    private static final Logger LOG = LoggerFactory.getLogger(Schema.class);

    private static final List<Version> VERSIONS = List.of(
            new Version("V1__rollouts.sql", "select plan_id from rollout_plan where 1 = 0"),
            new Version("V2__applications_and_configurations.sql", "select config_id from rollout_config where 1 = 0"));

    private final Database database;

    Schema(Database database) {
        this.database = database;
    }

    /** A script, and a query that fails before it. */
    private record Version(String script, String sign) {}

    /** Runs the scripts that haven't run, one after the other. Of several nodes that do so at once, one does, if the database can. */
    void create() {
        database.transact(() -> inOneConnection(this::create));
    }

    private List<String> create(Connection connection) throws SQLException {
        String lock = database.dialect().lockSchema();
        if (!lock.isEmpty()) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(lock);
            }
        }
        List<String> missing = missing(connection);
        for (String script : missing) {
            LOG.info("Running {} for the tables of rollouts", script);
            new ResourceDatabasePopulator(new ClassPathResource(script, Schema.class)).populate(connection);
        }
        return missing;
    }

    /**
     * Checks that all scripts have run.
     *
     * @throws IllegalStateException if not
     */
    void require() {
        List<String> missing = inOneConnection(this::missing);
        if (!missing.isEmpty()) {
            throw new IllegalStateException(
                    "the tables of rollouts aren't in the database, or are older than this version"
                            + " needs; to be run are " + String.join(", ", missing) + " of "
                            + Schema.class.getPackageName());
        }
    }

    private List<String> inOneConnection(ConnectionCallback<List<String>> work) {
        List<String> scripts = database.template().execute(work);
        return scripts == null ? List.of() : scripts;
    }

    private List<String> missing(Connection connection) throws SQLException {
        List<String> missing = new ArrayList<>();
        for (Version version : VERSIONS) {
            if (!hasRun(connection, version)) {
                missing.add(database.dialect().name().toLowerCase(Locale.ROOT) + "/" + version.script());
            }
        }
        return missing;
    }

    /** In a transaction, what fails must not be all. */
    private static boolean hasRun(Connection connection, Version version) throws SQLException {
        Savepoint before = connection.getAutoCommit() ? null : connection.setSavepoint();
        try (Statement statement = connection.createStatement()) {
            statement.execute(version.sign());
            return true;
        } catch (SQLException e) {
            if (Outage.explains(e)) {
                throw e;
            }
            LOG.debug("{} has not run", version.script(), e);
            if (before != null) {
                connection.rollback(before);
            }
            return false;
        }
    }
}
