package io.github.kobe.internal;

import io.github.kobe.TaskTrace;
import org.jspecify.annotations.Nullable;

/** A task that borrows the global permit of the permit through which it was submitted, if that can be. */
final class SharingTask<T> extends TracedTask<T> {

    private final SharedGlobal shared;
    private final boolean heedsPolicy;

    SharingTask(
            Group group,
            String id,
            Object queuedWork,
            @Nullable TaskTrace trace,
            SharedGlobal shared,
            boolean heedsPolicy) {
        super(group, id, queuedWork, trace);
        this.shared = shared;
        this.heedsPolicy = heedsPolicy;
    }

    @Override
    boolean heedsPolicy() {
        return heedsPolicy;
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
