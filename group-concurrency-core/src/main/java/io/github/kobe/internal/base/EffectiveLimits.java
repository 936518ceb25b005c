package io.github.kobe.internal.base;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupLimits;
import io.github.kobe.LimitSource;
import io.github.kobe.Rate;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The numbers in force for one group, resolved once and then fixed.
 *
 * @param ownConcurrency how many may run; {@code null}: nobody has set it
 * @param ownMaxInFlight {@code null}: as many as may run
 * @param clusterMaxInFlight how many may be in flight over all instances; {@code null}: no other instance shares its limit
 * @param rates how much may start in any window of time; {@code null}: any number
 * @param queueTimeoutNanos {@link Long#MAX_VALUE} if nothing times out
 * @param rule the exact key or the pattern of the policy that the group falls under
 * @param rateTerms the same, as the engine goes by it; {@code null}: any number
 * @param leased how many may be in flight of what several instances share: 0 at first; {@link #ALONE}: as many as its own numbers
 *     allow; {@link #NOT_LEASED}: nothing is shared
 */
public record EffectiveLimits(
        @Nullable EffectiveLimit<Integer> ownConcurrency,
        @Nullable EffectiveLimit<Integer> ownMaxInFlight,
        EffectiveLimit<Integer> queueThreshold,
        EffectiveLimit<Duration> queueTimeout,
        EffectiveLimit<Integer> weight,
        EffectiveLimit<Integer> guaranteed,
        @Nullable EffectiveLimit<Integer> clusterMaxInFlight,
        @Nullable EffectiveLimit<List<Rate>> rates,
        long queueTimeoutNanos,
        @Nullable String rule,
        @Nullable List<RateTerms> rateTerms,
        int leased) {

    public static final int NOT_LEASED = Integer.MAX_VALUE;

    /** As many are leased as can be: the group's own numbers are in force, whatever it may have over all instances. */
    public static final int ALONE = NOT_LEASED - 1;

    private static final EffectiveLimit<Integer> BUILT_IN_CONCURRENCY =
            new EffectiveLimit<>(CompiledPolicy.BUILT_IN_CONCURRENCY, LimitSource.DEFAULT);

    private static final Duration CENTURY = Duration.ofDays(36_525);

    /** The numbers that were resolved; nothing is leased yet. */
    EffectiveLimits(
            @Nullable EffectiveLimit<Integer> ownConcurrency,
            @Nullable EffectiveLimit<Integer> ownMaxInFlight,
            EffectiveLimit<Integer> queueThreshold,
            EffectiveLimit<Duration> queueTimeout,
            EffectiveLimit<Integer> weight,
            EffectiveLimit<Integer> guaranteed,
            @Nullable EffectiveLimit<Integer> clusterMaxInFlight,
            @Nullable EffectiveLimit<List<Rate>> rates,
            @Nullable String rule) {
        this(
                ownConcurrency,
                ownMaxInFlight,
                queueThreshold,
                queueTimeout,
                weight,
                guaranteed,
                clusterMaxInFlight,
                rates,
                saturatedNanos(queueTimeout.value()),
                rule,
                rates == null ? null : rates.value().stream().map(RateTerms::of).toList(),
                clusterMaxInFlight == null ? NOT_LEASED : 0);
    }

    /** {@return how many may run} Where nobody has set it, the number over all instances stands for it. */
    public EffectiveLimit<Integer> maxConcurrency() {
        return concurrency(ownConcurrency, clusterMaxInFlight);
    }

    /** {@return how many may run, by what is set of that and over all instances} */
    static EffectiveLimit<Integer> concurrency(
            @Nullable EffectiveLimit<Integer> own, @Nullable EffectiveLimit<Integer> cluster) {
        if (own != null) {
            return own;
        }
        return cluster != null ? cluster : BUILT_IN_CONCURRENCY;
    }

    /** {@return whether how many may run is a number of this instance, and not the one over all of them} */
    public boolean hasOwnConcurrency() {
        return ownConcurrency != null || clusterMaxInFlight == null;
    }

    public EffectiveLimit<Integer> maxInFlight() {
        return ownMaxInFlight == null ? maxConcurrency() : ownMaxInFlight;
    }

    /** {@return whether several instances share its limit} */
    public boolean isClustered() {
        return clusterMaxInFlight != null;
    }

    /** {@return how many may be in flight: less than what is set and shown, where less is leased} */
    public int inFlightInForce() {
        return Math.min(maxInFlight().value(), leased);
    }

    /** {@return whether no more may start with so many out, by what is set and leased} */
    public boolean isReached(int running, int inFlight) {
        return running >= maxConcurrency().value() || inFlight >= inFlightInForce();
    }

    /** {@return whether no more may start with so many out, by what is set for this instance alone} */
    public boolean isReachedHere(int running, int inFlight) {
        EffectiveLimit<Integer> ownInFlight = hasOwnConcurrency() ? maxInFlight() : ownMaxInFlight;
        return (hasOwnConcurrency() && running >= maxConcurrency().value())
                || (ownInFlight != null && inFlight >= ownInFlight.value());
    }

    /** {@return these numbers, of which so many are leased, but no more than there may be over all instances} */
    public EffectiveLimits withLeased(int capacity) {
        int counts = clusterMaxInFlight == null || capacity == ALONE
                ? capacity
                : Math.min(capacity, clusterMaxInFlight.value());
        return counts == leased
                ? this
                : new EffectiveLimits(
                        ownConcurrency,
                        ownMaxInFlight,
                        queueThreshold,
                        queueTimeout,
                        weight,
                        guaranteed,
                        clusterMaxInFlight,
                        rates,
                        queueTimeoutNanos,
                        rule,
                        rateTerms,
                        counts);
    }

    /** {@return these numbers; of what is shared, as many are leased as there were of {@code before}, as far as they count} */
    public EffectiveLimits leasedAs(EffectiveLimits before) {
        return isClustered() && before.isClustered() ? withLeased(before.leased) : this;
    }

    /** {@return how many it is guaranteed, cut to what it may have in flight by what is set} */
    public int guaranteedInForce() {
        return Math.min(guaranteed.value(), maxInFlight().value());
    }

    /** {@return whether the guarantee is its own: by its exact key, or set for it while running} */
    public boolean isGuaranteedByName() {
        return guaranteed.source() == LimitSource.CONFIGURED || guaranteed.source() == LimitSource.OVERRIDDEN;
    }

    /** {@return {@code duration} in nanoseconds, at least 0; {@link Long#MAX_VALUE}, for ever, from a century up, or for none} */
    public static long saturatedNanos(@Nullable Duration duration) {
        if (duration == null || duration.compareTo(CENTURY) >= 0) {
            return Long.MAX_VALUE;
        }
        return duration.isPositive() ? duration.toNanos() : 0;
    }

    /** {@return these numbers with those that {@code override} sets} */
    public EffectiveLimits overriddenBy(GroupLimits override) {
        return new EffectiveLimits(
                override.maxConcurrency().isPresent()
                        ? overridden(override.maxConcurrency().getAsInt())
                        : ownConcurrency,
                override.maxInFlight().isPresent()
                        ? overridden(override.maxInFlight().getAsInt())
                        : ownMaxInFlight,
                override.queueThreshold().isPresent()
                        ? overridden(override.queueThreshold().getAsInt())
                        : queueThreshold,
                override.queueTimeout().isPresent()
                        ? overridden(override.queueTimeout().get())
                        : queueTimeout,
                override.weight().isPresent() ? overridden(override.weight().getAsInt()) : weight,
                override.guaranteed().isPresent()
                        ? overridden(override.guaranteed().getAsInt())
                        : guaranteed,
                clusterMaxInFlight,
                override.rates().isPresent()
                        ? limited(overridden(override.rates().get()))
                        : rates,
                rule);
    }

    /** {@return the rates; {@code null}: there are none} */
    static @Nullable EffectiveLimit<List<Rate>> limited(@Nullable EffectiveLimit<List<Rate>> rates) {
        return rates == null || rates.value().isEmpty() ? null : rates;
    }

    private static <T> EffectiveLimit<T> overridden(T value) {
        return new EffectiveLimit<>(value, LimitSource.OVERRIDDEN);
    }
}
