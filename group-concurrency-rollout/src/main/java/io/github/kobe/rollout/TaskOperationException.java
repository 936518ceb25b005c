package io.github.kobe.rollout;

/**
 * Thrown if a task or a plan doesn't allow an operation. Nothing has changed.
 *
 * @since 0.1.0
 */
public final class TaskOperationException extends RolloutException {

    private static final long serialVersionUID = 1;

    /** Why, in a word. */
    private final String errorType;

    /**
     * Says why an operation is refused.
     *
     * @param errorType why, in a word, as {@link #errorType()}
     * @param message why, in a sentence
     */
    public TaskOperationException(String errorType, String message) {
        super(message, null);
        this.errorType = errorType;
    }

    /**
     * {@return why, in a word: {@code ILLEGAL_STATE}, {@code CONFLICT}, {@code NO_SNAPSHOT}, {@code NO_RETRY_LEFT} or
     * {@code NO_GATE}}
     */
    public String errorType() {
        return errorType;
    }

    /** {@return why} */
    public FailureInfo failure() {
        return new FailureInfo(errorType, String.valueOf(getMessage()));
    }
}
