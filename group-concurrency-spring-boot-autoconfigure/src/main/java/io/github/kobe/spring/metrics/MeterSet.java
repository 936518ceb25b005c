package io.github.kobe.spring.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;

/** Meters of one registry that come and go together. Touched by one thread at a time. */
final class MeterSet {

    private final MeterRegistry registry;
    private final List<Meter> meters = new ArrayList<>();

    MeterSet(MeterRegistry registry) {
        this.registry = registry;
    }

    void add(Meter registered) {
        meters.add(registered);
    }

    /**
     * Has them registered, or removed.
     *
     * @param wanted which of the two
     * @param registration registers and adds them; is run unless they are there
     */
    void align(boolean wanted, Runnable registration) {
        if (!wanted) {
            remove();
        } else if (meters.isEmpty()) {
            registration.run();
        }
    }

    void remove() {
        meters.forEach(registry::remove);
        meters.clear();
    }
}
