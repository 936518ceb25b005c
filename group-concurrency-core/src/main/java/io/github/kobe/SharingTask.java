package io.github.kobe;

import org.jspecify.annotations.Nullable;

/** A task that borrows the global permit of the permit through which it was submitted, if that can be. */
final class SharingTask<T> extends Task<T> {

    private final @Nullable TaskTrace trace;
    private final SharedGlobal shared;

    SharingTask(Group group, String id, Object queuedWork, @Nullable TaskTrace trace, SharedGlobal shared) {
        super(group, id, queuedWork);
        this.trace = trace;
        this.shared = shared;
    }

    @Override
    @Nullable
    TaskTrace trace() {
        return trace;
    }

    @Override
    SharedGlobal shared() {
        return shared;
    }

    @Override
    long sharesAs() {
        return SharedGlobal.TASK;
    }
}
