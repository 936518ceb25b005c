package io.github.kobe.internal.permits;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupWaiter;
import io.github.kobe.Rate;
import io.github.kobe.RateStats;
import io.github.kobe.SharedLimit;
import io.github.kobe.TaskTotals;
import io.github.kobe.WaitReason;
import io.github.kobe.cluster.ClusterState;
import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.base.Counters;
import io.github.kobe.internal.base.EffectiveLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
            Optional<SharedLimit> cluster,
            Optional<EffectiveLimit<List<Rate>>> rates,
            List<RateStats> rateStats,
            Optional<Duration> nextStartIn,
            int held,
            int borrowed,
            boolean waitsBelowGuarantee,
            int level,
            Optional<WaitReason> waitsFor,
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
            int globalHeadroom,
            Rate globalRate,
            int globalRateUsed,
            Optional<Duration> nextStartIn,
            int rememberedRates,
            int globalQueueThreshold,
            TaskTotals totals)
            implements GroupExecutorStats {}

    private Readings() {}

    /** {@return the group now; it blocks nobody, and is exact at rest} */
    public static GroupStats stats(Group group) {
        EffectiveLimits limits = group.limits();
        int inFlight = group.inFlight();
        int held = held(group, inFlight);
        int queued = group.queued();
        int beyond = held - limits.guaranteedInForce();
        WaitReason waitsFor = queued == 0 ? null : waitsFor(group);
        long oldest = group.oldestQueuedAt();
        long now = group.engine.now();
        GroupRate rate = group.rate;
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
                Optional.ofNullable(limits.clusterMaxInFlight()).flatMap(limit -> shared(group, limits, limit)),
                Optional.ofNullable(limits.rates()),
                rate == null ? List.of() : rate.statsAt(now),
                rate == null ? Optional.empty() : Optional.of(Duration.ofNanos(rate.waitAt(now))),
                held,
                Math.max(0, beyond),
                isBelowGuarantee(beyond, waitsFor),
                beyond < 0 ? -1 : beyond / limits.weight().value(),
                Optional.ofNullable(waitsFor),
                Optional.ofNullable(limits.rule()),
                Optional.ofNullable(group.settings.overriddenSince()),
                unlessNever(group.settings.overrideEndsIn(now)),
                Duration.ofNanos(oldest == 0 ? 0 : Math.max(0, now - oldest)),
                group.settings.isPaused(),
                unlessNever(group.settings.pauseEndsIn(now)),
                group.record.totals(group.counters, (long) inFlight + queued + group.lent()));
    }

    private static Optional<SharedLimit> shared(Group group, EffectiveLimits limits, EffectiveLimit<Integer> limit) {
        return group.engine.cluster.shown().map(cluster -> {
            ClusterState state = cluster.state();
            boolean alone = state.alone() && limits.hasOwnConcurrency();
            return new SharedLimit(limit, leased(group, limits), state.kind(), alone);
        });
    }

    /** {@return how many a group may have in flight of what it shares with other instances} */
    static int leased(Group group, EffectiveLimits limits) {
        if (!limits.isClustered() || group.isLeaseOver()) {
            return 0;
        }
        return limits.inFlightInForce();
    }

    /** {@return how many global permits a group holds itself} */
    static int held(Group group, int inFlight) {
        return (int) Math.max(0, inFlight - group.nested());
    }

    /**
     * {@return whether a group comes first because of its guarantee}
     *
     * @param beyond how much it holds beyond that
     * @param waitsFor why it waits; {@code null}: it doesn't
     */
    static boolean isBelowGuarantee(int beyond, @Nullable WaitReason waitsFor) {
        return beyond < 0 && (waitsFor == WaitReason.CAP || waitsFor == WaitReason.OTHERS_GUARANTEE);
    }

    /** {@return why work that waits in a group doesn't start; {@code null}: nothing keeps it} May be stale. */
    static @Nullable WaitReason waitsFor(Group group) {
        EffectiveLimits limits = group.limits();
        if (group.settings.isPaused()) {
            return WaitReason.PAUSED;
        }
        int running = group.running();
        int inFlight = group.inFlight();
        if (limits.isReachedHere(running, inFlight)) {
            return WaitReason.GROUP_LIMIT;
        }
        if (limits.isReached(running, inFlight) || group.isLeaseOver()) {
            return WaitReason.CLUSTER_LIMIT;
        }
        GroupRate rate = group.rate;
        if (rate != null && !rate.allowsAt(group.engine.now(), GroupStarts.costsOf(group.queue.about()))) {
            return WaitReason.RATE;
        }
        Ledger ledger = group.ledger;
        if (!group.isCapped() || !ledger.isOn()) {
            return null;
        }
        if (ledger.permits.mayTake(group)) {
            return ledger.isRateShort() ? WaitReason.RATE : null;
        }
        if (ledger.turns.isOthersGuarantee(group)) {
            return WaitReason.OTHERS_GUARANTEE;
        }
        return ledger.permits.hasFree() ? WaitReason.HEADROOM : WaitReason.CAP;
    }

    private static Optional<Duration> unlessNever(long nanos) {
        return nanos == GroupSettings.NEVER ? Optional.empty() : Optional.of(Duration.ofNanos(nanos));
    }

    /** {@return all groups together, and what those had that are gone} */
    public static GroupExecutorStats stats(Groups engine) {
        Collection<Group> groups = engine.groups();
        CompiledPolicy inForce = engine.policy;
        Counters sum = new Counters();
        engine.accounts.addTo(sum);
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
        GlobalRate rate = engine.ledger.permits.rate();
        long now = engine.now();
        return new ExecutorReading(
                running,
                Math.max(0, inFlight - nested),
                queued,
                known,
                inForce.source().globalMaxInFlight(),
                inForce.globalHeadroom(),
                inForce.source().globalRate(),
                rate == null ? 0 : rate.usedAt(now),
                rate == null ? Optional.empty() : Optional.of(Duration.ofNanos(rate.waitFor(1, now))),
                engine.remembered.size(),
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
