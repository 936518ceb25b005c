package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.EffectiveLimits;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The free permits of a group, those to run and those to be in flight: one word while it is fast, two numbers while it is slow. Nothing here knows
 * a queue, a lock or an engine.
 *
 * <pre>
 *   fast   SLOW clear: the word holds both numbers. Taking or returning is one compare-and-set. If
 *          CAPPED is set, a start takes a credit first, and an end returns it last; otherwise there is no global limit.
 *   slow   SLOW alone: two plain fields hold the free permits, guarded by the group's guard; they may be negative after
 *          a limit was lowered.
 *   dead   DEAD, which is slow, for good
 *
 *   (new) -> slow     initial state
 *   fast  -> fast     {@link #tryTake}, {@link #tryGiveBack}: by any thread
 *   fast  -> slow     {@link #becomeSlow}: the holder of the guard
 *   slow  -> fast     {@link #becomeFast}: the holder of the guard, if nothing is overdrawn
 *   slow  -> dead     {@link #die}: the holder of the guard, if all is free
 * </pre>
 *
 * <p>SLOW is set before anything is read. So the thread that set it sees permits that were returned, or else their
 * giver finds SLOW set and has to get the guard.
 */
abstract class FreePermits extends Padded.After {

    static final long ONE_CONCURRENCY = 1L;
    static final long ONE_IN_FLIGHT = 1L << 31;
    static final long ONE_OF_BOTH = ONE_CONCURRENCY + ONE_IN_FLIGHT;

    private static final long COUNT = ONE_IN_FLIGHT - 1;
    private static final long SLOW = 1L << 62;
    private static final long DEAD = SLOW | 1;
    private static final long CAPPED = 1L << 63;

    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(FreePermits.class, "word", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** What came of {@link #tryTake}. */
    enum Take {
        TAKEN,
        /** There is none, or the group is slow. */
        NONE,
        /** There is one, but whoever takes it needs a credit. */
        WANTS_CREDIT
    }

    /** The word when all permits are free; written under the guard. */
    private volatile long idleWord;

    // ---- guarded by the guard, while slow; read by anyone for statistics and guesses
    private int freeConcurrency;
    private int freeInFlight;

    /** Whether permits that stand for a global one have a credit of the ledger's: for good, once there are any. */
    private boolean capped;

    FreePermits(EffectiveLimits limits, boolean capped) {
        super(SLOW);
        this.capped = capped;
        this.idleWord = idleWordOf(limits);
        this.freeConcurrency = limits.maxConcurrency().value();
        this.freeInFlight = limits.inFlightInForce();
    }

    private long fastWord(int concurrency, int inFlight) {
        return (capped ? CAPPED : 0) | ((long) inFlight << 31) | concurrency;
    }

    private long idleWordOf(EffectiveLimits limits) {
        return fastWord(limits.maxConcurrency().value(), limits.inFlightInForce());
    }

    private static boolean isFastWithBoth(long word) {
        return (word & SLOW) == 0 && (word & COUNT) != 0 && (word & COUNT << 31) != 0;
    }

    // ---- by anyone

    public final boolean isSlow() {
        return (word & SLOW) != 0;
    }

    public final boolean isDead() {
        return word == DEAD;
    }

    /**
     * Takes one permit of both kinds, if the group is fast.
     *
     * @param credited whether the caller has a credit, or needs none
     */
    final Take tryTake(boolean credited) {
        for (; ; ) {
            long w = word;
            if (!isFastWithBoth(w)) {
                return Take.NONE;
            }
            if (w < 0 && !credited) {
                return Take.WANTS_CREDIT;
            }
            if (WORD.compareAndSet(this, w, w - ONE_OF_BOTH)) {
                return Take.TAKEN;
            }
        }
    }

    /**
     * As {@link #tryTake}, for one that is carried, which needs no credit.
     *
     * @return the word afterwards; one that {@linkplain #isSlowWord is slow} says that nothing was taken
     */
    final long tryTakeCarried() {
        for (; ; ) {
            long w = word;
            if (!isFastWithBoth(w)) {
                return SLOW;
            }
            if (WORD.compareAndSet(this, w, w - ONE_OF_BOTH)) {
                return w - ONE_OF_BOTH;
            }
        }
    }

    /**
     * Gives permits back, if the group is fast.
     *
     * @return the word afterwards; one that {@linkplain #isSlowWord is slow} says that nothing was given back
     */
    final long tryGiveBack(long permits) {
        for (; ; ) {
            long w = word;
            if ((w & SLOW) != 0) {
                return SLOW;
            }
            if (WORD.compareAndSet(this, w, w + permits)) {
                return w + permits;
            }
        }
    }

    static boolean isSlowWord(long word) {
        return (word & SLOW) != 0;
    }

    static boolean isCappedWord(long word) {
        return word < 0;
    }

    /** {@return whether all permits were free then} */
    final boolean isIdleWord(long word) {
        return word == idleWord;
    }

    /** {@return how many concurrency permits are out; may be stale} */
    final int concurrencyOut(EffectiveLimits limits) {
        long w = (long) WORD.getAcquire(this);
        int free = (w & SLOW) == 0 ? (int) (w & COUNT) : freeConcurrency;
        return Math.max(0, limits.maxConcurrency().value() - free);
    }

    /** {@return how many in-flight permits are out; may be stale} */
    final int inFlightOut(EffectiveLimits limits) {
        long w = (long) WORD.getAcquire(this);
        int free = (w & SLOW) == 0 ? (int) (w >>> 31 & COUNT) : freeInFlight;
        return Math.max(0, limits.inFlightInForce() - free);
    }

    // ---- by who has the guard

    /** Makes it slow; false if it is dead. */
    final boolean becomeSlow() {
        long w = word;
        if ((w & SLOW) == 0) {
            w = (long) WORD.getAndSet(this, SLOW);
            freeConcurrency = (int) (w & COUNT);
            freeInFlight = (int) (w >>> 31 & COUNT);
        }
        return w != DEAD;
    }

    // ---- by who has the guard, while slow

    final void becomeFast() {
        WORD.setRelease(this, fastWord(freeConcurrency, freeInFlight));
    }

    final void die() {
        word = DEAD; // with a fence: counters are looked at next, and by who counts late in the other order
    }

    /** From now on permits that stand for a global one have a credit. */
    final void cap(EffectiveLimits limits) {
        capped = true;
        idleWord = idleWordOf(limits);
    }

    final boolean isCapped() {
        return capped;
    }

    /** Takes permits, whether they are free or not; negative numbers give back. */
    final void takeFree(int concurrency, int inFlight) {
        freeConcurrency -= concurrency;
        freeInFlight -= inFlight;
    }

    final void resize(EffectiveLimits before, EffectiveLimits after) {
        freeConcurrency +=
                after.maxConcurrency().value() - before.maxConcurrency().value();
        freeInFlight += after.inFlightInForce() - before.inFlightInForce();
        idleWord = idleWordOf(after);
    }

    /** {@return whether so many of each are free} */
    public final boolean hasFree(int concurrency, int inFlight) {
        return (concurrency == 0 || freeConcurrency >= concurrency) && (inFlight == 0 || freeInFlight >= inFlight);
    }

    final boolean hasFreeBoth() {
        return freeConcurrency > 0 && freeInFlight > 0;
    }

    /** {@return whether more is out than a lowered limit allows} */
    final boolean isOverdrawn() {
        return freeConcurrency < 0 || freeInFlight < 0;
    }

    final boolean isAllFree(EffectiveLimits limits) {
        return freeConcurrency == limits.maxConcurrency().value() && freeInFlight == limits.inFlightInForce();
    }

    /** {@return how many in-flight permits are out: more than the limit, if it was lowered} */
    final int inFlightHere(EffectiveLimits limits) {
        return limits.inFlightInForce() - freeInFlight;
    }

    /** {@return how many of so many that wait have no permits only because no more are leased} */
    final int keptByLease(EffectiveLimits limits, int waiting) {
        int room = Math.min(freeConcurrency, limits.maxInFlight().value() - inFlightHere(limits));
        return Math.max(0, Math.min(waiting, room) - Math.max(0, freeInFlight));
    }
}
