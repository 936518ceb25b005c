package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.IntFunction;

/** The work that all contestants do, and what is measured of it. */
abstract class Workload {

    /** The least that a task can do. */
    static final Callable<Integer> NOTHING = () -> 1;

    private final String id;
    private final String title;
    private final String unit;
    private final Goal goal;

    /**
     * @param id its name on the command line
     * @param title what is done
     * @param unit what {@link #run} returns
     */
    Workload(String id, String title, String unit, Goal goal) {
        this.id = id;
        this.title = title;
        this.unit = unit;
        this.goal = goal;
    }

    final String id() {
        return id;
    }

    final String title() {
        return title;
    }

    final String unit() {
        return unit;
    }

    final Goal goal() {
        return goal;
    }

    /** What whoever takes part has to have. */
    Set<Trait> needs() {
        return EnumSet.noneOf(Trait.class);
    }

    /** Who is asked to take part. */
    List<Entrant> entrants() {
        return Entrant.FIELD;
    }

    /** Whether it comes out the same each time, so that few rounds do. */
    boolean isSteady() {
        return false;
    }

    abstract Limits limits();

    /** Does the work once, checks what came of it, and returns what was measured. */
    abstract <H> double run(Contestant<H> contestant) throws Exception;

    /** Fails unless all tasks have run. */
    static void check(long expected, long counted) {
        if (counted != expected) {
            throw new IllegalStateException(counted + " of " + expected + " tasks ran");
        }
    }

    /** {@return what each of some threads of {@code builder}'s comes to, which all begin at once} */
    static <T> List<T> inParallel(Thread.Builder builder, int threads, IntFunction<Callable<T>> work)
            throws ExecutionException, InterruptedException {
        List<FutureTask<T>> started = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            FutureTask<T> one = new FutureTask<>(work.apply(i));
            started.add(one);
            builder.start(one);
        }
        List<T> results = new ArrayList<>();
        for (FutureTask<T> one : started) {
            results.add(one.get());
        }
        return results;
    }

    static double nanosSince(long start) {
        return System.nanoTime() - start;
    }
}
