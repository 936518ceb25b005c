package io.github.kobe.scope;

import java.util.List;

/**
 * How some forks have ended.
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
 * @param failures what those threw that have failed, in the order in which they did; it can't be modified, and is empty
 *     where failures are only counted
 * @since 0.1.0
 */
public record Outcome(int total, int succeeded, int cancelled, List<Throwable> failures) {

    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException if a number is negative, or {@code total} is less than the others and the failures
     *     together
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

    /** {@return how many have failed, named or not} */
    public int failed() {
        return total - succeeded - cancelled;
    }

    /** {@return true if one has failed, named or not} */
    public boolean hasFailures() {
        return failed() > 0;
    }

    /**
     * Goes on only if none has failed.
     *
     * @throws ForksFailedException if one has, with the failures that are named
     */
    public void throwIfFailed() {
        if (hasFailures()) {
            throw ForksFailedException.of(failed(), total, failures);
        }
    }
}
