package io.github.kobe.rollout;

/**
 * Thrown if there is no such task, or no task of that tenant.
 *
 * @since 0.1.0
 */
public final class TaskNotFoundException extends RolloutException {

    private static final long serialVersionUID = 1;

    /**
     * Says that there is no such task.
     *
     * @param target the task that was asked for, or the tenant that has none
     */
    public TaskNotFoundException(Target target) {
        super(
                target instanceof TenantId ? "there is no task of the tenant " + target : "there is no task " + target,
                null);
    }
}
