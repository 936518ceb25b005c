package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.PlanId;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The meters with one value of the tag "plan": of one plan, or of several that share it. Written under a lock. */
final class PlanMeters {

    private static final String PREFIX = "rollout.";

    /** As rollouts call them, with what they tell. */
    private static final Map<String, String> COUNTERS = Map.of(
            "task_completed", "Tasks that were completed",
            "task_failed", "Tasks that failed",
            "task_paused", "Tasks that were paused",
            "task_cancelled", "Tasks that were cancelled",
            "rollback_count", "Tasks whose rollback began",
            "event_given_up", "Events that a listener has refused for too long");

    private final Tags tags;
    private final Map<String, LongAdder> counts = new LinkedHashMap<>();
    private final Map<PlanId, Double> active = new ConcurrentHashMap<>();
    private final Map<PlanId, Double> lag = new ConcurrentHashMap<>();
    private final List<Registered> registered = new ArrayList<>();

    private record Registered(MeterRegistry registry, Meter meter) {}

    PlanMeters(String tag) {
        tags = Tags.of("plan", tag);
        COUNTERS.keySet().forEach(name -> counts.put(name, new LongAdder()));
    }

    void count(String name) {
        LongAdder count = counts.get(name);
        if (count != null) {
            count.increment();
        }
    }

    private long counted(String name) {
        LongAdder count = counts.get(name);
        return count == null ? 0 : count.sum();
    }

    void set(String name, PlanId planId, double value) {
        Map<PlanId, Double> gauge = name.equals("task_active") ? active : lag;
        if (value == 0) {
            gauge.remove(planId);
        } else {
            gauge.put(planId, value);
        }
    }

    boolean isQuiet() {
        return active.isEmpty() && lag.isEmpty();
    }

    boolean knows(PlanId planId) {
        return active.containsKey(planId) || lag.containsKey(planId);
    }

    void addCounts(PlanMeters gone) {
        counts.forEach((name, count) -> count.add(gone.counted(name)));
    }

    /** What a plan had among others is its own from now on. */
    void takeOver(PlanId planId, PlanMeters others) {
        move(planId, others.active, active);
        move(planId, others.lag, lag);
    }

    private static void move(PlanId planId, Map<PlanId, Double> from, Map<PlanId, Double> to) {
        Double value = from.remove(planId);
        if (value != null) {
            to.put(planId, value);
        }
    }

    /** Once for each registry. */
    void register(MeterRegistry registry) {
        keep(
                registry,
                Gauge.builder(PREFIX + "task.active", active, PlanMeters::sum)
                        .description("Tasks that run on this node")
                        .tags(tags)
                        .register(registry));
        keep(
                registry,
                Gauge.builder(PREFIX + "heartbeat.lag", lag, PlanMeters::sum)
                        .description("Stages that the tasks which run on this node have ahead of them")
                        .baseUnit("stages")
                        .tags(tags)
                        .register(registry));
        counts.forEach((name, count) -> keep(
                registry,
                FunctionCounter.builder(PREFIX + name.replace('_', '.'), count, LongAdder::sum)
                        .description(COUNTERS.get(name))
                        .tags(tags)
                        .register(registry)));
    }

    private void keep(MeterRegistry registry, Meter meter) {
        registered.add(new Registered(registry, meter));
    }

    /** From all registries. */
    void remove() {
        registered.forEach(each -> each.registry().remove(each.meter()));
        registered.clear();
    }

    private static double sum(Map<PlanId, Double> values) {
        return values.values().stream().mapToDouble(Double::doubleValue).sum();
    }
}
