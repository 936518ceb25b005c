package io.github.kobe.spring.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** The meters of the scopes with one value of the tag "scope". */
final class NamedScopeMeters {

    private final Tags tags;
    private final boolean timed;

    private final LongAdder active = new LongAdder();
    private final LongAdder timeouts = new LongAdder();
    private final Map<ScopeMeters.Outcome, LongAdder> ended = new EnumMap<>(ScopeMeters.Outcome.class);
    private final List<Timer> durations = new CopyOnWriteArrayList<>();

    NamedScopeMeters(String tag, boolean timed) {
        this.tags = Tags.of("scope", tag);
        this.timed = timed;
        for (ScopeMeters.Outcome outcome : ScopeMeters.Outcome.values()) {
            ended.put(outcome, new LongAdder());
        }
    }

    /** {@return how many are open} */
    LongAdder active() {
        return active;
    }

    /** {@return how many had their time up} */
    LongAdder timeouts() {
        return timeouts;
    }

    void count(ScopeMeters.Outcome outcome) {
        counter(outcome).increment();
    }

    void record(long nanos) {
        for (Timer duration : durations) {
            duration.record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Once for each registry. */
    void register(MeterRegistry registry) {
        Gauge.builder("group.scope.active", active, open -> Math.max(0, open.sum()))
                .description("Scopes that are open")
                .baseUnit("scopes")
                .tags(tags)
                .register(registry);
        ended.forEach((outcome, number) -> FunctionCounter.builder("group.scope.forks", number, LongAdder::sum)
                .description("Forks that have ended")
                .baseUnit("forks")
                .tags(tags.and("outcome", outcome.name().toLowerCase(Locale.ROOT)))
                .register(registry));
        FunctionCounter.builder("group.scope.timeouts", timeouts, LongAdder::sum)
                .description("Scopes whose time was up while they were open")
                .baseUnit("timeouts")
                .tags(tags)
                .register(registry);
        if (timed) {
            durations.add(Timer.builder("group.scope.duration")
                    .description("How long scopes were open")
                    .tags(tags)
                    .register(registry));
        }
    }

    private LongAdder counter(ScopeMeters.Outcome outcome) {
        return Objects.requireNonNull(ended.get(outcome));
    }
}
