package io.github.kobe.internal.base;

import io.github.kobe.Rate;
import java.util.Objects;

/**
 * One rate of a group as the engine goes by it. Immutable.
 *
 * @param rate as it was set, with a limit
 * @param tempo its numbers
 */
public record RateTerms(Rate rate, Tempo tempo) {

    static RateTerms of(Rate rate) {
        return new RateTerms(rate, Objects.requireNonNull(Tempo.of(rate)));
    }
}
