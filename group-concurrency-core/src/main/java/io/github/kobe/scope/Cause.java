package io.github.kobe.scope;

/** Why a scope was cancelled; the first counts. */
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
    CLOSED
}
