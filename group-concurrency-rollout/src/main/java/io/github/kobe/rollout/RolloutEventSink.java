package io.github.kobe.rollout;

/**
 * Hears of what happens. The events of a plan come one after the other, in order, on a thread of the node that drives the
 * plan. What it throws is logged, and keeps nobody from anything.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RolloutEventSink {

    /**
     * Hears of one event; after a crash perhaps once more.
     *
     * @param event the event
     */
    void publish(RolloutEvent event);
}
