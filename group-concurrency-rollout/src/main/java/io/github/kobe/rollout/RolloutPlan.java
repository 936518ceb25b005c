package io.github.kobe.rollout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A set of changes, one for each of many tenants.
 *
 * <pre>{@code
 * RolloutPlan.named("plan-2026-11-22")
 *         .add(TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), configJson))
 *         .maxConcurrency(20)
 *         .build()
 * }</pre>
 *
 * @param planId the plan's id, checked when the plan is created
 * @param maxConcurrency how many tenants run at once, or {@code null} for the default
 * @param changes one for each tenant, in the order in which they begin
 * @param waves the sizes of its waves, except the last one; empty for a plan without waves
 * @param maxFailures how many tasks may fail, of the plan, or as a percentage of a wave, or {@code null} for any number
 * @param onTooManyFailures what happens if one more fails
 * @param bakeTime the shortest time from the end of a wave to the begin of the next one
 * @param approvalTimeout how long the plan waits for an approval between two waves, or {@code null} if none is needed
 * @since 0.1.0
 */
public record RolloutPlan(
        String planId,
        @Nullable Integer maxConcurrency,
        List<TenantChange> changes,
        List<WaveSize> waves,
        @Nullable WaveSize maxFailures,
        FailureReaction onTooManyFailures,
        Duration bakeTime,
        @Nullable Duration approvalTimeout) {

    /**
     * Makes a plan without waves.
     *
     * @param planId the plan's id, checked when the plan is created
     * @param maxConcurrency how many tenants run at once, or {@code null} for the default
     * @param changes one for each tenant, in the order in which they begin
     * @throws IllegalArgumentException if there is no change
     */
    public RolloutPlan(String planId, @Nullable Integer maxConcurrency, List<TenantChange> changes) {
        this(planId, maxConcurrency, changes, List.of(), null, FailureReaction.PAUSE, Duration.ZERO, null);
    }

    /**
     * Copies the collections.
     *
     * @throws IllegalArgumentException if there is no change
     */
    public RolloutPlan {
        Objects.requireNonNull(onTooManyFailures, "onTooManyFailures");
        Objects.requireNonNull(bakeTime, "bakeTime");
        waves = List.copyOf(waves);
        changes = List.copyOf(changes);
        if (changes.isEmpty()) {
            throw new IllegalArgumentException("plan '" + planId + "' changes no tenant; it must change at least one");
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

    /** Collects the parts of a plan. Not thread-safe. */
    public static final class Builder {

        private final String planId;
        private final List<TenantChange> changes = new ArrayList<>();
        private final List<WaveSize> waves = new ArrayList<>();
        private @Nullable Integer maxConcurrency;
        private @Nullable WaveSize maxFailures;
        private FailureReaction onTooManyFailures = FailureReaction.PAUSE;
        private Duration bakeTime = Duration.ZERO;
        private @Nullable Duration approvalTimeout;

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
         * Divides the tenants into waves, in the order of the plan. A wave begins when all tasks of the waves before it
         * have ended. The remaining tenants form the last wave.
         *
         * @param tenants how many tenants each wave has, at least 1; {@code waves(1, 10)} is one tenant, then ten, then
         *     all others
         * @return this
         */
        public Builder waves(int... tenants) {
            return waves(Arrays.stream(tenants).mapToObj(WaveSize::tenants).toArray(WaveSize[]::new));
        }

        /**
         * As {@link #waves(int...)}, with sizes that may be percentages of the plan.
         *
         * @param sizes the size of each wave
         * @return this
         */
        public Builder waves(WaveSize... sizes) {
            waves.clear();
            waves.addAll(List.of(sizes));
            return this;
        }

        /**
         * Sets how many tasks of the plan may fail. If one more fails, nothing new starts: running tasks continue to their
         * end, and the plan is paused until somebody resumes it, cancels it or rolls it back;
         * {@link #onTooManyFailures} sets something else.
         *
         * @param value at least 0
         * @return this
         */
        public Builder maxFailures(int value) {
            return maxFailures(WaveSize.tenants(value));
        }

        /**
         * As {@link #maxFailures(int)}, or with a percentage of the tasks of the current wave, rounded down: with 10 percent,
         * one failure is too many in a wave of 9 tasks, and in one of 10 a second one is.
         *
         * @param value a number, at least 0, or a percentage from 1 to 100
         * @return this
         */
        public Builder maxFailures(WaveSize value) {
            maxFailures = value;
            return this;
        }

        /**
         * Sets what happens if more tasks fail than may. By default the plan is paused.
         *
         * @param reaction what happens; it needs a limit
         * @return this
         */
        public Builder onTooManyFailures(FailureReaction reaction) {
            onTooManyFailures = reaction;
            return this;
        }

        /**
         * Sets the shortest time from the end of a wave to the begin of the next one.
         *
         * @param time zero or more, up to 365 days
         * @return this
         */
        public Builder bakeTime(Duration time) {
            bakeTime = time;
            return this;
        }

        /**
         * Makes each further wave wait for an approval; see {@link Rollouts#approve}.
         *
         * @param timeout how long the plan waits for it, from the end of the bake time; then the plan is paused. More
         *     than zero, up to 365 days
         * @return this
         */
        public Builder approval(Duration timeout) {
            approvalTimeout = timeout;
            return this;
        }

        /**
         * {@return the plan}
         *
         * @throws IllegalArgumentException if there is no change
         */
        public RolloutPlan build() {
            return new RolloutPlan(
                    planId, maxConcurrency, changes, waves, maxFailures, onTooManyFailures, bakeTime, approvalTimeout);
        }
    }
}
