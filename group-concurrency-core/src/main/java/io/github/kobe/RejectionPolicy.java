package io.github.kobe;

/** What happens to a submitted task that is rejected, when no {@link RejectionHandler} is set. */
public enum RejectionPolicy {
    /** The task's handle carries a {@link RejectedTaskException}: its {@code await} and {@code join} throw it. */
    ABORT,
    /** The task's result has the status {@link TaskStatus#REJECTED}; nothing is thrown. */
    DISCARD,
    /**
     * The submitting thread runs the task itself, before {@code submit} returns, without permits. A task whose queue
     * time-out ran out, when its submitter is long gone, is treated as with {@link #ABORT}.
     */
    CALLER_RUNS
}
