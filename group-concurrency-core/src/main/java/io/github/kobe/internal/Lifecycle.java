package io.github.kobe.internal;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The executor's lifecycle.
 *
 * <pre>
 *   RUNNING   -> DRAINING    shutdown(Duration)
 *   RUNNING   -> SHUT_DOWN   shutdown()
 *   DRAINING  -> SHUT_DOWN   the draining thread, when all is quiet (nothing forced) or its time is up; any shutdown()
 *   SHUT_DOWN -> forced      any shutdown(), if the code that drained from inside still runs
 * </pre>
 *
 * <p>The state changes under the ledger's lock, after which the ledger is on for good: every group is slow from then
 * on, and its next critical section sees the new state. So the fast path need not read it.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Lifecycle {

    private enum State {
        RUNNING,
        DRAINING,
        SHUT_DOWN
    }

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

    /** Written under the ledger's lock. */
    private volatile State state = State.RUNNING;
    /** Whether what waited or ran when it was shut down was ended by force. Written before the state. */
    private volatile boolean forced;
    /** Whether there was no memory for all that follows on the end: whoever comes next does it. */
    private volatile boolean owing;
    /** Whether a drain has ended what waited in paused groups. */
    private volatile boolean endedPaused;
    /** Told once it is shut down. */
    private final Set<Runnable> watchers = ConcurrentHashMap.newKeySet();
    /** Those that wait for the end of a drain from inside, linked by {@link Insider#next}. Guarded by the lock. */
    private @Nullable Insider firstInsider;

    private final Backlog backlog = new Backlog();

    Lifecycle(Engine engine) {
        this.engine = engine;
        this.ledger = engine.ledger;
    }

    boolean isShutdown() {
        return state != State.RUNNING;
    }

    boolean isDraining() {
        return state == State.DRAINING;
    }

    /** {@return whether it is shut down, and no drain goes on any more} */
    boolean isOver() {
        return state == State.SHUT_DOWN;
    }

    /** Has {@code action} run when it is shut down; not if that is so already. */
    void whenOver(Runnable action) {
        watchers.add(action);
    }

    void forget(Runnable action) {
        watchers.remove(action);
    }

    /** A drain has ended what waited in a paused group. */
    void pausedWaitsEnded() {
        endedPaused = true;
    }

    /** {@return whether what runs is to be stopped} */
    boolean isForced() {
        return state == State.SHUT_DOWN && forced;
    }

    /** {@return whether new work of the current thread is let in} */
    boolean admits() {
        State now = state;
        return now == State.RUNNING || (now == State.DRAINING && engine.holds.topOpen(Thread.currentThread()) != null);
    }

    /** {@return whether {@code node}, which the current thread brings, is let in} */
    boolean admits(Node node) {
        State now = state;
        return now == State.RUNNING || (now == State.DRAINING && node.asksFromInside());
    }

    boolean isTerminated() {
        if (state != State.SHUT_DOWN) {
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
        return isQuiet() && ledger.hasAllCredits();
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

    boolean awaitQuiet(Duration timeout) throws InterruptedException {
        return await(timeout, false);
    }

    boolean awaitTermination(Duration timeout) throws InterruptedException {
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
                while (!isAtRest() || (shutDown && state != State.SHUT_DOWN)) {
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
    void shutdownNow() {
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
        boolean watched = state == State.RUNNING; // then the caller doesn't hold the lock
        if (watched) {
            ledger.watch(engine.groups());
        }
        boolean ends = false;
        ledger.lock();
        try {
            if (watched && state != State.RUNNING) {
                ledger.unwatch(); // who was first watches it for good
            }
            boolean quiet = force ? isQuiet() : isQuietButForInsiders();
            if (!quiet && !force) {
                return state == State.SHUT_DOWN;
            }
            if (state != State.SHUT_DOWN || !(quiet || forced)) {
                forced |= !quiet;
                state = State.SHUT_DOWN;
                ends = true;
                ledger.quiet.signalAll();
            }
        } finally {
            ledger.unlock();
        }
        if (ends || owing) {
            follow();
        }
        return true;
    }

    /** {@return whether something that follows on the end is still to be done, for want of memory} */
    boolean isOwing() {
        return owing;
    }

    /** Does what follows on the end and is still to be done. */
    void doWhatIsOwed() {
        if (owing) {
            follow();
        }
    }

    /** Does what follows on the end; harmless if it is done again. What waits is left to the backlog. */
    private void follow() {
        owing = false;
        boolean done = false;
        try {
            watchers.forEach(Runnable::run);
            done = true;
        } finally {
            if (forced) {
                done &= engine.interruptAllRuns();
                backlog.handOver();
            }
            if (!done) {
                owing = true;
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
                engine.dispatcher.report(this);
            }
        }

        @Override
        public void run() {
            try {
                // It shows all that have anything to end: others attach themselves first, and see the state.
                for (Group group : engine.groups()) {
                    Batch batch = Batch.orNull(engine, 0);
                    group.endWaits(batch);
                    if (batch != null) {
                        batch.carryOut();
                    }
                    engine.cancelStages(group);
                }
                handedOver.set(false);
            } catch (OutOfMemoryError oom) {
                if (!engine.housekeeper.reportLater(this)) {
                    handedOver.set(false);
                    owing = true;
                }
            }
        }
    }

    boolean shutdown(Duration timeout) {
        StackReserve.require();
        long left = EffectiveLimits.saturatedNanos(timeout);
        Insider insider =
                engine.holds.topOpen(Thread.currentThread()) == null ? null : new Insider(Thread.currentThread());
        if (left > 0) {
            if (beginDrain()) {
                try {
                    endPausedWaits();
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
        return !forced && !endedPaused;
    }

    /** {@return whether the caller is the one that drains} */
    private boolean beginDrain() {
        if (state != State.RUNNING) {
            return false;
        }
        ledger.watch(engine.groups());
        ledger.lock();
        try {
            if (state != State.RUNNING) {
                ledger.unwatch();
                return false;
            }
            state = State.DRAINING;
            return true;
        } finally {
            ledger.unlock();
        }
    }

    private void endPausedWaits() {
        for (Group group : engine.groups()) {
            Batch batch = new Batch(engine);
            try {
                group.endWaitsIfPaused(batch);
            } finally {
                batch.carryOut();
            }
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
            while (state != State.SHUT_DOWN && !end(false)) {
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
