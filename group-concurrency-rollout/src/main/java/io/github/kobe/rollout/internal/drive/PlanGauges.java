package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.MetricsRegistry;
import io.github.kobe.rollout.PlanId;

/** What a drive shows of its plan while it works; a registry that throws disturbs nothing. */
final class PlanGauges {

    private final PlanId planId;
    private final MetricsRegistry metrics;
    private final Publisher publisher;
    private int active;

    PlanGauges(PlanId planId, MetricsRegistry metrics, Publisher publisher) {
        this.planId = planId;
        this.metrics = metrics;
        this.publisher = publisher;
    }

    void showActive(int now) {
        if (now != active) {
            active = now;
            show("task_active", now);
        }
    }

    void showLag(int stages) {
        show("heartbeat_lag", stages);
    }

    void showNothing() {
        active = 0;
        show("task_active", 0);
        showLag(0);
    }

    private void show(String name, double value) {
        publisher.guarded(name, () -> metrics.setGauge(name, planId, value));
    }
}
