package io.github.kobe.rollout;

/**
 * Receives the metrics of rollouts: the counters {@code task_completed}, {@code task_failed}, {@code task_paused},
 * {@code task_cancelled}, {@code rollback_count} and {@code event_given_up} (how many events the sink has refused for too
 * long), and the gauges {@code task_active} (how many tasks of a plan have
 * a thread on this node) and {@code heartbeat_lag} (how many stages these still have to do).
 *
 * @since 0.1.0
 */
public interface MetricsRegistry {

    /**
     * Increments a counter.
     *
     * @param name the name of the counter
     * @param planId the plan
     */
    void incrementCounter(String name, PlanId planId);

    /**
     * Sets the value of a gauge.
     *
     * @param name the name of the gauge
     * @param planId the plan
     * @param value the new value
     */
    void setGauge(String name, PlanId planId, double value);

    /** {@return a registry that does nothing} */
    static MetricsRegistry noop() {
        return new MetricsRegistry() {
            @Override
            public void incrementCounter(String name, PlanId planId) {}

            @Override
            public void setGauge(String name, PlanId planId, double value) {}
        };
    }
}
