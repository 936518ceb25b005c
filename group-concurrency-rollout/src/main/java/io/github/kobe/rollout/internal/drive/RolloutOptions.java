package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.CheckpointStore;
import io.github.kobe.rollout.ConflictPolicy;
import io.github.kobe.rollout.HealthCheckClient;
import io.github.kobe.rollout.MetricsRegistry;
import io.github.kobe.rollout.RollbackHealthVerifier;
import io.github.kobe.rollout.RolloutEventSink;
import io.github.kobe.rollout.RolloutSettings;
import io.github.kobe.rollout.RolloutsBuilder;
import io.github.kobe.rollout.StageFactory;
import io.github.kobe.rollout.TaskWorkerFactory;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.internal.rules.PlanStore;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options that {@link RolloutsBuilder} collects. */
public record RolloutOptions(
        PlanStore store,
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
        Duration shutdownGrace,
        Duration giveUpEventsAfter,
        Duration firstEventRetry) {

    /** How often a drive looks for wishes that others have left, at least. */
    static final Duration LOOK = Duration.ofSeconds(1);

    /** The longest wait before an event is tried again that the sink has refused. */
    static final Duration LONGEST_EVENT_RETRY = Duration.ofMinutes(1);

    /** After what time a drive looks again for a tenant that it waits for. */
    static final Duration TENANT_WAIT = Duration.ofSeconds(5);

    RolloutSettings settingsOf(TenantChange change) {
        return new RolloutSettings(change.settings(), settings);
    }
}
