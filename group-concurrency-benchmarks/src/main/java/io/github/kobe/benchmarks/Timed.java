package io.github.kobe.benchmarks;

import io.github.kobe.GroupResult;
import java.util.concurrent.Callable;

/** A task with two time stamps and its result: what the engine does, for those that don't. */
record Timed(String group, String id, Callable<Integer> task) implements Callable<GroupResult<Integer>> {

    @Override
    public GroupResult<Integer> call() {
        long start = System.nanoTime();
        try {
            return GroupResult.success(group, id, task.call(), start, System.nanoTime());
        } catch (Exception failure) {
            return GroupResult.failed(group, id, failure, start, System.nanoTime());
        }
    }
}
