package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.ConfigSnapshot;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.Wish;
import io.github.kobe.rollout.Wish.Kind;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a drive does with a task between two stages, each time in one transaction: it applies results and wishes, and
 * returns what comes next. Each attempt begins with a new fencing token. A boundary that was already passed, in a commit
 * whose answer was lost, isn't passed again.
 */
public final class Boundaries {

    /** What comes next for a task's thread. */
    public enum Way {
        /** The current stage. */
        FORWARD,
        /** The next stage to be taken back. */
        BACK,
        /** Nothing yet: first it has to be found out what its tenant has. */
        LOOK,
        /** Nothing: it has come to rest. */
        REST,
        /** Nothing yet: its plan starts nothing, its wave hasn't begun, or its tenant is another's. */
        LATER
    }

    public record Next(Way way, TaskRecord task) {}

    private Boundaries() {}

    /** A task's thread begins, and with it the current stage. */
    public static Next begin(Ledger ledger, TaskRecord task) {
        Next next = enter(ledger, task);
        return next.way() == Way.FORWARD && task.status() != TaskStatus.RUNNING
                ? where(ledger.apply(next.task(), new TaskCommand.OpenStage()))
                : next;
    }

    private static Next enter(Ledger ledger, TaskRecord task) {
        return switch (task.status()) {
            case PENDING -> beginPending(ledger, task);
            case PAUSED, FAILED, COMPLETED, ROLLBACK_FAILED -> beginWished(ledger, task);
            case RUNNING -> {
                TaskRecord after = applyWish(ledger, task);
                yield after == null ? new Next(Way.FORWARD, task) : where(after);
            }
            default -> where(task);
        };
    }

    /** What was found out about a tenant before its first change, or why that was not possible. */
    public record Found(
            @Nullable ConfigSnapshot previous, @Nullable FailureInfo failure) {}

    /** A task's thread begins, unless its tenant has to be looked at before its first change. */
    public static Next look(Ledger ledger, TaskRecord task) {
        return isUnknown(ledger, task) ? new Next(Way.LOOK, task) : begin(ledger, task);
    }

    /** A task's thread has looked, and begins. If it has found out nothing, it ends before any stage. */
    public static Next begin(Ledger ledger, TaskRecord task, Found found) {
        if (!isUnknown(ledger, task)) {
            return begin(ledger, task);
        }
        if (found.failure() != null) {
            return failed(ledger, enter(ledger, task).task(), found.failure(), false);
        }
        ConfigSnapshot previous = found.previous();
        return begin(ledger, previous == null ? task : remembering(ledger, task, previous));
    }

    private static TaskRecord remembering(Ledger ledger, TaskRecord task, ConfigSnapshot previous) {
        String configId = ledger.store().keep(previous.config());
        return ledger.apply(task, new TaskCommand.Remember(new Snapshot(previous.unit(), configId)));
    }

    /** Nobody knows what the tenant has, and nothing has been changed yet. */
    private static boolean isUnknown(Ledger ledger, TaskRecord task) {
        Wish wish = task.wish();
        FailureInfo failure = task.failure();
        if (task.previous() != null) {
            return false;
        }
        return switch (task.status()) {
            case PENDING ->
                !task.wantsCancel()
                        && task.position() < ledger.plan().reach()
                        && ledger.tenant(task).isHeldBy(task.id())
                        && ledger.tenant(task).lastKnownGood() == null;
            case FAILED ->
                wish != null
                        && wish.is(Kind.RETRY)
                        && failure != null
                        && failure.errorType().equals(FailureInfo.NO_PREVIOUS);
            default -> false;
        };
    }

    private static Next beginPending(Ledger ledger, TaskRecord task) {
        Wish wish = task.wish();
        if (wish != null && task.wantsCancel()) {
            return where(ledger.apply(task, new TaskCommand.Cancel(wish.by(), null)));
        }
        TenantRecord tenant = ledger.tenant(task);
        if (task.position() >= ledger.plan().reach() || !tenant.isHeldBy(task.id())) {
            return new Next(Way.LATER, task);
        }
        ledger.save(tenant.ranBy(task.id()));
        return where(ledger.apply(ledger.fence(task), new TaskCommand.Begin(tenant.lastKnownGood())));
    }

    private static Next beginWished(Ledger ledger, TaskRecord task) {
        Wish wish = task.wish();
        if (wish == null) {
            return where(task);
        }
        return where(
                switch (wish.kind()) {
                    case ROLLBACK -> ledger.apply(ledger.fence(task), new TaskCommand.RollBack(wish.by()));
                    case CANCEL, CANCEL_NOW -> ledger.apply(task, new TaskCommand.Cancel(wish.by(), null));
                    case RETRY -> ledger.apply(ledger.fence(task), new TaskCommand.Retry(wish.fromCheckpoint()));
                    case RESUME -> ledger.apply(task, new TaskCommand.Resume(wish.by()));
                    case PAUSE -> ledger.wish(task, null);
                });
    }

