package io.github.kobe;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How much starts in any window of time, beside how much runs at once.
 *
 * <pre>{@code
 * Rate.of(60, Duration.ofMinutes(1)).withBurst(6) // 60 in any minute, 6 of them at once
 * }</pre>
 *
 * <p>It counts starts, or what they cost: a rate with another name counts what work says that it costs of that name.
 *
 * <pre>{@code
 * Rate.of(90_000, Duration.ofMinutes(1)).withBurst(12_000).named("tokens").withDefaultCost(1_000)
 * }</pre>
 *
 * <p>In <i>every</i> window of a period, wherever it begins, no more than the limit start. That has a price, since a burst at
 * the end of one minute and another at the beginning of the next lie in one window: after a burst, {@link #sustained} a period
 * can be kept up, which is {@code limit - burst + 1}. With 60 a minute and a burst of 6 these are 55; with a burst of 60 it is
 * one. A burst of 1 sustains all 60, but spaces them evenly and loses the time by which each one comes late; from 2 on lateness is
 * made up for. Work that costs more than the burst starts once the rate has rested for so many intervals longer, and what
 * comes behind it waits for that too.
 *
 * <p>Immutable. Values are checked where they come into force: by {@link GroupPolicy.Builder#build()} and
 * {@link GroupExecutor#setLimits}.
 *
 * @since 0.1.0
 */
public final class Rate {

    /** The name of a rate that was given none: it counts starts. */
    public static final String REQUESTS = "requests";

    /** No rate at all; it removes an inherited one. */
    public static final Rate UNLIMITED = new Rate(Integer.MAX_VALUE, Duration.ofDays(1), 1, REQUESTS, 1, true);

    /** The largest limit. */
    static final int MAX_LIMIT = 1_000_000_000;

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(31);

    /** How long as many as the limit may take at the sustained rate, about ten years. */
    private static final Duration MOST_FOR_LIMIT = Duration.ofDays(3_650);

    private static final int DEFAULT_BURST_DIVISOR = 10;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private final int limit;
    private final Duration per;
    private final int burst;
    private final String name;
    private final int defaultCost;
    private final boolean refunded;

    private Rate(int limit, Duration per, int burst, String name, int defaultCost, boolean refunded) {
        this.limit = limit;
        this.per = per;
        this.burst = burst;
        this.name = name;
        this.defaultCost = defaultCost;
        this.refunded = refunded;
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
                : new Rate(limit, per, Math.min(limit, Math.max(2, limit / DEFAULT_BURST_DIVISOR)), REQUESTS, 1, true);
    }

    /**
     * Sets how many start at once, if nothing has started for a while.
     *
     * @param value 1 to the limit; {@code limit} times the period divided by {@link #sustained} is ten years at most
     * @return a rate with that burst; {@link #UNLIMITED} stays as it is
     */
    public Rate withBurst(int value) {
        return isUnlimited() ? this : new Rate(limit, per, value, name, defaultCost, refunded);
    }

    /**
     * Names what it counts. A group may have several rates, each of another name.
     *
     * @param value 1 to 64 letters, digits, dots, underscores and hyphens, with a letter or digit first; see {@link Costs}
     * @return a rate with that name; {@link #UNLIMITED} stays as it is
     */
    public Rate named(String value) {
        Objects.requireNonNull(value, "name");
        return isUnlimited() ? this : new Rate(limit, per, burst, value, defaultCost, refunded);
    }

    /**
     * Sets what work costs that doesn't say it: 1 if nobody sets it.
     *
     * @param value 0 to the limit; 0: only work that says what it costs is counted
     * @return a rate with that cost; {@link #UNLIMITED} stays as it is
     */
    public Rate withDefaultCost(int value) {
        return isUnlimited() ? this : new Rate(limit, per, burst, name, value, refunded);
    }

    /**
     * Keeps what was charged if work has {@linkplain GroupExecutor#settle used less}, so that no window has more than the limit by
     * what was charged at the start. Otherwise what is given back may start anew at once: then a window has the limit, and
     * what was given back in it for starts before it.
     *
     * @return a rate that gives nothing back; {@link #UNLIMITED} stays as it is
     */
    public Rate withoutRefund() {
        return isUnlimited() ? this : new Rate(limit, per, burst, name, defaultCost, false);
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

    /** {@return what it counts: {@link #REQUESTS} unless it was named} */
    public String name() {
        return name;
    }

    /** {@return what work costs that doesn't say it} */
    public int defaultCost() {
        return defaultCost;
    }

    /** {@return whether work that has used less than it was charged gets the rest back} */
    public boolean isRefunded() {
        return refunded;
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
        if (!NAME.matcher(name).matches()) {
            throw new InvalidPolicyException(
                    setting + ".name",
                    rule,
                    name,
                    "1 to 64 letters, digits, dots, underscores and hyphens, with a letter or digit first");
        }
        if (defaultCost < 0 || defaultCost > limit) {
            throw new InvalidPolicyException(setting + ".defaultCost", rule, defaultCost, "0 to the limit, " + limit);
        }
    }

    /**
     * Checks the numbers of a rate over all groups, which counts starts alone.
     *
     * @throws InvalidPolicyException if one is out of its range
     */
    void validateAsGlobal() {
        validate("globalRate", null);
        if (!name.equals(REQUESTS) || defaultCost != 1) {
            throw new InvalidPolicyException(
                    "globalRate",
                    null,
                    this,
                    "a rate without a name and a default cost, since the rate over all groups counts starts");
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Rate that
                && limit == that.limit
                && burst == that.burst
                && defaultCost == that.defaultCost
                && refunded == that.refunded
                && per.equals(that.per)
                && name.equals(that.name);
    }

    @Override
    public int hashCode() {
        return Objects.hash(limit, per, burst, name, defaultCost, refunded);
    }

    @Override
    public String toString() {
        if (isUnlimited()) {
            return "unlimited";
        }
        return (name.equals(REQUESTS) ? "" : name + ": ")
                + limit + " in " + per + ", " + burst + " at once"
                + (defaultCost == 1 ? "" : ", " + defaultCost + " by default")
                + (refunded ? "" : ", nothing given back");
    }
}
