package io.github.kobe.internal.work;

import io.github.kobe.TaskTrace;
import io.github.kobe.internal.permits.Group;
import org.jspecify.annotations.Nullable;

/** A task to which neither rejection policy nor handler applies. */
public final class AbortingTask<T> extends TracedTask<T> {

    public AbortingTask(Group group, String id, Object queuedWork, @Nullable TaskTrace trace) {
        super(group, id, queuedWork, trace);
    }

    @Override
    boolean heedsPolicy() {
        return false;
    }
}
