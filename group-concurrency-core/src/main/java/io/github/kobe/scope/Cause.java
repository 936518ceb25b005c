package io.github.kobe.scope;

import org.jspecify.annotations.Nullable;

/** Why a scope was cancelled; the first counts. */
@SuppressWarnings("EnumOrdinal") // a number in a word that lives in memory alone
enum Cause {
    /** Somebody asked for it. */
    ASKED,
    /** Its joiner did, or failed. */
    JOINER,
    /** Its time was up. */
    TIMED_OUT,
    /** Its owner was interrupted while it waited. */
    INTERRUPTED,
    /** It was closed. */
    CLOSED,
    /** Its owner had ended, and left it open. */
    ABANDONED;

    private static final Cause[] ALL = values();

    /** {@return by which number {@link Forks} knows it: from 1 to 7} */
    long number() {
        return ordinal() + 1L;
    }

    /** {@return that with this number; {@code null}: it is 0} */
    static @Nullable Cause numbered(long number) {
        return number == 0 ? null : ALL[(int) number - 1];
    }
}
