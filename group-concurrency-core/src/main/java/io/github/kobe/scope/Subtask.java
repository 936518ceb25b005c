package io.github.kobe.scope;

import java.util.function.Supplier;

/**
 * One task that a {@link GroupScope} has forked.
 *
 * <p>It ends once: with a value, with a failure, or cancelled. Then it no longer refers to its task; it keeps its value
 * or failure.
 *
 * <p><b>When the outcome can be read.</b> {@link #get()} and {@link #exception()} never wait. They can be called, by
 * any thread, once the owner of the scope has joined or has awaited this subtask, and in the joiner. Before that they
 * throw an {@link IllegalStateException}, even if the task has ended: code must not rely on the outcome of one fork
 * while another may still decide against it. {@link #state()} and {@link #phase()} can be called at any time.
 *
 * <p><b>Threads.</b> Every method may be called by any thread. What the task did happens-before what a thread does
 * after it has read the outcome.
 *
 * @param <T> the type of the value
 * @since 0.1.0
 */
public sealed interface Subtask<T> extends Supplier<T> permits ForkedSubtask {

    /**
     * Whether a subtask has a value or a failure. It changes at most once, from {@link #UNAVAILABLE}.
     *
     * @since 0.1.0
     */
    enum State {
        /** Neither value nor failure: it has not ended, or was cancelled. */
        UNAVAILABLE,
        /** A value, which may be {@code null}. */
        SUCCESS,
        /** A failure: what it threw, or why it never ran. */
        FAILED
    }

    /**
     * The progress of a subtask. {@link #DELAYED}, {@link #QUEUED} and {@link #RUNNING} may follow each other several
     * times if it is retried; the others are final.
     *
     * @since 0.1.0
     */
    enum Phase {
        /** It waits for its start time, or for that of its next attempt. It holds no permits. */
        DELAYED,
        /** It waits for its group's permits. It holds no permits. */
        QUEUED,
        /** Its code runs, under its group's permits. */
        RUNNING,
        /** It has ended with a value. */
        SUCCESS,
        /** It has failed. */
        FAILED,
        /** It was cancelled, alone or with its scope. Its code may run on until it responds to the interrupt. */
        CANCELLED
    }

    /** {@return whether it has a value or a failure now} */
    State state();

    /**
     * Returns the task's value.
     *
     * @return the value; may be {@code null}
     * @throws IllegalStateException if it can't be read yet, or the subtask is not {@link State#SUCCESS}
     */
    @Override
    T get();

    /**
     * Returns the failure.
     *
     * @return what the task threw, possibly an {@link InterruptedException} or a
     *     {@link java.util.concurrent.CancellationException}; a {@link io.github.kobe.RejectedTaskException} if its
     *     group rejected it; a {@link java.util.concurrent.TimeoutException} if its own time was up. Failures of
     *     earlier attempts are added as suppressed exceptions
     * @throws IllegalStateException if it can't be read yet, or the subtask is not {@link State#FAILED}
     */
    Throwable exception();

    /** {@return its progress now} */
    Phase phase();

    /** {@return its number in its scope: from 1, in the order of the forks} */
    long id();

    /** {@return its name; {@code task-} and its number if it was given none} */
    String name();

    /** {@return the key of the group that it was forked into} */
    String group();

    /**
     * Cancels this subtask alone, with the scopes that it has opened or opens afterwards, and doesn't wait. A queued one
     * never runs; a running one is interrupted, and join waits for its code to end. The joiner isn't called for it.
     *
     * @return true if this call cancelled it; false if it had ended
     */
    boolean cancel();
}
