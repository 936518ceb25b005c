package io.github.kobe.internal.permits;

import io.github.kobe.GroupLimits;
import io.github.kobe.internal.base.Answer;
import io.github.kobe.internal.base.EffectiveLimits;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The settings in force for one group: the limits of the policy, the override, and the pause. Written under the group's
 * guard; read by any thread.
 */
final class GroupSettings {

    /** No end. */
    static final long NEVER = Long.MAX_VALUE;

    private static final VarHandle ANSWER;

    static {
        try {
            ANSWER = MethodHandles.lookup().findVarHandle(GroupSettings.class, "answer", Answer.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What the limits resolver has said, when it was last asked; written without the guard. */
    private volatile Answer answer = Answer.NONE;

    private volatile EffectiveLimits limits;
    private volatile @Nullable GroupLimits override;
    private volatile @Nullable Instant overriddenSince;
    private volatile boolean paused;
    /** When override and pause end by themselves, on the engine's clock; {@link #NEVER}: they don't. */
    private volatile long overrideEnds = NEVER;

    private volatile long pauseEnds = NEVER;
    /** Whether the policy names the group exactly: it is kept when idle. */
    private volatile boolean named;

    GroupSettings(EffectiveLimits base, boolean named) {
        this.limits = base;
        this.named = named;
    }

    EffectiveLimits limits() {
        return limits;
    }

    Answer answer() {
        return answer;
    }

    /** Keeps an answer, unless there is one that was asked for later; returns the one there is then. By anyone. */
    Answer keep(Answer given) {
        for (; ; ) {
            Answer known = answer;
            if (given.turn() < known.turn()) {
                return known;
            }
            if (ANSWER.compareAndSet(this, known, given)) {
                return given;
            }
        }
    }

    boolean isPaused() {
        return paused;
    }

    /** {@return the override in force; {@code null}: none} */
    @Nullable
    GroupLimits override() {
        return override;
    }

    @Nullable
    Instant overriddenSince() {
        return overriddenSince;
    }

    /** {@return whether the group is kept when idle, whatever the bounds} */
    boolean isKept() {
        return named || paused || override != null;
    }

    /** {@return the limits with that override; what is leased stays, unless that begins or ends} */
    EffectiveLimits resolved(@Nullable GroupLimits byOverride, EffectiveLimits base) {
        return (byOverride == null ? base : base.overriddenBy(byOverride)).leasedAs(limits);
    }

    /**
     * Takes over the limits of another policy; the override stays.
     *
     * @param resolved them, with the override
     */
    void rebase(EffectiveLimits resolved, boolean isNamed) {
        limits = resolved;
        named = isNamed;
    }

    /**
     * Sets the override, or removes it with {@code null}; the policy's limits were resolved anew.
     *
     * @param resolved them, with the override
     * @param ends when it ends by itself
     */
    void override(@Nullable GroupLimits newOverride, EffectiveLimits resolved, long ends) {
        Instant since = newOverride == null ? null : Instant.now(); // first: it may need memory
        overrideEnds = newOverride == null ? NEVER : ends;
        overriddenSince = since;
        override = newOverride;
        limits = resolved;
    }

    /** So many are leased from now on. */
    void lease(int capacity) {
        limits = limits.withLeased(capacity);
    }

    /**
     * Pauses or resumes.
     *
     * @param ends when the pause ends by itself; it never becomes shorter
     */
    void setPaused(boolean pause, long ends) {
        pauseEnds = !pause ? NEVER : paused ? Math.max(pauseEnds, ends) : ends;
        paused = pause;
    }

    /** {@return whether it is paused until somebody resumes it} Else the pause is a wait for time. */
    boolean isPausedForGood() {
        return paused && pauseEnds == NEVER;
    }

    /** {@return whether the pause or the override ends then} */
    boolean lastsUntil(long end) {
        return pauseEnds == end || overrideEnds == end;
    }

    boolean isPauseOver(long now) {
        return paused && pauseEnds <= now;
    }

    boolean isOverrideOver(long now) {
        return override != null && overrideEnds <= now;
    }

    /** {@return in how many nanoseconds the pause ends by itself; {@link #NEVER}: it doesn't, or there is none} */
    long pauseEndsIn(long now) {
        return in(pauseEnds, now);
    }

    /** {@return in how many nanoseconds the override ends by itself; {@link #NEVER}: it doesn't, or there is none} */
    long overrideEndsIn(long now) {
        return in(overrideEnds, now);
    }

    private static long in(long end, long now) {
        return end == NEVER ? NEVER : Math.max(0, end - now);
    }
}
