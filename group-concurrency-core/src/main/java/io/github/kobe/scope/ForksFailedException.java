package io.github.kobe.scope;

import java.io.Serial;
import java.util.List;

/**
 * Thrown if forks have failed that had to succeed, by {@link Joiner#collectAll()}, {@link Joiner#quorum}, and
 * {@link Outcome#throwIfFailed()}.
 *
 * <p>Its cause is the first failure. The next nine are suppressed, so that a stack trace shows ten; {@link #failures()} has
 * all.
 *
 * @since 0.1.0
 */
public final class ForksFailedException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** How many of the failures a stack trace shows: the first as the cause, the others as suppressed. */
    private static final int SHOWN = 10;

    /** What the forks threw. @serial */
    private final Throwable[] failures;

    /**
     * Makes an exception.
     *
     * @param message what was expected, and what happened
     * @param failures what the forks threw, in order; empty if there were too few forks
     */
    public ForksFailedException(String message, List<? extends Throwable> failures) {
        super(message, failures.isEmpty() ? null : failures.getFirst());
        this.failures = failures.toArray(Throwable[]::new);
        failures.stream().limit(SHOWN).skip(1).forEach(this::addSuppressed);
    }

    static ForksFailedException of(int failed, int total, List<? extends Throwable> failures) {
        return new ForksFailedException(failed + " of " + total + " forks failed", failures);
    }

    /** {@return everything that the forks threw, in the joiner's order; unmodifiable} */
    public List<Throwable> failures() {
        return List.of(failures);
    }
}