    /** The current stage passed. Without the plan's lock this is possible only where the task goes on. */
    public static Next passed(Ledger ledger, TaskRecord task, int index, TaskCommand.PassStage pass) {
        if (task.status() != TaskStatus.RUNNING || task.stagesDone() != index) {
            return where(task);
        }
        TaskRecord after = ledger.apply(task, pass);
        if (pass.confirmed()) {
            ledger.save(ledger.tenant(task).confirmed(task.change().target()));
        }
        if (after.currentStage() == null && !after.wants(Kind.ROLLBACK)) {
            return where(ledger.apply(after, new TaskCommand.Complete()));
        }
        TaskRecord wished = applyWish(ledger, after);
        return where(wished == null ? ledger.apply(after, new TaskCommand.OpenStage()) : wished);
    }

    /** A stage failed, and runs again later. What is wanted comes first, since nothing runs until then. */
    public static Next retrying(Ledger ledger, TaskRecord task, TaskCommand.RetryStage retry) {
        if (!task.status().hasThread()) {
            return where(task);
        }
        TaskRecord wished = task.status() == TaskStatus.RUNNING ? applyWish(ledger, task) : null;
        return where(wished == null ? ledger.apply(task, retry) : wished);
    }

    /** It begins again from the first stage, in a new run, unless it has done so since that run. */
    public static Next restart(Ledger ledger, TaskRecord task, int run) {
        boolean isIn = task.status() == TaskStatus.RUNNING && task.run() == run;
        return where(isIn ? ledger.apply(task, new TaskCommand.Restart()) : task);
    }

    /** {@return whether the plan has to be locked for a stage that passed} */
    public static boolean changesStatus(TaskRecord task) {
        return task.wish() != null || task.stagesDone() + 1 >= task.totalStages();
    }

    /** Who is to be cancelled now hasn't failed: the failure comes from the interrupt. */
    public static Next failed(Ledger ledger, TaskRecord task, FailureInfo failure, boolean ofStage) {
        if (task.status() != TaskStatus.RUNNING) {
            return where(task);
        }
        Wish wish = task.wish();
        if (wish != null && wish.is(Kind.CANCEL_NOW)) {
            return where(ledger.apply(task, new TaskCommand.Cancel(wish.by(), null)));
        }
        TaskRecord after = ledger.apply(task, new TaskCommand.Fail(failure, ofStage));
        return where(
                wish != null && wish.is(Kind.ROLLBACK)
                        ? ledger.apply(ledger.fence(after), new TaskCommand.RollBack(wish.by()))
                        : after);
    }

    /** {@return the task, which is taken over from a node that was lost} With one node too many lost, it has failed. */
    public static TaskRecord recovered(Ledger ledger, TaskRecord task, TaskCommand.Recover recover) {
        TaskRecord after = ledger.apply(task, recover);
        int lost = after.lostWith().size();
        if (lost <= TaskRules.MOST_LOST) {
            return after;
        }
        FailureInfo failure =
                new FailureInfo(FailureInfo.RECOVERY, lost + " nodes were lost with it without completing a stage");
        return (after.status() == TaskStatus.RUNNING
                        ? failed(ledger, after, failure, true)
                        : rolledBack(ledger, after, failure))
                .task();
    }

    public static Next undone(Ledger ledger, TaskRecord task, int index, @Nullable FailureInfo failure) {
        if (task.status() == TaskStatus.ROLLING_BACK && task.toUndo().contains(index)) {
            return where(ledger.apply(
                    task,
                    failure == null ? new TaskCommand.UndoStage(index) : new TaskCommand.MissStage(index, failure)));
        }
        return where(task);
    }

    public static Next rolledBack(Ledger ledger, TaskRecord task, @Nullable FailureInfo failure) {
        if (task.status() != TaskStatus.ROLLING_BACK) {
            return where(task);
        }
        TaskRecord after = ledger.apply(task, new TaskCommand.EndRollback(failure));
        if (after.status() == TaskStatus.ROLLED_BACK) {
            ledger.save(ledger.tenant(task).confirmed(Objects.requireNonNull(task.previous())));
        }
        return where(after);
    }

    /** The store can't keep what would come next, so this says no more than that, and nothing else is wanted. */
    public static Next refused(Ledger ledger, TaskRecord task, FailureInfo failure) {
        return where(
                switch (task.status()) {
                    case RUNNING -> ledger.apply(task, new TaskCommand.Fail(failure, false));
                    case ROLLING_BACK -> ledger.apply(task, new TaskCommand.EndRollback(failure));
                    case PENDING, PAUSED -> ledger.apply(task, new TaskCommand.Cancel("system", failure));
                    default -> ledger.wish(task, null);
                });
    }

    /** {@return the task as it is wanted, or {@code null} if nobody wants anything} */
    private static @Nullable TaskRecord applyWish(Ledger ledger, TaskRecord task) {
        Wish wish = task.wish();
        if (wish == null) {
            return null;
        }
        return switch (wish.kind()) {
            case ROLLBACK -> ledger.apply(ledger.fence(task), new TaskCommand.RollBack(wish.by()));
            case CANCEL, CANCEL_NOW -> ledger.apply(task, new TaskCommand.Cancel(wish.by(), null));
            case PAUSE -> ledger.apply(task, new TaskCommand.Pause(wish.by()));
            case RESUME, RETRY -> null;
        };
    }

    private static Next where(TaskRecord task) {
        return new Next(
                switch (task.status()) {
                    case RUNNING -> Way.FORWARD;
                    case ROLLING_BACK -> Way.BACK;
                    default -> Way.REST;
                },
                task);
    }
}
