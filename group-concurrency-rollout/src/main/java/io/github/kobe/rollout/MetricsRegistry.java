package io.github.kobe.rollout;

/**
 * Takes what rollouts count: the counters {@code task_completed}, {@code task_failed}, {@code task_paused}, {@code
 * task_cancelled} and {@code rollback_count}, and the gauges {@code task_active} (how many tasks of a plan have a thread
 * here) and {@code heartbeat_lag} (how many stages those have ahead of them).
 *
 * @since 0.1.0
 */
public interface MetricsRegistry {

    /**
     * Counts one more.
     *
     * @param name of what
     * @param planId in which plan
     */
    void incrementCounter(String name, PlanId planId);

    /**
     * Says how many there are.
     *
     * @param name of what
     * @param planId in which plan
     * @param value how many
     */
    void setGauge(String name, PlanId planId, double value);

    /** {@return one that forgets} */
    static MetricsRegistry noop() {
        return new MetricsRegistry() {
            @Override
            public void incrementCounter(String name, PlanId planId) {}

            @Override
            public void setGauge(String name, PlanId planId, double value) {}
        };
    }
}
