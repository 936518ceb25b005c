package io.github.kobe.internal.work;

import io.github.kobe.TaskTrace;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.permits.Group;
import org.jspecify.annotations.Nullable;

/** A task that belongs to a family, without a scope of its own that sees to it. */
public final class ForkedTask<T> extends Task<T> {

    private final @Nullable TaskTrace trace;
    private final Lineage lineage;

    public ForkedTask(Group group, String id, Object queuedWork, @Nullable TaskTrace trace, Lineage lineage) {
        super(group, id, queuedWork);
        this.trace = trace;
        this.lineage = lineage;
    }

    @Override
    @Nullable
    TaskTrace trace() {
        return trace;
    }

    @Override
    public Lineage lineage() {
        return lineage;
    }
}
