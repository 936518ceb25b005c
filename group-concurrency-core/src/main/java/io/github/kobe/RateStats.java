package io.github.kobe;

import java.time.Duration;

/**
 * How far one rate of a group is used up at one moment. It is read without a lock: it is exact at rest, and close while work starts.
 *
 * @param rate what it allows
 * @param used how many of its burst are used up, 0 to all: with all of them, nothing starts for now that it counts
 * @param nextStartIn in how long it lets one start that costs 1; zero: now
 * @since 0.1.0
 */
public record RateStats(Rate rate, int used, Duration nextStartIn) {}
