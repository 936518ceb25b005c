package io.github.kobe.internal.doors;

import io.github.kobe.ExecutorDoors;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupTask;
import io.github.kobe.TaskHandle;
import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.base.Environment;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.lending.Offer;
import io.github.kobe.internal.lending.Offers;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.LinkedNodes;
import io.github.kobe.internal.permits.Readings;
import io.github.kobe.internal.work.ForkedTask;
import io.github.kobe.internal.work.OpenStage;
import io.github.kobe.internal.work.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/** The one way by which tests in other packages reach what the engine doesn't publish. */
public final class EngineAccess {

    /** So that what a test sees doesn't depend on the machine. */
    private static final int PROCESSORS = 2;

    private EngineAccess() {}

    /** Makes threads for tasks, not started yet; may fail, which fails the task. */
    @FunctionalInterface
    public interface TaskThreads {

        Thread unstarted(String name, Runnable work);

        /** Fresh virtual threads that inherit nothing, as they are without a test. */
        TaskThreads VIRTUAL = Environment.SYSTEM.taskThreads()::unstarted;
    }

    /**
     * What an engine takes from outside.
     *
     * @param nanoTime its clock
     * @param threads makes the threads of its tasks
     * @param timers whether a thread of its own runs what falls due; else {@link #runDue} does
     * @param linger how long that thread stays without anything to do
     * @param longestSleep how long it sleeps at most before it looks whether the engine is still there
     * @param portion how many nodes one critical section grants or ends at most
     */
    public record Surroundings(
            LongSupplier nanoTime,
            TaskThreads threads,
            boolean timers,
            Duration linger,
            Duration longestSleep,
            int portion) {

        /** As they are without a test. */
        public static final Surroundings SYSTEM = new Surroundings(System::nanoTime, TaskThreads.VIRTUAL, true);

        /** Surroundings in which that thread stays and sleeps as long as without a test. */
        public Surroundings(LongSupplier nanoTime, TaskThreads threads, boolean timers) {
            this(nanoTime, threads, timers, Environment.SYSTEM.linger(), Environment.SYSTEM.longestSleep());
        }

        /** Surroundings in which a critical section does as much at once as without a test. */
        public Surroundings(
                LongSupplier nanoTime, TaskThreads threads, boolean timers, Duration linger, Duration longestSleep) {
            this(nanoTime, threads, timers, linger, longestSleep, Environment.SYSTEM.portion());
        }

        /** These surroundings with another portion. */
        public Surroundings withPortion(int newPortion) {
            return new Surroundings(nanoTime, threads, timers, linger, longestSleep, newPortion);
        }
    }

    /** As {@link GroupExecutor#newVirtualThreadExecutor(GroupPolicy)}, in other surroundings. */
    public static GroupExecutor newExecutor(GroupPolicy policy, Surroundings surroundings) {
        return newExecutor(policy, surroundings, ClusterSignals.NONE);
    }

    /** As that, with limits that several instances share. */
    public static GroupExecutor newExecutor(GroupPolicy policy, Surroundings surroundings, ClusterSignals cluster) {
        Environment environment = surroundings.equals(Surroundings.SYSTEM)
                ? Environment.SYSTEM
                : new Environment(
                        surroundings.nanoTime(),
                        surroundings.threads()::unstarted,
                        surroundings.timers(),
                        surroundings.linger(),
                        surroundings.longestSleep(),
                        PROCESSORS,
                        surroundings.portion());
        return newExecutor(policy, environment, cluster);
    }

    /** Makes an executor with a clock, threads and timers of one's own. */
    static GroupExecutor newExecutor(GroupPolicy policy, Environment environment) {
        return newExecutor(policy, environment, ClusterSignals.NONE);
    }

    static GroupExecutor newExecutor(GroupPolicy policy, Environment environment, ClusterSignals cluster) {
        return ExecutorDoors.executorOver(new Engine(ExecutorDoors.compiled(policy), environment, cluster));
    }

    public static Engine engine(GroupExecutor executor) {
        return ExecutorDoors.engine(executor);
    }

    /** Submits a task that belongs to a scope. */
    public static <T> TaskHandle<T> fork(GroupExecutor executor, GroupTask<T> task, Lineage scope) {
        Engine engine = engine(executor);
        engine.requireAdmits();
        ScopeBridge.forked = true;
        return engine.admission.admit(
                task.groupKey(),
                task.taskId(),
                task.task(),
                Long.MAX_VALUE,
                false,
                (group, id, work, trace) -> new ForkedTask<T>(group, id, work, trace, scope));
    }

