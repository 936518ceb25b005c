package io.github.kobe.internal;

import io.github.kobe.GroupStats;
import io.github.kobe.GroupWaiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads what is shown of a group. */
final class Readings {

    private Readings() {}

    /** {@return the group now; it blocks nobody, and is exact at rest} */
    static GroupStats stats(Group group) {
        EffectiveLimits limits = group.limits();
        int inFlight = group.inFlight();
        int queued = group.queued();
        long oldest = group.oldestQueuedAt();
        return new GroupStats(
                group.key,
                group.running(),
                inFlight,
                queued,
                limits.maxConcurrency(),
                limits.maxInFlight(),
                limits.queueThreshold(),
                limits.queueTimeout(),
                limits.weight(),
                Optional.ofNullable(limits.rule()),
                Optional.ofNullable(group.settings.overriddenSince()),
                Duration.ofNanos(oldest == 0 ? 0 : Math.max(0, group.engine.now() - oldest)),
                group.settings.isPaused(),
                group.record.totals(group.counters, (long) inFlight + queued + group.lent()));
    }

    /** {@return what waits, the oldest first, at most so many; each with the time since when} */
    static List<GroupWaiter> waiters(Group group, int limit) {
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
