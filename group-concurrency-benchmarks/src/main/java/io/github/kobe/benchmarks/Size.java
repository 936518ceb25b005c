package io.github.kobe.benchmarks;

/** How much of a workload is done. */
enum Size {
    FULL(1),
    /** Just so much that everything has been done once: what a build can spare. */
    SMALL(2_000);

    private final int divisor;

    Size(int divisor) {
        this.divisor = divisor;
    }

    int of(int count) {
        return Math.max(Math.min(count, 10), count / divisor);
    }
}
