package io.github.kobe.rollout;

import java.util.List;

/**
 * What the start of a plan would do, as things are now.
 *
 * @param planId the plan's id
 * @param maxConcurrency how many tenants at once
 * @param errors all that is wrong, of the plan and of all tenants; none if it can be started
 * @param conflict what becomes of a tenant that another task has
 * @param waves the tenants of each wave, in the order in which they begin
 * @since 0.1.0
 */
public record PlanPreview(
        String planId,
        int maxConcurrency,
        List<String> errors,
        ConflictPolicy conflict,
        List<List<TenantPreview>> waves) {

    /** Copies the collections. */
    public PlanPreview {
        errors = List.copyOf(errors);
        waves = waves.stream().map(List::copyOf).toList();
    }

    /** {@return whether nothing is wrong about it} Tenants may be another task's all the same. */
    public boolean isStartable() {
        return errors.isEmpty();
    }
}
