package io.github.kobe.rollout;

import java.util.Objects;

/**
 * What was requested of a task, until it is done at the task's next boundary.
 *
 * @param kind what
 * @param by who
 * @param fromCheckpoint for a retry: whether it goes on from the checkpoint
 * @since 0.1.0
 */
public record Wish(Kind kind, String by, boolean fromCheckpoint) {

    /** Checks for {@code null} alone. */
    public Wish {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(by, "by");
    }

    /** What can be wanted, from the weakest to the strongest. */
    public enum Kind {
        /** To stop at the next boundary, and go on later. */
        PAUSE,
        /** To go on after a pause. */
        RESUME,
        /** To try again after a failure. */
        RETRY,
        /** To give up. */
        CANCEL,
        /** To take everything back. */
        ROLLBACK
    }

    static Wish of(Kind kind, String by) {
        return new Wish(kind, by, false);
    }

    boolean is(Kind other) {
        return kind == other;
    }
}
