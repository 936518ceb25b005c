package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.TaskCommand;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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

    /**
     * What a drive finds when nothing of it runs.
     *
     * @param isOver whether there is nothing to do
     * @param plan the plan, if there are tasks to begin
     * @param unfinished its tasks then
     */
    private record End(boolean isOver, @Nullable PlanRecord plan, List<TaskRecord> unfinished) {}

    private final RolloutEngine engine;
    private final PlanId planId;
    private final long number;
    private final Publisher publisher;
    private final PlanGauges gauges;
    private final TaskThreads threads;
    private final Lease lease;
    private final TaskSignals signals;
    private final GateCheck check;

    private final Backlog backlog = new Backlog();
    private final TaskWishes wishes;

    /** What follows is written by the own thread; tasks read it after their start. */
    private int limit;

    /** How many tasks the plan had when all that were there were enqueued. */
    private int known;

    /** Whether there is a check between its waves. */
    private boolean checks;

    /** Why the plan is left to other nodes, as soon as each task that runs has come to a boundary. Written by tasks. */
    private volatile @Nullable StagesElsewhereException elsewhere;

    private long lookAt = System.nanoTime();
    private long reportAt;

    Drive(RolloutEngine engine, PlanId planId, long number) {
        this.engine = engine;
        this.planId = planId;
        this.number = number;
        lease = new Lease(engine, planId, this::cutOff);
        signals = new TaskSignals(engine::interrupt);
        threads = new TaskThreads(engine.executor(), group(), id -> () -> run(id), lease::lose);
        check = new GateCheck(engine, lease, threads::nudge);
        publisher = new Publisher(planId, engine.options(), lease, engine.refusals(), threads::stir);
        gauges = new PlanGauges(planId, engine.options().metrics(), publisher);
        wishes = new TaskWishes(engine, lease, signals, backlog, this::committed);
        reportAt = lookAt + engine.options().progressInterval().toNanos();
    }

    /** {@return whether this drive is over; otherwise it is due again} */
    boolean run() {
        Lease.Taken taken = lease.takeOver(number);
        if (taken == null) {
            return true;
        }
        limit = taken.plan().maxConcurrency();
        known = taken.plan().size();
        backlog.setReach(taken.plan().reach());
        checks = taken.plan().waves().checkTimeout() != null;
        boolean isOver = false;
        boolean isFollowed = false;
        try {
            publisher.start();
            engine.add(this, limit);
            backlog.add(taken.work());
            lease.persist(this::admit);
            isOver = loop();
        } catch (FencedException e) {
            LOG.info("{} goes on elsewhere: {}", planId, e.getMessage());
            isFollowed = true;
        } catch (StagesElsewhereException e) {
            LOG.info("{} is left to other nodes: {}", planId, e.getMessage());
            engine.strangers().add(planId);
        } catch (StoreLostException e) {
            LOG.warn("{} waits: {}", planId, e.getMessage());
        } finally {
            lease.end();
            threads.interrupt(engine::interrupt);
            threads.awaitEnd();
            check.end();
            publisher.stop();
            if (!isOver) {
                gauges.end();
                isFollowed |= lease.handOver(threads::await);
            }
            engine.remove(this);
        }
        return isOver || isFollowed;
    }

    Lease lease() {
        return lease;
    }

    /** {@return the task, if it could not begin yet} */
    private Optional<TaskRecord> run(TaskId id) {
        if (isLeft() && !lease.isUnseen(id)) {
            return Optional.empty(); // the next drive begins it
        }
        TaskSignals.Signal signal = signals.open(id);
        try {
            return new TaskRun(engine, this, id, signal).run();
        } catch (StagesElsewhereException e) {
            elsewhere = e;
            return Optional.empty();
        } finally {
            signals.close(id);
        }
    }

    /** Another drive of this node has the plan now, and shows what it does from here on. */
    void replaced() {
        lease.lose(new FencedException(planId));
        gauges.end();
    }

    private void cutOff() {
        threads.interrupt(engine::interrupt);
        threads.stir();
    }

    /** Whoever waits for a tenant takes no thread, however many do. */
    private boolean admit() {
        threads.defer(backlog.admit(engine.store()::findHolders));
        return true;
    }

    private boolean loop() {
        while (true) {
            StagesElsewhereException left = elsewhere;
            if (left != null && threads.running().isEmpty()) {
                lease.lose(left);
            }
            RuntimeException loss = lease.loss();
            if (loss != null) {
                throw loss;
            }
            if (engine.isStopping()) {
                threads.close();
                signals.wakeAll();
                awaitLast();
                return false;
            }
            if (isToLook()) {
                List<TaskId> postponed = threads.takePostponed();
                lease.persist(() -> look(postponed));
            }
            if (!isLeft()) {
                launch();
            }
            gauges.showActive(threads.running().size());
            if (System.nanoTime() - reportAt >= 0) {
                reportAt =
                        System.nanoTime() + engine.options().progressInterval().toNanos();
                lease.persist(this::report);
            }
            if (!isLeft() && isIdle() && !waitsForCheck()) {
                // Before the end is committed: from then on another drive may show what it does.
                gauges.showNothing();
                if (publisher.endIf(() -> lease.persist(this::end))) {
                    return true;
                }
            }
            boolean mayStart =
                    !isLeft() && backlog.hasWork() && threads.running().size() < limit;
            long now = System.nanoTime();
            threads.await(mayStart ? 0 : Math.min(lookAt - now, reportAt - now));
        }
    }

    /** Begins and writes nothing, but tells what still runs what is wanted of it, until the lease gives it no more time. */
    private void awaitLast() {
        lease.stop();
        while (lease.loss() == null && !threads.running().isEmpty()) {
            if (isToLook()) {
                try {
                    wishes.tell(lease.look());
                } catch (FencedException e) {
                    throw e;
                } catch (RuntimeException e) {
                    LOG.debug("{} is looked at again: {}", planId, StoreRefusedException.describe(e));
                }
            }
            threads.await(lookAt - System.nanoTime());
        }
    }

    /** {@return whether it is time to look at the plan} The next time is a pause later. */
    private boolean isToLook() {
        boolean isTime = threads.takeNudge() || System.nanoTime() - lookAt >= 0;
        if (isTime) {
            lookAt = System.nanoTime() + lease.pause();
        }
        return isTime;
    }

    private boolean isIdle() {
        return threads.isQuiet() && !backlog.hasWork();
    }

    /** {@return whether the application is asked about the next wave} If there are no checks, this needs no look at the plan. */
    private boolean waitsForCheck() {
        return checks && check.isAsking(() -> lease.persist(lease::look));
    }

    /** What somebody has changed in the plan while it runs. */
    private void heed(PlanRecord plan) {
        backlog.setReach(plan.reach());
        if (plan.maxConcurrency() != limit) {
            limit = plan.maxConcurrency();
            engine.limit(this, limit);
        }
        if (plan.size() > known) {
            backlog.add(engine.store().findByPosition(planId, known, plan.size()));
            known = plan.size();
        }
    }

    private boolean look(List<TaskId> postponed) {
        PlanRecord plan = lease.look();
        heed(plan);
        postponed.forEach(id -> engine.store().findById(id).ifPresent(backlog::addAgain));
        admit();
        wishes.heed(plan);
        List<WaitingTask> deferred = threads.deferred();
        if (backlog.mayBegin() && !deferred.isEmpty()) {
            Set<TaskId> turns = engine.store()
                    .findHolders(deferred.stream().map(WaitingTask::tenant).toList());
            deferred.stream().filter(task -> turns.contains(task.id())).forEach(task -> {
                threads.admit(task.id());
                backlog.ready(task);
            });
        }
        return true;
    }

    private void launch() {
        while (backlog.hasWork() && threads.start(backlog.first(), limit)) {
            backlog.removeFirst();
        }
    }

    private boolean report() {
        List<TaskId> ids = threads.running();
        int lag = engine.transact(ledger -> {
            lease.open(ledger);
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
        End end = engine.transact(ledger -> {
            lease.open(ledger);
            PlanRecord plan = ledger.follow();
            boolean untold = ledger.store().hasUnpublished(planId);
            long later = publisher.heldFor();
            if (untold && later == 0) {
                return new End(false, null, List.of());
            }
            List<TaskRecord> unfinished = ledger.store().unfinished(planId);
            List<TaskRecord> inReach = unfinished.stream()
                    .filter(task -> task.waits() && task.position() < plan.reach())
                    .toList();
            ledger.lockTenants(inReach);
            if (!unfinished.stream().allMatch(TaskRecord::waits)
                    || inReach.stream().anyMatch(task -> ledger.tenant(task).isHeldBy(task.id()))) {
                return new End(false, plan, unfinished);
            }
            ledger.update(plan.driven(plan.drive().over()));
            // Only at the first of these times: the drive that comes then calls the next one.
            List<Instant> times = new ArrayList<>();
            if (untold) {
                times.add(ledger.now().plusNanos(later));
            }
            if (!inReach.isEmpty()) {
                times.add(ledger.now().plus(RolloutOptions.TENANT_WAIT));
            }
            Instant gate = plan.gateAt();
            if (gate != null) {
                times.add(gate);
            }
            Instant asked = plan.checkAt(ledger.now(), engine.options().waveCheckInterval());
            if (asked != null) {
                times.add(asked);
            }
            times.stream().min(Instant::compareTo).ifPresent(ledger::callDrive);
            return new End(true, null, List.of());
        });
        PlanRecord plan = end.plan();
        if (plan != null) {
            backlog.clearWaiting();
            backlog.setReach(plan.reach());
            known = plan.size();
            threads.forgetDeferred();
            backlog.add(end.unfinished());
            admit();
        }
        committed();
        return end.isOver();
    }

    /** The node stops. What runs has its time from now on, even if the own thread hangs. */
    void stop() {
        lease.stop();
        nudge();
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

    /** {@return whether nothing more begins here, since this node lacks the stages of some task} */
    boolean isLeft() {
        return elsewhere != null;
    }

    String group() {
        return group(planId);
    }

    /** {@return the key of the group in which the tasks of a plan run} */
    static String group(PlanId planId) {
        return "rollout:" + planId;
    }

    PlanId planId() {
        return planId;
    }

    /** Does something with the store, as {@link Lease#persist} does. */
    <T> T persist(Supplier<T> work) {
        return lease.persist(work);
    }
}
