package io.github.kobe.internal.permits;

import org.jspecify.annotations.Nullable;

/** A call in a group with rates. It is not parked: the next call of its thread has other costs. */
public final class ChargedCall extends Call {

    /** What its start was charged; written by its thread, which alone asks. */
    private @Nullable Charge charge;

    public ChargedCall(Group group, String id) {
        super(group, id);
    }

    @Override
    public @Nullable Charge charge() {
        return charge;
    }

    @Override
    public void charged(@Nullable Charge taken) {
        charge = taken;
    }
}
