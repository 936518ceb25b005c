package io.github.kobe.internal.base;

import io.github.kobe.RejectionReason;
import io.github.kobe.TaskTotals;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * How the work of removed groups under one rule of the policy ended. A group has its own counts while it lives, and
 * passes them on when it is removed.
 *
 * <p>Counts are taken out of one place, or out of the map with their group, before they are put into the next, and read
 * in the other order: first those here, then those of groups. So a concurrent reader may miss some, but counts none
 * twice.
 */
public final class RuleAccount {

    private final Accounts accounts;
    public final @Nullable String rule;
    private final Counters gone = new Counters();

    /** What groups have in common that have no recorder, as there is no factory. */
    public final Recording unrecorded;

    /** No policy has the rule any more: what comes late is nobody's. */
    private volatile boolean dropped;

    /** Whether the log was told that work of the rule names a rate that its groups haven't got. */
    public final AtomicBoolean toldOfUnknownRate = new AtomicBoolean();

    /** The largest numbers that anybody was shown; {@code null}: nobody was. */
    private final AtomicReference<@Nullable TaskTotals> shown = new AtomicReference<>();

    RuleAccount(Accounts accounts, @Nullable String rule) {
        this.accounts = accounts;
        this.rule = rule;
        this.unrecorded = new Recording(this, null, null);
    }

    /** Adds counts that nobody finds any more where they were; it needs no memory. */
    public void add(Counters counted) {
        counted.addTo(gone);
        if (dropped) {
            gone.moveTo(accounts.others);
        }
    }

    /** No policy has the rule any more. */
    void drop() {
        dropped = true;
        gone.moveTo(accounts.others);
    }

    public void addTo(Counters sum) {
        gone.addTo(sum);
    }

    /** {@return {@code now}, or what was shown before where that is more} */
    public TaskTotals shown(TaskTotals now) {
        for (; ; ) {
            TaskTotals before = shown.get();
            TaskTotals after = before == null ? now : most(before, now);
            if (shown.compareAndSet(before, after)) {
                return after;
            }
        }
    }

    private static TaskTotals most(TaskTotals a, TaskTotals b) {
        Map<RejectionReason, Long> rejected = new EnumMap<>(a.rejectedByReason());
        for (Map.Entry<RejectionReason, Long> entry : rejected.entrySet()) {
            entry.setValue(Math.max(entry.getValue(), b.rejectedByReason().getOrDefault(entry.getKey(), 0L)));
        }
        return new TaskTotals(
                Math.max(a.submitted(), b.submitted()),
                Math.max(a.succeeded(), b.succeeded()),
                Math.max(a.failed(), b.failed()),
                Math.max(a.cancelled(), b.cancelled()),
                rejected);
    }
}
