package io.github.kobe.spring.actuate;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupHolder;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupWaiter;
import io.github.kobe.LimitSource;
import io.github.kobe.Rate;
import io.github.kobe.RateStats;
import io.github.kobe.TaskTotals;
import io.github.kobe.WaitReason;
import io.github.kobe.cluster.ClusterState;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.spring.internal.settings.LimitSetting;
import io.github.kobe.spring.internal.settings.PrintableText;
import io.github.kobe.spring.internal.settings.RateText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One group at one moment.
 *
 * @param instance which instance of the application answers; null: inside of what tells it already
 * @param group the key
 * @param rule the key or pattern of the policy that it falls under; null: only the defaults apply
 * @param running tasks whose code runs
 * @param inFlight tasks started and not finished
 * @param queued tasks and callers that wait
 * @param held how many global permits it holds itself; what runs nested in another group counts there
 * @param level what it holds beyond its guarantee, divided by its weight and rounded down; -1 while it holds less than that
 * @param waitsFor why work waits; null: none waits, or nothing keeps it from starting
 * @param waitsInside groups of which permits are held by threads that wait for this one's rate; null: not requested, or none
 * @param oldestWait how long the first in the queue has waited; null if none waits
 * @param longestHold how long the one has had its permit that has had it longest; null: not requested, or known of none
 * @param paused whether the group starts nothing
 * @param pauseEndsIn in how long the pause ends by itself; null: it doesn't, or there is none
 * @param overriddenSince when limits were last set while the executor ran; null if none are set
 * @param overrideEndsIn in how long those limits are reset by themselves; null: they aren't, or none are set
 * @param limits the numbers in force
 * @param rates how far its rates are used up; null: it has none
 * @param cluster how much of the limit over all instances this one has; null: no other instance shares its limit
 * @param totals since the group was first used, or evicted
 * @param holders who has the permits now; null: not requested
 * @param waiters who has waited longest, the oldest first; null: not requested
 * @param explanation where the limits come from; null: not requested
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record GroupReport(
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String instance,
        String group,
        @Nullable String rule,
        int running,
        int inFlight,
        int queued,
        int held,
        int level,
        @Nullable WaitReason waitsFor,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Set<String> waitsInside,
        @Nullable Duration oldestWait,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Duration longestHold,
        boolean paused,
        @Nullable Duration pauseEndsIn,
        @Nullable Instant overriddenSince,
        @Nullable Duration overrideEndsIn,
        Limits limits,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<RateUse> rates,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Share cluster,
        Totals totals,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<Holder> holders,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<Waiter> waiters,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Explanation explanation) {

    /** {@return one of several groups} */
    static GroupReport of(GroupStats group, @Nullable Duration longestHold) {
        return of(group, null, null, longestHold, Share.of(group), null, null, null);
    }

    /** {@return a group, with what is told on request only} */
    static GroupReport of(
            GroupStats group,
            @Nullable String instance,
            @Nullable Set<String> waitsInside,
            @Nullable Duration longestHold,
            @Nullable Share cluster,
            @Nullable List<Holder> holders,
            @Nullable List<Waiter> waiters,
            @Nullable Explanation explanation) {
        return new GroupReport(
                instance,
                PrintableText.wellFormed(group.groupKey()),
                group.rule().orElse(null),
                group.running(),
                group.inFlight(),
                group.queued(),
                group.held(),
                group.level(),
                group.waitsFor().orElse(null),
                waitsInside,
                group.oldestWait().isZero() ? null : group.oldestWait(),
                longestHold,
                group.paused(),
                group.pauseEndsIn().orElse(null),
                group.overriddenSince().orElse(null),
                group.overrideEndsIn().orElse(null),
                new Limits(
                        Limit.of(group.maxConcurrency()),
                        Limit.of(group.maxInFlight()),
                        Limit.of(group.queueThreshold()),
                        Limit.ofTimeout(group.queueTimeout()),
                        Limit.of(group.weight()),
                        Limit.of(group.guaranteed()),
                        group.cluster().map(shared -> Limit.of(shared.limit())).orElse(Limit.NONE),
                        group.rates().map(Limit::ofRates).orElse(Limit.NO_RATE)),
                group.rateStats().isEmpty()
                        ? null
                        : group.rateStats().stream().map(RateUse::of).toList(),
                cluster,
                Totals.of(group.totals()),
                holders,
                waiters,
                explanation);
    }

    static @Nullable Integer numberOf(int limit) {
        return limit == Integer.MAX_VALUE ? null : limit;
    }

    /**
     * The numbers in force.
     *
     * @param maxConcurrency how many tasks may run at once
     * @param maxInFlight how many may be in flight
     * @param queueThreshold how many may wait
     * @param queueTimeout how long one may wait
     * @param weight how much it may hold of the global limit, compared with others
     * @param guaranteed how many are to be in flight before others get more
     * @param clusterMaxInFlight how many may be in flight over all instances
     * @param rate how much may start in any window of time, as it is written; of several rates each with its name
     */
    public record Limits(
            Limit<Integer> maxConcurrency,
            Limit<Integer> maxInFlight,
            Limit<Integer> queueThreshold,
            Limit<Duration> queueTimeout,
            Limit<Integer> weight,
            Limit<Integer> guaranteed,
            Limit<Integer> clusterMaxInFlight,
            Limit<String> rate) {}

    /**
     * A rate, and how far it is used up.
     *
     * @param name what it counts
     * @param limit how many may start in any window
     * @param per how long a window is
     * @param burst how many may start at once
     * @param sustained how many a window can be kept up
     * @param used how many of the burst are used up; with all of them, nothing starts for now
     * @param nextStart in how long the next may start, if it costs 1; null: now
     * @param defaultCost what work costs that doesn't say it; null: 1
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record RateUse(
            String name,
            int limit,
            Duration per,
            int burst,
            int sustained,
            int used,
            @Nullable Duration nextStart,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Integer defaultCost) {

        static RateUse of(RateStats stats) {
            return of(stats.rate(), stats.used(), stats.nextStartIn());
        }

        static RateUse of(Rate rate, int used, Duration nextStartIn) {
            return new RateUse(
                    rate.name(),
                    rate.limit(),
                    rate.per(),
                    rate.burst(),
                    rate.sustained(),
                    used,
                    nextStartIn.isPositive() ? nextStartIn : null,
                    rate.defaultCost() == 1 ? null : rate.defaultCost());
        }
    }

    /**
     * How much of a limit over all instances there is where.
     *
     * @param state how the executor stands with the store
     * @param leased how many may be in flight on this instance
     * @param alone whether that is by its own numbers, since the store is away, and not leased
     * @param nodes what the store counts for each instance that has or wants some; null: not requested, or not known
     * @param sum how much that is together; null: as nodes
     * @param reason why the store could not be asked; null: it could, or was not
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Share(
            ClusterState.Kind state,
            int leased,
            boolean alone,
            @Nullable List<Node> nodes,
            @Nullable Integer sum,
            @Nullable String reason) {

        static @Nullable Share of(GroupStats group) {
            return group.cluster()
                    .map(limit -> new Share(limit.state(), limit.leased(), limit.alone(), null, null, null))
                    .orElse(null);
        }

        Share with(List<Node> asked) {
            int has = asked.stream().mapToInt(Node::has).sum();
            return new Share(state, leased, alone, asked, has, null);
        }

        Share without(String why) {
            return new Share(state, leased, alone, null, null, why);
        }
    }

    /**
     * What one instance has and wants.
     *
     * @param node its name
     * @param has how many it may have in flight
     * @param wants how many it needs
     * @param silentFor how long ago it has last spoken to the store
     */
    public record Node(String node, int has, int wants, Duration silentFor) {

        static Node of(NodeShare share) {
            return new Node(PrintableText.wellFormed(share.node()), share.has(), share.wants(), share.silentFor());
        }
    }

    /**
     * A number and where it came from.
     *
     * @param value the number; null: no limit
     * @param source where it came from
     * @param <T> the type of the number
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Limit<T>(@Nullable T value, LimitSource source) {

        static final Limit<Integer> NONE = new Limit<>(null, LimitSource.DEFAULT);
        static final Limit<String> NO_RATE = new Limit<>(null, LimitSource.DEFAULT);

        static Limit<Integer> of(EffectiveLimit<Integer> limit) {
            return new Limit<>(numberOf(limit.value()), limit.source());
        }

        static Limit<String> ofRates(EffectiveLimit<List<Rate>> limit) {
            return new Limit<>(RateText.of(limit.value()), limit.source());
        }

        static Limit<Duration> ofTimeout(EffectiveLimit<Duration> limit) {
            boolean none = limit.value().equals(GroupLimits.NO_TIMEOUT);
            return new Limit<>(none ? null : limit.value(), limit.source());
        }
    }

    /**
     * How much work there has been, and how it ended.
     *
     * @param submitted all work that requested admission
     * @param succeeded work that returned
     * @param failed work that threw
     * @param cancelled work that was cancelled
     * @param rejected work that was rejected, by reason
     */
    public record Totals(long submitted, long succeeded, long failed, long cancelled, Map<String, Long> rejected) {

        static Totals of(TaskTotals totals) {
            Map<String, Long> rejected = new TreeMap<>();
            totals.rejectedByReason().forEach((reason, count) -> rejected.put(reason.name(), count));
            return new Totals(totals.submitted(), totals.succeeded(), totals.failed(), totals.cancelled(), rejected);
        }
    }

    /**
     * A holder of permits of the group.
     *
     * @param taskId its task id; empty where it has none
     * @param kind what it is
     * @param since when it began to run, or got its permits; null if no clock was read
     * @param thread the thread that runs under the permits; null: none does
     * @param lent whether its permits are lent to a task that it waits for
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Holder(
            String taskId,
            GroupHolder.Kind kind,
            @Nullable Instant since,
            @Nullable String thread,
            boolean lent) {

        static Holder of(GroupHolder holder) {
            return new Holder(
                    PrintableText.wellFormed(holder.taskId()),
                    holder.kind(),
                    holder.held().map(held -> Instant.now().minus(held)).orElse(null),
                    holder.threadName().map(PrintableText::wellFormed).orElse(null),
                    holder.lent());
        }
    }

    /**
     * A waiter for permits of the group.
     *
     * @param taskId its task id; empty where it has none
     * @param kind what it is
     * @param waited how long it has waited
     * @param thread the thread that waits; null: none does
     * @param inside groups whose permits that thread keeps while it waits, the innermost first
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Waiter(
            String taskId,
            GroupWaiter.Kind kind,
            Duration waited,
            @Nullable String thread,
            List<String> inside) {

        static Waiter of(GroupWaiter waiter) {
            return new Waiter(
                    PrintableText.wellFormed(waiter.taskId()),
                    waiter.kind(),
                    waiter.waited(),
                    waiter.threadName().map(PrintableText::wellFormed).orElse(null),
                    waiter.inside().stream().map(PrintableText::wellFormed).toList());
        }
    }

    /**
     * Where the limits come from.
     *
     * @param override limits that were set while the executor ran and override everything else; null: none
     * @param matches the rules that match: the exact key, then patterns, the closest first
     * @param resolver whether there is a resolver, which is asked for numbers that the exact key doesn't set
     * @param defaults the limits that apply to everything else
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Explanation(
            @Nullable Map<String, String> override,
            List<Match> matches,
            boolean resolver,
            Map<String, String> defaults) {

        static Explanation of(GroupExecutor executor, String groupKey) {
            GroupPolicy policy = executor.policy();
            List<Match> matches = new ArrayList<>();
            GroupLimits exact = policy.groups().get(groupKey);
            if (exact != null) {
                matches.add(new Match(PrintableText.wellFormed(groupKey), true, fields(exact)));
            }
            boolean closest = true;
            for (String pattern : policy.explain(groupKey).patterns()) {
                GroupLimits limits = policy.patterns().getOrDefault(pattern, GroupLimits.unset());
                matches.add(new Match(PrintableText.wellFormed(pattern), closest, fields(limits)));
                closest = false;
            }
            return new Explanation(
                    executor.overrideOf(groupKey).map(Explanation::fields).orElse(null),
                    matches,
                    policy.limitsResolver().isPresent()
                            || policy.concurrencyResolver().isPresent(),
                    fields(policy.defaults()));
        }

        private static Map<String, String> fields(GroupLimits limits) {
            return LimitSetting.of(limits, LimitSetting::field);
        }
    }

    /**
     * A rule that matches the group.
     *
     * @param rule the key or pattern
     * @param used whether its numbers are used; if several patterns match, only those of the closest one are
     * @param limits the limits that it sets
     */
    public record Match(String rule, boolean used, Map<String, String> limits) {}
}
