package io.github.kobe.rollout;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options that {@link RolloutsBuilder} collects. */
record RolloutOptions(
        RolloutStore store,
        StageFactory stages,
        RollbackHealthVerifier verifier,
        HealthCheckClient health,
        @Nullable CheckpointStore checkpoints,
        TaskWorkerFactory workers,
        RolloutEventSink sink,
        MetricsRegistry metrics,
        Map<String, String> settings,
        int maxConcurrency,
        ConflictPolicy conflict,
        String node,
        Duration progressInterval,
        Duration shutdownGrace) {

    /** How often a drive looks for wishes that others have left. */
    static final Duration LOOK = Duration.ofSeconds(1);

    /** After what time a drive looks again for a tenant that it waits for. */
    static final Duration TENANT_WAIT = Duration.ofSeconds(5);

    /** How long a drive goes on without its store: as long as nobody else takes it for dead. */
    static final Duration WITHOUT_STORE = Duration.ofSeconds(8);

    RolloutSettings settingsOf(TenantChange change) {
        return new RolloutSettings(change.settings(), settings);
    }
}
