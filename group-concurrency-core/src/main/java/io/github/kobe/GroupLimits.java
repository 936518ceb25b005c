package io.github.kobe;

import io.github.kobe.internal.base.KeyText;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
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

    /** The largest guarantee. */
    static final int MAX_GUARANTEED = 1_000_000;

    /** As many rates a group may have: each start asks all of them. */
    static final int MAX_RATES = 8;

    private static final String CLUSTER_MAX_IN_FLIGHT = "clusterMaxInFlight";
    private static final String QUEUE_THRESHOLD = "queueThreshold";
    static final String GLOBAL_QUEUE_THRESHOLD = "globalQueueThreshold";

    private static final GroupLimits UNSET = new GroupLimits(null, null, null, null, null, null, null, null);

    private final @Nullable Integer maxConcurrency;
    private final @Nullable Integer maxInFlight;
    private final @Nullable Integer queueThreshold;
    private final @Nullable Duration queueTimeout;
    private final @Nullable Integer weight;
    private final @Nullable Integer guaranteed;
    private final @Nullable Integer clusterMaxInFlight;
    private final @Nullable List<Rate> rates;

    private GroupLimits(
            @Nullable Integer maxConcurrency,
            @Nullable Integer maxInFlight,
            @Nullable Integer queueThreshold,
            @Nullable Duration queueTimeout,
            @Nullable Integer weight,
            @Nullable Integer guaranteed,
            @Nullable Integer clusterMaxInFlight,
            @Nullable List<Rate> rates) {
        this.maxConcurrency = maxConcurrency;
        this.maxInFlight = maxInFlight;
        this.queueThreshold = queueThreshold;
        this.queueTimeout = queueTimeout;
        this.weight = weight;
        this.guaranteed = guaranteed;
        this.clusterMaxInFlight = clusterMaxInFlight;
        this.rates = rates;
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
        return new GroupLimits(
                value, maxInFlight, queueThreshold, queueTimeout, weight, guaranteed, clusterMaxInFlight, rates);
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
        return new GroupLimits(
                maxConcurrency, value, queueThreshold, queueTimeout, weight, guaranteed, clusterMaxInFlight, rates);
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
        return new GroupLimits(
                maxConcurrency, maxInFlight, value, queueTimeout, weight, guaranteed, clusterMaxInFlight, rates);
    }

    /**
     * Sets how long a task of the group may wait to start.
     *
     * @param value more than zero; {@link #NO_TIMEOUT} for ever
     * @return limits with that time-out
     */
    public GroupLimits withQueueTimeout(Duration value) {
        Objects.requireNonNull(value, "queueTimeout");
        return new GroupLimits(
                maxConcurrency, maxInFlight, queueThreshold, value, weight, guaranteed, clusterMaxInFlight, rates);
    }

    /**
     * Sets how much the group may have of the global limit, compared with others, while that is short: one of weight 4 holds
     * four times as many permits as one of weight 1, if both have enough to do. Where groups outnumber permits, it is how
     * many tasks the group may start in one turn.
     *
     * @param value 1 to 1,000
     * @return limits with that weight
     */
    public GroupLimits withWeight(int value) {
        return new GroupLimits(
                maxConcurrency,
                maxInFlight,
                queueThreshold,
                queueTimeout,
                value,
                guaranteed,
                clusterMaxInFlight,
                rates);
    }

    /**
     * Sets how many tasks of the group are to be in flight, if it has so many, before others get more. While it is below
     * that and a global permit comes back, the group gets it, first those that have a guarantee by their exact key or by
     * {@link GroupExecutor#setLimits}, then those that have one by the limits resolver, a pattern or the defaults. Nothing
     * is kept free for it, and nothing that runs is stopped. It has no effect without {@link
     * GroupPolicy.Builder#globalMaxInFlight}. Where the group's limit in flight is lower, that is guaranteed.
     *
     * @param value 0 to 1,000,000; 0: nothing
     * @return limits with that guarantee
     */
    public GroupLimits withGuaranteed(int value) {
        return new GroupLimits(
                maxConcurrency, maxInFlight, queueThreshold, queueTimeout, weight, value, clusterMaxInFlight, rates);
    }

    /**
     * Sets how many tasks of the group may be in flight over all instances of an application together. Each instance leases a
     * part of that from a store that all share, and has no more in flight than it has leased; its own numbers hold besides.
     * If nobody sets {@code maxConcurrency}, this number stands for it.
     *
     * <p>An executor that is made without {@code ClusterSettings} refuses a policy with such a number. It can't be set for one
     * instance: {@link GroupExecutor#setLimits} refuses it too.
     *
     * @param value at least 1; {@link Integer#MAX_VALUE} for no such limit, which removes an inherited one
     * @return limits with that number
     * @since 0.1.0
     */
    public GroupLimits withClusterMaxInFlight(int value) {
        return new GroupLimits(
                maxConcurrency, maxInFlight, queueThreshold, queueTimeout, weight, guaranteed, value, rates);
    }

    /**
     * Sets how much of the group starts in any window of time, beside how much runs at once: as {@link #withRates}, with one
     * rate.
     *
     * @param value {@link Rate#UNLIMITED} removes inherited ones
     * @return limits with that rate, and no other
     * @since 0.1.0
     */
    public GroupLimits withRate(Rate value) {
        return withRates(List.of(Objects.requireNonNull(value, "rate")));
    }

    /**
     * Sets how much of the group starts in any window of time, beside how much runs at once. Each start counts against each of the
     * rates, by what it {@linkplain Costs costs} of that, and all have to allow it. What comes too early waits, and
     * holds no permit meanwhile; it is rejected with {@link RejectionReason#RATE_LIMITED} if its time-out comes first, or if
     * it costs more than a limit.
     *
     * <p>A start is taken together with the permits, or neither is, and what was started counts also if it fails. A {@code
     * call} by a thread that is inside the group already is no start. For work that is rejected in such a group {@link
     * RejectionPolicy#CALLER_RUNS} means {@link RejectionPolicy#ABORT}. Each executor counts for itself.
     *
     * <p>A change while the group is in use begins without a burst: no window that it falls into has more than the larger of
     * the two limits, if their periods are the same. Rates are known by their names; one that a group in use gets anew begins
     * without a burst too. {@link GroupExecutor#evictGroup} forgets what was started.
     *
     * @param value none to 8 rates, each with another name; none, or {@link Rate#UNLIMITED} alone, removes inherited ones
     * @return limits with those rates
     * @since 0.1.0
     */
    public GroupLimits withRates(Collection<Rate> value) {
        List<Rate> limited = value.stream().filter(rate -> !rate.isUnlimited()).toList();
        return new GroupLimits(
                maxConcurrency,
                maxInFlight,
                queueThreshold,
                queueTimeout,
                weight,
                guaranteed,
                clusterMaxInFlight,
                limited);
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

    /** {@return how many in flight are guaranteed, if set} */
    public OptionalInt guaranteed() {
        return optional(guaranteed);
    }

    /**
     * {@return how many tasks may be in flight over all instances, if set; {@link Integer#MAX_VALUE}: no such limit}
     *
     * @since 0.1.0
     */
    public OptionalInt clusterMaxInFlight() {
        return optional(clusterMaxInFlight);
    }

    /**
     * {@return how much starts in any window of time, if set; an empty list: any number} It can't be changed.
     *
     * @since 0.1.0
     */
    public Optional<List<Rate>> rates() {
        return Optional.ofNullable(rates);
    }

    /** {@return whether they set a limit over all instances} */
    boolean areClustered() {
        return clusterMaxInFlight != null && clusterMaxInFlight != Integer.MAX_VALUE;
    }

    /** {@return these limits, with what they leave unset taken from {@code other}} */
    GroupLimits orElse(GroupLimits other) {
        return new GroupLimits(
                maxConcurrency != null ? maxConcurrency : other.maxConcurrency,
                maxInFlight != null ? maxInFlight : other.maxInFlight,
                queueThreshold != null ? queueThreshold : other.queueThreshold,
                queueTimeout != null ? queueTimeout : other.queueTimeout,
                weight != null ? weight : other.weight,
                guaranteed != null ? guaranteed : other.guaranteed,
                clusterMaxInFlight != null ? clusterMaxInFlight : other.clusterMaxInFlight,
                rates != null ? rates : other.rates);
    }

    /**
     * Checks every number that is set.
     *
     * @param rule the key or pattern they are for; {@code null}: all groups
     * @throws InvalidPolicyException if one is out of its range
     */
    void validate(@Nullable String rule) {
        atLeast(1, maxConcurrency, name("maxConcurrency", rule), rule);
        atLeast(1, maxInFlight, name("maxInFlight", rule), rule);
        atLeast(0, queueThreshold, name(QUEUE_THRESHOLD, rule), rule);
        atLeast(1, clusterMaxInFlight, name(CLUSTER_MAX_IN_FLIGHT, rule), rule);
        if (queueTimeout != null && !queueTimeout.isPositive()) {
            throw new InvalidPolicyException(name("queueTimeout", rule), rule, queueTimeout, "more than zero");
        }
        if (weight != null && (weight < 1 || weight > MAX_WEIGHT)) {
            throw new InvalidPolicyException(name("weight", rule), rule, weight, "1 to " + MAX_WEIGHT);
        }
        if (guaranteed != null && (guaranteed < 0 || guaranteed > MAX_GUARANTEED)) {
            throw new InvalidPolicyException(name("guaranteed", rule), rule, guaranteed, "0 to " + MAX_GUARANTEED);
        }
        if (rates != null) {
            validateRates(rates, rule);
        }
    }

    /** {@return what a message calls a limit: its name, after {@code defaults.} if it is for all groups} */
    private static String name(String limit, @Nullable String rule) {
        return rule == null ? "defaults." + limit : limit;
    }

    private static void validateRates(List<Rate> rates, @Nullable String rule) {
        if (rates.size() > MAX_RATES) {
            throw new InvalidPolicyException(
                    name("rates", rule), rule, rates.size() + " rates", "at most " + MAX_RATES);
        }
        Set<String> names = new HashSet<>();
        for (Rate rate : rates) {
            rate.validate(name("rate", rule), rule);
            if (!names.add(rate.name())) {
                throw new InvalidPolicyException(
                        name("rate.name", rule), rule, rate.name(), "another one for each rate of a group");
            }
        }
    }

    /**
     * Checks that what is guaranteed may be in flight, as far as the same entry says so. An override may be set in parts, and
     * is never refused for that.
     *
     * @param rule the key or pattern they are for; {@code null}: all groups
     * @throws InvalidPolicyException if not
     */
    void validateGuarantee(@Nullable String rule) {
        if (guaranteed != null && maxInFlight != null && guaranteed > maxInFlight) {
            throw new InvalidPolicyException(
                    name("guaranteed", rule),
                    rule,
                    guaranteed,
                    "at most " + maxInFlight + ", as many as may be in flight");
        }
    }

    /**
     * As {@link #validate}, for what is to override the policy in one executor.
     *
     * @throws InvalidPolicyException also if they set what holds over all instances
     */
    void validateAsOverride(String groupKey) {
        validate(groupKey);
        if (clusterMaxInFlight != null) {
            throw new InvalidPolicyException(
                    CLUSTER_MAX_IN_FLIGHT,
                    groupKey,
                    clusterMaxInFlight,
                    "set in the policy, since a limit over all instances can't be overridden on one of them");
        }
    }

    /**
     * Checks that they set no limit over all instances, for an executor that shares none.
     *
     * @param rule the key or pattern they are for; {@code null}: all groups
     * @throws InvalidPolicyException if they do
     */
    void validateWithoutCluster(@Nullable String rule) {
        if (areClustered()) {
            throw new InvalidPolicyException(
                    name(CLUSTER_MAX_IN_FLIGHT, rule),
                    rule,
                    clusterMaxInFlight,
                    "unset in an executor without ClusterSettings, which say where instances share their limits");
        }
    }

    /**
     * Checks that work may wait where there is a limit over all instances: it has to, until something is leased.
     *
     * @param rule the key or pattern that has these numbers, with those that it inherits; {@code null}: all groups
     * @param given the key or pattern for which its number of those who may wait is given; {@code null}: it is that of all groups
     * @param overAllGroups how many may wait over all groups
     * @throws InvalidPolicyException if not
     */
    void validateClusterQueue(@Nullable String rule, @Nullable String given, int overAllGroups) {
        if (areClustered()) {
            validateClusterQueue(rule, name(QUEUE_THRESHOLD, given), given, queueThreshold);
            validateClusterQueue(rule, GLOBAL_QUEUE_THRESHOLD, null, overAllGroups);
        }
    }

    private void validateClusterQueue(
            @Nullable String rule, String setting, @Nullable String given, @Nullable Integer threshold) {
        if (threshold != null && threshold < 1) {
            String needing = rule == null || rule.equals(given) ? "" : " of '" + KeyText.printable(rule) + "'";
            throw new InvalidPolicyException(
                    setting,
                    given,
                    threshold,
                    "at least 1 with " + CLUSTER_MAX_IN_FLIGHT + " " + clusterMaxInFlight + needing
                            + ", since work waits until this instance has leased a part of that");
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
                && Objects.equals(weight, that.weight)
                && Objects.equals(guaranteed, that.guaranteed)
                && Objects.equals(clusterMaxInFlight, that.clusterMaxInFlight)
                && Objects.equals(rates, that.rates);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                maxConcurrency,
                maxInFlight,
                queueThreshold,
                queueTimeout,
                weight,
                guaranteed,
                clusterMaxInFlight,
                rates);
    }

    @Override
    public String toString() {
        return "GroupLimits[maxConcurrency=" + maxConcurrency + ", maxInFlight=" + maxInFlight + ", queueThreshold="
                + queueThreshold + ", queueTimeout=" + queueTimeout + ", weight=" + weight + ", guaranteed="
                + guaranteed + ", clusterMaxInFlight=" + clusterMaxInFlight + ", rates=" + rates + "]";
    }
}
