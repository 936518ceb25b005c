package io.github.kobe.rollout;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work for one plan, from the time when there is something to do until there is nothing: recovers what ran, starts what
 * may run, applies wishes to what doesn't, tells the progress of what does. One thread looks and starts; each task has a
 * thread of its own, and the events have one.
 *
 * <p>It begins with a transaction that takes the plan over: every write of an earlier drive fails from then on. It ends with
 * one that locks the plan and finds nothing to do, so that no call is lost: who leaves work does so under the same lock, and
 * sees whether a drive will look.
 */
final class Drive {

    private static final Logger LOG = LoggerFactory.getLogger(Drive.class);

    private static final Duration FIRST_RETRY = Duration.ofMillis(20);
    private static final Duration SOON = Duration.ofMillis(5);

    /** How often it looks until it would take the store for lost, at least: one answer may be late. */
    private static final int LOOKS_OF_A_LEASE = 3;

    private final RolloutEngine engine;
    private final PlanId planId;
    private final long number;
    private final Publisher publisher;
    private final PlanGauges gauges;
    private final TaskThreads threads;
    private final Lease lease;

    /** How long to wait between two looks. */
    private final long pause;

    /** What follows is written by the own thread; tasks read it after their start. */
    private final Deque<TaskId> urgent = new ArrayDeque<>();

    private final Deque<TaskId> pending = new ArrayDeque<>();

    /** What waits for its wave, or for its plan to go on, in the order of the plan. */
    private final Deque<Later> later = new ArrayDeque<>();

    private long epoch;
    private int limit;

    /** How many tasks, in the order of the plan, may begin. */
    private int reach;

    private long lookAt = System.nanoTime();
    private long reportAt;

    private record Later(TaskId id, int position) {}

    Drive(RolloutEngine engine, PlanId planId, long number) {
        this.engine = engine;
        this.planId = planId;
        this.number = number;
        Duration time = engine.store().lease();
        lease = new Lease(planId, time, this::cutOff);
        pause = Math.min(RolloutOptions.LOOK.toNanos(), time.toNanos() / LOOKS_OF_A_LEASE);
        threads = new TaskThreads(
                engine.executor(), group(), id -> () -> new TaskRun(engine, this, id).run(), lease::lose);
        publisher = new Publisher(planId, engine.options(), threads::stir);
        gauges = new PlanGauges(planId, engine.options().metrics(), publisher);
        reportAt = lookAt + engine.options().progressInterval().toNanos();
    }

    /** {@return whether this drive is over; otherwise it is due again} */
    boolean run() {
        List<TaskRecord> work = persist(this::takeOver);
        if (work == null) {
            return true;
        }
        boolean isOver = false;
        try {
            lease.begin();
            publisher.start(epoch);
            engine.add(this, limit);
            enqueue(work);
            isOver = loop();
            return isOver;
        } catch (FencedException e) {
            LOG.info("{} goes on elsewhere: {}", planId, e.getMessage());
            return true;
        } catch (StoreLostException e) {
            LOG.warn("{} waits: {}", planId, e.getMessage());
            return false;
        } finally {
            lease.end();
            threads.interrupt(engine::interrupt);
            threads.awaitEnd(Long.MAX_VALUE);
            publisher.stop();
            if (!isOver) {
                gauges.showNothing();
                handOver();
            }
            engine.remove(this);
        }
    }

    /**
     * Nothing runs here any more: whoever goes on has not lost this drive with its node. That is told however long the store is
     * away, since only the silence of a node shows that it has died; but no stop waits for it.
     */
    private void handOver() {
        while (true) {
            try {
                engine.transact(this::handOver);
                return;
            } catch (RuntimeException e) {
                if (engine.isStopping()
                        || e instanceof RolloutException
                        || !engine.store().isAway(e)) {
                    LOG.warn(
                            "{} could not be handed over; for the next node this one is lost: {}",
                            planId,
                            StoreRefusedException.describe(e));
                    return;
                }
                threads.await(pause);
            }
        }
    }

    private PlanId handOver(Ledger ledger) {
        PlanRecord plan = ledger.open(planId);
        if (plan.epoch() == epoch) {
            ledger.update(plan.with(edit -> edit.drive = plan.drive().handedOver(ledger.now())));
        } else {
            ledger.store().unfinished(planId).forEach(task -> returned(ledger, task));
        }
        return planId;
    }

    /** {@return the task, with which this node was not lost} */
    private TaskRecord returned(Ledger ledger, TaskRecord task) {
        return task.lostWith().contains(engine.process())
                ? ledger.apply(task, new TaskCommand.Return(engine.process()))
                : task;
    }

