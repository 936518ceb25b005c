package io.github.kobe.benchmarks;

/**
 * What a contestant has to keep.
 *
 * @param perGroup how many tasks of a group may run at once
 * @param global how many of all groups; {@link #NONE} if that is not to be limited
 * @param fifo whether those that wait are to be served in turn, by whoever can choose that
 */
record Limits(int perGroup, int global, boolean fifo) {

    static final int NONE = Integer.MAX_VALUE;

    static Limits perGroup(int limit) {
        return new Limits(limit, NONE, false);
    }

    Limits withGlobal(int limit) {
        return new Limits(perGroup, limit, fifo);
    }

    Limits inTurn() {
        return new Limits(perGroup, global, true);
    }

    boolean hasGlobal() {
        return global != NONE;
    }
}
