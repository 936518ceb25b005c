package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.ConflictPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of rollouts, as they are written. Their ranges are checked by what they come into force in.
 *
 * @param enabled Whether there are rollouts.
 * @param store Where rollouts are kept. By default in the database, where there is one DataSource and Spring JDBC, else in
 *     memory, with a warning.
 * @param initializeSchema Which databases are given the tables at the start.
 * @param maxConcurrency How many tenants at once a plan changes that doesn't say, at least 1.
 * @param conflict What becomes of a task whose tenant another task has.
 * @param progressInterval How often running tasks tell how far they are, more than zero.
 * @param shutdownGrace How long the stages that run may take when the application stops, zero or more, before they are
 *     interrupted; to be shorter than spring.lifecycle.timeout-per-shutdown-phase.
 * @param health How instances are asked whether they are well.
 * @param http How instances are sent their configuration.
 * @param checkpoint Where checkpoints are kept.
 */
@ConfigurationProperties(prefix = "group-concurrency.rollout", ignoreUnknownFields = false)
record GroupRolloutProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable Store store,
        @DefaultValue("embedded") InitializeSchema initializeSchema,
        @DefaultValue("10") int maxConcurrency,
        @DefaultValue("reject") ConflictPolicy conflict,
        @DefaultValue("10s") Duration progressInterval,
        @DefaultValue("20s") Duration shutdownGrace,
        @DefaultValue Health health,
        @DefaultValue Http http,
        @DefaultValue Checkpoint checkpoint) {

    /** Where rollouts are kept. */
    enum Store {
        /** In the database of the DataSource. */
        JDBC,
        /** In this process, and only as long as it lives. */
        MEMORY
    }

    /** Which databases are given the tables. */
    enum InitializeSchema {
        /** Those in the memory of this process. */
        EMBEDDED,
        /** All. */
        ALWAYS,
        /** None. */
        NEVER
    }

    /**
     * How instances are asked whether they are well. A tenant's own setting of the same name comes before each.
     *
     * @param path The path to ask, of endpoints that have none.
     * @param versionKey The field of the answer that has the version.
     * @param interval How long to wait between two attempts, more than zero.
     * @param maxAttempts How many attempts there are, at least 1.
     * @param timeout How long one attempt may take, more than zero.
     */
    record Health(
            @DefaultValue("/health") String path,
            @DefaultValue("version") String versionKey,
            @DefaultValue("3s") Duration interval,
            @DefaultValue("10") int maxAttempts,
            @DefaultValue("2s") Duration timeout) {}

    /**
     * How instances are sent their configuration. A tenant's own setting of the same name comes before it.
     *
     * @param timeout How long one request may take, more than zero.
     */
    record Http(@DefaultValue("10s") Duration timeout) {}

    /**
     * Where checkpoints are kept.
     *
     * @param storeType With the tasks, or in Redis.
     * @param redis How they are kept in Redis.
     */
    record Checkpoint(
            @DefaultValue("row") CheckpointStoreType storeType,
            @DefaultValue Redis redis) {}

    /** Where checkpoints are kept. */
    enum CheckpointStoreType {
        /** With the tasks. */
        ROW,
        /** In Redis. */
        REDIS
    }

    /**
     * How checkpoints are kept in Redis.
     *
     * @param namespace What their keys begin with; it ends in a colon.
     * @param ttl How long Redis keeps one that nobody removes.
     */
    record Redis(
            @DefaultValue("rollout:checkpoint:") String namespace,
            @DefaultValue("24h") Duration ttl) {}
}
