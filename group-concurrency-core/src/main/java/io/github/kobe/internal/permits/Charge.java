package io.github.kobe.internal.permits;

import io.github.kobe.Costs;
import io.github.kobe.internal.base.KeyText;
import java.util.Objects;
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
     * Corrects what the start of {@code hold} was charged of one rate; by who keeps that out.
     *
     * @param used at least 0
     * @throws IllegalArgumentException if it is less
     * @throws IllegalStateException if that was done before
     */
    public static void settle(Hold hold, String rate, long used) {
        Objects.requireNonNull(rate, "rate");
        if (used < 0) {
            throw new IllegalArgumentException(
                    "What was used of '" + KeyText.printable(rate) + "' is 0 or more, and not " + used);
        }
        Charge charge = hold.charge();
        if (charge != null && !charge.settle(hold.group, rate, used)) {
            throw new IllegalStateException("What this work of group '" + KeyText.printable(hold.group.key)
                    + "' has used of '" + KeyText.printable(rate) + "' is settled already");
        }
    }

    boolean settle(Group group, String rate, long used) {
        Batch batch = new Batch(group.engine);
        boolean first;
        group.enter();
        try {
            first = settle(rate, used, group.rate, group.engine.now());
        } finally {
            group.exit(batch);
            batch.carryOut();
        }
        return first;
    }

    /**
     * Corrects what was charged, once. A rate that it wasn't charged, or that is gone, is left alone.
     *
     * @param inForce what the group has of its rates now; {@code null}: it has none
     * @return false if that was done before
     */
    private boolean settle(String name, long used, @Nullable GroupRate inForce, long now) {
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
