package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanNotFoundException;
import io.github.kobe.rollout.RolloutException;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.internal.rules.Boundaries;
import io.github.kobe.rollout.internal.rules.DriveState;
import io.github.kobe.rollout.internal.rules.Ledger;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.TaskCommand;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a drive has its plan, from the takeover until it hands it over: whether the plan is still its own, and since when it has
 * known so. If it hasn't heard so for as long as the store lets a silent node keep its plans, the plan counts as lost, and
 * what runs is told to end. So it is when a stop gives it no more time. A thread of its own sees to both: the drive's may be
 * waiting for an answer of the store. Another one asks the store if nobody else has for a while: the drive's may be waiting
 * for what says nothing about the store, such as a lock of the plan.
 */
final class Lease {

    private static final Logger LOG = LoggerFactory.getLogger(Lease.class);

    private static final Duration FIRST_RETRY = Duration.ofMillis(20);

    /** How often a drive asks until it would take the store for lost, at least: one answer may be late. */
    private static final int ASKED_AT_LEAST = 3;

    private final RolloutEngine engine;
    private final PlanId planId;
    private final Duration time;
    private final Runnable whenLost;
    private final Thread watch;
    private final Thread inquiry;
    private final ReentrantLock lock = new ReentrantLock();

    /** Written by the drive's thread before any other begins. */
    private long epoch;

    /** When it was taken over; written as {@link #epoch}. */
    private Instant takenAt = Instant.EPOCH;

    /** Since when no node had the stages of all tasks that run, by what is known. */
    private volatile @Nullable Instant strandedSince;

    /** The tasks that were taken over as they ran, and of which it isn't known yet that this node has their stages. */
    private final Set<TaskId> unseen = ConcurrentHashMap.newKeySet();

    /** By {@link System#nanoTime()}, when what was answered last was asked; written under the lock. */
    private volatile long heardAt = System.nanoTime();

    /** Why the plan is lost; written under the lock. */
    private volatile @Nullable RuntimeException loss;

    /** By {@link System#nanoTime()}, when a stop gives no more time, once there is one; written under the lock. */
    private volatile @Nullable Long stopEnds;

    private volatile boolean over;

    Lease(RolloutEngine engine, PlanId planId, Runnable whenLost) {
        this.engine = engine;
        this.planId = planId;
        this.whenLost = whenLost;
        time = engine.store().lease();
        watch = Thread.ofVirtual().name("rollout-lease:" + planId).unstarted(this::watch);
        inquiry = Thread.ofVirtual().name("rollout-inquiry:" + planId).unstarted(this::inquire);
    }

    /** A plan as it was taken over, with its unfinished tasks. */
    record Taken(PlanRecord plan, List<TaskRecord> work) {}

    /** {@return what there is to do, or {@code null} if the plan doesn't wait for the drive with this number} */
    @Nullable
    Taken takeOver(long number) {
        Taken taken = persist(() -> engine.transact(ledger -> takeOver(ledger, number)));
        if (taken != null) {
            taken.work().stream()
                    .filter(task -> task.status().hasThread())
                    .map(TaskRecord::id)
                    .forEach(unseen::add);
            watch.start();
            inquiry.start();
        }
        return taken;
    }

    private @Nullable Taken takeOver(Ledger ledger, long number) {
        PlanRecord plan = ledger.store().plan(planId).orElse(null);
        if (plan == null || plan.drive().number() != number || plan.drive().phase() == DriveState.Phase.OVER) {
            return null;
        }
        ledger.update(plan.takenOverBy(engine.process()));
        epoch = plan.epoch() + 1;
        takenAt = ledger.now();
        strandedSince = plan.drive().strandedSince();
        // This node itself lives, whether its last drive ended without the store, or an answer to this one was lost.
        String lost = engine.process().equals(plan.drive().node())
                ? null
                : plan.drive().node();
        List<TaskRecord> work = new ArrayList<>();
        for (TaskRecord task : ledger.fenceRunning(ledger.store().unfinished(planId))) {
            TaskRecord known = returned(ledger, task);
            work.add(lost == null || !task.status().hasThread() ? known : recovered(ledger, known, lost));
        }
        return new Taken(plan, work);
    }