    /** Another drive of this node has the plan now. */
    void replaced() {
        lease.lose(new FencedException(planId));
    }

    private void cutOff() {
        threads.interrupt(engine::interrupt);
        threads.stir();
    }

    private @Nullable List<TaskRecord> takeOver() {
        return engine.transact(ledger -> {
            PlanRecord plan = ledger.store().plan(planId).orElse(null);
            if (plan == null || plan.drive().number() != number || plan.drive().phase() == DriveState.Phase.OVER) {
                return null;
            }
            ledger.update(plan.with(edit -> {
                edit.epoch = plan.epoch() + 1;
                edit.drive = plan.drive().runBy(engine.process());
            }));
            // This node itself lives, whether an earlier drive ended without the store, or an answer to this one was
            // lost.
            String lost = plan.drive().node();
            boolean isLost = lost != null && !lost.equals(engine.process());
            epoch = plan.epoch() + 1;
            limit = plan.maxConcurrency();
            reach = plan.reach();
            ledger.store().stamp(planId, epoch);
            List<TaskRecord> work = new ArrayList<>();
            for (TaskRecord each : ledger.fenceRunning(ledger.store().unfinished(planId))) {
                TaskRecord task = returned(ledger, each);
                work.add(
                        isLost && task.status().hasThread()
                                ? ledger.apply(
                                        task,
                                        new TaskCommand.Recover(engine.options().node(), lost))
                                : task);
            }
            return work;
        });
    }

    private void enqueue(List<TaskRecord> work) {
        for (TaskRecord task : work) {
            if (task.status() == TaskStatus.PENDING && task.wish() == null) {
                later.add(new Later(task.id(), task.position()));
            } else if (task.status().hasThread() || task.wish() != null) {
                urgent.add(task.id());
            }
        }
        admit();
    }

    private void admit() {
        while (!later.isEmpty() && later.element().position() < reach) {
            pending.add(later.remove().id());
        }
    }

    private boolean loop() {
        while (true) {
            RuntimeException loss = lease.loss();
            if (loss != null) {
                throw loss;
            }
            if (engine.isStopping()) {
                threads.close();
                threads.awaitEnd(engine.options().shutdownGrace().toNanos());
                return false;
            }
            if (threads.takeNudge() || System.nanoTime() - lookAt >= 0) {
                lookAt = System.nanoTime() + pause;
                pending.addAll(threads.takePostponed());
                persist(this::look);
            }
            launch();
            gauges.showActive(threads.running().size());
            if (System.nanoTime() - reportAt >= 0) {
                reportAt =
                        System.nanoTime() + engine.options().progressInterval().toNanos();
                persist(this::report);
            }
            if (isIdle()) {
                // Before the end is committed: from then on another drive may show what it does.
                gauges.showNothing();
                if (publisher.endIf(() -> persist(this::end))) {
                    return true;
                }
            }
            boolean hasRoom = threads.running().size() < limit;
            long now = System.nanoTime();
            threads.await(hasWork() && hasRoom ? 0 : Math.min(lookAt - now, reportAt - now));
        }
    }

    private boolean hasWork() {
        return !urgent.isEmpty() || (reach > 0 && !pending.isEmpty());
    }

    private boolean isIdle() {
        return threads.isQuiet() && !hasWork();
    }

    private boolean look() {
        PlanRecord plan = engine.store().findPlan(planId).orElseThrow(() -> new PlanNotFoundException(planId));
        checkOwn(plan);
        reach = plan.reach();
        admit();
        List<TaskId> running = threads.running();
        Set<TaskId> cancelled = new HashSet<>();
        for (TaskRecord task : engine.store().findWished(planId)) {
            boolean rests = !task.status().hasThread();
            if (rests && task.wants(Wish.Kind.CANCEL)) {
                cancelled.add(task.id());
            } else if (rests && running.contains(task.id())) {
                // Its thread is about to end.
                lookAt = System.nanoTime() + SOON.toNanos();
            } else if (rests && !urgent.contains(task.id())) {
                urgent.add(task.id());
            }
        }
        threads.deferred().forEach((id, tenant) -> {
            if (reach > 0 && engine.store().findTenant(tenant).isHeldBy(id)) {
                threads.admit(id);
                pending.add(id);
            }
        });
        if (!cancelled.isEmpty()) {
            cancelIdle(cancelled);
            pending.removeAll(cancelled);
            later.removeIf(task -> cancelled.contains(task.id()));
            urgent.removeAll(cancelled);
        }
        return true;
    }

