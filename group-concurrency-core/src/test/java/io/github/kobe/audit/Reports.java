package io.github.kobe.audit;

import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Deadline;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The reports of an executor, which have threads of their own, for tests that wait until these have ended. */
public final class Reports {

    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    /** An environment with this clock and no timers, whose reports are known here. */
    public Surroundings with(ManualClock clock) {
        return new Surroundings(
                clock,
                (name, work) -> {
                    Thread thread = TaskThreads.VIRTUAL.unstarted(name, work);
                    if (name.equals("group-concurrency-report")) {
                        threads.add(thread);
                    }
                    return thread;
                },
                false);
    }

    public void awaitEnd() {
        for (Thread thread : threads) {
            Deadline.until("the report has ended", () -> thread.getState() == Thread.State.TERMINATED);
        }
        threads.clear();
    }
}
