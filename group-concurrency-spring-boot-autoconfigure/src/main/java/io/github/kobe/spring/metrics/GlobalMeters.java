package io.github.kobe.spring.metrics;

import io.github.kobe.GroupExecutorStats;
import io.github.kobe.Rate;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/** The gauges of all groups of one executor together. Touched by one thread at a time. */
final class GlobalMeters {

    private final Tags tags;
    private final GroupMeters source;
    private final Consumer<Runnable> attempt;
    private final List<Registered> registered = new ArrayList<>();

    private record Registered(MeterRegistry registry, MeterSet permits, MeterSet rate, MeterSet remembered) {

        static Registered in(MeterRegistry registry, Consumer<Runnable> attempt) {
            return new Registered(
                    registry,
                    new MeterSet(registry, attempt),
                    new MeterSet(registry, attempt),
                    new MeterSet(registry, attempt));
        }
    }

    GlobalMeters(String executorName, GroupMeters source) {
        this.tags = Tags.of("executor", executorName, "group", GroupTags.ALL);
        this.source = source;
        this.attempt = source.attempts.at("group", GroupTags.ALL);
    }

    /** Registers what isn't there yet. */
    void register(MeterRegistry registry) {
        if (registered.stream().anyMatch(known -> known.registry.equals(registry))) {
            return;
        }
        attempt.accept(() -> gauge(
                registry, "running", "tasks", "Tasks of all groups whose code runs", GroupExecutorStats::running));
        attempt.accept(() -> gauge(
                registry,
                "in.flight",
                "tasks",
                "Tasks of all groups that are started and not finished",
                GroupExecutorStats::inFlight));
        attempt.accept(() -> gauge(
                registry, "queued", "tasks", "Tasks and callers of all groups that wait", GroupExecutorStats::queued));
        registered.add(Registered.in(registry, attempt));
    }

    /**
     * Registers the gauges that have something to tell, and removes the others.
     *
     * @param limited whether there is a limit over all groups
     * @param rated whether there is a rate over all groups
     * @param remembered whether something may be remembered of the rates of groups
     */
    void align(boolean limited, boolean rated, boolean remembered) {
        for (Registered known : registered) {
            known.permits.align(limited, () -> addPermits(known));
            known.rate.align(rated, () -> addRate(known));
            known.remembered.align(remembered, () -> addRemembered(known));
        }
    }

    private void addPermits(Registered known) {
        known.permits.add(() -> gauge(
                known.registry,
                "max.permits",
                "permits",
                "Tasks that may be in flight over all groups",
                all -> TagMeters.limit(all.globalMaxInFlight())));
        known.permits.add(() -> gauge(
                known.registry,
                "available.permits",
                "permits",
                "Tasks more that could be in flight over all groups",
                all -> Math.max(0, TagMeters.limit(all.globalMaxInFlight()) - all.inFlight())));
    }

    private void addRate(Registered known) {
        known.rate.add(() -> gauge(
                known.registry,
                "rate.used",
                "ratio",
                "Share of the burst of the rate over all groups that is used up",
                GlobalMeters::rateUsed));
    }

    private void addRemembered(Registered known) {
        known.remembered.add(() -> gauge(
                known.registry,
                "rate.remembered",
                "keys",
                "Keys whose groups are forgotten, but not yet what these have used up of their rates",
                GroupExecutorStats::rememberedRates));
    }

    /** No number where there is no rate any more. */
    private static double rateUsed(GroupExecutorStats all) {
        Rate rate = all.globalRate();
        return rate.isUnlimited() ? Double.NaN : (double) all.globalRateUsed() / rate.burst();
    }

    private Gauge gauge(
            MeterRegistry registry,
            String name,
            String unit,
            String description,
            ToDoubleFunction<GroupExecutorStats> value) {
        return Gauge.builder("group.executor.global." + name, source, meters -> {
                    Reading reading = meters.reading();
                    return reading == null ? 0 : value.applyAsDouble(reading.all());
                })
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry);
    }
}
