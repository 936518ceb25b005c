package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.StoreDoor;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
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

    private static final Duration POLLING_INTERVAL = Duration.ofSeconds(1);
    private static final Duration HEARTBEAT = Duration.ofSeconds(2);
    private static final int MISSED_HEARTBEATS = 4;

    private final PlatformTransactionManager transactionManager;
    private final Database database;
    private final SchedulerSettings settings;
    private final JdbcStore store;

    private JdbcRolloutStore(
            DataSource dataSource, PlatformTransactionManager transactionManager, SchedulerSettings settings) {
        this.settings = settings;
        this.transactionManager = transactionManager;
        database = new Database(dataSource, transactionManager);
        store = new JdbcStore(database, settings);
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
                new SchedulerSettings("node-" + UUID.randomUUID(), POLLING_INTERVAL, HEARTBEAT, MISSED_HEARTBEATS));
    }

    /**
     * Names this node in the database. By default the name is generated.
     *
     * @param name the name, different on each node
     * @return another store
     */
    public JdbcRolloutStore withNode(String name) {
        return with(new SchedulerSettings(
                Objects.requireNonNull(name, "name"),
                settings.pollingInterval(),
                settings.heartbeat(),
                settings.missedHeartbeats()));
    }

    /**
     * Sets how often this node looks for plans that it could drive. It finds its own unfinished work at once.
     *
     * @param interval more than zero; the default is 1 second
     * @return another store
     * @throws IllegalArgumentException if it isn't more than zero
     */
    public JdbcRolloutStore withPollingInterval(Duration interval) {
        return with(
                new SchedulerSettings(settings.node(), interval, settings.heartbeat(), settings.missedHeartbeats()));
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
        return with(new SchedulerSettings(settings.node(), settings.pollingInterval(), interval, missed));
    }

    private JdbcRolloutStore with(SchedulerSettings other) {
        return new JdbcRolloutStore(database.dataSource(), transactionManager, other);
    }

    /**
     * Sets the transaction manager of the database, if it isn't plain JDBC's: an application that uses JPA has its own.
     *
     * @param manager the transaction manager
     * @return another store
     */
    public JdbcRolloutStore withTransactionManager(PlatformTransactionManager manager) {
        return new JdbcRolloutStore(database.dataSource(), Objects.requireNonNull(manager, "manager"), settings);
    }

    /**
     * Creates the tables that don't exist.
     *
     * @return this
     */
    public JdbcRolloutStore createTables() {
        database.createTables();
        return this;
    }

    /**
     * Checks that the tables exist.
     *
     * @return this
     * @throws IllegalStateException if they don't, or the database is neither H2 nor PostgreSQL
     * @throws DataAccessException if the database doesn't answer
     */
    public JdbcRolloutStore requireTables() {
        database.requireTables();
        return this;
    }

    /** For this library alone: {@inheritDoc}. */
    @Override
    public PlanStore plans() {
        return store;
    }
}
