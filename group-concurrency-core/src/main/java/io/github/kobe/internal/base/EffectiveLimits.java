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
 */
public record EffectiveLimits(
        EffectiveLimit<Integer> maxConcurrency,
        @Nullable EffectiveLimit<Integer> ownMaxInFlight,
        EffectiveLimit<Integer> queueThreshold,
        EffectiveLimit<Duration> queueTimeout,
        EffectiveLimit<Integer> weight,
        EffectiveLimit<Integer> guaranteed,
        long queueTimeoutNanos,
        @Nullable String rule) {

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
                rule);
    }

    public EffectiveLimit<Integer> maxInFlight() {
        return ownMaxInFlight == null ? maxConcurrency : ownMaxInFlight;
    }

    /** {@return how many it is guaranteed, cut to what it may have in flight} */
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
