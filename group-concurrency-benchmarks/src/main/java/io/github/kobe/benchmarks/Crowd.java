package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Virtual threads that all do the same. */
final class Crowd {

    private Crowd() {}

    /** What one of them does. */
    @FunctionalInterface
    interface Act<T> {
        int by(T who) throws Exception;
    }

    /** {@return the sum of what they return, when all have} */
    static long sum(int threads, Callable<Integer> code) throws Exception {
        return sum(Collections.nCopies(threads, code), Callable::call);
    }

    /** {@return the sum of what one for each of {@code all} returns, when all have} */
    static <T> long sum(List<T> all, Act<T> act) throws Exception {
        try (ExecutorService crowd = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> values = new ArrayList<>();
            for (T who : all) {
                values.add(crowd.submit(() -> act.by(who)));
            }
            long sum = 0;
            for (Future<Integer> value : values) {
                sum += value.get();
            }
            return sum;
        }
    }
}