    private TaskRecord recovered(Ledger ledger, TaskRecord task, String lost) {
        return Boundaries.recovered(
                ledger, task, new TaskCommand.Recover(engine.options().node(), lost));
    }

    /** {@return the task, with which this node was not lost} */
    private TaskRecord returned(Ledger ledger, TaskRecord task) {
        return task.lostWith().contains(engine.process())
                ? ledger.apply(task, new TaskCommand.Return(engine.process()))
                : task;
    }

    /**
     * Nothing runs any more: whoever goes on has not lost this drive with its node. That is told however long the store is away,
     * since only the silence of a node shows that it has died; but no stop waits for it.
     *
     * @param wait waits for so many nanoseconds, or until a stop begins
     * @return whether another drive was called to go on with the plan
     */
    boolean handOver(LongConsumer wait) {
        while (true) {
            try {
                return engine.transact(this::handOver);
            } catch (RuntimeException e) {
                if (engine.isStopping()
                        || e instanceof RolloutException
                        || !engine.store().isAway(e)) {
                    LOG.warn(
                            "{} could not be handed over; for the next node this one is lost: {}",
                            planId,
                            StoreRefusedException.describe(e));
                    return false;
                }
                wait.accept(pause());
            }
        }
    }

    private boolean handOver(Ledger ledger) {
        PlanRecord plan = ledger.open(planId);
        boolean isLost = plan.epoch() != epoch;
        // Otherwise the end of the drive was committed, and the answer lost.
        boolean runs = plan.drive().phase() == DriveState.Phase.RUNNING;
        boolean isLeft = loss instanceof StagesElsewhereException;
        if (isLost) {
            ledger.store().unfinished(planId).forEach(task -> returned(ledger, task));
        } else if (runs && isLeft) {
            Duration held = Duration.between(takenAt, ledger.now());
            ledger.update(plan.driven(plan.drive().stranded(ledger.now(), held)));
            ledger.callDrive(ledger.now().plus(RolloutOptions.OTHERS_COME));
        } else if (runs) {
            ledger.update(plan.driven(plan.drive().handedOver(ledger.now())));
        }
        return isLeft;
    }

    /**
     * {@return whether a task has waited for as long as it may for a node with its stages} The time begins anew when the task
     * comes on, and stands still while a node has the plan.
     */
    boolean isStranded(TaskRecord task) {
        Instant since = strandedSince;
        Duration wait = engine.options().waitForStages();
        if (since == null || wait.isZero()) {
            return wait.isZero();
        }
        Instant moved = task.checkpointAt() == null ? task.startedAt() : task.checkpointAt();
        Instant from = moved != null && moved.isAfter(since) ? moved : since;
        return !takenAt.isBefore(from.plus(wait));
    }

    /** {@return whether the task ran at the takeover, and it isn't known yet that this node has its stages} */
    boolean isUnseen(TaskId id) {
        return unseen.contains(id);
    }

    /** This node has the stages of a task, or the task has come to rest. Once it has those of all that ran, the plan isn't stranded any more. */
    void stay(TaskId id) {
        unseen.remove(id);
        if (strandedSince != null && unseen.isEmpty()) {
            persist(this::atHome);
        }
    }

    /** {@return the plan, of which it is known now that a node has its stages} */
    private PlanRecord atHome() {
        PlanRecord home = engine.transact(ledger -> {
            PlanRecord plan = open(ledger);
            ledger.update(plan.driven(plan.drive().atHome()));
            return plan;
        });
        strandedSince = null;
        return home;
    }

    long epoch() {
        return epoch;
    }

    /** {@return the plan, locked} */
    PlanRecord open(Ledger ledger) {
        return checked(ledger.open(planId));
    }

    /** {@return the plan as it is now} */
    PlanRecord look() {
        return found(engine.store().findPlan(planId));
    }

    private PlanRecord found(Optional<PlanRecord> plan) {
        return checked(plan.orElseThrow(() -> new PlanNotFoundException(planId)));
    }

