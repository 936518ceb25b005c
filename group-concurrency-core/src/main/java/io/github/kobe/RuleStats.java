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
 * @param rule the exact key or the pattern; empty for the groups that fall under neither
 * @param groups groups that the engine knows, idle ones included
 * @param waitingGroups groups in which something waits
 * @param pausedGroups groups that are paused
 * @param saturation how much of a group's limit of running or in-flight tasks is used, as a fraction, in the group
 *     where it is largest; 0 if nothing is limited, and more than 1 while a lowered limit is exceeded
 * @param queueFill how much of a group's queue is used, as a fraction, in the group where it is largest; 0 if no queue
 *     is limited
 * @param running tasks whose code runs, their permits not lent
 * @param inFlight tasks started and not finished
 * @param queued tasks and callers that wait
 * @param oldestWait the longest time that any of those has waited so far; zero if none waits
 * @param totals since the executor was made; {@code submitted} may count work twice that was just ending, and then
 *     stays that much too high until as many more have been submitted
 * @since 0.1.0
 */
public record RuleStats(
        Optional<String> rule,
        int groups,
        int waitingGroups,
        int pausedGroups,
        double saturation,
        double queueFill,
        long running,
        long inFlight,
        long queued,
        Duration oldestWait,
        TaskTotals totals) {}
