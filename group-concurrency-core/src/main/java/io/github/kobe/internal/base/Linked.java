package io.github.kobe.internal.base;

import org.jspecify.annotations.Nullable;

/** What can be done later, with its link. */
abstract class Linked implements Later {

    /** Guarded by the housekeeper's lock while that has it. */
    private @Nullable Later later;

    @Override
    public final @Nullable Later later() {
        return later;
    }

    @Override
    public final void setLater(@Nullable Later next) {
        later = next;
    }
}
