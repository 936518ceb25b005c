package io.github.kobe.internal.work;

import io.github.kobe.TaskTrace;
import io.github.kobe.internal.permits.Group;
import org.jspecify.annotations.Nullable;

/** A task that may have a trace; a separate class, so that other tasks need no field for it. */
public class TracedTask<T> extends Task<T> {

    private final @Nullable TaskTrace trace;

    public TracedTask(Group group, String id, Object queuedWork, @Nullable TaskTrace trace) {
        super(group, id, queuedWork);
        this.trace = trace;
    }

    @Override
    @Nullable
    final TaskTrace trace() {
        return trace;
    }
}
