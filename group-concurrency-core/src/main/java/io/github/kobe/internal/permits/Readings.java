package io.github.kobe.internal.permits;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupWaiter;
import io.github.kobe.TaskTotals;
import io.github.kobe.internal.base.Accounts;
import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.base.Counters;
import io.github.kobe.internal.base.EffectiveLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Reads what is shown of groups. */
public final class Readings {

    private record GroupReading(
            String groupKey,
            int running,
            int inFlight,
            int queued,
            EffectiveLimit<Integer> maxConcurrency,
            EffectiveLimit<Integer> maxInFlight,
            EffectiveLimit<Integer> queueThreshold,
            EffectiveLimit<Duration> queueTimeout,
            EffectiveLimit<Integer> weight,
            EffectiveLimit<Integer> guaranteed,
            int held,
            Optional<String> rule,
            Optional<Instant> overriddenSince,
            Optional<Duration> overrideEndsIn,
            Duration oldestWait,
            boolean paused,
            Optional<Duration> pauseEndsIn,
            TaskTotals totals)
            implements GroupStats {}

    private record ExecutorReading(
            long running,
            long inFlight,
            long queued,
            int groups,
            int globalMaxInFlight,
            int globalQueueThreshold,
            TaskTotals totals)
            implements GroupExecutorStats {}

    private Readings() {}

    /** {@return the group now; it blocks nobody, and is exact at rest} */
    public static GroupStats stats(Group group) {
        EffectiveLimits limits = group.limits();
        int inFlight = group.inFlight();
        int queued = group.queued();
        long oldest = group.oldestQueuedAt();
        long now = group.engine.now();
        return new GroupReading(
                group.key,
                group.running(),
                inFlight,
                queued,
                limits.maxConcurrency(),
                limits.maxInFlight(),
                limits.queueThreshold(),
                limits.queueTimeout(),
                limits.weight(),
                limits.guaranteed(),
                (int) Math.max(0, inFlight - group.nested()),
                Optional.ofNullable(limits.rule()),
                Optional.ofNullable(group.settings.overriddenSince()),
                unlessNever(group.settings.overrideEndsIn(now)),
                Duration.ofNanos(oldest == 0 ? 0 : Math.max(0, now - oldest)),
                group.settings.isPaused(),
                unlessNever(group.settings.pauseEndsIn(now)),
                group.record.totals(group.counters, (long) inFlight + queued + group.lent()));
    }

    private static Optional<Duration> unlessNever(long nanos) {
        return nanos == GroupSettings.NEVER ? Optional.empty() : Optional.of(Duration.ofNanos(nanos));
    }

    /** {@return all groups together, and what those had that are gone} */
    public static GroupExecutorStats stats(Collection<Group> groups, Accounts accounts, CompiledPolicy inForce) {
        Counters sum = new Counters();
        accounts.addTo(sum);
        long running = 0;
        long inFlight = 0;
        long nested = 0;
        long queued = 0;
        long lent = 0;
        int known = 0;
        for (Group group : groups) {
            known++;
            running += group.running();
            inFlight += group.inFlight();
            nested += group.nested();
            queued += group.queued();
            lent += group.lent();
            group.counters.addTo(sum);
        }
        return new ExecutorReading(
                running,
                Math.max(0, inFlight - nested),
                queued,
                known,
                inForce.source().globalMaxInFlight(),
                inForce.globalQueueThreshold(),
                sum.totals(inFlight + queued + lent));
    }

    /** {@return what waits, the oldest first, at most so many; each with the time since when} */
    public static List<GroupWaiter> waiters(Group group, int limit) {
        List<Node> nodes = new ArrayList<>(Math.min(limit, group.queued()));
        // False: so many have left in between that it would take long. Some of those are unlinked, and the list begins
        // anew.
        while (!group.listOldest(nodes, limit)) {
            nodes.clear();
        }
        long now = group.engine.now();
        return nodes.stream()
                .map(node -> node.shown(Duration.ofNanos(node.waitedNanos(now))))
                .toList();
    }
}
