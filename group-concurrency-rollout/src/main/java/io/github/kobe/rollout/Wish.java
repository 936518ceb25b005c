package io.github.kobe.rollout;

import java.util.Objects;

/**
 * An operation that was requested for a task, until it is carried out: at the task's next boundary, or at once if it is
 * to be cancelled now.
 *
 * @param kind which operation
 * @param by who requested it
 * @param fromCheckpoint for a retry: whether it continues from the checkpoint
 * @since 0.1.0
 */
public record Wish(Kind kind, String by, boolean fromCheckpoint) {

    /** Replaces control characters in the name by spaces. */
    public Wish {
        Objects.requireNonNull(kind, "kind");
        by = Texts.clean(by);
    }

    /** The operations, from the weakest to the strongest. */
    public enum Kind {
        /** To stop at the next boundary, and continue later. */
        PAUSE,
        /** To continue after a pause. */
        RESUME,
        /** To retry after a failure. */
        RETRY,
        /** To cancel. */
        CANCEL,
        /** To roll everything back. */
        ROLLBACK,
        /** To cancel, without waiting for the end of the running stage. */
        CANCEL_NOW
    }

    /**
     * {@return a wish that isn't a retry from the checkpoint}
     *
     * @param kind which operation
     * @param by who requests it
     */
    public static Wish of(Kind kind, String by) {
        return new Wish(kind, by, false);
    }

    /**
     * {@return whether it is of that kind}
     *
     * @param other which
     */
    public boolean is(Kind other) {
        return kind == other;
    }
}
