package io.github.kobe.spring.jdbc;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.InvalidPolicyException;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * How many connections of one data source all groups have at once: as the settings say, or as many as its pool has, but for the
 * reserve. The size of a pool may change at any time, and nothing tells of that: whoever wants a connection looks.
 */
final class SharedPool {

    private static final Log LOGGER = LogFactory.getLog(SharedPool.class);

    private static final int UNLIMITED = Integer.MAX_VALUE;

    private final String dataSource;
    private final String executorName;

    /** Held by whoever replaces the policy by one that is made from it. */
    private final ReentrantLock changes = new ReentrantLock();

    private volatile ConnectionSettings settings;

    /** How many it was to give out by the settings and the pool when that was last looked at, whether it does or not. */
    private volatile int latest = UNLIMITED;

    /** How many connections the pool has at most; {@link Pools#UNKNOWN} as long as the data source isn't made. */
    private volatile IntSupplier maximum = () -> Pools.UNKNOWN;

    private volatile @Nullable DataSource pool;

    /** {@code null}: it isn't made yet, or the application has its own in its place. */
    private volatile @Nullable GroupExecutor executor;

    /** {@code null}: not all beans are made. */
    private volatile @Nullable GroupExecutor limitedBy;

    SharedPool(String dataSource, String executorName, ConnectionSettings settings) {
        this.dataSource = dataSource;
        this.executorName = executorName;
        this.settings = settings;
    }

    /** {@return the name of the executor's bean} */
    String executorName() {
        return executorName;
    }

    /** {@return the executor, if it is made, and isn't the application's own} */
    @Nullable
    GroupExecutor executor() {
        return executor;
    }

    /** Takes the executor whose permits count, which may be the application's own. */
    void limitedBy(GroupExecutor bean) {
        limitedBy = bean;
    }

    /** {@return the executor whose permits count, once all beans are made} */
    GroupExecutor limitedBy() {
        return Objects.requireNonNull(limitedBy);
    }

    /** {@return the policy of the executor, by the settings in force} */
    GroupPolicy policy() {
        return settings.policy(most(settings));
    }

    /** Takes the executor that was made for it. */
    GroupExecutor made(GroupExecutor made) {
        latest = made.policy().globalMaxInFlight();
        executor = made;
        follow();
        return made;
    }

    /**
     * Takes the data source that was made.
     *
     * @throws InvalidSettingException if its pool doesn't go with the settings
     */
    void found(DataSource found, IntSupplier maximumOfPool) {
        maximum = maximumOfPool;
        pool = found;
        check(settings);
        warnOfWaits(found, policy());
        follow();
    }

    /**
     * Reads a policy from other settings.
     *
     * @throws InvalidSettingException if the pool doesn't go with them
     */
    GroupPolicy policy(ConnectionSettings fresh) {
        check(fresh);
        return fresh.policy(most(fresh));
    }

    /** Puts other settings into force. */
    void enforce(GroupExecutor target, ConnectionSettings fresh, GroupPolicy policy) {
        changes.lock();
        try {
            settings = fresh;
            target.updatePolicy(policy);
            latest = policy.globalMaxInFlight();
        } finally {
            changes.unlock();
        }
    }

    /** Looks how large the pool is now. Called for each connection: most often it is a few reads. */
    void follow() {
        GroupExecutor made = executor;
        if (made != null && most(settings) != latest) {
            adjust(made);
        }
    }

    private void adjust(GroupExecutor made) {
        changes.lock();
        try {
            int most = most(settings);
            if (most != latest) {
                adjust(made, made.policy(), most);
                latest = most;
            }
        } finally {
            changes.unlock();
        }
    }

    private void adjust(GroupExecutor made, GroupPolicy before, int most) {
        if (before.globalMaxInFlight() == most) {
            return;
        }
        try {
            made.updatePolicy(before.toBuilder().globalMaxInFlight(most).build());
        } catch (InvalidPolicyException tooFew) {
            tellOfPool(
                    "would give out " + most + ", but can't: " + tooFew.getMessage() + ". It gives out "
                            + before.globalMaxInFlight()
                            + " as before, so who has a turn may wait in the pool, behind other groups",
                    LOGGER::warn);
            return;
        }
        if (before.globalMaxInFlight() != UNLIMITED) {
            tellOfPool("gives out " + most + " instead of " + before.globalMaxInFlight(), LOGGER::info);
        }
    }

