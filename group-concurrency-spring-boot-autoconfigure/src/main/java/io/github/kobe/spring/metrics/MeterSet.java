package io.github.kobe.spring.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Meters of one registry that come and go together. Touched by one thread at a time. */
final class MeterSet {

    private final MeterRegistry registry;
    private final Consumer<Runnable> attempt;
    private final List<Meter> meters = new ArrayList<>();

    /** Whether their registration has run. */
    private boolean registered;

    /**
     * Makes an empty set.
     *
     * @param registry where the meters are
     * @param attempt runs each change; the registry may refuse it
     */
    MeterSet(MeterRegistry registry, Consumer<Runnable> attempt) {
        this.registry = registry;
        this.attempt = attempt;
    }

    /** Adds the meter that it registers, unless the registry refuses it. */
    void add(Supplier<? extends Meter> registration) {
        attempt.accept(() -> meters.add(registration.get()));
    }

    /**
     * Has them registered, or removed.
     *
     * @param wanted which of the two
     * @param registration registers and adds them; is run once until they are removed, whatever the registry refuses
     */
    void align(boolean wanted, Runnable registration) {
        if (!wanted) {
            remove();
        } else if (!registered) {
            registered = true;
            registration.run();
        }
    }

    void remove() {
        meters.forEach(meter -> attempt.accept(() -> registry.remove(meter)));
        meters.clear();
        registered = false;
    }
}
