package io.github.kobe;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How much starts in any window of time, beside how much runs at once.
 *
 * <pre>{@code
 * Rate.of(60, Duration.ofMinutes(1)).withBurst(6) // 60 in any minute, 6 of them at once
 * }</pre>
 *
 * <p>In <i>every</i> window of a period, wherever it begins, no more than the limit start. That has a price, since a burst at
 * the end of one minute and another at the beginning of the next lie in one window: after a burst, {@link #sustained} a period
 * can be kept up, which is {@code limit - burst + 1}. With 60 a minute and a burst of 6 these are 55; with a burst of 60 it is
 * one. A burst of 1 sustains all 60, but spaces them evenly and loses the time by which each one comes late; from 2 on lateness is
 * made up for.
 *
 * <p>Immutable. Values are checked where they come into force: by {@link GroupPolicy.Builder#build()} and
 * {@link GroupExecutor#setLimits}.
 *
 * @since 0.1.0
 */
public final class Rate {

    /** No rate at all; it removes an inherited one. */
    public static final Rate UNLIMITED = new Rate(Integer.MAX_VALUE, Duration.ofDays(1), 1);

    /** The largest limit. */
    static final int MAX_LIMIT = 1_000_000_000;

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(31);

    /** How long as many as the limit may take at the sustained rate, about ten years. */
    private static final Duration MOST_FOR_LIMIT = Duration.ofDays(3_650);

    private static final int DEFAULT_BURST_DIVISOR = 10;

    private final int limit;
    private final Duration per;
    private final int burst;

    private Rate(int limit, Duration per, int burst) {
        this.limit = limit;
        this.per = per;
        this.burst = burst;
    }

    /**
     * {@return a rate with the burst that it has if nobody sets one: a tenth of the limit, but at least 2, and at most the limit}
     *
     * @param limit how many start at most in any window, 1 to 1,000,000,000; {@link Integer#MAX_VALUE}: {@link #UNLIMITED}
     * @param per how long a window is, 1 millisecond to 31 days
     */
    public static Rate of(int limit, Duration per) {
        Objects.requireNonNull(per, "per");
        return limit == Integer.MAX_VALUE
                ? UNLIMITED
                : new Rate(limit, per, Math.min(limit, Math.max(2, limit / DEFAULT_BURST_DIVISOR)));
    }

    /**
     * Sets how many start at once, if nothing has started for a while.
     *
     * @param value 1 to the limit; {@code limit} times the period divided by {@link #sustained} is ten years at most
     * @return a rate with that burst; {@link #UNLIMITED} stays as it is
     */
    public Rate withBurst(int value) {
        return isUnlimited() ? this : new Rate(limit, per, value);
    }

    /** {@return whether it is {@link #UNLIMITED}} */
    public boolean isUnlimited() {
        return limit == Integer.MAX_VALUE;
    }

    /** {@return how many start at most in any window; {@link Integer#MAX_VALUE}: any number} */
    public int limit() {
        return limit;
    }

    /** {@return how long a window is} */
    public Duration per() {
        return per;
    }

    /** {@return how many start at once, if nothing has started for a while} */
    public int burst() {
        return burst;
    }

    /** {@return how many a period can be kept up: {@code limit - burst + 1}} */
    public int sustained() {
        return limit - burst + 1;
    }

    /**
     * Checks the numbers.
     *
     * @param setting what the rate is called
     * @param rule the key or pattern it is for; {@code null}: all
     * @throws InvalidPolicyException if one is out of its range
     */
    void validate(String setting, @Nullable String rule) {
        if (isUnlimited()) {
            return;
        }
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new InvalidPolicyException(setting + ".limit", rule, limit, "1 to " + MAX_LIMIT);
        }
        if (per.compareTo(SHORTEST) < 0 || per.compareTo(LONGEST) > 0) {
            throw new InvalidPolicyException(setting + ".per", rule, per, "1 millisecond to 31 days");
        }
        if (burst < 1 || burst > limit) {
            throw new InvalidPolicyException(setting + ".burst", rule, burst, "1 to the limit, " + limit);
        }
        if (per.dividedBy(sustained()).multipliedBy(limit).compareTo(MOST_FOR_LIMIT) > 0) {
            throw new InvalidPolicyException(
                    setting + ".burst",
                    rule,
                    burst,
                    "so small that " + limit + " at the " + sustained() + " in " + per
                            + " that it keeps up take ten years at most");
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Rate that && limit == that.limit && burst == that.burst && per.equals(that.per);
    }

    @Override
    public int hashCode() {
        return Objects.hash(limit, per, burst);
    }

    @Override
    public String toString() {
        return isUnlimited() ? "unlimited" : limit + " in " + per + ", " + burst + " at once";
    }
}