    /** Needs no turn, since nothing runs for it. */
    private void cancelIdle(Set<TaskId> ids) {
        engine.transact(ledger -> {
            openOwn(ledger);
            for (TaskId id : ids) {
                TaskRecord task = ledger.task(id);
                if (task.wants(Wish.Kind.CANCEL) && !task.status().hasThread()) {
                    Boundaries.begin(ledger, task);
                }
            }
            return planId;
        });
        engine.forgetCheckpoints(ids);
        committed();
    }

    private PlanRecord openOwn(Ledger ledger) {
        PlanRecord plan = ledger.open(planId);
        checkOwn(plan);
        return plan;
    }

    private void checkOwn(PlanRecord plan) {
        if (plan.epoch() != epoch) {
            throw new FencedException(plan, epoch);
        }
    }

    /** What was interrupted or is wanted goes first, then what waits, in the order of the plan. */
    private void launch() {
        while (hasWork()) {
            Deque<TaskId> queue = urgent.isEmpty() ? pending : urgent;
            if (!threads.start(queue.element(), limit)) {
                return;
            }
            queue.remove();
        }
    }

    private boolean report() {
        List<TaskId> ids = threads.running();
        int lag = engine.transact(ledger -> {
            openOwn(ledger);
            int ahead = 0;
            for (TaskId id : ids) {
                TaskRecord task = ledger.task(id);
                if (task.status() == TaskStatus.RUNNING) {
                    ledger.apply(task, new TaskCommand.Report());
                    ahead += task.totalStages() - task.stagesDone();
                }
            }
            return ahead;
        });
        gauges.showLag(lag);
        committed();
        return true;
    }

    /** {@return whether there is nothing to do} What there is after all is enqueued. */
    private boolean end() {
        List<TaskRecord> left = new ArrayList<>();
        List<TaskRecord> held = new ArrayList<>();
        boolean isOver = engine.transact(ledger -> {
            left.clear();
            held.clear();
            openOwn(ledger);
            PlanRecord plan = ledger.follow();
            reach = plan.reach();
            List<TaskRecord> inReach = new ArrayList<>();
            for (TaskRecord task : ledger.store().unfinished(planId)) {
                if (task.wish() != null || task.status() != TaskStatus.PENDING) {
                    left.add(task);
                } else {
                    (task.position() < reach ? inReach : held).add(task);
                }
            }
            ledger.lockTenants(inReach);
            boolean waits = false;
            for (TaskRecord task : inReach) {
                boolean isTurn = ledger.tenant(task).isHeldBy(task.id());
                waits |= !isTurn;
                if (isTurn) {
                    left.add(task);
                }
            }
            if (!left.isEmpty() || ledger.store().hasUnpublished(planId)) {
                return false;
            }
            ledger.update(plan.with(edit -> edit.drive = plan.drive().over()));
            if (waits) {
                ledger.callDrive(ledger.now().plus(RolloutOptions.TENANT_WAIT));
            }
            Instant gate = plan.gateAt();
            if (gate != null) {
                ledger.callDrive(gate);
            }
            return true;
        });
        pending.clear();
        later.clear();
        left.forEach(task -> threads.admit(task.id()));
        enqueue(left);
        enqueue(held);
        committed();
        return isOver;
    }

    /** Somebody has left work. */
    void nudge() {
        threads.nudge();
        committed();
    }

    /** There may be events to tell. */
    void committed() {
        publisher.wake();
    }

    boolean isCut() {
        return lease.isOver();
    }

    long epoch() {
        return epoch;
    }

    String group() {
        return "rollout:" + planId;
    }

    PlanId planId() {
        return planId;
    }

    /**
     * Does something with the store that fails unless the plan is this drive's own, again and again while the store is away, as
     * long as nobody else takes the plan over.
     *
     * @throws FencedException if somebody else has
     * @throws StoreLostException if it is away for so long that somebody may have
     * @throws StoreRefusedException if it can't read or write what it is asked to
     */
    <T extends @Nullable Object> T persist(Supplier<T> work) {
        long wait = FIRST_RETRY.toNanos();
        while (true) {
            long asked = System.nanoTime();
            try {
                T result = work.get();
                lease.heard(asked);
                return result;
            } catch (FencedException | StoreLostException | RolloutException e) {
                throw e;
            } catch (RuntimeException e) {
                if (!engine.store().isAway(e)) {
                    throw new StoreRefusedException(e);
                }
                String what = StoreRefusedException.describe(e);
                if (isCut() || engine.isStopping() || Thread.currentThread().isInterrupted() || lease.isStale()) {
                    throw new StoreLostException(what);
                }
                LOG.warn("The store failed for {}; trying again: {}", planId, what);
                LockSupport.parkNanos(this, wait);
                wait = Math.min(2 * wait, pause);
            }
        }
    }
}
