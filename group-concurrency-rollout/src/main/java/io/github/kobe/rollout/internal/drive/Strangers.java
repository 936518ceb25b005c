package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.PlanId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The plans that this node has left to others, as it has other stages. Which node runs a drive that is due is whichever looks
 * first, and that may be the same one each time; so this one lets the others look for a while.
 */
final class Strangers {

    private static final Duration LEFT_TO_OTHERS = Duration.ofSeconds(8);

    private static final int LONGEST_PAUSE_IN_MILLIS = 1_000;

    /** When each was left, by {@link System#nanoTime()}. */
    private final Map<PlanId, Long> left = new ConcurrentHashMap<>();

    void add(PlanId planId) {
        left.values().removeIf(Strangers::isLongAgo);
        left.put(planId, System.nanoTime());
    }

    boolean has(PlanId planId) {
        Long at = left.get(planId);
        return at != null && !isLongAgo(at);
    }

    private static boolean isLongAgo(long at) {
        return System.nanoTime() - at >= LEFT_TO_OTHERS.toNanos();
    }

    /** {@return how long a drive waits for another node} By chance, so that it isn't due just before this one looks. */
    Duration pause() {
        return Duration.ofMillis(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_IN_MILLIS));
    }
}
