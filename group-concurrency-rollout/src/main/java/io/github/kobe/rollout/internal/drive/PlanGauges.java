package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.MetricsRegistry;
import io.github.kobe.rollout.PlanId;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a drive shows of its plan while it works; a registry that throws disturbs nothing. The gauges are the plan's: a drive
 * that was replaced shows nothing beside the next one.
 */
final class PlanGauges {

    private final PlanId planId;
    private final MetricsRegistry metrics;
    private final Publisher publisher;

    /** Held by who shows something, so that nothing is shown after the end. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private int active;

    /** Guarded by the lock. */
    private boolean over;

    PlanGauges(PlanId planId, MetricsRegistry metrics, Publisher publisher) {
        this.planId = planId;
        this.metrics = metrics;
        this.publisher = publisher;
    }

    void showActive(int now) {
        show(() -> {
            if (now != active) {
                active = now;
                set("task_active", now);
            }
        });
    }

    void showLag(int stages) {
        show(() -> set("heartbeat_lag", stages));
    }

    void showNothing() {
        show(this::setNothing);
    }

    /** Shows nothing, and from then on no more. */
    void end() {
        show(() -> {
            setNothing();
            over = true;
        });
    }

    private void show(Runnable work) {
        lock.lock();
        try {
            if (!over) {
                work.run();
            }
        } finally {
            lock.unlock();
        }
    }

    private void setNothing() {
        active = 0;
        set("task_active", 0);
        set("heartbeat_lag", 0);
    }

    private void set(String name, double value) {
        publisher.guarded(name, () -> metrics.setGauge(name, planId, value));
    }
}
