package io.github.kobe.rollout;

/**
 * Receives events. The events of a plan come one after the other, in order, on a thread of the node that drives the
 * plan. An event is delivered when the sink has returned. If the sink throws, it gets the same event again after a
 * second, and then after as long as it has refused it, up to a minute, until it is given up; see
 * {@link RolloutsBuilder#giveUpEventsAfter}. Later events of the plan wait, also for another process; the plan itself and
 * other plans don't. What a sink throws is logged the first time, and then at most once a minute for each plan.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RolloutEventSink {

    /**
     * Receives an event. After a crash, or if it has thrown, the same event comes again.
     *
     * @param event the event
     */
    void publish(RolloutEvent event);
}
