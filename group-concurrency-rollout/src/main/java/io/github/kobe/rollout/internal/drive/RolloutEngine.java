package io.github.kobe.rollout.internal.drive;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanNotFoundException;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.internal.rules.Boundaries;
import io.github.kobe.rollout.internal.rules.Boundaries.Next;
import io.github.kobe.rollout.internal.rules.Ledger;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.PlanRules;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.TaskCommand;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.rollout.internal.rules.TaskRules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all parts share: the store, the drives of this node, and the threads that wait for a plan to come to rest.
 *
 * <p>An operation leaves wishes in the store, and schedules a drive. A {@link Drive} has a plan exclusively: from its
 * first transaction on, no other drive writes the plan's tasks. It gives each task that may run a thread, a
 * {@link TaskRun}, which passes its {@link Boundaries}. In a transaction a {@link Ledger} applies {@link TaskRules} and
 * {@link PlanRules}, numbers the events and keeps the claims of tenants.
 */
public final class RolloutEngine {

    private static final Logger LOG = LoggerFactory.getLogger(RolloutEngine.class);

    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);

    /** How long a stop waits for what goes on through its interrupt. */
    private static final Duration STUBBORN = Duration.ofSeconds(5);

    private final GroupExecutor executor;
    private final RolloutOptions options;
    private final PlanStore store;
    private final String process;
    private final Purge purge;
    private final Map<PlanId, Drive> drives = new ConcurrentHashMap<>();

    /** The tenants for which a thread of this node is at work; whoever is done counts down. */
    private final Map<TenantId, CountDownLatch> atWork = new ConcurrentHashMap<>();

    private final Refusals refusals = new Refusals();
    private final Strangers strangers = new Strangers();
    private final Uninterrupted uninterrupted = new Uninterrupted();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition atRest = lock.newCondition();

    /** Held while the store is opened or closed. */
    private final ReentrantLock door = new ReentrantLock();

    /** As the store. Written with the door held. */
    private volatile boolean open;

    /** Until when the last stop waits. Guarded by the door. */
    private long stopEnds = System.nanoTime();

    public RolloutEngine(GroupExecutor executor, RolloutOptions options) {
        this.executor = executor;
        this.options = options;
        store = options.store();
        purge = new Purge(options);
        process = options.node() + "/" + UUID.randomUUID();
    }

    /** Does nothing if it has begun already; after a stop it begins anew. */
    public void start() {
        door.lock();
        try {
            if (!open) {
                open = true; // first: what the store begins looks at it
                try {
                    store.open(this::drive, process);
                    purge.begin();
                } catch (RuntimeException e) {
                    open = false;
                    throw e;
                }
            }
        } finally {
            door.unlock();
        }
    }

    GroupExecutor executor() {
        return executor;
    }

    /**
     * The tasks of the plan may run in their group.
     *
     * @throws IllegalArgumentException if its key is too long for the executor
     */
    void requireGroup(PlanId planId) {
        executor.asExecutorService(Drive.group(planId));
    }

    public RolloutOptions options() {
        return options;
    }

    public PlanStore store() {
        return store;
    }

    public Purge purge() {
        return purge;
    }

    /** {@return the name of this node and of its process, which no other has, not even one that was started after it} */
    String process() {
        return process;
    }

    Refusals refusals() {
        return refusals;
    }

    /** {@return the time of the store, which may have to be asked for it} */
    Instant now() {
        return uninterrupted.run(store::now);
    }

    /** Interrupts a thread, but for its transactions. */
    void interrupt(Thread thread) {
        uninterrupted.interrupt(thread);
    }

    boolean isStopping() {
        return !open;
    }

    /**
     * {@return what the work gives} Whoever waited for a tenant that it let go is told after the commit, and so is the drive
     * if other tasks may begin.
     */
    public <T> T transact(Function<Ledger, T> work) {
        record Done<T>(T result, List<TaskId> handedTo, Optional<PlanId> turned) {}
        Done<T> done = uninterrupted.run(() -> store.transact(transaction -> {
            Ledger ledger = new Ledger(transaction, store.now());
            T result = work.apply(ledger);
            List<TaskId> handedTo = ledger.close();
            return new Done<>(result, handedTo, ledger.hasTurned());
        }));
        done.handedTo().forEach(this::callFor);
        done.turned().ifPresent(this::nudge);
        return done.result();
    }

    /** {@return what the work gives} A drive looks at the plan after it. */
    <T> T operate(PlanId planId, Function<Ledger, T> work) {
        T result = transact(ledger -> {
            ledger.open(planId);
            T given = work.apply(ledger);
            ledger.callDrive(ledger.now());
            return given;
        });
        nudge(planId);
        return result;
    }

    private void nudge(PlanId planId) {
        Drive drive = drives.get(planId);
        if (drive != null) {
            drive.nudge();
        }
    }

    /** What waited for a tenant now has it. Its plan would find out by itself, but later. */
    private void callFor(TaskId taskId) {
        try {
            uninterrupted.run(() -> store.findById(taskId)).ifPresent(task -> operate(task.planId(), ledger -> taskId));
        } catch (RuntimeException e) {
            LOG.warn(
                    "Task {} has its tenant, but its plan could not be told and will notice later: {}",
                    taskId,
                    StoreRefusedException.describe(e));
        }
    }

    /** What is due again since this node stops is left to another one. */
    private @Nullable Duration drive(PlanId planId, long number) {
        if (isStopping()) {
            return Duration.ZERO;
        }
        if (strangers.has(planId)) {
            return strangers.pause();
        }
        return new Drive(this, planId, number).run() ? null : Duration.ZERO;
    }

    Strangers strangers() {
        return strangers;
    }

    /**
     * From now on the drive is told of what is left for it, and its plan's limits hold. One that it replaces has lost the
     * plan, and may not know it yet.
     */
    void add(Drive drive, int limit) {
        Drive before;
        lock.lock();
        try {
            before = drives.put(drive.planId(), drive);
            setLimit(drive, limit);
        } finally {
            lock.unlock();
        }
        if (before != null) {
            before.replaced();
        }
        drive.nudge();
    }

    /** Lets the tasks of a drive that has been added run so many at once. */
    void limit(Drive drive, int limit) {
        lock.lock();
        try {
            if (drives.get(drive.planId()) == drive) {
                setLimit(drive, limit);
            }
        } finally {
            lock.unlock();
        }
    }

    private void setLimit(Drive drive, int limit) {
        executor.setLimits(
                drive.group(),
                GroupLimits.unset()
                        .withMaxConcurrency(limit)
                        .withMaxInFlight(Integer.MAX_VALUE)
                        .withQueueThreshold(Integer.MAX_VALUE)
                        .withQueueTimeout(GroupLimits.NO_TIMEOUT)
                        .withWeight(1)
                        .withGuaranteed(0)
                        .withRates(List.of()));
    }

    /**
     * Does something for a tenant, when no other thread of this node does: one that has lost its plan may take a while to end.
     */
    void alone(TenantId tenantId, Runnable work) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        CountDownLatch before = atWork.putIfAbsent(tenantId, done);
        while (before != null) {
            before.await();
            before = atWork.putIfAbsent(tenantId, done);
        }
        try {
            work.run();
        } finally {
            atWork.remove(tenantId);
            done.countDown();
        }
    }

    /** The plan's limits go too, unless the next drive of the plan is here already. */
    void remove(Drive drive) {
        lock.lock();
        try {
            if (drives.remove(drive.planId(), drive)) {
                executor.resetLimits(drive.group());
                executor.evictGroup(drive.group());
            }
            atRest.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** What a drive does with a task of its own; the plan is locked. */
    Next withPlan(Lease lease, TaskId taskId, Boundary boundary) {
        return transact(ledger -> {
            lease.open(ledger);
            return boundary.pass(ledger, ledger.take(ledger.task(taskId)));
        });
    }

    /** One boundary of a task. */
    @FunctionalInterface
    interface Boundary {
        Next pass(Ledger ledger, TaskRecord task);
    }

    /** A stage has passed. Where the task goes on, its plan isn't locked. */
    Next passed(Lease lease, TaskRecord task, TaskCommand.PassStage pass) {
        int index = task.stagesDone();
        Optional<Next> quiet = transact(ledger -> {
            TaskRecord current = ledger.task(task.id());
            if (current.epoch() != task.epoch()) {
                throw new FencedException(current, task.epoch());
            }
            return Boundaries.changesStatus(current)
                    ? Optional.<Next>empty()
                    : Optional.of(Boundaries.passed(ledger, current, index, pass));
        });
        return quiet.orElseGet(
                () -> withPlan(lease, task.id(), (ledger, current) -> Boundaries.passed(ledger, current, index, pass)));
    }

    /** {@return what the task's record only names} */
    TaskSpec spec(TaskRecord task) {
        return transact(ledger -> TaskSpec.of(ledger.store(), task));
    }

    /**
     * {@return the plan as it was found when it came to rest, or as it is when the time is up} A plan whose only work is to
     * deliver later what its sink has refused is at rest for who waits.
     */
    public PlanRecord await(PlanId planId, Duration timeout) throws InterruptedException {
        long start = System.nanoTime();
        while (true) {
            PlanRecord plan = store.findPlan(planId).orElseThrow(() -> new PlanNotFoundException(planId));
            Duration left = timeout.minusNanos(System.nanoTime() - start);
            if (plan.isAtRest() || onlyTellsLater(plan) || !left.isPositive()) {
                return plan;
            }
            Duration wait = left.compareTo(LONGEST_WAIT) < 0 ? left : LONGEST_WAIT;
            lock.lockInterruptibly();
            try {
                if (atRest.await(wait.toNanos(), TimeUnit.NANOSECONDS)) {
                    LOG.trace("A drive is over");
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * A settled plan that is wanted again, or handed over, is due at once, unless a task waits for a node with its stages.
     */
    private boolean onlyTellsLater(PlanRecord plan) {
        Instant at = plan.drive().at();
        return plan.status().isSettled() && plan.open() == 0 && at != null && at.isAfter(now());
    }

    /**
     * Begins no stage any more, gives those that run some time, and then interrupts them. Whoever stops what is stopped
     * already, or is about to, waits no longer than the first.
     */
    public void stop() {
        long end = beginStop();
        drives.values().forEach(Drive::stop);
        store.awaitClosed(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        lock.lock();
        try {
            while (!drives.isEmpty() && System.nanoTime() - end < 0) {
                if (atRest.awaitNanos(LONGEST_WAIT.toNanos()) > 0) {
                    LOG.trace("A drive is over");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private long beginStop() {
        door.lock();
        try {
            if (open) {
                open = false;
                purge.end();
                stopEnds = System.nanoTime()
                        + options.shutdownGrace().plus(STUBBORN).toNanos();
                store.close();
            }
            return stopEnds;
        } finally {
            door.unlock();
        }
    }
}
