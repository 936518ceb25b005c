package io.github.kobe.benchmarks;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the engine is to reach, if anything.
 *
 * @param atLeast whether more is better
 * @param bound the number to reach: a ratio to the reference, or without one a number in the workload's unit; NaN for
 *     none
 * @param reference whom the ratio is to
 */
record Goal(boolean atLeast, double bound, @Nullable Entrant reference) {

    static Goal atLeast(double ratio, Entrant reference) {
        return new Goal(true, ratio, reference);
    }

    static Goal atMost(double ratio, Entrant reference) {
        return new Goal(false, ratio, reference);
    }

    static Goal atMost(double value) {
        return new Goal(false, value, null);
    }

    /** Nothing to reach: the value is only to be known, or compared with that of another commit. */
    static Goal none() {
        return new Goal(false, Double.NaN, null);
    }

    /** Nothing to reach: the ratio is only to be known. */
    static Goal none(Entrant reference) {
        return new Goal(false, Double.NaN, reference);
    }

    /** {@return whether there is anything to reach} */
    boolean isOne() {
        return !Double.isNaN(bound);
    }

    boolean isMetBy(double value) {
        return atLeast ? value >= bound : value <= bound;
    }

    /** {@return the goal in words, for values of the given unit} */
    String text(String unit) {
        String measure = reference == null ? " " + unit : " × " + reference.title();
        if (!isOne()) {
            return "none; here" + measure;
        }
        return (atLeast ? "≥ " : "≤ ")
                + (reference == null ? Figure.of(bound) : String.format(Locale.ROOT, "%.2f", bound))
                + measure;
    }
}
