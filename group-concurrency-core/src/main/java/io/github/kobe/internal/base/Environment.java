package io.github.kobe.internal.base;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;

/**
 * What the engine needs from outside, so that tests can replace it.
 *
 * @param nanoTime the clock, in nanoseconds from any origin; values are compared by subtraction
 * @param taskThreads makes the threads that tasks run on
 * @param timers whether the engine's own thread runs what is due; otherwise a test does, with
 *     {@link Housekeeper#runDue()}
 * @param linger how long that thread stays without anything to do, by the system's clock
 * @param longestSleep how long it sleeps at most before it checks whether the engine still exists, by the system's
 *     clock; what is due is late by so much at most if the engine's clock has run ahead of the system's
 * @param processors how many threads are expected to run at once, at least 1
 * @param portion how many nodes one critical section grants or ends at most
 */
public record Environment(
        LongSupplier nanoTime,
        TaskThreads taskThreads,
        boolean timers,
        Duration linger,
        Duration longestSleep,
        int processors,
        int portion) {

    /** Some ten microseconds' worth of work, which others may have to wait for. */
    private static final int PORTION = 1_000;

    private static final Duration LINGER = Duration.ofSeconds(1);
    private static final Duration LONGEST_SLEEP = Duration.ofSeconds(5);

    /** The system's clock, fresh virtual threads that inherit nothing, and timers. */
    public static final Environment SYSTEM = new Environment(System::nanoTime, new VirtualThreads(), true);

    /** Makes one whose thread stays and sleeps as long as the system's does. */
    public Environment(LongSupplier nanoTime, TaskThreads taskThreads, boolean timers) {
        this(
                nanoTime,
                taskThreads,
                timers,
                LINGER,
                LONGEST_SLEEP,
                Runtime.getRuntime().availableProcessors(),
                PORTION);
    }

    /** Makes threads for tasks. */
    @FunctionalInterface
    public interface TaskThreads {

        /** Makes a thread, not started yet; may fail, which fails the task. */
        Thread unstarted(String name, Runnable work);

        /** {@return what makes many threads of the same name} */
        public default ThreadFactory named(String name) {
            return work -> unstarted(name, work);
        }
    }

    private static final class VirtualThreads implements TaskThreads {

        @Override
        public Thread unstarted(String name, Runnable work) {
            return builder(name).unstarted(work);
        }

        /** Spares a builder for each thread. */
        @Override
        public ThreadFactory named(String name) {
            return builder(name).factory();
        }

        private static Thread.Builder builder(String name) {
            return Thread.ofVirtual().name(name).inheritInheritableThreadLocals(false);
        }
    }
}
