package io.github.kobe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
        return GroupExecutor.newExecutor(policy, environment);
    }

    /** Runs what is due by the clock, of an engine without timers. */
    public static void runDue(GroupExecutor executor) {
        executor.engine().housekeeper.runDue();
    }

    /** {@return how many alarms are set} */
    public static int alarms(GroupExecutor executor) {
        return executor.engine().housekeeper.alarms();
    }

    /** {@return the lock that orders what all groups share} */
    public static ReentrantLock sharedLock(GroupExecutor executor) {
        return executor.engine().ledger.lock;
    }

    /** {@return the lock of the list of idle groups} */
    public static ReentrantLock idleLock(GroupExecutor executor) {
        return executor.engine().idle.lock;
    }

    /** {@return the limiter of a group, to be compared by identity; null if it is unknown} */
    public static Object limiter(GroupExecutor executor, String key) {
        return executor.engine().groupIfKnown(key);
    }

    /** {@return how many nodes are linked in the queue of a known group, also those that have left} */
    public static int linked(GroupExecutor executor, String key) {
        return executor.engine().groupIfKnown(key).linked();
    }

    /** {@return the permits and stages that are still open, in words} */
    public static List<String> open(GroupExecutor executor) {
        List<String> open = new ArrayList<>();
        executor.engine().holds.forEachOpen(hold -> open.add("an open hold in " + hold.group.key));
        executor.engine().tails.forEach(tail -> open.add("an open stage"));
        executor.engine()
                .groups()
                .forEach(group -> group.unbound.forEach(entry -> open.add("a permit in " + group.key)));
        return open;
    }

    /** {@return the groups in which anything runs, is in flight, nested or lent, in words} */
    public static List<String> busyGroups(GroupExecutor executor) {
        return executor.engine().groups().stream()
                .filter(group ->
                        group.inFlight() != 0 || group.running() != 0 || group.nested() != 0 || group.lent() != 0)
                .map(group -> group.stats() + ", nested " + group.nested() + ", lent " + group.lent())
                .toList();
    }
}
