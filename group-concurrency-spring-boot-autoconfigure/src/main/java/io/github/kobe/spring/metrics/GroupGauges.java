package io.github.kobe.spring.metrics;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.spring.tags.GroupTags;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The gauges of one executor: what is now, read off the engine when the registry asks. */
final class GroupGauges {

    private final String executorName;
    private final GroupExecutor executor;
    private final GroupTags tags;

    GroupGauges(String executorName, GroupExecutor executor, GroupTags tags) {
        this.executorName = executorName;
        this.executor = executor;
        this.tags = tags;
    }

    /** Registers what is told of all groups together. */
    void registerGlobal(MeterRegistry registry) {
        Tags all = Tags.of("executor", executorName, "group", GroupTags.ALL);
        gauge(
                        "global.running",
                        "tasks",
                        "Tasks of all groups whose code runs",
                        e -> e.stats().running())
                .tags(all)
                .register(registry);
        gauge(
                        "global.in.flight",
                        "tasks",
                        "Tasks of all groups that are started and not finished",
                        e -> e.stats().inFlight())
                .tags(all)
                .register(registry);
        gauge(
                        "global.queued",
                        "tasks",
                        "Tasks and callers of all groups that wait",
                        e -> e.stats().queued())
                .tags(all)
                .register(registry);
        if (executor.stats().globalMaxInFlight() < Integer.MAX_VALUE) {
            gauge(
                            "global.permits.max",
                            "permits",
                            "Tasks that may be in flight over all groups",
                            e -> limited(e.stats().globalMaxInFlight()))
                    .tags(all)
                    .register(registry);
            gauge("global.permits.available", "permits", "Tasks more that could be in flight over all groups", e -> {
                        double max = limited(e.stats().globalMaxInFlight());
                        return Math.max(0, max - e.stats().inFlight());
                    })
                    .tags(all)
                    .register(registry);
        }
    }

    /** Registers what is told of the groups with one value of the tag. */
    List<Meter> register(MeterRegistry registry, String tag) {
        Tags tagged = Tags.of("executor", executorName, "group", tag);
        List<Meter> meters = new ArrayList<>();
        meters.add(gauge("running", "tasks", "Tasks whose code runs", e -> sum(e, tag, GroupStats::running))
                .tags(tagged)
                .register(registry));
        meters.add(gauge(
                        "in.flight",
                        "tasks",
                        "Tasks that are started and not finished",
                        e -> sum(e, tag, GroupStats::inFlight))
                .tags(tagged)
                .register(registry));
        meters.add(gauge("queued", "tasks", "Tasks and callers that wait", e -> sum(e, tag, GroupStats::queued))
                .tags(tagged)
                .register(registry));
        if (tags.namesOneGroup(executor, tag) && maxConcurrency(executor, tag) < Integer.MAX_VALUE) {
            meters.add(gauge(
                            "permits.max",
                            "permits",
                            "Tasks of the group that may run at once",
                            e -> limited(maxConcurrency(e, tag)))
                    .tags(tagged)
                    .register(registry));
            meters.add(gauge(
                            "permits.available",
                            "permits",
                            "Tasks more of the group that could run",
                            e -> Math.max(0, limited(maxConcurrency(e, tag)) - sum(e, tag, GroupStats::running)))
                    .tags(tagged)
                    .register(registry));
        }
        return meters;
    }

    private Gauge.Builder<GroupExecutor> gauge(
            String name, String unit, String description, ToDoubleFunction<GroupExecutor> value) {
        return Gauge.builder("group.executor." + name, executor, value)
                .description(description)
                .baseUnit(unit);
    }

    private double sum(GroupExecutor from, String tag, ToDoubleFunction<GroupStats> number) {
        if (tags.namesOneGroup(from, tag)) {
            return from.groupStats(tag).map(number::applyAsDouble).orElse(0.0);
        }
        return from.groupKeys().stream()
                .filter(key -> tags.current(from, key).equals(tag))
                .flatMap(key -> from.groupStats(key).stream())
                .mapToDouble(number)
                .sum();
    }

    /** A group that is configured and not used yet has its limit already. */
    private static int maxConcurrency(GroupExecutor from, String groupKey) {
        return from.groupStats(groupKey)
                .map(group -> group.maxConcurrency().value())
                .orElseGet(() -> from.policy().resolveConcurrency(groupKey));
    }

    /** No number where there is no limit any more. */
    private static double limited(int limit) {
        return limit == Integer.MAX_VALUE ? Double.NaN : limit;
    }
}
