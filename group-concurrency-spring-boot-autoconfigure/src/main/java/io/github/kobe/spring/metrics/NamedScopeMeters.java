package io.github.kobe.spring.metrics;

import io.github.kobe.scope.ScopeTotals;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** The meters of the scopes with one value of the tag "scope". */
final class NamedScopeMeters {

    private final Tags tags;
    private final boolean timed;
    private final Consumer<Runnable> attempt;

    /** Those that are open, by their numbers. */
    private final Map<Long, Open> open = new ConcurrentHashMap<>();

    private final LongAdder timeouts = new LongAdder();
    private final List<Ended> ended = List.of(
            new Ended("success", ScopeTotals::succeeded),
            new Ended("failed", ScopeTotals::failed),
            new Ended("cancelled", ScopeTotals::cancelled));
    private final List<Timer> durations = new CopyOnWriteArrayList<>();

    private record Open(Supplier<ScopeTotals> totals, long since) {}

    /**
     * Makes meters that are in no registry yet.
     *
     * @param tag the value
     * @param timed whether there is a timer
     * @param attempt runs each change; the registry may refuse it
     */
    NamedScopeMeters(String tag, boolean timed, Consumer<Runnable> attempt) {
        this.tags = Tags.of("scope", tag);
        this.timed = timed;
        this.attempt = attempt;
    }

    void opened(long id, Supplier<ScopeTotals> totals) {
        open.put(id, new Open(totals, timed ? System.nanoTime() : 0));
    }

    /** Out of the open ones first, and then among the closed, which are read the other way round: so none counts twice. */
    void closed(long id, ScopeTotals totals) {
        Open closed = open.remove(id);
        if (closed == null) {
            return;
        }
        for (Ended outcome : ended) {
            outcome.ofClosed.add(outcome.number.applyAsLong(totals));
        }
        if (totals.timedOut()) {
            timeouts.increment();
        }
        long nanos = timed ? System.nanoTime() - closed.since : 0;
        for (Timer duration : durations) {
            duration.record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Once for each registry. */
    void register(MeterRegistry registry) {
        attempt.accept(() -> Gauge.builder("group.scope.active", open, Map::size)
                .description("Scopes that are open")
                .baseUnit("scopes")
                .tags(tags)
                .register(registry));
        for (Ended outcome : ended) {
            attempt.accept(() -> FunctionCounter.builder("group.scope.forks", outcome, Ended::sum)
                    .description("Forks that have ended")
                    .baseUnit("forks")
                    .tags(tags.and("outcome", outcome.name))
                    .register(registry));
        }
        attempt.accept(() -> FunctionCounter.builder("group.scope.timeouts", timeouts, LongAdder::sum)
                .description("Scopes whose time was up while they were open")
                .baseUnit("timeouts")
                .tags(tags)
                .register(registry));
        if (timed) {
            attempt.accept(() -> durations.add(Timer.builder("group.scope.duration")
                    .description("How long scopes were open")
                    .tags(tags)
                    .register(registry)));
        }
    }

    /** How many forks have ended in one way. */
    private final class Ended {

        private final String name;
        private final ToLongFunction<ScopeTotals> number;
        private final LongAdder ofClosed = new LongAdder();

        /** A scope that just closes may be missed for a moment, and a counter must not fall. */
        private final AtomicLong shown = new AtomicLong();

        Ended(String name, ToLongFunction<ScopeTotals> number) {
            this.name = name;
            this.number = number;
        }

        double sum() {
            long sum = ofClosed.sum();
            for (Open scope : open.values()) {
                sum += number.applyAsLong(scope.totals.get());
            }
            return shown.accumulateAndGet(sum, Math::max);
        }
    }
}
