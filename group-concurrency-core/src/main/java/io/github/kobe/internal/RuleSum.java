package io.github.kobe.internal;

import io.github.kobe.RuleStats;
import io.github.kobe.TaskTotals;
import java.time.Duration;
import java.util.Optional;

/** Adds up the groups of one rule, for one reading. */
final class RuleSum {

    private final RuleAccount account;
    private final Counters ended = new Counters();
    private int groups;
    private long running;
    private long inFlight;
    private long queued;
    private long lent;
    private long oldestWait;

    /** Begins with what groups have counted that are gone. */
    RuleSum(RuleAccount account) {
        this.account = account;
        account.addTo(ended);
    }

    void add(Group group, long now) {
        groups++;
        running += group.running();
        inFlight += group.inFlight();
        queued += group.queued();
        lent += group.lent();
        long oldest = group.oldestQueuedAt();
        if (oldest != 0) {
            oldestWait = Math.max(oldestWait, now - oldest);
        }
        group.counters.addTo(ended);
    }

    RuleStats shown() {
        TaskTotals totals = account.shown(ended.totals(inFlight + queued + lent));
        return new RuleStats(
                Optional.ofNullable(account.rule),
                groups,
                running,
                inFlight,
                queued,
                Duration.ofNanos(oldestWait),
                totals);
    }
}
