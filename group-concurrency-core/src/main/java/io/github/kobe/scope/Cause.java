package io.github.kobe.scope;

import org.jspecify.annotations.Nullable;

/** Why a scope was cancelled; the first counts. */
enum Cause {
    /** Somebody asked for it. */
    ASKED(1),
    /** Its joiner did, or failed. */
    JOINER(2),
    /** Its time was up. */
    TIMED_OUT(3),
    /** Its owner was interrupted while it waited. */
    INTERRUPTED(4),
    /** It was closed. */
    CLOSED(5),
    /** Its owner had ended, and left it open. */
    ABANDONED(6);

    private static final Cause[] ALL = values();

    /** By which {@link Forks} knows it: from 1 to 7. */
    final long number;

    Cause(long number) {
        this.number = number;
    }

    /** {@return that with this number; {@code null}: none has it} */
    static @Nullable Cause numbered(long number) {
        for (Cause cause : ALL) {
            if (cause.number == number) {
                return cause;
            }
        }
        return null;
    }
}
