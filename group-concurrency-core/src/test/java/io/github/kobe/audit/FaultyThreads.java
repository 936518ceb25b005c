package io.github.kobe.audit;

import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Deadline;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;

/** Threads for an {@link Surroundings}, some of which are not as they should be. */
public final class FaultyThreads implements TaskThreads {

    /** What is wrong with a thread. */
    public enum Fault {
        MAKING_IT_THROWS_AN_EXCEPTION,
        MAKING_IT_THROWS_AN_ERROR,
        THERE_IS_NONE,
        STARTING_IT_THROWS,
        IT_RUNS_ALREADY,
        IT_HAS_ENDED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    private final Fault fault;
    private final AtomicInteger asked = new AtomicInteger();
    private volatile IntPredicate which;

    /** Threads of which those have the fault whose number, from 1 on, {@code which} takes. */
    public FaultyThreads(Fault fault, IntPredicate which) {
        this.fault = fault;
        this.which = which;
    }

    /** From now on all is well. */
    public void heal() {
        which = number -> false;
    }

    /** How many threads were asked for. */
    public int asked() {
        return asked.get();
    }

    @Override
    public Thread unstarted(String name, Runnable work) {
        if (!which.test(asked.incrementAndGet())) {
            return TaskThreads.VIRTUAL.unstarted(name, work);
        }
        return switch (fault) {
            case MAKING_IT_THROWS_AN_EXCEPTION -> throw new IllegalStateException("no thread to be had");
            case MAKING_IT_THROWS_AN_ERROR -> throw new OutOfMemoryError("as if: unable to create native thread");
            case THERE_IS_NONE -> null;
            case STARTING_IT_THROWS -> new Unstartable();
            case IT_RUNS_ALREADY -> running();
            case IT_HAS_ENDED -> ended();
        };
    }

    /** A thread that does something else until it is interrupted, or the test has long ended. */
    private static Thread running() {
        return Thread.startVirtualThread(() -> LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1)));
    }

    private static Thread ended() {
        Thread thread = Thread.startVirtualThread(() -> {});
        Deadline.until("it has ended", () -> thread.getState() == Thread.State.TERMINATED);
        return thread;
    }

    private static final class Unstartable extends Thread {
        @Override
        public void start() {
            throw new OutOfMemoryError("as if: unable to create native thread");
        }
    }
}
