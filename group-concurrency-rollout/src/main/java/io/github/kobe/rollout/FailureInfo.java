package io.github.kobe.rollout;

import java.util.Objects;

/**
 * Why something failed.
 *
 * @param errorType the kind of failure in a word, such as {@link #CONFLICT}, or the simple name of an exception
 * @param message what happened
 * @since 0.1.0
 */
public record FailureInfo(String errorType, String message) {

    /** Another task has the tenant. */
    public static final String CONFLICT = "CONFLICT";

    /** Too many nodes were lost without any progress of the task. */
    public static final String RECOVERY = "RECOVERY";

    /** The tenant was not found healthy after a rollback. */
    public static final String NOT_VERIFIED = "NOT_VERIFIED";

    /** The stages differ from those with which the task was created. */
    public static final String STAGES_CHANGED = "STAGES_CHANGED";

    /** A check has stopped the plan between two waves. */
    public static final String CHECK_STOPPED = "CHECK_STOPPED";

    /** Nobody has approved the next wave in time. */
    public static final String GATE_TIMED_OUT = "GATE_TIMED_OUT";

    /** What the tenant had could not be found out, and nothing was changed. */
    public static final String NO_PREVIOUS = "NO_PREVIOUS";

    /** The store can't read or write something of the task. */
    public static final String STORE = "STORE";

    /** More tasks of a plan have failed than is allowed. */
    public static final String TOO_MANY_FAILURES = "TOO_MANY_FAILURES";

    private static final int LONGEST = 2_000;

    /** Cuts the message at 2,000 characters, and replaces control characters by spaces. */
    public FailureInfo {
        errorType = Texts.clean(errorType);
        message = Texts.clean(message.length() > LONGEST ? message.substring(0, LONGEST) : message);
    }

    /**
     * {@return the type and message of an exception}
     *
     * @param thrown the exception
     */
    public static FailureInfo of(Throwable thrown) {
        return new FailureInfo(
                thrown.getClass().getSimpleName(),
                Objects.requireNonNullElse(
                        thrown.getMessage(), thrown.getClass().getName()));
    }
}
