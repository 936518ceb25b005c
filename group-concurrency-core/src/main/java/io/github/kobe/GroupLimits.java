package io.github.kobe;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one group, of all groups that a pattern matches, or of all groups. Each number that is unset is
 * inherited separately, from the exact key, the limits resolver, the best pattern, the concurrency resolver, or the
 * defaults, in this order.
 *
 * <pre>{@code
 * GroupLimits.unset().withMaxConcurrency(4).withQueueTimeout(Duration.ofSeconds(5))
 * }</pre>
 *
 * <p>Immutable. Values are checked where they come into force: by {@link GroupPolicy.Builder#build()} and
 * {@link GroupExecutor#setLimits}.
 *
 * @since 0.1.0
 */
public final class GroupLimits {

    /**
     * A queue time-out that never expires; it removes an inherited one. In nanoseconds it is {@link Long#MAX_VALUE}.
     */
    public static final Duration NO_TIMEOUT = Duration.ofNanos(Long.MAX_VALUE);

    /** The largest weight. */
    static final int MAX_WEIGHT = 1_000;

    private static final GroupLimits UNSET = new GroupLimits(null, null, null, null, null);

    private final @Nullable Integer maxConcurrency;
    private final @Nullable Integer maxInFlight;
    private final @Nullable Integer queueThreshold;
    private final @Nullable Duration queueTimeout;
    private final @Nullable Integer weight;

    private GroupLimits(
            @Nullable Integer maxConcurrency,
            @Nullable Integer maxInFlight,
            @Nullable Integer queueThreshold,
            @Nullable Duration queueTimeout,
            @Nullable Integer weight) {
        this.maxConcurrency = maxConcurrency;
        this.maxInFlight = maxInFlight;
        this.queueThreshold = queueThreshold;
        this.queueTimeout = queueTimeout;
        this.weight = weight;
    }

    /** {@return limits with nothing set: everything is inherited} */
    public static GroupLimits unset() {
        return UNSET;
    }

    /**
     * Sets how many tasks of the group may run at once.
     *
     * @param value at least 1
     * @return limits with that number
     */
    public GroupLimits withMaxConcurrency(int value) {
        return replaceMaxConcurrency(value);
    }

    GroupLimits replaceMaxConcurrency(@Nullable Integer value) {
        return new GroupLimits(value, maxInFlight, queueThreshold, queueTimeout, weight);
    }

    /**
     * Sets how many tasks of the group may be in flight: started and, for asynchronous ones, not completed. If nobody sets
     * it, as many as may run, also when that number changes.
     *
     * @param value at least 1; {@link Integer#MAX_VALUE} for no limit
     * @return limits with that number
     */
    public GroupLimits withMaxInFlight(int value) {
        return replaceMaxInFlight(value);
    }

    GroupLimits replaceMaxInFlight(@Nullable Integer value) {
        return new GroupLimits(maxConcurrency, value, queueThreshold, queueTimeout, weight);
    }

    /**
     * Sets how many tasks of the group may wait.
     *
     * @param value at least 0; 0: none waits; {@link Integer#MAX_VALUE} for no limit
     * @return limits with that number
     */
    public GroupLimits withQueueThreshold(int value) {
        return replaceQueueThreshold(value);
    }

    GroupLimits replaceQueueThreshold(@Nullable Integer value) {
        return new GroupLimits(maxConcurrency, maxInFlight, value, queueTimeout, weight);
    }

    /**
     * Sets how long a task of the group may wait to start.
     *
     * @param value more than zero; {@link #NO_TIMEOUT} for ever
     * @return limits with that time-out
     */
    public GroupLimits withQueueTimeout(Duration value) {
        Objects.requireNonNull(value, "queueTimeout");
        return new GroupLimits(maxConcurrency, maxInFlight, queueThreshold, value, weight);
    }

    /**
     * Sets how many tasks the group may start in one turn when groups take turns for the global limit. A group ends its
     * turn earlier if its own limits keep it from starting more.
     *
     * @param value 1 to 1,000
     * @return limits with that weight
     */
    public GroupLimits withWeight(int value) {
        return new GroupLimits(maxConcurrency, maxInFlight, queueThreshold, queueTimeout, value);
    }

    /** {@return how many tasks may run at once, if set} */
    public OptionalInt maxConcurrency() {
        return optional(maxConcurrency);
    }

    /** {@return how many tasks may be in flight, if set} */
    public OptionalInt maxInFlight() {
        return optional(maxInFlight);
    }

    /** {@return how many tasks may wait, if set} */
    public OptionalInt queueThreshold() {
        return optional(queueThreshold);
    }

    /** {@return how long a task may wait, if set} */
    public Optional<Duration> queueTimeout() {
        return Optional.ofNullable(queueTimeout);
    }

    /** {@return how many tasks may start in one turn, if set} */
    public OptionalInt weight() {
        return optional(weight);
    }

    /** {@return these limits, with what they leave unset taken from {@code other}} */
    GroupLimits orElse(GroupLimits other) {
        return new GroupLimits(
                maxConcurrency != null ? maxConcurrency : other.maxConcurrency,
                maxInFlight != null ? maxInFlight : other.maxInFlight,
                queueThreshold != null ? queueThreshold : other.queueThreshold,
                queueTimeout != null ? queueTimeout : other.queueTimeout,
                weight != null ? weight : other.weight);
    }

    /**
     * Checks every number that is set.
     *
     * @param rule the key or pattern they are for
     * @throws InvalidPolicyException if one is out of its range
     */
    void validate(String rule) {
        atLeast(1, maxConcurrency, "maxConcurrency", rule);
        atLeast(1, maxInFlight, "maxInFlight", rule);
        atLeast(0, queueThreshold, "queueThreshold", rule);
        validateTimeAndWeight(rule);
    }

    /** As {@link #validate}, for the numbers of all groups, which the builder knows by longer names. */
    void validateAsDefaults() {
        atLeast(1, maxConcurrency, "defaultMaxConcurrencyPerGroup", null);
        atLeast(1, maxInFlight, "defaultMaxInFlightPerGroup", null);
        atLeast(0, queueThreshold, "defaultQueueThresholdPerGroup", null);
        validateTimeAndWeight(null);
    }

    private void validateTimeAndWeight(@Nullable String rule) {
        if (queueTimeout != null && !queueTimeout.isPositive()) {
            throw new InvalidPolicyException("queueTimeout", rule, queueTimeout, "more than zero");
        }
        if (weight != null && (weight < 1 || weight > MAX_WEIGHT)) {
            throw new InvalidPolicyException("weight", rule, weight, "1 to " + MAX_WEIGHT);
        }
    }

    static void atLeast(int least, @Nullable Integer value, String setting, @Nullable String rule) {
        if (value != null && value < least) {
            throw new InvalidPolicyException(setting, rule, value, "at least " + least);
        }
    }

    private static OptionalInt optional(@Nullable Integer value) {
        return value == null ? OptionalInt.empty() : OptionalInt.of(value);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof GroupLimits that
                && Objects.equals(maxConcurrency, that.maxConcurrency)
                && Objects.equals(maxInFlight, that.maxInFlight)
                && Objects.equals(queueThreshold, that.queueThreshold)
                && Objects.equals(queueTimeout, that.queueTimeout)
                && Objects.equals(weight, that.weight);
    }

    @Override
    public int hashCode() {
        return Objects.hash(maxConcurrency, maxInFlight, queueThreshold, queueTimeout, weight);
    }

    @Override
    public String toString() {
        return "GroupLimits[maxConcurrency=" + maxConcurrency + ", maxInFlight=" + maxInFlight + ", queueThreshold="
                + queueThreshold + ", queueTimeout=" + queueTimeout + ", weight=" + weight + "]";
    }
}
