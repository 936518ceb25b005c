package io.github.kobe.cluster;

import java.time.Duration;

/**
 * What the store says to one {@link Demand}. Immutable.
 *
 * @param counted what is counted for the node from now on, at least what it said it has: it may use so much
 * @param keep how much of that it is to keep after {@code turn}, up to {@code counted}; it gives the rest back, as work ends
 * @param turn how long it may use what it is not to keep, not negative
 * @param limit the limit in force, at least 1: the smallest of those of the nodes that have or want some
 * @since 0.1.0
 */
public record Grant(int counted, int keep, Duration turn, int limit) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one of them is out of its range
     */
    public Grant {
        Range.atLeast(0, counted, "counted");
        Range.between(0, counted, keep, "keep");
        Range.notNegative(turn, "turn");
        Range.atLeast(1, limit, "limit");
    }
}