    /** Waits until a task is done, and lends it nothing. */
    public static void sleepUntilDone(TaskHandle<?> handle) throws InterruptedException {
        if (!handle.isDone()) {
            ((Task<?>) handle).sleep();
        }
    }

    /** Offers what the current thread has to the family of a scope; null if it has nothing. */
    public static Object offer(GroupExecutor executor, Lineage scope) {
        Engine engine = engine(executor);
        return engine.holds.topOpen(Thread.currentThread()) == null
                ? null
                : Offers.make(scope, List.of(engine.lending));
    }

    /** Returns once the current thread has all again that it has offered. */
    public static void withdraw(Object offer) {
        boolean unused = ScopeBridge.withdraw(offer, () -> {});
    }

    /** Forgets all engines, as if the process had just begun: what a thread does may depend on those that there are. */
    public static void forgetEngines() {
        ScopeBridge.KNOWN.clear();
        ScopeBridge.forked = false;
    }

    /** {@return whether {@code owner} has withdrawn what it had offered, and waits for that to come back} */
    public static boolean isReclaiming(Thread owner) {
        return LockSupport.getBlocker(owner) instanceof Offer;
    }

    /** Runs what is due by the clock, of an engine without timers. */
    public static void runDue(GroupExecutor executor) {
        engine(executor).housekeeper.runDue();
    }

    /** {@return how many alarms are set} */
    public static int alarms(GroupExecutor executor) {
        return engine(executor).housekeeper.alarms();
    }

    /** {@return the lock that orders what all groups share} */
    public static ReentrantLock sharedLock(GroupExecutor executor) {
        return engine(executor).ledger.lock;
    }

    /** {@return the lock of the list of idle groups} */
    public static ReentrantLock idleLock(GroupExecutor executor) {
        return engine(executor).idle.lock;
    }

    /** {@return the limiter of a group, to be compared by identity; null if it is unknown} */
    public static Object limiter(GroupExecutor executor, String key) {
        return engine(executor).groupIfKnown(key);
    }

    /** {@return how many may be in flight in a group of what several instances share; as many as can be, if they share none} */
    public static int leased(GroupExecutor executor, String key) {
        Engine engine = engine(executor);
        Group group = engine.groupIfKnown(key);
        if (group == null) {
            return engine.policy.explain(key).clusterMaxInFlight().isPresent() ? 0 : Integer.MAX_VALUE;
        }
        return group.isClustered() && engine.cluster.isOver(engine.now())
                ? 0
                : group.limits().leased();
    }

    /** {@return whether something is leased to a group, which is kept so long} */
    public static boolean isLeased(GroupExecutor executor, String key) {
        Group group = engine(executor).groupIfKnown(key);
        return group != null && group.isClustered() && group.limits().leased() > 0;
    }

    /** {@return how many nodes are linked in the queue of a known group, also those that have left} */
    public static int linked(GroupExecutor executor, String key) {
        return LinkedNodes.in(engine(executor).groupIfKnown(key));
    }

    /** {@return the permits, stages and offers that are still open, in words} */
    public static List<String> open(GroupExecutor executor) {
        List<String> open = new ArrayList<>();
        engine(executor).holds.forEachOpen(hold -> open.add("an open hold in " + hold.group.key));
        engine(executor)
                .groups()
                .forEach(group -> group.unbound.forEach(entry -> {
                    if (entry instanceof OpenStage) {
                        open.add("an open stage");
                    }
                }));
        if (!engine(executor).lending.isAtRest()) {
            open.add("something is offered, lent, or waits for a scope");
        }
        engine(executor)
                .groups()
                .forEach(group -> group.unbound.forEach(entry -> open.add("a permit in " + group.key)));
        return open;
    }

    /** {@return the groups in which anything runs, is in flight, nested, lent or pinned, in words} */
    public static List<String> busyGroups(GroupExecutor executor) {
        return engine(executor).groups().stream()
                .filter(group -> group.inFlight() != 0
                        || group.running() != 0
                        || group.nested() != 0
                        || group.lent() != 0
                        || group.pins != 0)
                .map(group -> Readings.stats(group) + ", nested " + group.nested() + ", lent " + group.lent()
                        + ", pins " + group.pins)
                .toList();
    }
}
