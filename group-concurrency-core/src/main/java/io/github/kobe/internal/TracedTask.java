package io.github.kobe.internal;

import io.github.kobe.TaskTrace;
import org.jspecify.annotations.Nullable;

/** A task that something may follow; a class of its own, so that others needn't keep room for it. */
class TracedTask<T> extends Task<T> {

    private final @Nullable TaskTrace trace;

    TracedTask(Group group, String id, Object queuedWork, @Nullable TaskTrace trace) {
        super(group, id, queuedWork);
        this.trace = trace;
    }

    @Override
    @Nullable
    final TaskTrace trace() {
        return trace;
    }
}
