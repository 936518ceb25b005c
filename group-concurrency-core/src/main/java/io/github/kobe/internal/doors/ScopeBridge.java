package io.github.kobe.internal.doors;

import io.github.kobe.GroupHolder;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.base.Log;
import io.github.kobe.internal.base.Report;
import io.github.kobe.internal.base.StackReserve;
import io.github.kobe.internal.lending.Lending;
import io.github.kobe.internal.lending.Offers;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Holds;
import io.github.kobe.internal.work.Fork;
import io.github.kobe.internal.work.ForkTask;
import io.github.kobe.internal.work.Run;
import io.github.kobe.internal.work.Taken;
import io.github.kobe.internal.work.Task;
import io.github.kobe.internal.work.Tellers;
import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The way from structured scopes into one engine. Scopes use executors, never the reverse, so executors register here
 * how to find their engine. Public only because scopes use it, like {@link Fork} and {@link Lineage}.
 */
public final class ScopeBridge {

    private static volatile @Nullable Function<Object, Engine> engineOf;

    /** Those of all engines that somebody still knows; hardly ever more than one or two. */
    static final CopyOnWriteArrayList<WeakReference<ScopeBridge>> KNOWN = new CopyOnWriteArrayList<>();

    /** Whether there has been a fork, in whatever engine; until then nobody looks for one. */
    static volatile boolean forked;

    private final Engine engine;

    /** Whether it was told that forks race where one runs at a time. */
    private final AtomicBoolean raceTold = new AtomicBoolean();

    /** Makes that of an engine which knows by now what threads hold, and how that is lent. */
    ScopeBridge(Engine engine) {
        this.engine = engine;
        KNOWN.removeIf(known -> known.refersTo(null));
        KNOWN.add(new WeakReference<>(this));
    }

    // ---- how it is found

    /**
     * Tells, once for all executors, how the engine of one is found.
     *
     * @throws IllegalStateException if that has been told already
     */
    public static void register(Function<Object, Engine> finder) {
        if (engineOf != null) {
            throw new IllegalStateException("How an executor's engine is found has been told already");
        }
        engineOf = finder;
    }

    /** {@return the way into the engine of {@code executor}} */
    public static ScopeBridge of(Object executor) {
        return Objects.requireNonNull(engineOf).apply(executor).scopes;
    }

    // ---- whose thread it is

    /** {@return the fork that {@code thread} runs, in whatever engine; {@code null}: none} */
    public static @Nullable Fork forkOf(Thread thread) {
        return taskOf(thread) instanceof ForkTask task ? task.fork() : null;
    }

    /** {@return the fork that {@code thread} tells somebody of, without running it; {@code null}: none} */
    public static @Nullable Fork toldBy(Thread thread) {
        return Tellers.forkOf(thread);
    }

    /** {@return whether {@code thread} tells somebody of a fork of {@code scope}} */
    public static boolean tellsOf(Thread thread, Lineage scope) {
        return Tellers.tellsOf(thread, scope);
    }

    /** {@return whether {@code thread} tells somebody of a fork of {@code scope} or of a scope inside it} */
    public static boolean tellsInside(Thread thread, Lineage scope) {
        return Tellers.tellsInside(thread, scope);
    }

    /** The current thread, which may not run {@code fork}, begins to tell of it; {@link #endTelling} has to follow. */
    public static void beginTelling(Fork fork) {
        Tellers.begin(fork);
    }

    /** The current thread has told of {@code fork}. */
    public static void endTelling(Fork fork) {
        Tellers.end(fork);
    }

    /**
     * {@return the scope of the fork that {@code thread} runs; {@code null}: none} If that thread tells somebody of a fork
     * in a scope inside this one, or runs none, it is the scope of that fork.
     */
    static @Nullable Lineage lineageOf(Thread thread) {
        Task<?> task = taskOf(thread);
        return Tellers.scopeInside(thread, task == null ? null : task.scope());
    }

    /** {@return the task that {@code thread} runs, if it belongs to a scope} */
    private static @Nullable Task<?> taskOf(Thread thread) {
        if (!forked) {
            return null;
        }
        for (WeakReference<ScopeBridge> known : KNOWN) {
            ScopeBridge bridge = known.get();
            Task<?> task = bridge == null ? null : bridge.taskHere(thread);
            if (task != null) {
                return task;
            }
        }
        return null;
    }

    private @Nullable Task<?> taskHere(Thread thread) {
        for (Hold hold = engine.holds.topOpen(thread); hold != null; hold = Holds.open(hold.below)) {
            if (hold instanceof Run run && run.task.scope() != null) {
                return run.task;
            }
        }
        return null;
    }

    // ---- state

    /** {@return whether new work of the current thread is let in} */
    public boolean admits() {
        return engine.admits();
    }

    /** {@return whether the executor is shut down, and no drain goes on any more} */
    public boolean isOver() {
        return engine.stage.isOver();
    }

    /** {@return nanoseconds since just before the engine was made: at least 1} */
    public long now() {
        return engine.now();
    }

    /** {@return who has the permits of a group} */
    public List<GroupHolder> holders(String key) {
        return engine.holders(key);
    }

    // ---- checks

    /**
     * Checks that there is stack left for what is about to change.
     *
     * @throws StackOverflowError if not; nothing has been changed
     */
    public static void requireStack() {
        StackReserve.require();
    }

    /**
     * Checks a key before anybody hears of it.
     *
     * @throws IllegalArgumentException if it is too long
     */
    public void requireKey(String key) {
        engine.requireKey(key);
    }

    // ---- forks

