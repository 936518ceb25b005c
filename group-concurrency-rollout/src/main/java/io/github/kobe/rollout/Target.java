package io.github.kobe.rollout;

/**
 * What an operation or a question is about: a {@link PlanId}, a {@link TaskId}, or a {@link TenantId}, which stands for the
 * task that claims the tenant, else for the tenant's newest one.
 *
 * @since 0.1.0
 */
public sealed interface Target permits PlanId, TaskId, TenantId {

    /** {@return the id as text} */
    String value();
}
