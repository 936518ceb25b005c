package io.github.kobe;

/**
 * What happens to a submitted task that is rejected, when no {@link RejectionHandler} is set.
 *
 * @since 0.1.0
 */
public enum RejectionPolicy {
    /** The task's handle carries a {@link RejectedTaskException}: its {@code await} and {@code join} throw it. */
    ABORT,
    /**
     * The task's result has the status {@link TaskStatus#REJECTED} and the reason; nothing is thrown, except by
     * {@link GroupResult#valueOrThrow()}.
     */
    DISCARD,
    /**
     * The submitting thread runs the task itself, before {@code submit} returns, without permits. A task that is
     * rejected with {@link RejectionReason#QUEUE_TIMEOUT} is treated as with {@link #ABORT}: its submitter may be long
     * gone.
     *
     * <p>While the task runs, an interrupt of the submitting thread is the task's, and is over with it: the thread then has
     * the flag that it had before. So an interrupt that was meant for the submitter is lost if it comes in that time.
     * What stops such a submitter has to leave a trace of its own, such as a flag that it reads in its loop.
     */
    CALLER_RUNS
}
