package io.github.kobe.spring.metrics;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupStats;
import io.github.kobe.RuleStats;
import io.github.kobe.WaitReason;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * What gauges show of the groups with one value of the tag: of the groups of a rule, as the engine has added them up, or of one
 * group.
 */
@SuppressWarnings("ImmutableEnumChecker") // its functions have no state
enum GroupGauge {
    RUNNING("group.executor.running", "tasks", "Tasks whose code runs", RuleStats::running, GroupStats::running),
    IN_FLIGHT(
            "group.executor.in.flight",
            "tasks",
            "Tasks that are started and not finished",
            RuleStats::inFlight,
            GroupStats::inFlight),
    QUEUED("group.executor.queued", "tasks", "Tasks and callers that wait", RuleStats::queued, GroupStats::queued),
    OLDEST_WAIT(
            "group.executor.oldest.wait",
            "nanoseconds",
            "How long the one has waited that has waited longest of those that wait now",
            rule -> rule.oldestWait().toNanos(),
            group -> group.oldestWait().toNanos()),
    GROUPS("group.executor.groups", "groups", "Groups that are known", RuleStats::groups, group -> 1),
    WAITING(
            "group.executor.waiting",
            "groups",
            "Groups in which something waits",
            RuleStats::waitingGroups,
            group -> group.queued() > 0 ? 1 : 0),
    BELOW_GUARANTEE(
            "group.executor.below.guarantee",
            "groups",
            "Groups that hold less than they are guaranteed, and wait for a permit over all groups",
            RuleStats::groupsBelowGuarantee,
            group -> group.waitsBelowGuarantee() ? 1 : 0),
    BORROWED(
            "group.executor.borrowed",
            "permits",
            "Permits over all groups, held beyond what is guaranteed",
            RuleStats::borrowed,
            GroupStats::borrowed),
    PAUSED(
            "group.executor.paused",
            "groups",
            "Groups that are paused",
            RuleStats::pausedGroups,
            group -> group.paused() ? 1 : 0),
    SATURATION(
            "group.executor.saturation",
            "ratio",
            "Share of its permits that is taken, of the group where it is largest",
            RuleStats::saturation,
            group -> Math.max(
                    share(group.running(), group.maxConcurrency()), share(group.inFlight(), group.maxInFlight()))),
    QUEUE_FILL(
            "group.executor.queue.fill",
            "ratio",
            "Share of its queue that is taken, of the group where it is largest",
            RuleStats::queueFill,
            group -> share(group.queued(), group.queueThreshold())),
    /** A group doesn't know it of itself: {@link TagReading#open} is told. */
    LONGEST_HOLD(
            "group.executor.longest.hold",
            "nanoseconds",
            "How long the one has had its permit that has had it longest of those that have one now",
            rule -> rule.longestHold().toNanos(),
            group -> 0),
    LEASED(
            "group.cluster.leased",
            "tasks",
            "Tasks that may be in flight of limits shared with other instances",
            RuleStats::leased,
            group -> group.cluster().map(limit -> limit.leased()).orElse(0)),
    UNMET(
            "group.cluster.unmet",
            "tasks",
            "Tasks and callers that wait for more of such a limit",
            RuleStats::queuedForLease,
            group -> waitsFor(WaitReason.CLUSTER_LIMIT, group) ? group.queued() : 0),
    RATE_USED(
            "group.executor.rate.used",
            "ratio",
            "Share of its rate's burst that is used up, of the group where it is largest",
            RuleStats::rateUsed,
            group -> group.rateStats().stream()
                    .mapToDouble(stats -> (double) stats.used() / stats.rate().burst())
                    .max()
                    .orElse(0)),
    RATE_WAITING(
            "group.executor.rate.waiting",
            "groups",
            "Groups in which something waits for nothing but the rate",
            RuleStats::groupsWaitingForRate,
            group -> waitsFor(WaitReason.RATE, group) ? 1 : 0);

    /** Those of limits over all instances. */
    static final Set<GroupGauge> LEASES = EnumSet.of(LEASED, UNMET);

    /** Those of groups that have a rate. */
    static final Set<GroupGauge> RATES = EnumSet.of(RATE_USED, RATE_WAITING);

    /** Those of any groups. */
    static final Set<GroupGauge> ALWAYS = EnumSet.range(RUNNING, QUEUE_FILL);

    final String meter;
    final String unit;
    final String description;
    private final ToDoubleFunction<RuleStats> ofRule;
    private final ToDoubleFunction<GroupStats> ofGroup;

    GroupGauge(
            String meter,
            String unit,
            String description,
            ToDoubleFunction<RuleStats> ofRule,
            ToDoubleFunction<GroupStats> ofGroup) {
        this.meter = meter;
        this.unit = unit;
        this.description = description;
        this.ofRule = ofRule;
        this.ofGroup = ofGroup;
    }

    double of(RuleStats rule) {
        return ofRule.applyAsDouble(rule);
    }

    double of(GroupStats group) {
        return ofGroup.applyAsDouble(group);
    }

    /** {@return what it is of several groups, by what it is of some of them and of the others} */
    double together(double some, double others) {
        return isTime() || unit.equals("ratio") ? Math.max(some, others) : some + others;
    }

    /** {@return whether it is a number of nanoseconds, and not one of {@link #unit}s} */
    boolean isTime() {
        return unit.equals("nanoseconds");
    }

    private static double share(int number, EffectiveLimit<Integer> limit) {
        return limit.value() == Integer.MAX_VALUE ? 0 : (double) number / Math.max(1, limit.value());
    }

    private static boolean waitsFor(WaitReason reason, GroupStats group) {
        return group.waitsFor().filter(reason::equals).isPresent();
    }
}
