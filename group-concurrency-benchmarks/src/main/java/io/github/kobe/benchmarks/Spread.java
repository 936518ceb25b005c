package io.github.kobe.benchmarks;

import java.util.Arrays;

/** The middle of some measurements, and the quartiles below and above it. */
record Spread(double lower, double median, double upper) {

    static Spread of(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return new Spread(at(sorted, 0.25), at(sorted, 0.5), at(sorted, 0.75));
    }

    /** {@return the value that so large a share is not above} */
    static double at(double[] sorted, double share) {
        double place = share * (sorted.length - 1);
        int below = (int) place;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }

    String text() {
        String middle = Figure.of(median);
        String low = Figure.of(lower);
        String high = Figure.of(upper);
        return low.equals(high) ? middle : middle + " (" + low + "–" + high + ")";
    }
}