    private void tellOfPool(String consequence, Consumer<String> log) {
        log.accept("The pool of the data source '" + dataSource + "' has at most " + maximum.getAsInt()
                + " connections now, so " + executorName + " " + consequence);
    }

    /** {@return how many connections are for all groups: at least one, however small the pool has become} */
    private int most(ConnectionSettings by) {
        if (!by.areOfThePool()) {
            return by.number();
        }
        int ofPool = maximum.getAsInt();
        if (ofPool == Pools.UNKNOWN) {
            return pool == null ? UNLIMITED : latest; // it was known, or the start had failed
        }
        return Math.max(1, ofPool - by.reserve());
    }

    private void check(ConnectionSettings by) {
        DataSource found = pool;
        if (found == null) {
            return;
        }
        int ofPool = maximum.getAsInt();
        if (!by.areOfThePool()) {
            warnOfNumber(by, ofPool);
        } else if (ofPool == Pools.UNKNOWN) {
            throw by.refusal(
                    "is " + GroupConcurrencyProperties.Datasource.POOL
                            + ", and nothing tells how many connections the data source '" + dataSource + "' ("
                            + found.getClass().getName() + ") has at most",
                    "a number; the maximum is known of pools of HikariCP, Tomcat, DBCP2 and UCP, if they have one",
                    ConnectionSettings.MAX_CONNECTIONS);
        } else if (ofPool == 1) {
            throw by.refusal(
                    "is " + GroupConcurrencyProperties.Datasource.POOL + ", and the pool of the data source '"
                            + dataSource + "' has 1 connection, which nobody can share",
                    "a pool of at least 2 connections, or false for group-concurrency.datasource.enabled",
                    ConnectionSettings.MAX_CONNECTIONS);
        } else if (by.reserve() >= ofPool) {
            throw by.refusal(
                    "leaves nothing of the pool of the data source '" + dataSource + "', which has " + ofPool
                            + " connections",
                    "0 to " + (ofPool - 1) + ", or a larger pool",
                    "nested-reserve");
        }
    }

    private void warnOfNumber(ConnectionSettings by, int ofPool) {
        String name = GroupConcurrencyProperties.PREFIX + ".datasource." + ConnectionSettings.MAX_CONNECTIONS;
        if (ofPool == Pools.UNKNOWN || by.number() <= ofPool - by.reserve()) {
            return;
        }
        String consequence = by.number() > ofPool
                ? "who has a turn may wait in the pool then, behind other groups"
                : "that leaves " + (ofPool - by.number()) + " for threads that have one and need a second, and"
                        + " nested-reserve is " + by.reserve();
        LOGGER.warn(name + " is " + by.number() + ", and the pool of the data source '" + dataSource + "' has " + ofPool
                + " connections: " + consequence + ".");
    }

    /** A caller waits for its turn, and then perhaps in the pool: never longer than both together. */
    private void warnOfWaits(DataSource found, GroupPolicy policy) {
        Duration ofPool = Pools.timeoutOf(found).orElse(GroupLimits.NO_TIMEOUT);
        Map<String, Duration> longer = new LinkedHashMap<>();
        longer.put("defaults", policy.defaults().queueTimeout().orElse(GroupLimits.NO_TIMEOUT));
        policy.groups().forEach((key, limits) -> addIfSet(longer, key, limits));
        policy.patterns().forEach((key, limits) -> addIfSet(longer, key, limits));
        longer.values().removeIf(timeout -> timeout.compareTo(ofPool) <= 0);
        longer.entrySet().stream().findFirst().ifPresent(first -> {
            boolean forEver = first.getValue().equals(GroupLimits.NO_TIMEOUT);
            LOGGER.warn(GroupConcurrencyProperties.PREFIX + ".datasource." + first.getKey() + ".queue-timeout is "
                    + (forEver ? "unlimited" : first.getValue())
                    + (longer.size() == 1 ? "" : " (and " + (longer.size() - 1) + " more)")
                    + ", longer than the connection-timeout of the data source '" + dataSource + "', " + ofPool
                    + ": a caller may wait longer for its turn than it would have for the pool.");
        });
    }

    private static void addIfSet(Map<String, Duration> timeouts, String key, GroupLimits limits) {
        limits.queueTimeout().ifPresent(timeout -> timeouts.put("groups[" + PrintableText.ofKey(key) + "]", timeout));
    }
}
