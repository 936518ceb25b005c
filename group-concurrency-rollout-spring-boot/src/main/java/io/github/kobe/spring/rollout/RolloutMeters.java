package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.MetricsRegistry;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.Metrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The meters of rollouts. Only a limited number of plans have their own value of the tag "plan": one more replaces the
 * one that has been quiet for longest, whose counts continue under {@code _other}.
 */
final class RolloutMeters implements MetricsRegistry, MeterBinder {

    private final int mostPlans;
    private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();

    /** Guards what follows. */
    private final ReentrantLock lock = new ReentrantLock();

    /** The one that was heard of longest ago first. */
    private final Map<PlanId, PlanMeters> plans = new LinkedHashMap<>(16, 0.75f, true);

    private final PlanMeters others = new PlanMeters(Metrics.OTHER);

    RolloutMeters(Metrics settings) {
        mostPlans = settings.maxTagValues();
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        lock.lock();
        try {
            if (!registries.contains(registry)) {
                registries.add(registry);
                plans.values().forEach(meters -> meters.register(registry));
                others.register(registry);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void incrementCounter(String name, PlanId planId) {
        lock.lock();
        try {
            of(planId).count(name);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void setGauge(String name, PlanId planId, double value) {
        lock.lock();
        try {
            if (value != 0 || plans.containsKey(planId) || others.knows(planId)) {
                of(planId).set(name, planId, value);
            }
        } finally {
            lock.unlock();
        }
    }

    private PlanMeters of(PlanId planId) {
        PlanMeters known = plans.get(planId);
        if (known != null) {
            return known;
        }
        if (plans.size() >= mostPlans && !makeRoom()) {
            return others;
        }
        PlanMeters made = new PlanMeters(planId.value());
        made.takeOver(planId, others);
        registries.forEach(made::register);
        plans.put(planId, made);
        return made;
    }

    private boolean makeRoom() {
        for (Iterator<PlanMeters> all = plans.values().iterator(); all.hasNext(); ) {
            PlanMeters oldest = all.next();
            if (oldest.isQuiet()) {
                others.addCounts(oldest);
                oldest.remove();
                all.remove();
                return true;
            }
        }
        return false;
    }
}
