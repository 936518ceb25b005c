package io.github.kobe.spring.metrics;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.tags.GroupTags;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Registers the meters of all executors when a registry is there: of the one with a listener all that is known from the
 * start, of an application's own the gauges.
 */
public final class GroupExecutorMeterBinder implements MeterBinder {

    private final Supplier<Map<String, GroupExecutor>> executors;
    private final Map<String, GroupMeters> listeners;
    private final Supplier<GroupTags> tags;

    /**
     * Makes a binder.
     *
     * @param executors all executors, by the names of their beans
     * @param listeners the meters that listen to an executor, by the names of the executors' beans
     * @param tags makes the tags of an executor without a listener
     */
    public GroupExecutorMeterBinder(
            Supplier<Map<String, GroupExecutor>> executors,
            Map<String, GroupMeters> listeners,
            Supplier<GroupTags> tags) {
        this.executors = executors;
        this.listeners = Map.copyOf(listeners);
        this.tags = tags;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        executors.get().forEach((name, executor) -> {
            GroupMeters listener = listeners.get(name);
            if (listener != null) {
                listener.register(registry);
                return;
            }
            GroupTags own = tags.get();
            GroupGauges gauges = new GroupGauges(name, executor, own);
            gauges.registerGlobal(registry);
            own.initial(executor).forEach(tag -> gauges.register(registry, tag));
        });
    }
}
