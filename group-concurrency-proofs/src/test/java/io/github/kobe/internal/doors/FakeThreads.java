package io.github.kobe.internal.doors;

import io.github.kobe.internal.base.Environment;
import io.github.kobe.internal.work.Run;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that never run, for scenarios of Lincheck: the start of a task is noted as an event, and whoever caused it runs
 * the task later, as an operation of its own. What the engine tells on a thread of its own is told at the end of the
 * operation that found it, as if that thread had come at once.
 *
 * <p>An operation says as which thread of the scenario it acts, because before and after the concurrent part one JVM
 * thread acts for all. A thread of a scenario runs only what it has started itself: what another has started, it couldn't
 * know without a race that isn't the engine's.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class FakeThreads implements Environment.TaskThreads {

    /** Lincheck numbers the part before with 0, two or three threads from 1, and the part after with the next. */
    static final int ACTORS = 5;

    private static final String NOTHING = "nothing runs";

    /** Taken in turn, so that thread ids, and with them the slots of {@link Holds}, are the same in each execution. */
    private static final FakeThread[] POOL = new FakeThread[64];

    static {
        for (int i = 0; i < POOL.length; i++) {
            POOL[i] = new FakeThread();
        }
    }

    private final AtomicInteger used = new AtomicInteger();
    private final List<Actor> actors = new ArrayList<>();

    FakeThreads() {
        for (int i = 0; i < ACTORS; i++) {
            actors.add(new Actor());
        }
    }

    /** One thread of a scenario; used by who acts as it. */
    private static final class Actor {
        private Thread acting;
        private final Deque<Run> started = new ArrayDeque<>();
        private final Deque<Runnable> reports = new ArrayDeque<>();
        private final List<String> events = new ArrayList<>();
    }

    /** Does one operation as {@code thread}; returns the events that it caused. */
    String act(int thread, Runnable operation) {
        begin(thread);
        operation.run();
        for (Runnable report = nextReport(thread); report != null; report = nextReport(thread)) {
            report.run();
        }
        return end(thread);
    }

    private void begin(int thread) {
        actors.get(thread).acting = Thread.currentThread();
    }

    private Runnable nextReport(int thread) {
        return actors.get(thread).reports.poll();
    }

    private String end(int thread) {
        Actor actor = actors.get(thread);
        actor.acting = null;
        String events = String.join(" ", actor.events);
        actor.events.clear();
        return events;
    }

    private Run nextRun(int thread) {
        return actors.get(thread).started.poll();
    }

    /** Runs the eldest task that {@code thread} has started, if there is one; returns the events. */
    String run(int thread) {
        Run run = nextRun(thread);
        return run == null ? NOTHING : act(thread, run);
    }

    /** Runs all tasks that are started, and those that they let start. */
    void runAll() {
        for (boolean any = true; any; ) {
            any = false;
            for (int thread = 0; thread < ACTORS; thread++) {
                any |= !run(thread).equals(NOTHING);
            }
        }
    }

    /** Runs all that is started and told, and what that brings about, within the operation that goes on. */
    void settle() {
        for (boolean any = true; any; ) {
            any = false;
            for (Actor actor : actors) {
                Runnable next = actor.started.isEmpty() ? actor.reports.poll() : actor.started.poll();
                if (next != null) {
                    next.run();
                    any = true;
                }
            }
        }
    }

    /** The number of the thread as which the current thread acts. */
    int current() {
        return actors.indexOf(actor());
    }

    private Actor actor() {
        for (Actor actor : actors) {
            if (actor.acting == Thread.currentThread()) {
                return actor;
            }
        }
        throw new AssertionError("outside of an operation");
    }

    @Override
    public Thread unstarted(String name, Runnable body) {
        FakeThread thread = POOL[used.getAndIncrement()];
        thread.maker = this;
        thread.body = body;
        return thread;
    }

    private void started(Runnable body) {
        Actor actor = actor();
        if (body instanceof Run run) {
            actor.started.add(run);
            actor.events.add("starts " + run.task.taskId());
        } else {
            actor.reports.add(body);
        }
    }

    private static final class FakeThread extends Thread {
        private FakeThreads maker;
        private Runnable body;

        @Override
        public void start() {
            FakeThreads by = maker;
            Runnable started = body;
            // Else the pool, which is static, would keep the engine of each execution.
            maker = null;
            body = null;
            by.started(started);
        }

        @Override
        public void interrupt() {
            // Nobody runs on it.
        }
    }
}
