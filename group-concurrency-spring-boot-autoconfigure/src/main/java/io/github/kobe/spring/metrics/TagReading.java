package io.github.kobe.spring.metrics;

import io.github.kobe.GroupStats;
import io.github.kobe.RejectionReason;
import io.github.kobe.RuleStats;
import io.github.kobe.TaskTotals;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.ToDoubleFunction;

/** The groups with one value of the tag, at one moment. */
@SuppressWarnings("EnumOrdinal") // a gauge's place in an array that lives in memory alone
final class TagReading {

    static final TagReading NOTHING = new TagReading(
            gauge -> 0, false, Permits.UNKNOWN, new TaskTotals(0, 0, 0, 0, new EnumMap<>(RejectionReason.class)));

    /** By the ordinal of the gauge: there is one of these for each live key, if each has a tag. */
    private final double[] numbers = new double[GroupGauge.values().length];

    private final boolean rated;
    private final Permits permits;
    private final TaskTotals totals;

    private TagReading(ToDoubleFunction<GroupGauge> numbers, boolean rated, Permits permits, TaskTotals totals) {
        for (GroupGauge gauge : GroupGauge.values()) {
            this.numbers[gauge.ordinal()] = numbers.applyAsDouble(gauge);
        }
        this.rated = rated;
        this.permits = permits;
        this.totals = totals;
    }

    static TagReading of(RuleStats rule, Permits permits) {
        return new TagReading(gauge -> gauge.of(rule), rule.ratedGroups() > 0, permits, rule.totals());
    }

    /** {@return what is open in a group, and nothing of what has ended} */
    static TagReading open(GroupStats group, Duration longestHold, boolean alone) {
        TaskTotals all = group.totals();
        long ended = all.succeeded() + all.failed() + all.cancelled() + all.rejected();
        return new TagReading(
                gauge -> gauge == GroupGauge.LONGEST_HOLD ? longestHold.toNanos() : gauge.of(group),
                group.rates().isPresent(),
                alone ? Permits.of(group) : Permits.UNKNOWN,
                new TaskTotals(all.submitted() - ended, 0, 0, 0, NOTHING.totals.rejectedByReason()));
    }

    /** {@return the number that a gauge shows} */
    double get(GroupGauge gauge) {
        return numbers[gauge.ordinal()];
    }

    /** {@return whether one of the groups has a rate} */
    boolean isRated() {
        return rated;
    }

    /** {@return what may run at once, if the value names one group and that is live; else {@link Permits#UNKNOWN}} */
    Permits permits() {
        return permits;
    }

    /** {@return how much work there has been} */
    TaskTotals totals() {
        return totals;
    }

    TagReading with(Permits otherPermits, TaskTotals otherTotals) {
        return new TagReading(this::get, rated, otherPermits, otherTotals);
    }

    /** {@return both together; one of them at most has a limit} */
    TagReading plus(TagReading other) {
        return new TagReading(
                gauge -> gauge.together(get(gauge), other.get(gauge)),
                rated || other.rated,
                permits.equals(Permits.UNKNOWN) ? other.permits : permits,
                merged(totals, other.totals, Long::sum));
    }

    /** {@return totals of which each number is made of those of two others} */
    static TaskTotals merged(TaskTotals a, TaskTotals b, BinaryOperator<Long> both) {
        Map<RejectionReason, Long> rejected = new EnumMap<>(RejectionReason.class);
        rejected.putAll(a.rejectedByReason());
        b.rejectedByReason().forEach((reason, number) -> rejected.merge(reason, number, both));
        return new TaskTotals(
                both.apply(a.submitted(), b.submitted()),
                both.apply(a.succeeded(), b.succeeded()),
                both.apply(a.failed(), b.failed()),
                both.apply(a.cancelled(), b.cancelled()),
                rejected);
    }
}
