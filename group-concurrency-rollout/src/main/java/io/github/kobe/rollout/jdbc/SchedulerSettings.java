package io.github.kobe.rollout.jdbc;

import java.time.Duration;

/** How often a node polls and sends heartbeats. */
record SchedulerSettings(Duration pollingInterval, Duration heartbeat, int missedHeartbeats) {

    private static final int FEWEST_MISSED = 4;

    SchedulerSettings {
        requirePositive("pollingInterval", pollingInterval);
        requirePositive("heartbeat", heartbeat);
        if (missedHeartbeats < FEWEST_MISSED) {
            throw new IllegalArgumentException(
                    "missedHeartbeats is " + missedHeartbeats + "; it must be at least " + FEWEST_MISSED);
        }
    }

    private static void requirePositive(String name, Duration value) {
        if (!value.isPositive()) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be more than zero");
        }
    }
}
