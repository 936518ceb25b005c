package io.github.kobe.benchmarks;

import io.github.kobe.GroupResult;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A virtual thread for each task, started as the task is submitted. */
abstract class FreshThreads implements Contestant<Future<GroupResult<Integer>>> {

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /** Starts the thread. */
    final Future<GroupResult<Integer>> start(Callable<GroupResult<Integer>> code) {
        return threads.submit(code);
    }

    @Override
    public final GroupResult<Integer> join(Future<GroupResult<Integer>> handle) {
        try {
            return handle.get();
        } catch (InterruptedException | ExecutionException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Override
    public final void cancel(Future<GroupResult<Integer>> handle) {
        handle.cancel(true);
    }

    @Override
    public final boolean isCancelled(Future<GroupResult<Integer>> handle) {
        return handle.isCancelled();
    }

    @Override
    public void close() {
        threads.close();
    }
}
