package io.github.kobe.rollout;

import java.util.Optional;

/**
 * Finds out what a tenant has before its first change, so that a first rollout can be rolled back. It is asked if neither the
 * change names it nor anything is known to be good.
 *
 * <p>What it finds is recorded in the transaction in which the task begins, before the first stage; so it is not asked again
 * after a crash, when a stage may have changed something. It may be asked more than once before that, and should only read.
 * If it throws, or takes longer than five minutes, the task fails with {@link FailureInfo#NO_PREVIOUS} before anything has
 * changed, and a retry asks again.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface PreviousConfig {

    /**
     * {@return what the tenant has now; empty if that is unknown, and then the task can't be rolled back}
     *
     * @param context the task and its tenant, as a step has it, before any step; nothing of {@link StageContext#data()} is
     *     saved
     * @param health asks instances about their health
     * @throws Exception if it can't be found out
     */
    Optional<ConfigSnapshot> find(StageContext context, HealthCheckClient health) throws Exception;
}
