package io.github.kobe.internal;

import io.github.kobe.TaskTrace;
import org.jspecify.annotations.Nullable;

/** A task to which neither rejection policy nor handler applies. */
final class AbortingTask<T> extends TracedTask<T> {

    AbortingTask(Group group, String id, Object queuedWork, @Nullable TaskTrace trace) {
        super(group, id, queuedWork, trace);
    }

    @Override
    boolean heedsPolicy() {
        return false;
    }
}
