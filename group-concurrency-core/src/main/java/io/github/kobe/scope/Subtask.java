package io.github.kobe.scope;

import java.util.function.Supplier;

/**
 * One task that a {@link GroupScope} has forked.
 *
 * <p>It ends once: with a value, with a failure, or cancelled. Its task is let go then; its value or failure is kept as
 * long as the subtask is.
 *
 * <p><b>When the outcome can be read.</b> {@link #get()} and {@link #exception()} never wait. They answer once the owner of
 * the scope has joined, or has awaited this subtask, and in the joiner; to any thread. Before, they throw an {@link
 * IllegalStateException}, also if the task has ended: the outcome of one fork isn't to be relied on while another may still
 * decide against it. {@link #state()} and {@link #phase()} answer at any time.
 *
 * <p><b>Threads.</b> Every method may be called by any thread. What the task did happens-before what a thread does that has
 * read its outcome.
 *
 * @param <T> the type of the value
 * @since 0.1.0
 */
public sealed interface Subtask<T> extends Supplier<T> permits ForkedSubtask {

    /**
     * What a subtask has to give. It changes once, from {@link #UNAVAILABLE}, or never.
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
     * How far a subtask is. {@link #DELAYED}, {@link #QUEUED} and {@link #RUNNING} may follow each other several times if
     * it is tried again; the others are final.
     *
     * @since 0.1.0
     */
    enum Phase {
        /** It waits for its time, the first or that of its next attempt. It holds nothing. */
        DELAYED,
        /** It waits for its group's permits. It holds nothing. */
        QUEUED,
        /** Its code runs, under its group's permits. */
        RUNNING,
        /** It has ended with a value. */
        SUCCESS,
        /** It has failed. */
        FAILED,
        /** It was cancelled, alone or with its scope. Its code may run on until it heeds its interrupt. */
        CANCELLED
    }

    /** {@return what it has to give now} */
    State state();

    /**
     * Gives the task's value.
     *
     * @return the value; may be {@code null}
     * @throws IllegalStateException if it isn't to be read yet, or the subtask is not {@link State#SUCCESS}
     */
    @Override
    T get();

    /**
     * Gives the failure.
     *
     * @return what the task threw, also an {@link InterruptedException} or a {@link
     *     java.util.concurrent.CancellationException}; a {@link io.github.kobe.RejectedTaskException} if its group didn't
     *     take it; a {@link java.util.concurrent.TimeoutException} if its own time-out was up. The failures of earlier
     *     attempts are suppressed
     * @throws IllegalStateException if it isn't to be read yet, or the subtask is not {@link State#FAILED}
     */
    Throwable exception();

    /** {@return how far it is now} */
    Phase phase();

    /** {@return its number in its scope: from 1, in the order of the forks} */
    long id();

    /** {@return its name; {@code task-} and its number unless it was given one} */
    String name();

    /** {@return the key of the group that it was forked into} */
    String group();

    /**
     * Cancels this subtask alone, and waits for nothing. One that is queued never runs; one that runs is interrupted, and
     * join waits for its code to end. The joiner isn't called for it.
     *
     * @return true if this call cancelled it; false if it had ended
     */
    boolean cancel();
}
