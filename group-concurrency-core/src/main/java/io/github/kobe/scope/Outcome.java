package io.github.kobe.scope;

import java.util.List;

/**
 * How a number of forks have ended.
 *
 * <pre>{@code
 * Outcome outcome = scope.join(); // of Joiner.supervise()
 * log.info("{} of {} sent", outcome.succeeded(), outcome.total());
 * outcome.throwIfFailed();
 * }</pre>
 *
 * @param total how many there were
 * @param succeeded how many of them have a value
 * @param cancelled how many were cancelled
 * @param failures what the failed forks threw, in the order of the joiner or of the awaited forks; unmodifiable
 * @since 0.1.0
 */
public record Outcome(int total, int succeeded, int cancelled, List<Throwable> failures) {

    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException if a number is negative, or {@code total} isn't the sum of the others and the number
     *     of failures
     */
    public Outcome {
        Range.atLeast(0, total, "total");
        Range.atLeast(0, succeeded, "succeeded");
        Range.atLeast(0, cancelled, "cancelled");
        failures = List.copyOf(failures);
        long sum = (long) succeeded + cancelled + failures.size();
        if (sum != total) {
            throw Range.outside("total", "succeeded + cancelled + failures, " + sum, total);
        }
    }

    /** {@return how many have failed} */
    public int failed() {
        return failures.size();
    }

    /** {@return true if at least one has failed} */
    public boolean hasFailures() {
        return !failures.isEmpty();
    }

    /**
     * Throws an exception if a fork has failed.
     *
     * @throws ForksFailedException if one has failed, with all failures
     */
    public void throwIfFailed() {
        if (hasFailures()) {
            throw ForksFailedException.of(failed(), total, failures);
        }
    }
}
