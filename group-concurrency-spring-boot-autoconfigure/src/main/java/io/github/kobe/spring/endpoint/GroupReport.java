package io.github.kobe.spring.endpoint;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupStats;
import io.github.kobe.LimitSource;
import io.github.kobe.TaskTotals;
import io.github.kobe.spring.text.PrintableText;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One group at one moment.
 *
 * @param group the key
 * @param rule the key or pattern of the policy that it falls under; null: only the defaults hold
 * @param running tasks whose code runs
 * @param inFlight tasks started and not finished
 * @param queued tasks and callers that wait
 * @param oldestWait how long the first in the queue has waited; null if none waits
 * @param paused whether the group starts nothing
 * @param overriddenSince when limits were last set while the executor ran; null if none are
 * @param limits the numbers in force
 * @param totals since the group was first used, or evicted
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record GroupReport(
        String group,
        @Nullable String rule,
        int running,
        int inFlight,
        int queued,
        @Nullable Duration oldestWait,
        boolean paused,
        @Nullable Instant overriddenSince,
        Limits limits,
        Totals totals) {

    static GroupReport of(GroupStats group) {
        return new GroupReport(
                PrintableText.wellFormed(group.groupKey()),
                group.rule().orElse(null),
                group.running(),
                group.inFlight(),
                group.queued(),
                group.oldestWait().isZero() ? null : group.oldestWait(),
                group.paused(),
                group.overriddenSince().orElse(null),
                new Limits(
                        Limit.of(group.maxConcurrency()),
                        Limit.of(group.maxInFlight()),
                        Limit.of(group.queueThreshold()),
                        Limit.ofTimeout(group.queueTimeout()),
                        Limit.of(group.weight())),
                Totals.of(group.totals()));
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
     * @param weight how many may start in one turn
     */
    public record Limits(
            Limit<Integer> maxConcurrency,
            Limit<Integer> maxInFlight,
            Limit<Integer> queueThreshold,
            Limit<Duration> queueTimeout,
            Limit<Integer> weight) {}

    /**
     * A number and where it came from.
     *
     * @param value the number; null: no limit
     * @param source where it came from
     * @param <T> the type of the number
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Limit<T>(@Nullable T value, LimitSource source) {

        static Limit<Integer> of(EffectiveLimit<Integer> limit) {
            return new Limit<>(numberOf(limit.value()), limit.source());
        }

        static Limit<Duration> ofTimeout(EffectiveLimit<Duration> limit) {
            boolean none = limit.value().equals(GroupLimits.NO_TIMEOUT);
            return new Limit<>(none ? null : limit.value(), limit.source());
        }
    }

    /**
     * How much work there has been, and how it ended.
     *
     * @param submitted all work that asked for admission
     * @param succeeded what returned
     * @param failed what threw
     * @param cancelled what was cancelled
     * @param rejected what was not let in, by reason
     */
    public record Totals(long submitted, long succeeded, long failed, long cancelled, Map<String, Long> rejected) {

        static Totals of(TaskTotals totals) {
            Map<String, Long> rejected = new TreeMap<>();
            totals.rejectedByReason().forEach((reason, count) -> rejected.put(reason.name(), count));
            return new Totals(totals.submitted(), totals.succeeded(), totals.failed(), totals.cancelled(), rejected);
        }
    }
}
