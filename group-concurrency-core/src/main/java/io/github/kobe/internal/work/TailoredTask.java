package io.github.kobe.internal.work;

import io.github.kobe.Costs;
import io.github.kobe.GroupTask;
import io.github.kobe.TaskTrace;
import io.github.kobe.internal.permits.Group;
import org.jspecify.annotations.Nullable;

/**
 * A task that says what it costs, or to which neither rejection policy nor handler applies; a separate class, so that other tasks
 * need no fields for that.
 */
public final class TailoredTask<T> extends TracedTask<T> {

    private final @Nullable Costs costs;
    private final boolean heedsPolicy;

    /** Makes one that is as {@code submitted} says. */
    public TailoredTask(Group group, String id, Object queuedWork, @Nullable TaskTrace trace, GroupTask<?> submitted) {
        super(group, id, queuedWork, trace);
        this.costs = submitted.costs().areUnsaid() ? null : submitted.costs();
        this.heedsPolicy = !submitted.abortOnRejection();
    }

    @Override
    public @Nullable Costs costs() {
        return costs;
    }

    @Override
    boolean heedsPolicy() {
        return heedsPolicy;
    }
}
