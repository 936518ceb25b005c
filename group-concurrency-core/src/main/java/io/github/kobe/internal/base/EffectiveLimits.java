package io.github.kobe.internal.base;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupLimits;
import io.github.kobe.LimitSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The numbers in force for one group, resolved once and then fixed.
 *
 * @param ownMaxInFlight {@code null}: as many as may run
 * @param queueTimeoutNanos {@link Long#MAX_VALUE} if nothing times out
 * @param rule the exact key or the pattern of the policy that the group falls under
 * @param leased how many may be in flight of what several instances share; {@link #NOT_LEASED}: nothing is shared
 */
public record EffectiveLimits(
        EffectiveLimit<Integer> maxConcurrency,
        @Nullable EffectiveLimit<Integer> ownMaxInFlight,
        EffectiveLimit<Integer> queueThreshold,
        EffectiveLimit<Duration> queueTimeout,
        EffectiveLimit<Integer> weight,
        EffectiveLimit<Integer> guaranteed,
        long queueTimeoutNanos,
        @Nullable String rule,
        int leased) {

    public static final int NOT_LEASED = Integer.MAX_VALUE;

    private static final Duration CENTURY = Duration.ofDays(36_525);

    EffectiveLimits(
            EffectiveLimit<Integer> maxConcurrency,
            @Nullable EffectiveLimit<Integer> ownMaxInFlight,
            EffectiveLimit<Integer> queueThreshold,
            EffectiveLimit<Duration> queueTimeout,
            EffectiveLimit<Integer> weight,
            EffectiveLimit<Integer> guaranteed,
            @Nullable String rule) {
        this(
                maxConcurrency,
                ownMaxInFlight,
                queueThreshold,
                queueTimeout,
                weight,
                guaranteed,
                saturatedNanos(queueTimeout.value()),
                rule,
                NOT_LEASED);
    }

    public EffectiveLimit<Integer> maxInFlight() {
        return ownMaxInFlight == null ? maxConcurrency : ownMaxInFlight;
    }

    /** {@return how many may be in flight: less than what is set and shown, where less is leased} */
    public int inFlightInForce() {
        return Math.min(maxInFlight().value(), leased);
    }

    /** {@return these numbers, of which so many are leased} */
    public EffectiveLimits withLeased(int capacity) {
        return capacity == leased
                ? this
                : new EffectiveLimits(
                        maxConcurrency,
                        ownMaxInFlight,
                        queueThreshold,
                        queueTimeout,
                        weight,
                        guaranteed,
                        queueTimeoutNanos,
                        rule,
                        capacity);
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
                        : maxConcurrency,
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
                rule);
    }

    private static <T> EffectiveLimit<T> overridden(T value) {
        return new EffectiveLimit<>(value, LimitSource.OVERRIDDEN);
    }
}
