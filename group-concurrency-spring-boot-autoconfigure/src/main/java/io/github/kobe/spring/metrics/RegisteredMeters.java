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
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** The meters of the groups with one value of the tag, in one registry. Touched by one thread at a time. */
final class RegisteredMeters {

    private static final String PREFIX = "group.executor.";

    final MeterRegistry registry;
    final MeterSet timers;
    private final Tags tags;
    private final String tag;
    private final GroupMeters source;
    private final MeterSet gauges;
    private final MeterSet counters;
    private final MeterSet permits;
    private final MeterSet rates;

    RegisteredMeters(MeterRegistry registry, String executorName, String tag, GroupMeters source) {
        this.registry = registry;
        this.tags = Tags.of("executor", executorName, "group", tag);
        this.tag = tag;
        this.source = source;
        Consumer<Runnable> attempt = source.attempts.at("group", tag);
        this.timers = new MeterSet(registry, attempt);
        this.gauges = new MeterSet(registry, attempt);
        this.counters = new MeterSet(registry, attempt);
        this.permits = new MeterSet(registry, attempt);
        this.rates = new MeterSet(registry, attempt);
    }

    void registerGauges(Set<GroupGauge> some) {
        some.forEach(gauge -> gauges.add(() -> registered(gauge)));
    }

    /** Registers the counters, unless that was done. */
    void alignCounters() {
        counters.align(true, () -> {
            counters.add(() -> counter("submitted", "Tasks that were submitted", tags, TaskTotals::submitted));
            for (TaskStatus outcome : TagMeters.OUTCOMES) {
                Tags ended = tags.and("outcome", lowerCase(outcome));
                counters.add(
                        () -> counter("completed", "Tasks that have ended", ended, totals -> ended(totals, outcome)));
            }
            for (RejectionReason reason : RejectionReason.values()) {
                counters.add(() -> counter(
                        "rejected",
                        "Tasks that were not let in, or waited too long",
                        tags.and("reason", lowerCase(reason)),
                        totals -> totals.rejectedByReason().getOrDefault(reason, 0L)));
            }
        });
    }

    /** Registers a timer, and hands it over unless the registry refuses it. */
    void registerTimer(String name, String description, Consumer<Timer> receiver) {
        timers.add(() -> {
            Timer timer = Timer.builder(PREFIX + name)
                    .description(description)
                    .tags(tags)
                    .register(registry);
            receiver.accept(timer);
            return timer;
        });
    }

    /** Registers the gauges of the limit, or removes them. */
    void alignLimit(boolean limited) {
        permits.align(limited, () -> {
            permits.add(() -> gauge(
                    PREFIX + "max.permits",
                    "permits",
                    "Tasks of the group that may run at once",
                    reading -> reading.permits().shown(reading.permits().most())));
            permits.add(() -> gauge(
                    PREFIX + "available.permits",
                    "permits",
                    "Tasks more of the group that could run",
                    reading -> reading.permits().shown(reading.permits().free())));
        });
    }

    /** Registers the gauges of rates, or removes them. */
    void alignRate(boolean rated) {
        rates.align(rated, () -> GroupGauge.RATES.forEach(gauge -> rates.add(() -> registered(gauge))));
    }

    void remove() {
        timers.remove();
        gauges.remove();
        counters.remove();
        permits.remove();
        rates.remove();
    }

    private Meter registered(GroupGauge gauge) {
        return gauge.isTime()
                ? TimeGauge.builder(
                                gauge.meter,
                                source,
                                TimeUnit.NANOSECONDS,
                                all -> all.reading(tag).get(gauge))
                        .description(gauge.description)
                        .tags(tags)
                        .register(registry)
                : gauge(gauge.meter, gauge.unit, gauge.description, reading -> reading.get(gauge));
    }

    private Gauge gauge(String name, String unit, String description, ToDoubleFunction<TagReading> value) {
        return Gauge.builder(name, source, all -> value.applyAsDouble(all.reading(tag)))
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry);
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
