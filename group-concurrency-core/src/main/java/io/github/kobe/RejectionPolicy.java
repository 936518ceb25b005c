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
     * rejected with {@link RejectionReason#QUEUE_TIMEOUT} is treated as with {@link #ABORT}, because its submitter may
     * be long gone. So is any task of a group with a {@linkplain GroupLimits#withRate rate}, and under a {@linkplain
     * GroupPolicy.Builder#globalRate global rate}, since it would start without being counted.
     *
     * <p>While the task runs, an interrupt of the submitting thread counts as an interrupt of the task. When the task
     * ends, the thread's interrupt status is restored to what it was before. So an interrupt that was meant for the
     * submitter is lost if it comes during that time. Code that stops such a submitter needs another signal too, such
     * as a flag that the submitter reads in its loop.
     *
     * <p>The stage of a task of {@code submitAsync} has no permits either, so a
     * {@linkplain GroupExecutor#shutdown(java.time.Duration) drain} doesn't wait for it. If the handle is cancelled, or
     * the executor is {@linkplain GroupExecutor#shutdown() shut down}, the stage is cancelled like any other.
     */
    CALLER_RUNS
}
