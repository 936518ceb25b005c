package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Virtual threads that all do the same. */
final class Crowd {

    private Crowd() {}

    /** {@return the sum of what they return, when all have} */
    static long sum(int threads, Callable<Integer> code) throws Exception {
        try (ExecutorService crowd = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> values = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                values.add(crowd.submit(code));
            }
            long sum = 0;
            for (Future<Integer> value : values) {
                sum += value.get();
            }
            return sum;
        }
    }
}
