package io.github.kobe.rollout;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a plan is doing.
 *
 * @param planId the plan
 * @param status its state
 * @param maxConcurrency how many of its tasks run at once
 * @param pauseAsked whether a pause was requested, so that it starts nothing
 * @param tasks how many tasks are in each state
 * @param createdAt when it was created
 * @param createdBy who created it
 * @param startedAt when it was started
 * @param endedAt when it came to rest
 * @param wave the wave whose tasks may begin, from 1
 * @param waves how many waves there are
 * @param maxFailures how many tasks may fail, of the plan, or of the current wave if the limit is a percentage, or {@code null} for
 *     any number
 * @param gate what holds back the next wave, if anything does
 * @since 0.1.0
 */
public record PlanInfo(
        PlanId planId,
        PlanStatus status,
        int maxConcurrency,
        boolean pauseAsked,
        Map<TaskStatus, Integer> tasks,
        Instant createdAt,
        String createdBy,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        int wave,
        int waves,
        @Nullable Integer maxFailures,
        @Nullable WaveGate gate) {}
