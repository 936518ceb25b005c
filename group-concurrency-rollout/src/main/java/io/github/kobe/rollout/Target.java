package io.github.kobe.rollout;

/**
 * The target of an operation or a query: a {@link PlanId}, a {@link TaskId}, or a {@link TenantId}, which stands for
 * the task that has claimed the tenant, or else for the tenant's newest task.
 *
 * @since 0.1.0
 */
public sealed interface Target permits PlanId, TaskId, TenantId {

    /** {@return the id as text} */
    String value();
}
