package io.github.kobe.rollout;

import java.util.List;
import java.util.Optional;

/**
 * Makes the stages of a task. It is called when the task is created, and again on each node that runs it, and must
 * return the same stages each time: names and order are recorded, and a task whose stages have changed fails.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface StageFactory {

    /**
     * {@return the stages of a task, in order}
     *
     * @param task the task
     * @param change the change that it makes
     * @param settings the settings of its tenant
     * @param health asks instances about their health
     */
    List<Stage> stages(TaskInfo task, TenantChange change, RolloutSettings settings, HealthCheckClient health);

    /** {@return what finds out what a tenant has before its first change, unless another was set} By default there is none. */
    default Optional<PreviousConfig> previous() {
        return Optional.empty();
    }

    /**
     * {@return the verifier that checks a tenant after a rollback, unless another was set} By default nothing is
     * checked.
     */
    default RollbackHealthVerifier verifier() {
        return RollbackHealthVerifier.alwaysTrue();
    }
}
