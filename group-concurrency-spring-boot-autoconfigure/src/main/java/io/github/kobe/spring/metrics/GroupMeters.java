package io.github.kobe.spring.metrics;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.spring.tags.GroupTags;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Counts and times what an executor's listener hears. The meters of a tag value are registered when it first comes up;
 * those of a group of its own value are removed when the engine lets go of the group.
 *
 * <p>Executor and registry are asked for at the first event, since both are made with this listener in hand.
 */
public final class GroupMeters implements TaskLifecycleListener {

    private final String executorName;
    private final Supplier<GroupExecutor> executor;
    private final Supplier<MeterRegistry> registry;
    private final GroupTags tags;
    private final Map<String, TagMeters> byTag = new ConcurrentHashMap<>();

    /**
     * Makes the meters of one executor.
     *
     * @param executorName the value of the tag "executor"
     * @param executor the executor that this is a listener of
     * @param registry where the meters go
     * @param tags gives each group its value of the tag "group"
     */
    public GroupMeters(
            String executorName, Supplier<GroupExecutor> executor, Supplier<MeterRegistry> registry, GroupTags tags) {
        this.executorName = executorName;
        this.executor = executor;
        this.registry = registry;
        this.tags = tags;
    }

    /** Registers what there is from the start: the meters of all groups together, and of groups known by name. */
    void register(MeterRegistry target) {
        GroupExecutor source = executor.get();
        new GroupGauges(executorName, source, tags).registerGlobal(target);
        tags.initial(source).forEach(tag -> byTag.computeIfAbsent(tag, name -> registered(target, source, name)));
    }

    @Override
    public void onSubmitted(String groupKey, String taskId) {
        counters(tags.claim(executor.get(), groupKey)).submitted().increment();
    }

    @Override
    public void onStarted(String groupKey, String taskId, long queuedNanos) {
        countersNow(groupKey).waits().record(queuedNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void onRejected(String groupKey, String taskId, RejectionReason reason) {
        Counter counter = countersNow(groupKey).rejected().get(reason);
        if (counter != null) {
            counter.increment();
        }
    }

    @Override
    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
        GroupCounters counters = countersNow(groupKey);
        Counter counter = counters.completed().get(result.status());
        if (counter != null) {
            counter.increment();
        }
        // What was cancelled in the queue has no times.
        if (result.startTimeNanos() != 0 || result.endTimeNanos() != 0) {
            counters.executions().record(result.durationNanos(), TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void onGroupRemoved(String groupKey) {
        if (isBusy(groupKey)) {
            // Evicted, or in use again: what goes on would register the same meters anew. They go when it is idle.
            return;
        }
        if (tags.release(groupKey)) {
            TagMeters meters = byTag.remove(groupKey);
            if (meters != null) {
                meters.all().forEach(registry.get()::remove);
            }
        }
    }

    private boolean isBusy(String groupKey) {
        return executor.get()
                .groupStats(groupKey)
                .map(group -> group.inFlight() + group.queued() > 0)
                .orElse(false);
    }

    /** What is heard of a group after its removal takes no place again, which nobody would free: it is the others'. */
    private GroupCounters countersNow(String groupKey) {
        return counters(tags.current(executor.get(), groupKey));
    }

    private GroupCounters counters(String tag) {
        GroupExecutor source = executor.get();
        TagMeters known = byTag.get(tag);
        if (known == null) {
            known = byTag.computeIfAbsent(tag, name -> registered(registry.get(), source, name));
        }
        return known.counters();
    }

    private TagMeters registered(MeterRegistry target, GroupExecutor source, String tag) {
        List<Meter> all = new ArrayList<>(new GroupGauges(executorName, source, tags).register(target, tag));
        GroupCounters counters = GroupCounters.register(target, executorName, tag);
        all.addAll(counters.all());
        return new TagMeters(counters, all);
    }

    private record TagMeters(GroupCounters counters, List<Meter> all) {}
}
