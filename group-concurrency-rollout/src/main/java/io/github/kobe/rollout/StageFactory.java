package io.github.kobe.rollout;

import java.util.List;

/**
 * Makes the stages of a task. It is asked when the task is created, and again on each node that runs it, and has to answer
 * the same: names and order are recorded, and a task whose stages have changed fails.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface StageFactory {

    /**
     * {@return the stages of a task, in order}
     *
     * @param task the task
     * @param change what it is to do
     * @param settings the settings that hold for its tenant
     * @param health asks instances how they are
     */
    List<Stage> stages(TaskInfo task, TenantChange change, RolloutSettings settings, HealthCheckClient health);

    /** {@return what looks at a tenant after a rollback, unless something else was set} By default nothing does. */
    default RollbackHealthVerifier verifier() {
        return RollbackHealthVerifier.alwaysTrue();
    }
}
