package io.github.kobe.scope;

import java.util.List;

/**
 * How a number of forks have ended.
 *
 * <pre>{@code
 * Outcome outcome = scope.join(); // of Joiners.supervise()
 * log.info("{} of {} sent", outcome.succeeded(), outcome.total());
 * outcome.throwIfFailed();
 * }</pre>
 *
 * @param total how many there were
 * @param succeeded how many of them have a value
 * @param cancelled how many were cancelled
 * @param failures what the failed forks threw, in the order in which they failed; unmodifiable, and empty if failures
 *     are only counted
 * @since 0.1.0
 */
public record Outcome(int total, int succeeded, int cancelled, List<Throwable> failures) {

    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException if a number is negative, or {@code total} is less than the sum of the others and
     *     the number of failures
     */
    public Outcome {
        Range.atLeast(0, total, "total");
        Range.atLeast(0, succeeded, "succeeded");
        Range.atLeast(0, cancelled, "cancelled");
        failures = List.copyOf(failures);
        if ((long) succeeded + cancelled + failures.size() > total) {
            throw Range.outside("total", "at least succeeded + cancelled + failures", total);
        }
    }

    /** {@return how many have failed, listed or only counted} */
    public int failed() {
        return total - succeeded - cancelled;
    }

    /** {@return true if at least one has failed, listed or only counted} */
    public boolean hasFailures() {
        return failed() > 0;
    }

    /**
     * Throws an exception if a fork has failed.
     *
     * @throws ForksFailedException if one has failed, with the failures that are listed
     */
    public void throwIfFailed() {
        if (hasFailures()) {
            throw ForksFailedException.of(failed(), total, failures);
        }
    }
}
