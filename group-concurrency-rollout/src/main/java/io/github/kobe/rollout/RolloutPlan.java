package io.github.kobe.rollout;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes of many tenants that belong together.
 *
 * <pre>{@code
 * RolloutPlan.named("plan-2026-11-22")
 *         .add(TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), configJson))
 *         .maxConcurrency(20)
 *         .build()
 * }</pre>
 *
 * @param planId the plan's id, checked when the plan is created
 * @param maxConcurrency how many tenants at once, or {@code null} for the default
 * @param changes one for each tenant, in the order in which they begin
 * @since 0.1.0
 */
public record RolloutPlan(String planId, @Nullable Integer maxConcurrency, List<TenantChange> changes) {

    /**
     * Copies the changes.
     *
     * @throws IllegalArgumentException if there is no change
     */
    public RolloutPlan {
        changes = List.copyOf(changes);
        if (changes.isEmpty()) {
            throw new IllegalArgumentException("a plan needs one change at least");
        }
    }

    /**
     * Begins a plan.
     *
     * @param planId the plan's id, such as {@code plan-2026-11-22}
     * @return a builder
     */
    public static Builder named(String planId) {
        return new Builder(planId);
    }

    /** Collects what a plan consists of. Not thread-safe. */
    public static final class Builder {

        private final String planId;
        private final List<TenantChange> changes = new ArrayList<>();
        private @Nullable Integer maxConcurrency;

        private Builder(String planId) {
            this.planId = planId;
        }

        /**
         * Adds the change of one tenant.
         *
         * @param change the change
         * @return this
         */
        public Builder add(TenantChange change) {
            changes.add(change);
            return this;
        }

        /**
         * Sets how many tenants are changed at once.
         *
         * @param value at least 1
         * @return this
         */
        public Builder maxConcurrency(int value) {
            maxConcurrency = value;
            return this;
        }

        /**
         * {@return the plan}
         *
         * @throws IllegalArgumentException if there is no change
         */
        public RolloutPlan build() {
            return new RolloutPlan(planId, maxConcurrency, changes);
        }
    }
}
