package io.github.kobe.internal.permits;

import io.github.kobe.Costs;
import org.jspecify.annotations.Nullable;

/**
 * What one start was charged of the rates of its group, by those that were in force then. It is with what the start has given
 * out, until that is back, so that it can be corrected.
 */
public final class Charge {

    private final GroupRate by;
    private final @Nullable Costs costs;

    /** Which of them are settled, by their places; guarded by the group's guard. */
    private int settled;

    Charge(GroupRate by, @Nullable Costs costs) {
        this.by = by;
        this.costs = costs;
    }

    /**
     * Corrects what was charged, once. A rate that it wasn't charged, or that is gone, is left alone.
     *
     * @param inForce what the group has of its rates now; {@code null}: it has none
     * @return false if that was done before
     */
    boolean settle(String name, long used, @Nullable GroupRate inForce, long now) {
        int at = by.indexOf(name);
        if (at < 0) {
            return true;
        }
        if ((settled & 1 << at) != 0) {
            return false;
        }
        settled |= 1 << at;
        if (inForce != null) {
            inForce.settle(name, by.costOf(at, costs), used, now);
        }
        return true;
    }
}
