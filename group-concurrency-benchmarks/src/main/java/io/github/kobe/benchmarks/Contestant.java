package io.github.kobe.benchmarks;

import io.github.kobe.GroupResult;
import java.util.concurrent.Callable;

/**
 * One way to run work by key. A new one is made for each run and closed after it.
 *
 * @param <H> what it hands out for a submitted task
 */
interface Contestant<H> extends AutoCloseable {

    /** Has a task run on a thread of its own as soon as its group has room. */
    H submit(String group, String id, Callable<Integer> task);

    /** Waits for the task's end. */
    GroupResult<Integer> join(H handle);

    /** Gives a waiting task up. */
    void cancel(H handle);

    /** {@return whether the task was given up before it ran; to be asked when it has ended} */
    boolean isCancelled(H handle);

    /** Runs a task on the caller's own thread as soon as its group has room; only with {@link Trait#CALLS}. */
    default <T> T call(String group, Callable<T> task) throws Exception {
        throw new UnsupportedOperationException(Trait.CALLS.lack());
    }

    /** Opens what forks tasks and waits for them together. */
    default Block open(Block.Joining joining) {
        return new SubmittedBlock<>(this);
    }

    /** Takes a permit as an object and gives it back; only with {@link Trait#PERMITS}. */
    default void acquireAndClose(String group) throws Exception {
        throw new UnsupportedOperationException(Trait.PERMITS.lack());
    }

    /** A bean whose methods are limited by their annotations; only with {@link Trait#ADVICE}. */
    default AdvisedBean advised() {
        throw new UnsupportedOperationException(Trait.ADVICE.lack());
    }

    /** Reads all that it shows of itself to operators; only with {@link Trait#METERS}. */
    default void scrape() {
        throw new UnsupportedOperationException(Trait.METERS.lack());
    }

    /** Waits for all tasks. */
    @Override
    void close();
}
