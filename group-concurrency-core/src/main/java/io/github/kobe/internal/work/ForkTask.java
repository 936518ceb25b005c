package io.github.kobe.internal.work;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTrace;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.base.Log;
import io.github.kobe.internal.base.Rejection;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.work.Outcome.Dependent;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to run a fork. Its scope decides how it ends: no rejection policy or handler applies to it, and a drain
 * admits it. Its last action is to report its end to the {@linkplain Fork fork}.
 */
public final class ForkTask extends Task<Object> {

    private final Fork fork;
    private final @Nullable TaskTrace trace;

    public ForkTask(Group group, String id, Object queuedWork, @Nullable TaskTrace trace, Fork fork) {
        super(group, id, queuedWork);
        this.trace = trace;
        this.fork = fork;
    }

    public Fork fork() {
        return fork;
    }

    /** Nothing is lent to a run of a schedule: an owner that goes on with the others would have to wait for its end. */
    @Override
    public @Nullable Lineage lineage() {
        return fork.isRunOfSchedule() ? null : fork.scope();
    }

    @Override
    public Lineage scope() {
        return fork.scope();
    }

    /** Made when somebody asks: a million forks may wait, and hardly anyone does. */
    @Override
    public String taskId() {
        return fork.name();
    }

    @Override
    public @Nullable TaskTrace trace() {
        return trace;
    }

    @Override
    boolean heedsPolicy() {
        return false;
    }

    /** The right to be let in was taken when it was forked, by a thread of an open scope. */
    @Override
    public boolean asksFromInside() {
        return true;
    }

    /** Its joiner hears of its end. */
    @Override
    public boolean isFollowed() {
        return true;
    }

    @Override
    @Nullable
    Object call(Callable<?> code) throws Exception {
        fork.isAt(this);
        if (!fork.begin()) {
            throw new CancellationException();
        }
        return code.call();
    }

    @Override
    void ran(@Nullable Object value, @Nullable Throwable failure, long nanos, boolean stopped) {
        try {
            fork.ran(value, failure, nanos, stopped);
        } catch (Throwable thrown) {
            Log.failed(thrown); // its permits have to go back
        }
    }

    /** Its fork has the value, and nobody else but listeners is told of it. */
    @Override
    Object outcomeOf(@Nullable Object value, @Nullable Throwable failure, long start, long end) {
        return failure == null && !group.engine.reports.isObserved(trace)
                ? Outcome.LazyResult.SUCCEEDED
                : super.outcomeOf(value, failure, start, end);
    }

    @Override
    void beginTelling() {
        Tellers.begin(fork);
    }

    @Override
    void endTelling() {
        Tellers.end(fork);
    }

    /** Nobody has its handle, and its fork has its end. */
    @Override
    public @Nullable Dependent settle(Object terminal) {
        return null;
    }

    @Override
    void complete(Object terminal) {
        tellOver(terminal);
    }

    @Override
    public void reportAndComplete(@Nullable Object end) {
        super.reportAndComplete(end);
        if (end == null) {
            tellOver(null);
        }
    }

    private void tellOver(@Nullable Object terminal) {
        fork.isAt(this);
        try {
            fork.over(terminal == null || fork.isDecided() ? null : reasonOf(terminal));
        } catch (Throwable thrown) {
            Log.failed(thrown); // the engine has others to see to
        }
    }

    /** {@return why it never ran; without memory for that, what this lack threw: the fork has to hear that it is over} */
    private @Nullable Throwable reasonOf(Object terminal) {
        try {
            return failureOf(terminal);
        } catch (Throwable thrown) {
            return thrown;
        }
    }

    private @Nullable Throwable failureOf(Object terminal) {
        return switch (terminal) {
            case Rejection rejection -> rejection.toException(groupKey(), taskId());
            case GroupResult<?> result when result.status() == TaskStatus.FAILED -> result.error();
            case Outcome.LazyResult brief
            when brief == Outcome.LazyResult.OUT_OF_MEMORY -> resultOf(brief).error();
            default -> group.rejection(RejectionReason.SHUTDOWN).toException(groupKey(), taskId());
        };
    }

    /** {@return whether it waited, and has left its queue} Then {@link #reportCancelled} has to follow. */
    boolean leaveQueue() {
        if (!claimQueued()) {
            return false;
        }
        group.withdraw(this);
        return true;
    }
}
