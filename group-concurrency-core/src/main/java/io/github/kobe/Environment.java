package io.github.kobe;

import java.util.function.LongSupplier;

/**
 * What the engine takes from outside, so that tests can put their own in its place.
 *
 * @param nanoTime the clock, in nanoseconds from any origin; values are compared by subtraction
 * @param taskThreads makes the threads that tasks run on
 * @param timers whether a thread of the engine's own runs what falls due; else a test does, with
 *     {@link Housekeeper#runDue()}
 */
record Environment(LongSupplier nanoTime, TaskThreads taskThreads, boolean timers) {

    /** The system's clock, fresh virtual threads that inherit nothing, and timers. */
    static final Environment SYSTEM = new Environment(System::nanoTime, Environment::newVirtualThread, true);

    private static Thread newVirtualThread(String name, Runnable work) {
        return Thread.ofVirtual()
                .name(name)
                .inheritInheritableThreadLocals(false)
                .unstarted(work);
    }

    /** Makes threads for tasks. */
    @FunctionalInterface
    interface TaskThreads {

        /** Makes a thread, not started yet; may fail, which fails the task. */
        Thread unstarted(String name, Runnable work);
    }
}
