package io.github.kobe.rollout;

/**
 * Receives events. The events of a plan come one after the other, in order, on a thread of the node that drives the
 * plan. What a sink throws is logged, and has no other effect.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RolloutEventSink {

    /**
     * Receives an event; after a crash the same event may come again.
     *
     * @param event the event
     */
    void publish(RolloutEvent event);
}
