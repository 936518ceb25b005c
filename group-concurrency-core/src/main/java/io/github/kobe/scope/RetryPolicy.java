package io.github.kobe.scope;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * How often a failed fork is retried, and after what pause. Immutable; may be used for any number of scopes and forks.
 *
 * <pre>{@code
 * RetryPolicy.attempts(4)
 *         .withExponentialDelay(Duration.ofMillis(100), 2, Duration.ofSeconds(2))
 *         .withJitter(0.5)
 *         .retryIf(failure -> failure instanceof IOException)
 * }</pre>
 *
 * <p>Each attempt joins the queue of its group again, and no permit is held during a pause. A fork fails with what its
 * last attempt threw; the failures of earlier attempts are added to it as suppressed exceptions. Whatever the condition
 * says, no attempt follows an {@link Error}, an {@link InterruptedException} or a rejection by a shutdown, or the end
 * of the fork by a cancellation or its time-out.
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

    /** {@return a policy with a single attempt} */
    public static RetryPolicy none() {
        return NONE;
    }

    /**
     * Makes a policy without pauses that retries after every {@link Exception}.
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
     * Sets the same pause after each attempt, replacing any pauses set before.
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
     * Sets pauses that grow by a factor after each attempt, replacing any pauses set before.
     *
     * @param firstDelay the pause after the first attempt, zero or more
     * @param growth the factor from each pause to the next: a finite number, at least 1
     * @param longestDelay the longest pause, at least {@code firstDelay}
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
     * Shortens each pause by a random part, so that forks that failed together don't retry together.
     *
     * @param share the largest part by which a pause is shortened: 0 (never) to 1 (by anything up to the whole pause)
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
     * Sets the failures after which to retry, replacing any condition set before.
     *
     * @param failures true for a failure after which to retry; called on the thread on which the attempt ended, by many
     *     threads at once. If it throws, there is no retry, and what it throws is added to the failure as suppressed
     * @return another policy
     */
    public RetryPolicy retryIf(Predicate<? super Throwable> failures) {
        return new RetryPolicy(attempts, first, factor, longest, jitter, Objects.requireNonNull(failures, "condition"));
    }

    /**
     * Decides whether another attempt follows one that has failed. If the condition throws, none does, and what it
     * throws is added to the failure as suppressed.
     *
     * @param attempt which attempt has failed, from 1
     * @param failure what it threw
     */
    @SuppressWarnings("ReferenceEquality") // a throwable must not suppress itself
    boolean allowsAnother(int attempt, Throwable failure) {
        if (attempt >= attempts || !mayPassByItself(failure)) {
            return false;
        }
        try {
            return condition.test(failure);
        } catch (Throwable thrown) { // also a checked exception, from another language
            if (thrown != failure) {
                failure.addSuppressed(thrown);
            }
            return false;
        }
    }

    private static boolean mayPassByItself(Throwable failure) {
        return !(failure instanceof Error) && !(failure instanceof InterruptedException) && !isShutdown(failure);
    }

    /** {@return whether something didn't run because its executor or its group was shut down} */
    static boolean isShutdown(Throwable failure) {
        return failure instanceof RejectedTaskException rejected && rejected.reason() == RejectionReason.SHUTDOWN;
    }

    /** {@return the pause in nanoseconds after an attempt, which is numbered from 1} */
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
