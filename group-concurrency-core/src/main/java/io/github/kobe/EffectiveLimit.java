package io.github.kobe;

/**
 * A number in force, and where it came from.
 *
 * @param value the number; {@link Integer#MAX_VALUE} or {@link GroupLimits#NO_TIMEOUT} where there is no limit
 * @param source where it came from
 * @param <T> the type of the number
 * @since 0.1.0
 */
public record EffectiveLimit<T>(T value, LimitSource source) {}
