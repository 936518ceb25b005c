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
 *   OVERDUE   its code doesn't run, and its own time is up: who has it, or finds it over, fails it
 *   LATE      its code runs, and its own time is up
 *   DECIDING  it ends by itself, unless its scope is just being cancelled; lasts a few instructions
 *   SUCCESS, FAILED, CANCELLED: decided, for good
 *
 *   NEW      -> QUEUED, DELAYED     the thread that forks it, once it is counted
 *   QUEUED   -> RUNNING             its thread, before its code
 *   RUNNING  -> RETRYING -> DELAYED its thread, after its code; once its permits are back
 *   QUEUED   -> RETRYING            the thread that finds that it never ran, and may be tried again
 *   DELAYED  -> QUEUED              an alarm; who could set none, and then fails it
 *   RUNNING  -> LATE                its own alarm
 *   QUEUED, DELAYED, RETRYING -> OVERDUE    its own alarm
 *   RUNNING, LATE -> DECIDING       its thread, after its code
 *   QUEUED   -> DECIDING            the thread that finds that it never ran, or who could not submit it
 *   OVERDUE  -> DECIDING            its thread; else the thread that finds it over, or who could not submit it; if it
 *                                   was DELAYED, its own alarm
 *   DECIDING -> SUCCESS, FAILED, CANCELLED  the same thread, as {@link Forks} decides
 *   any before DECIDING -> CANCELLED        cancel of it or of its scope; a NEW one also by who forks it
 * </pre>
 *
 * <p>Each transition is one compare-and-set, except the one out of DECIDING, which is one addition, because no other
 * thread moves it from there.
 *
 * <p>The thread that makes it DECIDING also tells its joiner, and then finds it over. So an alarm decides only what nobody
 * else has.
 */
abstract sealed class ForkState extends Fork permits ForkedSubtask {

    static final int NEW = 0;
    static final int QUEUED = 1;
    static final int DELAYED = 2;
    static final int RETRYING = 3;
    static final int OVERDUE = 4;
    static final int RUNNING = 5;
    static final int LATE = 6;
    static final int DECIDING = 7;
    static final int SUCCESS = 8;
    static final int FAILED = 9;
    static final int CANCELLED = 10;

    private static final int PHASE_BITS = 15;
    private static final int OVER = 16;
    private static final int AWAITED = 32;

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

    /** Ends it; by who has made it DECIDING. */
    final void settle(int end, @Nullable Object withResult) {
        result = withResult;
        STATE.getAndAdd(this, end - DECIDING);
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
        STATE.getAndAdd(this, OVER);
    }

    /** {@return whether its permits are back, and all listeners have heard} */
    final boolean isOver() {
        return (state & OVER) != 0;
    }

    /** The owner has awaited it. */
    final void awaited() {
        STATE.getAndBitwiseOr(this, AWAITED);
    }

    /** {@return whether the owner has awaited it} */
    final boolean isAwaited() {
        return (state & AWAITED) != 0;
    }
}
