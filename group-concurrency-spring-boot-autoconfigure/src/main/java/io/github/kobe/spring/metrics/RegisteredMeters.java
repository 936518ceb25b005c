package io.github.kobe.spring.metrics;

import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTotals;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** The meters of the groups with one value of the tag, in one registry. Touched by one thread at a time. */
final class RegisteredMeters {

    private static final String PREFIX = "group.executor.";

    final MeterRegistry registry;
    private final Tags tags;
    private final String tag;
    private final GroupMeters source;
    private final List<Meter> meters = new ArrayList<>();
    private final List<Meter> permits = new ArrayList<>();
    private final List<Meter> rates = new ArrayList<>();

    RegisteredMeters(MeterRegistry registry, String executorName, String tag, GroupMeters source) {
        this.registry = registry;
        this.tags = Tags.of("executor", executorName, "group", tag);
        this.tag = tag;
        this.source = source;
    }

    void registerGauges() {
        meters.add(gauge("running", "tasks", "Tasks whose code runs", TagReading::running));
        meters.add(gauge("in.flight", "tasks", "Tasks that are started and not finished", TagReading::inFlight));
        meters.add(gauge("queued", "tasks", "Tasks and callers that wait", TagReading::queued));
        meters.add(TimeGauge.builder(
                        PREFIX + "oldest.wait",
                        source,
                        TimeUnit.NANOSECONDS,
                        all -> all.reading(tag).oldestWaitNanos())
                .description("How long the one has waited that has waited longest of those that wait now")
                .tags(tags)
                .register(registry));
        meters.add(pressure("groups", "groups", "Groups that are known", Pressure::groups));
        meters.add(pressure("waiting", "groups", "Groups in which something waits", Pressure::waiting));
        meters.add(pressure(
                "below.guarantee",
                "groups",
                "Groups that hold less than they are guaranteed, and wait for a permit over all groups",
                Pressure::belowGuarantee));
        meters.add(pressure(
                "borrowed", "permits", "Permits over all groups, held beyond what is guaranteed", Pressure::borrowed));
        meters.add(pressure("paused", "groups", "Groups that are paused", Pressure::paused));
        meters.add(pressure(
                "saturation",
                "ratio",
                "Share of its permits that is taken, of the group where it is largest",
                Pressure::saturation));
        meters.add(pressure(
                "queue.fill",
                "ratio",
                "Share of its queue that is taken, of the group where it is largest",
                Pressure::queueFill));
    }

    void registerHolds() {
        meters.add(TimeGauge.builder(
                        PREFIX + "longest.hold",
                        source,
                        TimeUnit.NANOSECONDS,
                        all -> all.reading(tag).longestHoldNanos())
                .description("How long the one has had its permit that has had it longest of those that have one now")
                .tags(tags)
                .register(registry));
    }

    void registerLeases() {
        meters.add(lease(
                "leased", "Tasks that may be in flight of limits shared with other instances", TagReading::leased));
        meters.add(lease("unmet", "Tasks and callers that wait for more of such a limit", TagReading::unmet));
    }

    void registerCounters() {
        meters.add(counter("submitted", "Tasks that were submitted", tags, TaskTotals::submitted));
        for (TaskStatus outcome : TagMeters.OUTCOMES) {
            Tags ended = tags.and("outcome", lowerCase(outcome));
            meters.add(counter("completed", "Tasks that have ended", ended, totals -> ended(totals, outcome)));
        }
        for (RejectionReason reason : RejectionReason.values()) {
            meters.add(counter(
                    "rejected",
                    "Tasks that were not let in, or waited too long",
                    tags.and("reason", lowerCase(reason)),
                    totals -> totals.rejectedByReason().getOrDefault(reason, 0L)));
        }
    }

    /** {@return a timer, registered} */
    Timer timer(String name, String description) {
        Timer timer =
                Timer.builder(PREFIX + name).description(description).tags(tags).register(registry);
        meters.add(timer);
        return timer;
    }

    /** Registers the gauges of the limit, or removes them. */
    void alignLimit(boolean limited) {
        if (!limited) {
            permits.forEach(registry::remove);
            permits.clear();
        } else if (permits.isEmpty()) {
            permits.add(gauge(
                    "max.permits",
                    "permits",
                    "Tasks of the group that may run at once",
                    reading -> TagMeters.limit(reading.maxConcurrency())));
            permits.add(gauge(
                    "available.permits",
                    "permits",
                    "Tasks more of the group that could run",
                    reading -> Math.max(0, TagMeters.limit(reading.maxConcurrency()) - reading.running())));
        }
    }

    /** Registers the gauges of rates, or removes them. */
    void alignRate(boolean rated) {
        if (!rated) {
            rates.forEach(registry::remove);
            rates.clear();
        } else if (rates.isEmpty()) {
            rates.add(pressure(
                    "rate.used",
                    "ratio",
                    "Share of its rate's burst that is used up, of the group where it is largest",
                    Pressure::rateUsed));
            rates.add(pressure(
                    "rate.waiting",
                    "groups",
                    "Groups in which something waits for nothing but the rate",
                    Pressure::waitingForRate));
        }
    }

    void remove() {
        meters.forEach(registry::remove);
        permits.forEach(registry::remove);
        rates.forEach(registry::remove);
    }

    private Gauge gauge(String name, String unit, String description, ToDoubleFunction<TagReading> value) {
        return named(PREFIX + name, unit, description, value);
    }

    private Gauge lease(String name, String description, ToDoubleFunction<TagReading> value) {
        return named(ClusterMeters.PREFIX + name, "tasks", description, value);
    }

    private Gauge named(String name, String unit, String description, ToDoubleFunction<TagReading> value) {
        return Gauge.builder(name, source, all -> value.applyAsDouble(all.reading(tag)))
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry);
    }

    private Gauge pressure(String name, String unit, String description, ToDoubleFunction<Pressure> value) {
        return gauge(name, unit, description, reading -> value.applyAsDouble(reading.pressure()));
    }

    private FunctionCounter counter(String name, String description, Tags all, ToLongFunction<TaskTotals> value) {
        return FunctionCounter.builder(
                        PREFIX + name,
                        source,
                        meters -> value.applyAsLong(meters.reading(tag).totals()))
                .description(description)
                .baseUnit("tasks")
                .tags(all)
                .register(registry);
    }

    private static long ended(TaskTotals totals, TaskStatus outcome) {
        return switch (outcome) {
            case SUCCESS -> totals.succeeded();
            case FAILED -> totals.failed();
            case CANCELLED -> totals.cancelled();
            default -> throw new IllegalArgumentException(outcome.name());
        };
    }

    private static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
