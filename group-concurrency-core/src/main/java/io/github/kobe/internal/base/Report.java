package io.github.kobe.internal.base;

import org.jspecify.annotations.Nullable;

/** A report that may call user code, and so runs on a fresh virtual thread: see {@link Core#report}. */
public abstract class Report implements Runnable, Later {

    /** Guarded by the housekeeper's lock while that has it. */
    private @Nullable Later later;

    @Override
    public final void again(Core core) {
        core.report(this);
    }

    @Override
    public final @Nullable Later later() {
        return later;
    }

    @Override
    public final void setLater(@Nullable Later next) {
        later = next;
    }
}
