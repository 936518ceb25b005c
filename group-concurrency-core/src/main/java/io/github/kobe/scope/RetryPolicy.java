package io.github.kobe.scope;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * How often a fork that fails is tried again, and after what pause. Immutable; may be used for any number of scopes and
 * forks.
 *
 * <pre>{@code
 * RetryPolicy.attempts(4)
 *         .withExponentialDelay(Duration.ofMillis(100), 2, Duration.ofSeconds(2))
 *         .withJitter(0.5)
 *         .retryIf(failure -> failure instanceof IOException)
 * }</pre>
 *
 * <p>Each attempt joins the queue of its group again, and no permit is held in a pause. A fork fails with what its last attempt
 * threw; the failures of those before are suppressed by it. Whatever the condition says, no attempt follows an {@link
 * Error}, an {@link InterruptedException} or a rejection by a shutdown, nor the end of the fork by a cancellation or its
 * time-out.
 *
 * @since 0.1.0
 */
public final class RetryPolicy {

    private static final int MOST_ATTEMPTS = 100;

    private static final RetryPolicy NONE =
            new RetryPolicy(1, Duration.ZERO, 1, Duration.ZERO, 0, Exception.class::isInstance);

    private final int attempts;
    private final Duration first;
    private final double factor;
    private final Duration longest;
    private final double jitter;
    private final Predicate<? super Throwable> condition;

    private RetryPolicy(
            int attempts,
            Duration first,
            double factor,
            Duration longest,
            double jitter,
            Predicate<? super Throwable> condition) {
        this.attempts = attempts;
        this.first = first;
        this.factor = factor;
        this.longest = longest;
        this.jitter = jitter;
        this.condition = condition;
    }

    /** {@return the policy of one attempt} */
    public static RetryPolicy none() {
        return NONE;
    }

    /**
     * Makes a policy without pauses, that tries again after every {@link Exception}.
     *
     * @param most how many attempts, the first included: 1 to 100
     * @return a new policy
     * @throws IllegalArgumentException if {@code most} is out of that range
     */
    public static RetryPolicy attempts(int most) {
        if (most < 1 || most > MOST_ATTEMPTS) {
            throw Range.outside("attempts", "1 to " + MOST_ATTEMPTS, most);
        }
        return new RetryPolicy(most, Duration.ZERO, 1, Duration.ZERO, 0, NONE.condition);
    }

    /**
     * Sets the same pause after each attempt, in place of any other.
     *
     * @param delay how long, zero or more
     * @return another policy
     * @throws IllegalArgumentException if {@code delay} is negative
     */
    public RetryPolicy withDelay(Duration delay) {
        Range.notNegative(delay, "delay");
        return new RetryPolicy(attempts, delay, 1, delay, jitter, condition);
    }

    /**
     * Sets pauses that grow by a factor after each attempt, in place of any other.
     *
     * @param firstDelay the pause after the first attempt, zero or more
     * @param growth what each is multiplied by to give the next: a finite number, at least 1
     * @param longestDelay what no pause exceeds, at least {@code firstDelay}
     * @return another policy
     * @throws IllegalArgumentException if one of them is out of its range
     */
    public RetryPolicy withExponentialDelay(Duration firstDelay, double growth, Duration longestDelay) {
        Range.notNegative(firstDelay, "first");
        if (!(growth >= 1) || Double.isInfinite(growth)) {
            throw Range.outside("factor", "a finite number of at least 1", growth);
        }
        if (Objects.requireNonNull(longestDelay, "longest").compareTo(firstDelay) < 0) {
            throw Range.outside("longest", "at least first, " + firstDelay, longestDelay);
        }
        return new RetryPolicy(attempts, firstDelay, growth, longestDelay, jitter, condition);
    }

    /**
     * Shortens each pause by a random part, so that forks that failed together don't come again together.
     *
     * @param share the largest part that a pause is shortened by: 0 (never) to 1 (anything from nothing to all)
     * @return another policy
     * @throws IllegalArgumentException if {@code share} is out of that range
     */
    public RetryPolicy withJitter(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw Range.outside("jitter", "0 to 1", share);
        }
        return new RetryPolicy(attempts, first, factor, longest, share, condition);
    }

    /**
     * Says after which failures to try again, in place of any other condition.
     *
     * @param failures true for one after which to try again; asked on the thread that the attempt ended on, by many at
     *     once. What it throws means no, and is suppressed by the failure
     * @return another policy
     */
    public RetryPolicy retryIf(Predicate<? super Throwable> failures) {
        return new RetryPolicy(attempts, first, factor, longest, jitter, Objects.requireNonNull(failures, "condition"));
    }

    /**
     * Decides whether another attempt is to follow one that has failed. A condition that throws says no, and what it throws
     * is suppressed by the failure.
     *
     * @param attempt which attempt has failed, from 1
     * @param failure what it threw
     */
    boolean allowsAnother(int attempt, Throwable failure) {
        if (attempt >= attempts || !mayPassByItself(failure)) {
            return false;
        }
        try {
            return condition.test(failure);
        } catch (RuntimeException | Error thrown) {
            if (!thrown.equals(failure)) {
                failure.addSuppressed(thrown);
            }
            return false;
        }
    }

    private static boolean mayPassByItself(Throwable failure) {
        return !(failure instanceof Error)
                && !(failure instanceof InterruptedException)
                && !(failure instanceof RejectedTaskException rejected
                        && rejected.reason() == RejectionReason.SHUTDOWN);
    }

    /** {@return how many nanoseconds lie between an attempt, numbered from 1, and the next} */
    long delayNanos(int attempt) {
        return jitter == 0
                ? delayNanos(attempt, 0)
                : delayNanos(attempt, ThreadLocalRandom.current().nextDouble());
    }

    /** As {@link #delayNanos(int)}, with a random number from 0 to 1. */
    long delayNanos(int attempt, double random) {
        double grown = TimeUnit.NANOSECONDS.convert(first) * Math.pow(factor, attempt - 1);
        double most = TimeUnit.NANOSECONDS.convert(longest);
        return (long) (Math.min(grown, most) * (1 - jitter * random));
    }

    @Override
    public String toString() {
        return "RetryPolicy[attempts=" + attempts + ", first=" + first + ", factor=" + factor + ", longest=" + longest
                + ", jitter=" + jitter + "]";
    }
}
