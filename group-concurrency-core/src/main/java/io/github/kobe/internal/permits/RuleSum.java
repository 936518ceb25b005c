package io.github.kobe.internal.permits;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.RuleStats;
import io.github.kobe.TaskTotals;
import io.github.kobe.WaitReason;
import io.github.kobe.internal.base.Counters;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.RuleAccount;
import java.time.Duration;
import java.util.Optional;

/** Adds up the groups of one rule, for one reading. */
public final class RuleSum {

    private record RuleReading(
            Optional<String> rule,
            int groups,
            int waitingGroups,
            int groupsBelowGuarantee,
            int pausedGroups,
            double saturation,
            double queueFill,
            double rateUsed,
            int ratedGroups,
            int groupsWaitingForRate,
            long running,
            long inFlight,
            long borrowed,
            long leased,
            long queued,
            long queuedForLease,
            Duration oldestWait,
            Duration longestHold,
            TaskTotals totals)
            implements RuleStats {}

    private final RuleAccount account;
    private final Counters ended = new Counters();
    private int groups;
    private int waitingGroups;
    private int groupsBelowGuarantee;
    private int pausedGroups;
    private double saturation;
    private double queueFill;
    private double rateUsed;
    private int ratedGroups;
    private int groupsWaitingForRate;
    private long running;
    private long inFlight;
    private long borrowed;
    private long leased;
    private long queued;
    private long queuedForLease;
    private long lent;
    private long oldestWait;
    private long longestHold;

    /** Begins with what groups have counted that are gone. */
    public RuleSum(RuleAccount account) {
        this.account = account;
        account.addTo(ended);
    }

    public void add(Group group, long now) {
        EffectiveLimits limits = group.limits();
        int runningNow = group.running();
        int inFlightNow = group.inFlight();
        int queuedNow = group.queued();
        int beyond = Readings.held(group, inFlightNow) - limits.guaranteedInForce();
        GroupRate rate = group.rate;
        boolean mayLack = beyond < 0 || limits.isClustered() || rate != null;
        WaitReason waitsFor = queuedNow > 0 && mayLack ? Readings.waitsFor(group) : null;
        groups++;
        waitingGroups += queuedNow > 0 ? 1 : 0;
        groupsBelowGuarantee += Readings.isBelowGuarantee(beyond, waitsFor) ? 1 : 0;
        pausedGroups += group.settings.isPaused() ? 1 : 0;
        saturation = Math.max(saturation, share(runningNow, limits.maxConcurrency()));
        saturation = Math.max(saturation, share(inFlightNow, limits.maxInFlight()));
        queueFill = Math.max(queueFill, share(queuedNow, limits.queueThreshold()));
        if (rate != null) {
            ratedGroups++;
            rateUsed = Math.max(rateUsed, rate.usedShareAt(now));
            groupsWaitingForRate += waitsFor == WaitReason.RATE ? 1 : 0;
        }
        running += runningNow;
        inFlight += inFlightNow;
        borrowed += Math.max(0, beyond);
        leased += Readings.leased(group, limits);
        queued += queuedNow;
        queuedForLease += waitsFor == WaitReason.CLUSTER_LIMIT ? queuedNow : 0;
        lent += group.lent();
        long oldest = group.oldestQueuedAt();
        if (oldest != 0) {
            oldestWait = Math.max(oldestWait, now - oldest);
        }
        group.counters.addTo(ended);
    }

    /** Adds how long a permit of one of its groups has been held; less than zero: not yet at that moment. */
    public void addHold(long nanos) {
        longestHold = Math.max(longestHold, nanos);
    }

    private static double share(int number, EffectiveLimit<Integer> limit) {
        return limit.value() == Integer.MAX_VALUE ? 0 : (double) number / Math.max(1, limit.value());
    }

    public RuleStats shown() {
        TaskTotals totals = account.shown(ended.totals(inFlight + queued + lent));
        return new RuleReading(
                Optional.ofNullable(account.rule),
                groups,
                waitingGroups,
                groupsBelowGuarantee,
                pausedGroups,
                saturation,
                queueFill,
                rateUsed,
                ratedGroups,
                groupsWaitingForRate,
                running,
                inFlight,
                borrowed,
                leased,
                queued,
                queuedForLease,
                Duration.ofNanos(oldestWait),
                Duration.ofNanos(longestHold),
                totals);
    }
}
