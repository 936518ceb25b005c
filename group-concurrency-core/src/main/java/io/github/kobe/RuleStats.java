package io.github.kobe;

import java.time.Duration;
import java.util.Optional;

/**
 * The statistics of all groups under one rule of the policy, or under none, at one moment. The numbers are read one
 * after the other, without a lock: they are exact at rest, and close while work starts and ends.
 *
 * <p>The totals never decrease from one reading to a later one, as long as each policy in between has the rule: it
 * keeps the totals of groups that were evicted, removed as idle or moved to another rule. A policy without the rule
 * drops them.
 *
 * <p>Only the engine implements it; it may get more methods.
 *
 * @since 0.1.0
 */
public interface RuleStats {

    /** {@return the exact key or the pattern; empty for the groups that fall under neither} */
    Optional<String> rule();

    /** {@return how many groups the engine knows, idle ones included} */
    int groups();

    /** {@return in how many groups something waits} */
    int waitingGroups();

    /** {@return how many groups hold less than they are guaranteed, and wait for a global permit} */
    int groupsBelowGuarantee();

    /** {@return how many groups are paused} */
    int pausedGroups();

    /**
     * {@return how much of a group's limit of running or in-flight tasks is used, as a fraction, in the group where it
     * is largest; 0 if nothing is limited, and more than 1 while a lowered limit is exceeded}
     */
    double saturation();

    /**
     * {@return how much of a group's queue is used, as a fraction, in the group where it is largest; 0 if no queue is
     * limited}
     */
    double queueFill();

    /**
     * {@return how much of a rate's burst is used up, as a fraction, in the group where it is largest: at 1 its rate lets nothing
     * start for now; 0 if none has a rate}
     */
    double rateUsed();

    /** {@return how many groups have a rate} */
    int ratedGroups();

    /** {@return in how many groups something waits for nothing but the rate} */
    int groupsWaitingForRate();

    /** {@return how many tasks run, those not counted whose permits are lent} */
    long running();

    /** {@return how many tasks have been started and not finished} */
    long inFlight();

    /** {@return how many global permits the groups hold beyond what they are guaranteed} Without a global limit it means nothing. */
    long borrowed();

    /** {@return how much of the limits that the groups share with other instances this instance may have in flight now} */
    long leased();

    /** {@return how many tasks and callers wait} */
    long queued();

    /** {@return how many of those wait in groups of which this instance lacks leased capacity: {@link WaitReason#CLUSTER_LIMIT}} */
    long queuedForLease();

    /** {@return the longest time that any of those has waited so far; zero if none waits} */
    Duration oldestWait();

    /**
     * {@return the longest time that any of the groups' permits has been held so far, as far as that is known: see
     * {@link GroupHolder#held}; zero if it is known of none} {@link GroupExecutor#longestHolds} tells in which group.
     */
    Duration longestHold();

    /**
     * {@return the totals since the executor was made; {@code submitted} may count work twice that was just ending, and then stays
     * that much too high until as many more have been submitted}
     */
    TaskTotals totals();
}
