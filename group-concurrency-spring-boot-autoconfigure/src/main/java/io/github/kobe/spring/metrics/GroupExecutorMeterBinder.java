package io.github.kobe.spring.metrics;

import io.github.kobe.GroupExecutor;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Map;
import java.util.function.Supplier;

/** Registers the meters of all executors with a registry. */
final class GroupExecutorMeterBinder implements MeterBinder {

    private final Supplier<Map<String, GroupExecutor>> executors;
    private final ExecutorMeters meters;

    /**
     * Makes a binder.
     *
     * @param executors all executors, by the names of their beans
     * @param meters the meters of each
     */
    GroupExecutorMeterBinder(Supplier<Map<String, GroupExecutor>> executors, ExecutorMeters meters) {
        this.executors = executors;
        this.meters = meters;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        executors.get().forEach((name, executor) -> {
            GroupMeters ofGroups = meters.of(name);
            ofGroups.bind(name, executor, registry);
            ClusterMeters.register(name, executor, registry, ofGroups.attempts);
        });
    }
}
