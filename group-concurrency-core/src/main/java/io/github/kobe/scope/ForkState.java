package io.github.kobe.scope;

import io.github.kobe.internal.work.Fork;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The phase of a fork, and its place among the {@link Forks} of its scope.
 *
 * <pre>
 *   NEW       its joiner is being told that it is forked; nobody counts it yet
 *   QUEUED    it was handed to the engine, and waits or is about to start
 *   DELAYED   it waits for its time, or for its next attempt: nobody but an alarm knows of it
 *   RUNNING   its code runs
 *   RETRYING  its code has failed and will be tried again, but its permits aren't back yet
 *   LATE      its code runs, and its own time is up
 *   DECIDING  it ends by itself, unless its scope is just being cancelled; lasts a few instructions
 *   SUCCESS, FAILED, CANCELLED: decided, for good
 *
 *   NEW      -> QUEUED, DELAYED     the thread that forks it, once it is counted
 *   QUEUED   -> RUNNING             its thread, before its code
 *   RUNNING  -> RETRYING -> DELAYED its thread, after its code; once its permits are back
 *   QUEUED   -> RETRYING            the thread that finds that it never ran, and may be tried again
 *   DELAYED  -> QUEUED              an alarm
 *   RUNNING  -> LATE                its own alarm
 *   RUNNING, LATE -> DECIDING       its thread, after its code
 *   QUEUED   -> DECIDING            the thread that finds that it never ran
 *   QUEUED, DELAYED, RETRYING -> DECIDING   its own alarm
 *   DECIDING -> SUCCESS, FAILED, CANCELLED  the same thread, as {@link Forks} decides
 *   any before DECIDING -> CANCELLED        cancel of it or of its scope; a NEW one also by who forks it
 * </pre>
 *
 * <p>Each transition is one compare-and-set, except the one out of DECIDING, which is one addition, because no other
 * thread moves it from there.
 *
 * <p>A thread that finds it over while another thread decides it, or calls its joiner, leaves the rest to that one
 * (<i>left</i>). Only an alarm can be that other thread. A fork without a plan has none: the thread that decides it also
 * finds it over.
 */
abstract sealed class ForkState extends Fork permits ForkedSubtask {

    static final int NEW = 0;
    static final int QUEUED = 1;
    static final int DELAYED = 2;
    static final int RETRYING = 3;
    static final int RUNNING = 4;
    static final int LATE = 5;
    static final int DECIDING = 6;
    static final int SUCCESS = 7;
    static final int FAILED = 8;
    static final int CANCELLED = 9;

    private static final int PHASE_BITS = 15;
    private static final int OVER = 16;
    private static final int AWAITED = 32;
    private static final int TELLING = 64;
    private static final int LEFT = 128;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(ForkState.class, "state", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** The next in the {@link ForkStack}, which says who writes it. */
    @Nullable
    ForkedSubtask<?> older;

    /** Written while it is DECIDING, by who decides it. */
    private @Nullable Object result;

    private volatile int state;

    /** @param first {@link #NEW}, or {@link #QUEUED} if no joiner is told that it is forked */
    ForkState(int first) {
        STATE.set(this, first);
    }

    final int phaseNumber() {
        return state & PHASE_BITS;
    }

    /** Moves on, unless it isn't in {@code from} any more. */
    final boolean move(int from, int to) {
        for (; ; ) {
            int s = state;
            if ((s & PHASE_BITS) != from) {
                return false;
            }
            if (STATE.compareAndSet(this, s, (s & ~PHASE_BITS) | to)) {
                return true;
            }
        }
    }

    /**
     * Moves on from wherever it is, unless it is decided or is just being decided.
     *
     * @return from where; -1: it didn't
     */
    final int moveOn(int to) {
        for (int from = phaseNumber(); from < DECIDING; from = phaseNumber()) {
            if (move(from, to)) {
                return from;
            }
        }
        return -1;
    }

    /**
     * Ends it; by who has made it DECIDING.
     *
     * @param tells whether its joiner is about to hear, until {@link #endTelling}
     */
    final void settle(int end, @Nullable Object withResult, boolean tells) {
        result = withResult;
        STATE.getAndAdd(this, end - DECIDING + (tells ? TELLING : 0));
    }

    /** {@return its value or its failure, once it has ended with that} */
    final @Nullable Object result() {
        return result;
    }

    /** It is cancelled before it was counted. */
    final void cancelUnknown() {
        STATE.setVolatile(this, CANCELLED | OVER);
    }

    // ---- beside the phase

    /** Its permits are back, and all listeners have heard; nobody tells its joiner any more. Once, by one thread. */
    final void markOver() {
        STATE.getAndAdd(this, isTold() ? OVER - TELLING : OVER);
    }

    /** {@return whether its permits are back, and all listeners have heard} */
    final boolean isOver() {
        return (state & OVER) != 0;
    }

    /** The owner has awaited it. */
    final void awaited() {
        STATE.getAndBitwiseOr(this, AWAITED);
    }

    /** Its joiner has heard. */
    final void endTelling() {
        STATE.getAndBitwiseAnd(this, ~TELLING);
    }

    /** {@return whether somebody just decides it or tells its joiner} That one sees to the rest then, by {@link #isLeft}. */
    final boolean leaveToDecider() {
        for (; ; ) {
            int s = state;
            if ((s & PHASE_BITS) != DECIDING && (s & TELLING) == 0) {
                return false;
            }
            if (STATE.compareAndSet(this, s, s | LEFT)) {
                return true;
            }
        }
    }

    /** {@return whether it was found over meanwhile; by who has decided it and told its joiner} */
    final boolean isLeft() {
        return (state & LEFT) != 0;
    }

    /** {@return whether the owner has awaited it} */
    final boolean isAwaited() {
        return (state & AWAITED) != 0;
    }

    /** {@return whether a thread tells its joiner, or is about to} */
    final boolean isTold() {
        return (state & TELLING) != 0;
    }
}
