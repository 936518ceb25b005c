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

    /** How often a drive looks for wishes that others have left, at least. */
    static final Duration LOOK = Duration.ofSeconds(1);

    /** After what time a drive looks again for a tenant that it waits for. */
    static final Duration TENANT_WAIT = Duration.ofSeconds(5);

    RolloutSettings settingsOf(TenantChange change) {
        return new RolloutSettings(change.settings(), settings);
    }
}
