package io.github.kobe.rollout;

import java.util.List;

/**
 * What the start of a plan would do, as things are now.
 *
 * @param planId the plan's id
 * @param maxConcurrency how many tenants run at once
 * @param errors everything that is wrong with the plan and its tenants; empty if it can be started
 * @param conflict what happens to a tenant that another task has
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

    /** {@return whether the plan has no errors} Even then, other tasks may have some of its tenants. */
    public boolean isStartable() {
        return errors.isEmpty();
    }
}
