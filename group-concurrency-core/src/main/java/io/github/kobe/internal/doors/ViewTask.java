package io.github.kobe.internal.doors;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTrace;
import io.github.kobe.internal.base.Rejection;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.work.Outcome;
import io.github.kobe.internal.work.Outcome.Dependent;
import io.github.kobe.internal.work.TracedTask;
import org.jspecify.annotations.Nullable;

/** The task of an entry: it reports to the view when it is done, and no rejection handler applies to it. */
final class ViewTask extends TracedTask<@Nullable Void> {
    private final ViewEntry entry;

    ViewTask(Group group, String id, Object work, @Nullable TaskTrace trace, ViewEntry entry) {
        super(group, id, work, trace);
        this.entry = entry;
    }

    @Override
    public boolean heedsHandler() {
        return false;
    }

    @Override
    public boolean isFollowed() {
        return super.isFollowed() || entry.endsForeignFuture();
    }

    @Override
    public @Nullable Dependent settle(Object terminal) {
        Dependent dependents = super.settle(terminal);
        Throwable failure;
        try {
            failure = failureOf(terminal);
        } catch (OutOfMemoryError oom) {
            failure = oom;
        }
        entry.taskDone(failure);
        return dependents;
    }

    private @Nullable Throwable failureOf(Object terminal) {
        return switch (terminal) {
            // The only rejection that submit doesn't throw itself.
            case Rejection late
            when late.reason() == RejectionReason.QUEUE_TIMEOUT -> late.toException(groupKey(), taskId());
            case GroupResult<?> result when result.status() == TaskStatus.FAILED -> result.error();
            case Outcome.LazyResult brief
            when brief == Outcome.LazyResult.OUT_OF_MEMORY -> resultNow().error();
            default -> null;
        };
    }
}
