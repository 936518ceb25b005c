package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.ConflictPolicy;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of rollouts, as they are written. Their ranges are checked where they come into force.
 *
 * @param enabled Whether there are rollouts.
 * @param store Where rollouts are stored. By default in the database, if there is one DataSource and Spring JDBC, else
 *     in memory, with a warning.
 * @param initializeSchema In which databases the tables are created at the start.
 * @param application Under which name the database has this application's rollouts: none sees those of another. By default
 *     spring.application.name, or 'default' without one. A RolloutStore of the application's own must have the same name.
 * @param node The name of this node in events, in the database and in the log. By default that of its host, with the number
 *     of the process.
 * @param retention After what time plans that have ended are removed, more than zero. By default they stay.
 * @param waitForStages How long a task waits for a node that has its stages, zero or more, before it fails: while a new
 *     version is rolled out, nodes of two versions work side by side.
 * @param tenantsAtOnce How many tenants a plan changes at once if it doesn't specify it, at least 1.
 * @param conflict What happens to a task if another task has its tenant.
 * @param shutdownGrace How long running stages may take when the application stops, zero or more, before they are
 *     interrupted; should be shorter than spring.lifecycle.timeout-per-shutdown-phase.
 * @param health How the health of instances is checked.
 * @param http How the configuration is sent to instances.
 * @param checkpoint Where checkpoints are stored.
 * @param events How events are delivered.
 */
@ConfigurationProperties(prefix = "group-concurrency.rollout", ignoreUnknownFields = false)
record GroupRolloutProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable Store store,
        @DefaultValue("embedded") InitializeSchema initializeSchema,
        @Nullable String application,
        @Nullable String node,
        @Nullable Duration retention,
        @DefaultValue("10m") Duration waitForStages,
        @DefaultValue("10") int tenantsAtOnce,
        @DefaultValue("reject") ConflictPolicy conflict,
        @DefaultValue("20s") Duration shutdownGrace,
        @DefaultValue Health health,
        @DefaultValue Http http,
        @DefaultValue Checkpoint checkpoint,
        @DefaultValue Events events) {

    /** Where rollouts are stored. */
    enum Store {
        /** In the database of the DataSource. */
        JDBC,
        /** In the memory of this process, until it ends. */
        MEMORY
    }

    /** In which databases the tables are created. */
    enum InitializeSchema {
        /** Databases in the memory of this process. */
        EMBEDDED,
        /** All. */
        ALWAYS,
        /** None. */
        NEVER
    }

    /**
     * How the health of instances is checked. A tenant's own setting of the same name takes precedence.
     *
     * @param path The path of the health check, for endpoints without a path.
     * @param versionKey The field of the answer that has the version.
     * @param interval How long to wait between two attempts, more than zero.
     * @param maxAttempts How many attempts there are, at least 1.
     * @param timeout How long one attempt may take, with its whole answer, more than zero.
     */
    record Health(
            @DefaultValue("/health") String path,
            @DefaultValue("version") String versionKey,
            @DefaultValue("3s") Duration interval,
            @DefaultValue("10") int maxAttempts,
            @DefaultValue("2s") Duration timeout) {}

    /**
     * How the configuration is sent to instances. A tenant's own setting of the same name takes precedence.
     *
     * @param timeout How long one request may take, with its whole answer, more than zero.
     * @param parallel How many requests a stage sends at once, at least 1.
     * @param retries How often a stage that sends requests runs again if it fails, for whatever reason, from 0 to 100.
     * @param retryWait The first wait before that, more than zero, up to 5 minutes; each further one is twice as long, up to
     *     5 minutes. A Retry-After of an instance makes it longer, up to an hour.
     * @param stageTimeout How long each stage may take, more than zero. By default as long as its requests may take one
     *     after the other, and 10 seconds more.
     * @param header Headers of all requests to instances, by name, such as Authorization.
     * @param fetchPrevious Whether the instances are asked for their present configuration before the first change of a
     *     tenant whose previous configuration is unknown.
     */
    record Http(
            @DefaultValue("10s") Duration timeout,
            @DefaultValue("8") int parallel,
            @DefaultValue("0") int retries,
            @DefaultValue("1s") Duration retryWait,
            @Nullable Duration stageTimeout,
            @DefaultValue Map<String, String> header,
            @DefaultValue("false") boolean fetchPrevious) {

        /** {@return what it consists of, but only the names of headers, whose values may be secret} */
        @Override
        public String toString() {
            return "Http[timeout=" + timeout + ", parallel=" + parallel + ", retries=" + retries + ", retryWait="
                    + retryWait
                    + ", stageTimeout=" + stageTimeout + ", header=" + header.keySet() + ", fetchPrevious="
                    + fetchPrevious + "]";
        }
    }

    /**
     * Where checkpoints are stored.
     *
     * @param storeType With the tasks, or in Redis.
     * @param redis How they are stored in Redis.
     */
    record Checkpoint(
            @DefaultValue("row") CheckpointStoreType storeType,
            @DefaultValue Redis redis) {}

    /** Where checkpoints are stored. */
    enum CheckpointStoreType {
        /** With the tasks. */
        ROW,
        /** In Redis. */
        REDIS
    }

    /**
     * How checkpoints are stored in Redis.
     *
     * @param namespace The beginning of their keys, which ends in a colon.
     * @param ttl How long Redis keeps a checkpoint that nobody removes.
     */
    record Redis(
            @DefaultValue("rollout:checkpoint:") String namespace,
            @DefaultValue("24h") Duration ttl) {}

    /**
     * How events are delivered.
     *
     * @param giveUpAfter For how long an event is tried again if a listener throws, zero or more.
     */
    record Events(@DefaultValue("10m") Duration giveUpAfter) {}
}
