package io.github.kobe.scope;

import io.github.kobe.internal.Fork;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * In which phase a fork is, and its place among the {@link Forks} of its scope.
 *
 * <pre>
 *   QUEUED    it was handed to the engine, and waits or is about to start
 *   DELAYED   it waits for its time, or for its next attempt: nobody but an alarm knows of it
 *   RUNNING   its code runs
 *   RETRYING  its code has failed and will be tried again, but what it held isn't back yet
 *   LATE      its code runs, and its own time is up
 *   SUCCESS, FAILED, CANCELLED: decided, for good
 *
 *   QUEUED   -> RUNNING             its thread, before its code
 *   RUNNING  -> RETRYING -> DELAYED its thread, after its code; once its permits are back
 *   QUEUED   -> RETRYING            whoever finds that it never ran, and may be tried again
 *   DELAYED  -> QUEUED              an alarm
 *   RUNNING  -> LATE                its own alarm
 *   RUNNING, LATE -> SUCCESS, FAILED   its thread, after its code
 *   QUEUED   -> FAILED              whoever finds that it never ran
 *   QUEUED, DELAYED, RETRYING -> FAILED   its own alarm
 *   any undecided -> CANCELLED      cancel of it or of its scope
 * </pre>
 *
 * <p>Each edge is one compare-and-set. Decisions are taken under the lock of its scope's {@link Forks}, except those that
 * follow on the scope's cancel: so a scope knows for certain which of its forks ended before it was cancelled.
 */
abstract sealed class ForkState extends Fork permits ForkedSubtask {

    static final int QUEUED = 0;
    static final int DELAYED = 1;
    static final int RETRYING = 2;
    static final int RUNNING = 3;
    static final int LATE = 4;
    static final int SUCCESS = 5;
    static final int FAILED = 6;
    static final int CANCELLED = 7;

    private static final int PHASE_BITS = 7;
    private static final int OVER = 8;
    private static final int AWAITED = 16;
    private static final int TELLING = 32;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(ForkState.class, "state", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** Links of {@link Forks}, guarded by its lock until the scope is cancelled. */
    @Nullable
    ForkedSubtask<?> older;

    @Nullable
    ForkedSubtask<?> newer;

    /** Written before the decision, read after it. */
    private @Nullable Object result;

    private volatile int state;

    /** @param first {@link #QUEUED} or {@link #DELAYED} */
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

    /** As {@link #move}, with a result; under the lock of {@link Forks}. */
    final boolean end(int from, int to, @Nullable Object withResult) {
        result = withResult;
        if (move(from, to)) {
            return true;
        }
        result = null;
        return false;
    }

    /** {@return its value or its failure, once it has ended with that} */
    final @Nullable Object result() {
        return result;
    }

    /** It is cancelled before anyone but its joiner knows it. */
    final void cancelUnknown() {
        STATE.setVolatile(this, CANCELLED | OVER);
    }

    // ---- beside the phase

    final void markOver() {
        STATE.getAndBitwiseOr(this, OVER);
    }

    /** {@return whether its permits are back, and all listeners have heard} */
    final boolean isOver() {
        return (state & OVER) != 0;
    }

    /** The owner has awaited it. */
    final void awaited() {
        STATE.getAndBitwiseOr(this, AWAITED);
    }

    /** Its joiner hears of its end. */
    final void beginTelling() {
        STATE.getAndBitwiseOr(this, TELLING);
    }

    final void endTelling() {
        STATE.getAndBitwiseAnd(this, ~TELLING);
    }

    /** {@return whether it may be read before its scope is joined} */
    final boolean isReadable() {
        return (state & (AWAITED | TELLING)) != 0;
    }
}
