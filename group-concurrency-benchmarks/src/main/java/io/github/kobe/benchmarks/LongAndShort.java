package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

/**
 * Three groups that always have more tasks than their global limit lets run: tasks of the first take 600 ms, those of the
 * others 10. Each could use all permits by itself.
 */
final class LongAndShort {

    static final String TITLE = "three groups that always have work, of 600, 10 and 10 ms a task, global limit 20";

    static final List<String> GROUPS = List.of("long", "short", "other");

    private static final int GLOBAL = 20;
    private static final List<Integer> MILLIS = List.of(600, 10, 10);

    /** How many tasks of each group run or wait, and also its limit. */
    private static final int TASKS = 3 * GLOBAL;

    private final AtomicIntegerArray inside = new AtomicIntegerArray(GROUPS.size());
    private final CountDownLatch ended = new CountDownLatch(1);

    static Limits limits() {
        return Limits.perGroup(TASKS).withGlobal(GLOBAL).inTurn();
    }

    /** {@return what {@code measurement} comes to, which begins when the groups have been busy for so many milliseconds} */
    <H> double during(Contestant<H> contestant, int millisBefore, Callable<Double> measurement) throws Exception {
        FutureTask<Double> measured = new FutureTask<>(() -> {
            try {
                Thread.sleep(millisBefore);
                return measurement.call();
            } finally {
                ended.countDown();
            }
        });
        Thread.ofPlatform().name("measurement").start(measured);
        List<Integer> submitters = IntStream.range(0, TASKS * GROUPS.size())
                .mapToObj(i -> i % GROUPS.size())
                .toList();
        Crowd.sum(submitters, group -> submitAgainAndAgain(contestant, group));
        return measured.get();
    }

    private <H> int submitAgainAndAgain(Contestant<H> contestant, int group) {
        int sum = 0;
        while (ended.getCount() > 0) {
            H handle = contestant.submit(GROUPS.get(group), "task", () -> blocked(group));
            sum += Objects.requireNonNull(contestant.join(handle).value());
        }
        return sum;
    }

    private int blocked(int group) throws InterruptedException {
        inside.incrementAndGet(group);
        try {
            boolean early = ended.await(MILLIS.get(group), TimeUnit.MILLISECONDS);
            return early ? 0 : 1;
        } finally {
            inside.decrementAndGet(group);
        }
    }

    /** {@return how many tasks of each group run, on average over so many milliseconds} */
    double[] inside(int millis) throws InterruptedException {
        double[] sums = new double[GROUPS.size()];
        int samples = 0;
        long start = System.nanoTime();
        do {
            Thread.sleep(1);
            for (int group = 0; group < sums.length; group++) {
                sums[group] += inside.get(group);
            }
            samples++;
        } while (System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(millis));
        for (int group = 0; group < sums.length; group++) {
            sums[group] /= samples;
        }
        return sums;
    }
}
