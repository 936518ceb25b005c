package io.github.kobe.internal.work;

import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Charge;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Hold;
import java.util.Objects;

/** What work has really used of the rates of its group. */
public final class Settlement {

    private Settlement() {}

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
        hold.group.tellOfUnknown(rate);
        Charge charge = hold.charge();
        if (charge != null && !settle(hold.group, charge, rate, used)) {
            throw new IllegalStateException("What this work of group '" + KeyText.printable(hold.group.key)
                    + "' has used of '" + KeyText.printable(rate) + "' is settled already");
        }
    }

    /** {@return false if that was done before} What the rest lets start begins at once. */
    private static boolean settle(Group group, Charge charge, String rate, long used) {
        Batch batch = new Batch(group.engine);
        group.enter();
        try {
            return group.settle(charge, rate, used);
        } finally {
            group.exit(batch);
            batch.carryOut();
        }
    }
}
