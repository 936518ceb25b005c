package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.CheckpointStore;
import io.github.kobe.rollout.ConflictPolicy;
import io.github.kobe.rollout.EndpointPolicy;
import io.github.kobe.rollout.HealthCheckClient;
import io.github.kobe.rollout.MetricsRegistry;
import io.github.kobe.rollout.NetworkEndpoint;
import io.github.kobe.rollout.PreviousConfig;
import io.github.kobe.rollout.RollbackHealthVerifier;
import io.github.kobe.rollout.RolloutEventSink;
import io.github.kobe.rollout.RolloutSettings;
import io.github.kobe.rollout.RolloutsBuilder;
import io.github.kobe.rollout.StageFactory;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskWorkerFactory;
import io.github.kobe.rollout.WaveCheck;
import io.github.kobe.rollout.internal.rules.PlanStore;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The options that {@link RolloutsBuilder} collects. */
public record RolloutOptions(
        PlanStore store,
        StageFactory stages,
        RollbackHealthVerifier verifier,
        HealthCheckClient health,
        EndpointPolicy endpoints,
        @Nullable PreviousConfig previous,
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
        Duration waitForStages,
        @Nullable Duration retention,
        @Nullable WaveCheck waveCheck,
        Duration waveCheckInterval,
        Duration giveUpEventsAfter,
        Duration firstEventRetry) {

    private static final Logger LOG = LoggerFactory.getLogger(RolloutOptions.class);

    private static final Duration FOR_EVER = Duration.ofDays(36_525);

    /** How often a drive looks for wishes that others have left, at least. */
    static final Duration LOOK = Duration.ofSeconds(1);

    /** The longest wait before an event is tried again that the sink has refused. */
    static final Duration LONGEST_EVENT_RETRY = Duration.ofMinutes(1);

    /** After what time a drive looks again for a tenant that it waits for. */
    static final Duration TENANT_WAIT = Duration.ofSeconds(5);

    /** After what time a plan is looked at again that this node has left, as it has other stages. */
    static final Duration OTHERS_COME = Duration.ofSeconds(5);

    /** {@return the time, or 100 years if it is longer} More could not be taken from a point in time. */
    public static Duration limited(Duration time) {
        return time.compareTo(FOR_EVER) < 0 ? time : FOR_EVER;
    }

    /**
     * {@return the endpoint}
     *
     * @throws SecurityException if it must not be called
     */
    NetworkEndpoint allowed(NetworkEndpoint endpoint) {
        endpoints.refusal(endpoint).ifPresent(reason -> {
            throw new SecurityException("endpoint " + endpoint + " is refused: " + reason);
        });
        return endpoint;
    }

    RolloutSettings settingsOf(Map<String, String> ofTenant) {
        return new RolloutSettings(ofTenant, settings);
    }

    /** Of tasks that nothing can go on with; where that fails, it stays. */
    void forgetCheckpoints(Collection<TaskId> ids) {
        if (checkpoints != null) {
            for (TaskId id : ids) {
                try {
                    checkpoints.remove(id);
                } catch (RuntimeException e) {
                    LOG.warn("The checkpoint of {} could not be removed", id, e);
                }
            }
        }
    }
}
