package io.github.kobe;

import java.time.Duration;
import java.util.Optional;

/**
 * All groups that fall under one rule of the policy at one moment; or under none. The numbers are read without a lock, one
 * after the other: exact at rest, close while work starts and ends.
 *
 * <p>The totals never run backwards from one reading to a later one, as long as each policy in between has the rule:
 * those of groups that were evicted, removed as idle or put under another rule stay with it. A policy that hasn't the rule
 * drops them.
 *
 * @param rule the exact key or the pattern; empty: of groups that fall under neither
 * @param groups groups that the engine knows, idle ones included
 * @param waitingGroups groups in which something waits
 * @param pausedGroups groups that are paused
 * @param saturation of what may run or be in flight in a group, the share that does, in the group where it is largest; 0
 *     where nothing is limited, and more than 1 while a limit that was lowered is exceeded
 * @param queueFill of what may wait in a group, the share that does, in the group where it is largest; 0 where any number
 *     may
 * @param running tasks whose code runs, their permits not lent
 * @param inFlight tasks started and not finished
 * @param queued tasks and callers that wait
 * @param oldestWait how long the one has waited that has waited longest; zero if none waits
 * @param totals since the executor was made; {@code submitted} may count what was just ending twice, and then stays ahead
 *     by so many until as many more have been submitted
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
