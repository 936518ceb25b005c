package io.github.kobe.benchmarks;

import java.util.Arrays;

/** What is told of the times that something took which was done many times. */
enum Quantile {
    MEDIAN("median", 0.5),
    LONGEST_OF_100("99th percentile", 0.99);

    private final String title;
    private final double share;

    Quantile(String title, double share) {
        this.title = title;
        this.share = share;
    }

    String title() {
        return title;
    }

    /** {@return it, in milliseconds} */
    double of(long[] nanos) {
        double[] sorted =
                Arrays.stream(nanos).sorted().mapToDouble(time -> time / 1e6).toArray();
        return Spread.at(sorted, share);
    }

    static String text(long[] nanos) {
        return "p50 " + Figure.of(MEDIAN.of(nanos)) + " ms, p99 " + Figure.of(LONGEST_OF_100.of(nanos)) + " ms";
    }
}
