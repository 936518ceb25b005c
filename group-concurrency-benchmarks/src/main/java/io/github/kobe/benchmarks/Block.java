package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** Forks tasks and waits for all of them. Its close leaves none of them running. */
interface Block extends AutoCloseable {

    /** When a block is done. */
    enum Joining {
        /** When all have ended. */
        ALL,
        /** When all have succeeded, or one has failed. */
        ALL_SUCCESSFUL
    }

    /** {@return the task's value, once the block is joined} */
    Supplier<Integer> fork(String group, Callable<Integer> task);

    /** Waits until it is done. */
    void join() throws Exception;

    /** Gives up whatever hasn't ended. */
    void cancel();

    /** Has a task run when a time has passed; only what has timers of its own. */
    default void schedule(String group, long nanos, Callable<Integer> task) {
        throw new UnsupportedOperationException("no timers");
    }

    @Override
    void close();
}
