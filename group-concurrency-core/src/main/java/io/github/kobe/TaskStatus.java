package io.github.kobe;

/**
 * How a task ended. Each accepted task reaches exactly one of these.
 *
 * @since 0.1.0
 */
public enum TaskStatus {
    /** The task returned; its value may be {@code null}. */
    SUCCESS,
    /** The task threw, or other code that was needed to run it did. */
    FAILED,
    /** The task was cancelled, by its handle, by a shutdown, or by its own {@link InterruptedException}. */
    CANCELLED,
    /** The task was not admitted, or waited too long; it never ran. */
    REJECTED
}