    private PlanRecord checked(PlanRecord plan) {
        if (plan.epoch() != epoch) {
            throw new FencedException(plan, epoch);
        }
        return plan;
    }

    /** {@return how many nanoseconds to wait between two looks} */
    long pause() {
        return Math.min(RolloutOptions.LOOK.toNanos(), time.toNanos() / ASKED_AT_LEAST);
    }

    /** From now on what runs has the time that a stop gives, unless it has that already. */
    void stop() {
        lock.lock();
        try {
            if (stopEnds == null) {
                stopEnds = System.nanoTime() + engine.options().shutdownGrace().toNanos();
            }
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(watch);
    }

    /** Nothing is written any more, whether or not the plan is lost. */
    void end() {
        over = true;
        LockSupport.unpark(watch);
        LockSupport.unpark(inquiry);
    }

    /** The plan is lost, or the store: nothing more is written, and all ends. */
    void lose(RuntimeException cause) {
        lock.lock();
        try {
            if (loss != null) {
                return;
            }
            loss = cause;
        } finally {
            lock.unlock();
        }
        whenLost.run();
    }

    @Nullable
    RuntimeException loss() {
        return loss;
    }

    /** {@return whether nothing may be written any more} */
    boolean isOver() {
        return over || loss != null;
    }

    /**
     * {@return whether nobody else can have taken the plan over, by what is known} Whoever stood still for a while finds out here,
     * although nothing has told that the plan is lost.
     */
    boolean isHeld() {
        return !isOver() && left() > 0;
    }

    /** {@return what the store answers} That counts from when it was asked, and a slow answer doesn't undo a later one. */
    private <T extends @Nullable Object> T hear(Supplier<T> work) {
        long asked = System.nanoTime();
        T answer = work.get();
        lock.lock();
        try {
            if (asked - heardAt > 0) {
                heardAt = asked;
            }
        } finally {
            lock.unlock();
        }
        return answer;
    }

    private long left() {
        return time.toNanos() - silence();
    }

    private long silence() {
        long heard = heardAt; // first: it may grow meanwhile, and then the silence seems longer, never too short
        return System.nanoTime() - heard;
    }

    private void watch() {
        while (!isOver()) {
            long left = left();
            long given = given();
            if (left <= 0) {
                lose(new StoreLostException("nothing was heard of the store for " + time));
            } else if (given <= 0) {
                lose(new StoreLostException("its stop gives it no more time"));
            } else {
                LockSupport.parkNanos(this, Math.min(left, given));
            }
        }
    }

    /** {@return for how many nanoseconds a stop lets go on what runs} */
    private long given() {
        Long ends = stopEnds;
        return ends == null ? Long.MAX_VALUE : ends - System.nanoTime();
    }

    private void inquire() {
        long longest = time.toNanos() / ASKED_AT_LEAST;
        while (!isOver()) {
            long wait = longest - silence();
            if (wait <= 0) {
                ask();
                wait = pause();
            }
            LockSupport.parkNanos(this, wait);
        }
    }

    /**
     * Waits for no lock, but is refused by a store that can only be read: others may have the plan in another one. What it is
     * told holds for all threads of the drive.
     */
    private void ask() {
        try {
            hear(() -> found(engine.store().transact(transaction -> transaction.planAtOnce(planId))));
        } catch (FencedException e) {
            lose(e);
        } catch (RuntimeException e) {
            LOG.debug("Nothing is heard of {}: {}", planId, StoreRefusedException.describe(e));
        }
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
            try {
                return hear(work);
            } catch (FencedException | StoreLostException | StoreRefusedException | RolloutException e) {
                throw e;
            } catch (RuntimeException e) {
                if (!engine.store().isAway(e)) {
                    throw new StoreRefusedException(e);
                }
                String what = StoreRefusedException.describe(e);
                if (isOver() || engine.isStopping() || Thread.currentThread().isInterrupted() || left() <= 0) {
                    throw new StoreLostException("the store is away: " + what);
                }
                LOG.warn("The store failed for {}; trying again: {}", planId, what);
                LockSupport.parkNanos(this, wait);
                wait = Math.min(2 * wait, pause());
            }
        }
    }
}
