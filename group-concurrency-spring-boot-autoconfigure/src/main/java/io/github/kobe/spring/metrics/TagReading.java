package io.github.kobe.spring.metrics;

import io.github.kobe.GroupStats;
import io.github.kobe.RejectionReason;
import io.github.kobe.RuleStats;
import io.github.kobe.SharedLimit;
import io.github.kobe.TaskTotals;
import io.github.kobe.WaitReason;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * The groups with one value of the tag, at one moment.
 *
 * @param running tasks whose code runs
 * @param inFlight tasks started and not finished
 * @param queued tasks and callers that wait
 * @param oldestWaitNanos the longest time that any of those has waited so far; 0 if none waits
 * @param longestHoldNanos the longest time that any of their permits has been held so far, as far as that is known; 0 if none is
 * @param leased how many may be in flight of what is shared with other instances
 * @param unmet tasks and callers that wait for more of that
 * @param maxConcurrency how many may run at once, if the value names one group and that is live; else {@link #UNKNOWN}
 * @param pressure how close the groups are to their limits
 * @param totals how much work there has been
 */
record TagReading(
        long running,
        long inFlight,
        long queued,
        long oldestWaitNanos,
        long longestHoldNanos,
        long leased,
        long unmet,
        int maxConcurrency,
        Pressure pressure,
        TaskTotals totals) {

    static final int UNKNOWN = 0;

    static final TagReading NOTHING = new TagReading(
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            UNKNOWN,
            Pressure.NONE,
            new TaskTotals(0, 0, 0, 0, new EnumMap<>(RejectionReason.class)));

    static TagReading of(RuleStats rule, int maxConcurrency) {
        return new TagReading(
                rule.running(),
                rule.inFlight(),
                rule.queued(),
                rule.oldestWait().toNanos(),
                rule.longestHold().toNanos(),
                rule.leased(),
                rule.queuedForLease(),
                maxConcurrency,
                Pressure.of(rule),
                rule.totals());
    }

    /** {@return what is open in a group, and nothing of what has ended} */
    static TagReading open(GroupStats group, Duration longestHold, boolean alone) {
        TaskTotals all = group.totals();
        long ended = all.succeeded() + all.failed() + all.cancelled() + all.rejected();
        return new TagReading(
                group.running(),
                group.inFlight(),
                group.queued(),
                group.oldestWait().toNanos(),
                longestHold.toNanos(),
                group.cluster().map(SharedLimit::leased).orElse(0),
                group.waitsFor().filter(WaitReason.CLUSTER_LIMIT::equals).isPresent() ? group.queued() : 0,
                alone ? group.maxConcurrency().value() : UNKNOWN,
                Pressure.of(group),
                new TaskTotals(all.submitted() - ended, 0, 0, 0, NOTHING.totals.rejectedByReason()));
    }

    TagReading withTotals(TaskTotals others) {
        return new TagReading(
                running,
                inFlight,
                queued,
                oldestWaitNanos,
                longestHoldNanos,
                leased,
                unmet,
                maxConcurrency,
                pressure,
                others);
    }

    TagReading withMaxConcurrency(int other) {
        return new TagReading(
                running, inFlight, queued, oldestWaitNanos, longestHoldNanos, leased, unmet, other, pressure, totals);
    }

    /** {@return both together; one of them at most has a limit} */
    TagReading plus(TagReading other) {
        return new TagReading(
                running + other.running,
                inFlight + other.inFlight,
                queued + other.queued,
                Math.max(oldestWaitNanos, other.oldestWaitNanos),
                Math.max(longestHoldNanos, other.longestHoldNanos),
                leased + other.leased,
                unmet + other.unmet,
                Math.max(maxConcurrency, other.maxConcurrency),
                pressure.plus(other.pressure),
                sum(totals, other.totals));
    }

    private static TaskTotals sum(TaskTotals a, TaskTotals b) {
        Map<RejectionReason, Long> rejected = new EnumMap<>(RejectionReason.class);
        rejected.putAll(a.rejectedByReason());
        b.rejectedByReason().forEach((reason, number) -> rejected.merge(reason, number, Long::sum));
        return new TaskTotals(
                a.submitted() + b.submitted(),
                a.succeeded() + b.succeeded(),
                a.failed() + b.failed(),
                a.cancelled() + b.cancelled(),
                rejected);
    }

    /** {@return the larger of each number} */
    static TaskTotals most(TaskTotals a, TaskTotals b) {
        Map<RejectionReason, Long> rejected = new EnumMap<>(RejectionReason.class);
        rejected.putAll(a.rejectedByReason());
        b.rejectedByReason().forEach((reason, number) -> rejected.merge(reason, number, Long::max));
        return new TaskTotals(
                Math.max(a.submitted(), b.submitted()),
                Math.max(a.succeeded(), b.succeeded()),
                Math.max(a.failed(), b.failed()),
                Math.max(a.cancelled(), b.cancelled()),
                rejected);
    }
}
