package io.github.kobe;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The statistics of one group at one moment. The numbers are read one after the other, without a lock: they are exact
 * at rest, and close while work starts and ends.
 *
 * <p>Only the engine implements it; it may get more methods.
 *
 * @since 0.1.0
 */
public interface GroupStats {

    /** {@return the group} */
    String groupKey();

    /** {@return how many tasks run, those not counted whose permits are lent} */
    int running();

    /** {@return how many tasks have been started and not finished} */
    int inFlight();

    /** {@return how many tasks and callers wait} */
    int queued();

    /** {@return how many may run at once} */
    EffectiveLimit<Integer> maxConcurrency();

    /** {@return how many may be in flight; {@link Integer#MAX_VALUE}: no limit} */
    EffectiveLimit<Integer> maxInFlight();

    /** {@return how many may wait; {@link Integer#MAX_VALUE}: no limit} */
    EffectiveLimit<Integer> queueThreshold();

    /** {@return how long a task or caller may wait; {@link GroupLimits#NO_TIMEOUT}: no limit} */
    EffectiveLimit<Duration> queueTimeout();

    /** {@return its weight among groups that are short of global permits} */
    EffectiveLimit<Integer> weight();

    /** {@return how many in flight are guaranteed to it, as it is set; where {@link #maxInFlight} is lower, that is} */
    EffectiveLimit<Integer> guaranteed();

    /** {@return how many may be in flight over all instances, and how many of them on this one; empty: none shares its limit} */
    Optional<SharedLimit> cluster();

    /** {@return how much may start in any window of time; empty: any number} */
    Optional<EffectiveLimit<List<Rate>>> rates();

    /** {@return how far each of {@link #rates} is used up, in their order} */
    List<RateStats> rateStats();

    /** {@return in how long its rates let the next start that costs no more than by default; zero: now; empty: it has none} */
    Optional<Duration> nextStartIn();

    /** {@return how many global permits it holds itself; what runs nested in another group counts there} */
    int held();

    /** {@return how many of them are beyond its guarantee} */
    int borrowed();

    /** {@return whether it holds less than it is guaranteed, and work waits for a global permit} */
    boolean waitsBelowGuarantee();

    /**
     * {@return what it holds beyond its guarantee, divided by its weight and rounded down; -1 while it holds less than that} Where no
     * group that waits is below a guarantee, the lowest level comes first. Without a global limit it means nothing.
     */
    int level();

    /** {@return the exact key or the pattern of the policy that the group falls under; empty if neither} */
    Optional<String> rule();

    /** {@return when limits were last set by {@link GroupExecutor#setLimits}; empty unless they are in force} */
    Optional<Instant> overriddenSince();

    /** {@return in how long those limits are reset by themselves; empty if they aren't, or none are set} */
    Optional<Duration> overrideEndsIn();

    /** {@return how long the first in the queue has waited; zero if none waits} */
    Duration oldestWait();

    /** {@return why work waits; empty if none waits, or nothing keeps it from starting at the next occasion} */
    Optional<WaitReason> waitsFor();

    /** {@return whether the group starts nothing} */
    boolean paused();

    /** {@return in how long the pause ends by itself; empty if it doesn't, or there is none} */
    Optional<Duration> pauseEndsIn();

    /** {@return the totals since the group was first used, was evicted, or was forgotten as idle} */
    TaskTotals totals();
}
