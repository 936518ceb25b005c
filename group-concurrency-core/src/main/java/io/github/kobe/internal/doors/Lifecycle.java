package io.github.kobe.internal.doors;

import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.Removal;
import io.github.kobe.internal.base.Report;
import io.github.kobe.internal.base.StackReserve;
import io.github.kobe.internal.base.Stage;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Holds;
import io.github.kobe.internal.permits.Ledger;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Brings an executor to its end, by the {@link Stage}s of it, and waits for quiet. */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class Lifecycle {

    /** A thread that waits for the end of a drain from inside: its own work isn't waited for. Made before the drain begins. */
    private static final class Insider {
        private final Thread thread;
        private @Nullable Insider next;

        Insider(Thread thread) {
            this.thread = thread;
        }
    }

    private final Engine engine;
    private final Ledger ledger;
    private final Stage stage;

    /** Whether there was no memory for all that follows on the end: the housekeeper does it, or who shuts it down again. */
    private volatile boolean owing;
    /** Told once it is shut down. */
    private final Set<Runnable> watchers = ConcurrentHashMap.newKeySet();
    /** Those that wait for the end of a drain from inside, linked by {@link Insider#next}. Guarded by the lock. */
    private @Nullable Insider firstInsider;

    private final Owed owed = new Owed();

    private final Backlog backlog = new Backlog();

    Lifecycle(Engine engine) {
        this.engine = engine;
        this.ledger = engine.ledger;
        this.stage = engine.stage;
    }

    /** Has {@code action} run when it is shut down; not if that is so already. */
    void whenOver(Runnable action) {
        watchers.add(action);
    }

    void forget(Runnable action) {
        Removal.from(watchers, action);
    }

    public boolean isShutdown() {
        return !stage.isRunning();
    }

    public boolean isTerminated() {
        if (!stage.isOver()) {
            return false;
        }
        ledger.lock();
        try {
            return isAtRest();
        } finally {
            ledger.unlock();
        }
    }

    /** {@return whether nothing is in flight or waits, and every permit is back} */
    private boolean isAtRest() {
        return isQuiet() && ledger.permits.areAllHere();
    }

    private boolean isQuiet() {
        return engine.waiting.get() == 0 && ledger.inFlight() == 0;
    }

    /** {@return whether nothing is in flight or waits, but what threads that wait for just that hold themselves} */
    private boolean isQuietButForInsiders() {
        if (engine.waiting.get() != 0) {
            return false;
        }
        long own = 0;
        for (Insider insider = firstInsider; insider != null; insider = insider.next) {
            own += flightsOf(insider);
        }
        return ledger.inFlight() <= own;
    }

    /** {@return how many permits its thread is inside of, without those that one before it in the list is inside of} */
    private long flightsOf(Insider insider) {
        long flights = 0;
        for (Hold hold = engine.holds.topOpen(insider.thread); hold != null; hold = Holds.open(hold.below)) {
            if (!isAmong(Holds.open(hold.below), hold.real()) && !isCounted(insider, hold.real())) {
                flights++;
            }
        }
        return flights;
    }

    /** {@return whether one before {@code insider} in the list is inside of {@code real}} */
    private boolean isCounted(Insider insider, Hold real) {
        Insider before = firstInsider;
        while (before != null && before != insider) {
            if (isAmong(engine.holds.topOpen(before.thread), real)) {
                return true;
            }
            before = before.next;
        }
        return false;
    }

    private static boolean isAmong(@Nullable Hold top, Hold real) {
        Hold hold = top;
        while (hold != null && hold.real() != real) {
            hold = Holds.open(hold.below);
        }
        return hold != null;
    }

    public boolean awaitQuiet(Duration timeout) throws InterruptedException {
        return await(timeout, false);
    }

    public boolean awaitTermination(Duration timeout) throws InterruptedException {
        return await(timeout, true);
    }

    private boolean await(Duration timeout, boolean shutDown) throws InterruptedException {
        StackReserve.require();
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long left = EffectiveLimits.saturatedNanos(timeout);
        ledger.watch(engine.groups());
        try {
            ledger.lock.lockInterruptibly();
            try {
                while (!isAtRest() || (shutDown && !stage.isOver())) {
                    if (left <= 0) {
                        return false;
                    }
                    left = ledger.quiet.awaitNanos(left);
                }
                return true;
            } finally {
                ledger.unlock();
            }
        } finally {
            ledger.unwatch();
        }
    }

    /** Shuts down by force. */
    public void shutdownNow() {
        StackReserve.require();
        end(true);
    }

    /**
     * Ends the running or draining state. Without {@code force} the caller may hold the ledger's lock, since nothing is
     * ended then.
     *
     * @param force whether to end what waits and runs; if not, and something does, nothing happens
     * @return false if it had to be forced, and wasn't
     */
    private boolean end(boolean force) {
        boolean watched = stage.isRunning(); // then the caller doesn't hold the lock
        if (watched) {
            ledger.watch(engine.groups());
        }
        boolean ends = false;
        ledger.lock();
        try {
            if (watched && !stage.isRunning()) {
                ledger.unwatch(); // who was first watches it for good
            }
            boolean quiet = force ? isQuiet() : isQuietButForInsiders();
            if (!quiet && !force) {
                return stage.isOver();
            }
            if (!stage.isOver() || !(quiet || stage.isForced())) {
                stage.end(!quiet);
                ends = true;
                ledger.quiet.signalAll();
            }
        } finally {
            ledger.unlock();
        }
        try {
            if (ends || owing) {
                engine.cluster.ending();
                follow();
            }
        } finally {
            if (force && engine.rejections.stopStages(task -> true)) {
                stage.endedAside();
            }
        }
        return true;
    }

    /** Does what follows on the end; harmless if it is done again. What waits is left to the backlog. */
    private void follow() {
        owing = false;
        boolean done = false;
        try {
            watchers.forEach(Runnable::run);
            done = true;
        } finally {
            if (stage.isForced()) {
                done &= engine.interruptAllRuns();
                backlog.handOver();
            }
            if (!done) {
                followLater();
            }
        }
    }

    private void followLater() {
        owing = true;
        boolean unused = engine.housekeeper.retry(owed);
    }

    /** What follows on the end, and calls foreign code; made beforehand. */
    private final class Owed extends Report {
        @Override
        public void run() {
            if (owing) {
                follow();
            }
        }
    }

    /**
     * What waits when the executor is shut down by force, and open stages. None that waits begins any more; it is ended on a
     * fresh thread, since there may be many. Made beforehand: to hand it over needs no memory, but for the thread.
     */
    private final class Backlog extends Report {
        private final AtomicBoolean handedOver = new AtomicBoolean();

        private void handOver() {
            if (handedOver.compareAndSet(false, true)) {
                engine.report(this);
            }
        }

        @Override
        public void run() {
            try {
                // It shows all that have anything to end: others attach themselves first, and see the state.
                for (Group group : engine.groups()) {
                    Batch batch = Batch.orNull(engine, 0);
                    group.goOn(batch);
                    Batch.carryOutIfMade(batch);
                    engine.cancelStages(group);
                }
                handedOver.set(false);
            } catch (OutOfMemoryError oom) {
                if (!engine.housekeeper.tryRetry(this)) {
                    handedOver.set(false);
                    followLater();
                }
            }
        }
    }

    public boolean shutdown(Duration timeout) {
        StackReserve.require();
        long left = EffectiveLimits.saturatedNanos(timeout);
        Insider insider =
                engine.holds.topOpen(Thread.currentThread()) == null ? null : new Insider(Thread.currentThread());
        if (left > 0) {
            if (beginDrain()) {
                try {
                    endPausedWaits();
                    useHeadroom();
                } catch (OutOfMemoryError oom) {
                    // Then it waits for them too, until its time is up; nobody else could end what it has begun.
                }
            } else {
                left = Long.MAX_VALUE; // joins the first, which has a limit
            }
        }
        if (left <= 0 || !awaitDrained(left, insider)) {
            end(true);
        }
        return stage.isClean();
    }

    /** {@return whether the caller is the one that drains} */
    private boolean beginDrain() {
        if (!stage.isRunning()) {
            return false;
        }
        ledger.watch(engine.groups());
        ledger.lock();
        try {
            if (!stage.isRunning()) {
                ledger.unwatch();
                return false;
            }
            stage.beginDrain();
            ledger.permits.keepNoHeadroom();
        } finally {
            ledger.unlock();
        }
        engine.cluster.ending();
        return true;
    }

    /** Starts what has waited for headroom. */
    private void useHeadroom() {
        Batch batch = new Batch(engine);
        ledger.lock();
        try {
            ledger.drain(null, batch);
        } finally {
            ledger.unlock();
            batch.carryOut();
        }
    }

    private void endPausedWaits() {
        for (Group group : engine.groups()) {
            Batch batch = Batch.orNull(engine, 0);
            group.goOn(batch);
            Batch.carryOutIfMade(batch);
        }
    }

    /** Waits until the executor is shut down, or could be without force; false if the time is up, or interrupted. */
    private boolean awaitDrained(long nanos, @Nullable Insider insider) {
        long left = nanos;
        boolean interrupted = false;
        long own = 0;
        ledger.lock();
        try {
            if (insider != null) {
                insider.next = firstInsider;
                firstInsider = insider;
                own = flightsOf(insider); // the first in the list: all of them
                ledger.addOwnFlights(own);
                ledger.quiet.signalAll();
            }
            while (!stage.isOver() && !end(false)) {
                if (left <= 0 || interrupted) {
                    return false;
                }
                try {
                    left = ledger.quiet.awaitNanos(left);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return true;
        } finally {
            if (insider != null) {
                remove(insider);
                ledger.addOwnFlights(-own);
            }
            ledger.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void remove(Insider insider) {
        Insider before = null;
        for (Insider at = firstInsider; at != insider && at != null; at = at.next) {
            before = at;
        }
        if (before == null) {
            firstInsider = insider.next;
        } else {
            before.next = insider.next;
        }
    }
}