    /** Submits a fork, for the thread that forks it. */
    public void submit(Fork fork, String key, Callable<?> task) {
        beginForking();
        engine.admission.submitFork(fork, key, task);
    }

    private static void beginForking() {
        if (!forked) { // read alone, it stays in the caches of all processors
            forked = true;
        }
    }

    /** {@return what {@link #submitTaken} needs of the current thread, which forks it, to submit something later} */
    public Object take(String key, String id, Callable<?> task) {
        return new Taken(engine, key, id, task);
    }

    /** Submits one attempt of a fork, by the right of the thread that forked it. */
    public void submitTaken(Fork fork, Object taken) {
        beginForking();
        engine.admission.submitFork(fork, (Taken) taken);
    }

    /**
     * Nothing is submitted any more of what was {@linkplain #take taken}.
     *
     * @param failure what it failed with; {@code null}: it has succeeded, or was cancelled
     */
    public static void endTaken(Object taken, @Nullable Throwable failure) {
        ((Taken) taken).end(failure);
    }

    /** {@return whether {@link #tellLeft} calls no user code but the fork's} */
    public boolean isHeardByNobody(Object task) {
        return !engine.reports.isObserved(((ForkTask) task).trace());
    }

    /** Tells of a task that {@linkplain Fork#leaveQueue has left} its queue. */
    public static void tellLeft(Object task) {
        ((ForkTask) task).reportCancelled();
    }

    // ---- time, and threads

    /** What is due {@linkplain #at at a time}, unless it is cancelled before. */
    public static final class Alarm extends Report {

        private volatile @Nullable Runnable action;

        /** Makes one that isn't set yet: so who keeps it has it before it is due. */
        public Alarm(Runnable action) {
            this.action = action;
        }

        /** Lets go of the action; false if that was done before, or it was due. */
        boolean cancel() {
            boolean first = action != null;
            action = null;
            return first;
        }

        boolean isPointless() {
            return action == null;
        }

        @Override
        public void run() {
            Runnable due = action;
            if (due != null) {
                action = null;
                due.run();
            }
        }
    }

    /**
     * Has an alarm's action run at a time of {@link #now}, or soon after, on a fresh virtual thread; also after a shutdown.
     *
     * @return false if there is no thread to see to it and none can be made
     */
    public boolean at(long time, Alarm alarm) {
        return engine.housekeeper.at(time, true, alarm::isPointless, now -> {
            if (!alarm.isPointless()) {
                engine.report(alarm);
            }
        });
    }

    /** An alarm isn't to run any more; by any thread, at any time. */
    public void cancel(Alarm alarm) {
        if (alarm.cancel()) {
            engine.housekeeper.alarmCancelled();
        }
    }

    /** Has {@code action} run on a fresh virtual thread. */
    public void runSoon(Runnable action) {
        engine.report(new Alarm(action));
    }

    // ---- permits of threads that wait

    /**
     * Offers the permits that the current thread holds, in whatever engine, to the family of {@code scope}, one borrower each
     * at a time, until that is withdrawn; meanwhile the thread may do nothing but wait.
     *
     * @return the offers; {@code null} if the thread has nothing to lend
     * @throws IllegalStateException if something is offered to the family of that very scope already
     */
    public static @Nullable Object offer(Lineage scope) {
        StackReserve.require();
        Thread thread = Thread.currentThread();
        List<Lending> lenders = List.of();
        for (WeakReference<ScopeBridge> known : KNOWN) {
            ScopeBridge bridge = known.get();
            if (bridge != null && bridge.engine.holds.topOpen(thread) != null) {
                lenders = lenders.isEmpty() ? new ArrayList<>(1) : lenders;
                lenders.add(bridge.engine.lending);
            }
        }
        return lenders.isEmpty() ? null : Offers.make(scope, lenders);
    }

    /**
     * Returns when the current thread has all again that it has offered; it keeps its interrupt flag.
     *
     * @param interrupted run once if the thread is interrupted while it waits for that: to have the borrowers end
     * @return whether it was
     */
    public static boolean withdraw(Object offers, Runnable interrupted) {
        return ((Offers) offers).withdraw(interrupted);
    }

    // ---- what fails

    /** Logs what has failed where others have to be seen to all the same. */
    public static void logged(Throwable failure) {
        Log.failed(failure);
    }

    /** A run of what a scope has scheduled failed, and nobody listens. */
    public void scheduleFailed(String key, Throwable failure) {
        try {
            Log.write(
                    Level.WARNING,
                    () -> "A scheduled fork in group '" + KeyText.printable(key) + "' failed, so it won't run again.",
                    failure);
        } catch (Throwable unloggable) {
            // There is no memory or stack to tell of it.
        }
    }

    /** Says in the log, once, that forks race in a group, if that runs them one after the other. */
    public void raceIn(String key, Object scope) {
        if (raceTold.get()) {
            return;
        }
        boolean inTurn = engine.groupStats(key)
                .filter(stats -> stats.maxConcurrency().value() == 1)
                .isPresent();
        if (inTurn && raceTold.compareAndSet(false, true)) {
            Log.write(
                    Level.WARNING,
                    () -> "Forks of " + scope + " that could replace each other are in group '" + KeyText.printable(key)
                            + "', which runs one at a time, so each waits for the one before. Give the group a larger"
                            + " maxConcurrency. Later ones are not logged.");
        }
    }

    /** User code that was told of something failed, which changes nothing; logged once for each {@code method}. */
    public void methodFailed(String method, String where, Throwable failure) {
        engine.reports.methodFailed(method, where, failure);
    }
}
