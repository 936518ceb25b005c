package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.Occurrence.StageCompleted;
import io.github.kobe.rollout.Occurrence.StageFailed;
import io.github.kobe.rollout.Occurrence.StageRetrying;
import io.github.kobe.rollout.Occurrence.StageRollbackFailed;
import io.github.kobe.rollout.Occurrence.StageRolledBack;
import io.github.kobe.rollout.Occurrence.StageRollingBack;
import io.github.kobe.rollout.Occurrence.StageSkipped;
import io.github.kobe.rollout.Occurrence.StageStarted;
import io.github.kobe.rollout.Occurrence.TaskCancelled;
import io.github.kobe.rollout.Occurrence.TaskCompleted;
import io.github.kobe.rollout.Occurrence.TaskCreated;
import io.github.kobe.rollout.Occurrence.TaskFailed;
import io.github.kobe.rollout.Occurrence.TaskPaused;
import io.github.kobe.rollout.Occurrence.TaskProgress;
import io.github.kobe.rollout.Occurrence.TaskRecovered;
import io.github.kobe.rollout.Occurrence.TaskResumed;
import io.github.kobe.rollout.Occurrence.TaskRetryCompleted;
import io.github.kobe.rollout.Occurrence.TaskRetryStarted;
import io.github.kobe.rollout.Occurrence.TaskRollbackFailed;
import io.github.kobe.rollout.Occurrence.TaskRolledBack;
import io.github.kobe.rollout.Occurrence.TaskRollingBack;
import io.github.kobe.rollout.Occurrence.TaskStarted;
import io.github.kobe.rollout.Occurrence.TaskValidated;
import io.github.kobe.rollout.Occurrence.TaskValidationFailed;
import io.github.kobe.rollout.TaskOperationException;
import io.github.kobe.rollout.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a task changes: the only function that turns one task record into another. A transition that
 * {@link TaskStatus#next()} doesn't allow is refused, with from, to and why, and changes nothing.
 */
public final class TaskRules {

    /** How many nodes may be lost with a task without a boundary in between. */
    public static final int MOST_LOST = 3;

    /** A task after a command, and what is to be told of it. */
    record Changed(TaskRecord task, List<Occurrence> occurrences) {}

    private final TaskRecord before;
    private final TaskRecord.Edit edit;
    private final Instant now;
    private final List<Occurrence> told = new ArrayList<>();

    private TaskRules(TaskRecord before, TaskRecord.Edit edit, Instant now) {
        this.before = before;
        this.edit = edit;
        this.now = now;
    }

    static Changed apply(TaskRecord task, TaskCommand command, Instant now) {
        List<Occurrence> told = new ArrayList<>();
        TaskRecord after = task.with(edit -> {
            TaskRules rules = new TaskRules(task, edit, now);
            rules.apply(command);
            told.addAll(rules.told);
        });
        return new Changed(after, told);
    }

    private void apply(TaskCommand command) {
        switch (command) {
            case TaskCommand.Validate validate -> {
                go(TaskStatus.VALIDATING);
                told.add(new TaskCreated());
            }
            case TaskCommand.Accept accept -> {
                go(TaskStatus.PENDING);
                told.add(new TaskValidated());
            }
            case TaskCommand.Refuse refuse -> refuse(refuse.errors());
            case TaskCommand.Begin begin -> begin(begin.lastKnownGood());
            case TaskCommand.Remember remember -> edit.previous = remember.previous();
            case TaskCommand.PassStage pass -> pass(pass);
            case TaskCommand.RetryStage retry -> {
                requireThread("retry a stage");
                told.add(new StageRetrying(retry.stage(), retry.retry(), retry.failure(), retry.backOff()));
            }
            case TaskCommand.OpenStage open -> {
                stay(TaskStatus.RUNNING, "open a stage");
                openStage();
            }
            case TaskCommand.Restart restart -> {
                stay(TaskStatus.RUNNING, "start again");
                rewind();
                openStage();
            }
            case TaskCommand.Report report -> {
                stay(TaskStatus.RUNNING, "report");
                tellProgress();
            }
            case TaskCommand.Recover recover -> recover(recover);
            case TaskCommand.Return returned -> edit.lostWith = without(before.lostWith(), returned.node());
            case TaskCommand.Complete complete -> complete();
            case TaskCommand.Fail fail -> fail(fail.failure(), fail.ofStage());
            case TaskCommand.Forget forget -> {
                stay(TaskStatus.FAILED, "forget its checkpoint");
                edit.removeCheckpoint();
            }
            case TaskCommand.Pause pause -> {
                String next = stageAhead(TaskStatus.PAUSED);
                go(TaskStatus.PAUSED);
                told.add(new TaskPaused(pause.by(), next));
            }
            case TaskCommand.Resume resume -> resume(resume.by());
            case TaskCommand.Cancel cancel -> cancel(cancel);
            case TaskCommand.Retry retry -> retry(retry.fromCheckpoint());
            case TaskCommand.RollBack rollBack -> rollBack(rollBack.by());
            case TaskCommand.UndoStage undo -> {
                String stage = toUndo(undo.index());
                edit.settled = with(stage);
                edit.lostWith = Set.of();
                told.add(new StageRolledBack(stage));
                tellNextUndo(undo.index());
            }
            case TaskCommand.MissStage miss -> {
                String stage = toUndo(miss.index());
                edit.failure = miss.failure();
                edit.lostWith = Set.of();
                told.add(new StageRollbackFailed(stage, miss.failure()));
                tellNextUndo(miss.index());
            }
            case TaskCommand.EndRollback end -> endRollback(end.failure());
        }
    }

    private void refuse(List<String> errors) {
        FailureInfo failure = new FailureInfo("VALIDATION", String.join("; ", errors));
        go(TaskStatus.VALIDATION_FAILED);
        edit.failure = failure;
        told.add(new TaskValidationFailed(failure));
    }

    private void begin(@Nullable Snapshot lastKnownGood) {
        if (before.status() != TaskStatus.PENDING) {
            throw illegal(TaskStatus.RUNNING, "only a waiting task can begin");
        }
        go(TaskStatus.RUNNING);
        edit.startedAt = now;
        edit.lastKnownGood = lastKnownGood == null ? null : lastKnownGood.unit().version();
        edit.previous = before.previous() == null ? lastKnownGood : before.previous();
        told.add(new TaskStarted(before.totalStages()));
        tellProgress();
    }

    private void pass(TaskCommand.PassStage pass) {
        stay(TaskStatus.RUNNING, "pass a stage");
        int index = before.stagesDone();
        String stage = stageAhead(TaskStatus.RUNNING);
        edit.stagesDone = index + 1;
        edit.settled = pass.skipped() ? with(stage) : without(edit.settled, stage);
        edit.checkpointAt = now;
        edit.data = pass.data();
        edit.lostWith = Set.of();
        if (pass.confirmed()) {
            edit.lastKnownGood = before.change().target().unit().version();
        }
        told.add(pass.skipped() ? new StageSkipped(stage, index) : new StageCompleted(stage, index));
        tellProgress();
    }

    private void recover(TaskCommand.Recover recover) {
        requireThread("be taken over");
        Set<String> lost = new HashSet<>(before.lostWith());
        lost.add(recover.lost());
        edit.lostWith = lost;
        List<Integer> undo = before.toUndo();
        told.add(new TaskRecovered(
                recover.node(),
                before.status() == TaskStatus.RUNNING
                        ? before.currentStage()
                        : undo.isEmpty() ? null : before.stageNames().get(undo.getFirst())));
    }

    private void complete() {
        if (before.stagesDone() < before.totalStages()) {
            throw illegal(TaskStatus.COMPLETED, "stages are left");
        }
        go(TaskStatus.COMPLETED);
        edit.removeCheckpoint();
        told.add(new TaskCompleted(duration(), before.stageNames()));
        tellRetryCompleted();
    }

    private void fail(FailureInfo failure, boolean ofStage) {
        String stage = before.currentStage();
        go(TaskStatus.FAILED);
        edit.failure = failure;
        if (!before.canRetry()) {
            edit.removeCheckpoint();
        }
        if (ofStage && stage != null) {
            told.add(new StageFailed(stage, before.stagesDone(), failure));
        }
        told.add(new TaskFailed(failure, before.completedStages(), ofStage ? stage : null));
        tellRetryCompleted();
    }

    private void resume(String by) {
        if (before.status() != TaskStatus.PAUSED) {
            throw illegal(TaskStatus.RUNNING, "only a paused task can be resumed");
        }
        String next = stageAhead(TaskStatus.RUNNING);
        go(TaskStatus.RUNNING);
        told.add(new TaskResumed(by, next));
        tellProgress();
    }

    private void cancel(TaskCommand.Cancel cancel) {
        if (before.status() == TaskStatus.RUNNING) {
            stageAhead(TaskStatus.CANCELLED);
        }
        go(TaskStatus.CANCELLED);
        edit.failure = cancel.failure();
        edit.removeCheckpoint();
        List<String> done = before.completedStages();
        told.add(new TaskCancelled(cancel.by(), done.isEmpty() ? null : done.getLast(), cancel.failure()));
        tellRetryCompleted();
    }

    private void retry(boolean fromCheckpoint) {
        if (before.status() != TaskStatus.FAILED) {
            throw illegal(TaskStatus.RUNNING, "only a failed task can be retried");
        }
        if (!before.canRetry()) {
            throw new TaskOperationException("NO_RETRY_LEFT", refusal(TaskStatus.RUNNING, "no retry is left"));
        }
        go(TaskStatus.RUNNING);
        edit.retries = before.retries() + 1;
        edit.attempt = before.attempt() + 1;
        edit.retrying = fromCheckpoint;
        edit.failure = null;
        told.add(new TaskRetryStarted(fromCheckpoint));
        if (!fromCheckpoint || before.checkpointAt() == null) {
            rewind();
        }
        tellProgress();
    }

    private void rollBack(String by) {
        if (before.previous() == null) {
            throw new TaskOperationException(
                    "NO_SNAPSHOT", refusal(TaskStatus.ROLLING_BACK, "its previous configuration is unknown"));
        }
        go(TaskStatus.ROLLING_BACK);
        edit.attempt = before.attempt() + 1;
        edit.failure = null;
        List<String> stages =
                before.toUndo().stream().map(before.stageNames()::get).toList();
        told.add(new TaskRollingBack("requested by " + by, stages));
        tellRetryCompleted();
        tellNextUndo(before.stagesStarted());
    }

    private void endRollback(@Nullable FailureInfo unhealthy) {
        List<Integer> left = before.toUndo();
        FailureInfo failure = unhealthy != null || left.isEmpty() ? unhealthy : before.failure();
        if (failure != null || !left.isEmpty()) {
            go(TaskStatus.ROLLBACK_FAILED);
            FailureInfo why =
                    Objects.requireNonNullElse(failure, new FailureInfo("ROLLBACK", left.size() + " stages left"));
            List<String> undone = before.stageNames().stream()
                    .filter(before.settled()::contains)
                    .toList();
            edit.failure = why;
            told.add(new TaskRollbackFailed(why, undone));
        } else {
            DeployUnit restored = Objects.requireNonNull(before.previous()).unit();
            go(TaskStatus.ROLLED_BACK);
            edit.unit = restored;
            edit.lastKnownGood = restored.version();
            told.add(new TaskRolledBack(restored));
        }
        edit.removeCheckpoint();
    }

    /** Each change of the state goes through here. */
    private void go(TaskStatus to) {
        if (!before.status().next().contains(to)) {
            throw illegal(to, "it can go to " + before.status().next());
        }
        edit.status = to;
        edit.wish = null;
        edit.lostWith = Set.of();
        edit.endedAt = to.isEnd() ? now : null;
    }

    private void stay(TaskStatus status, String what) {
        if (before.status() != status) {
            throw illegal(before.status(), "it must be " + status + " to " + what);
        }
    }

    private void requireThread(String what) {
        if (!before.status().hasThread()) {
            throw illegal(before.status(), "only a running task can " + what);
        }
    }

    private String stageAhead(TaskStatus to) {
        String stage = before.currentStage();
        if (stage == null) {
            throw illegal(to, "all its stages are done");
        }
        return stage;
    }

    private String toUndo(int index) {
        stay(TaskStatus.ROLLING_BACK, "roll a stage back");
        if (!before.toUndo().contains(index)) {
            throw illegal(TaskStatus.ROLLING_BACK, "nothing is left to roll back of stage " + index);
        }
        return before.stageNames().get(index);
    }

    private void rewind() {
        edit.run = before.run() + 1;
        edit.stagesDone = 0;
        edit.removeCheckpoint();
    }

    private void openStage() {
        int index = edit.stagesDone;
        String stage = before.stageNames().get(index);
        edit.stagesStarted = Math.max(before.stagesStarted(), index + 1);
        edit.settled = without(edit.settled, stage);
        told.add(new StageStarted(stage, index));
    }

    private void tellProgress() {
        told.add(new TaskProgress(edit.stagesDone, before.totalStages()));
    }

    private void tellNextUndo(int above) {
        before.toUndo().stream()
                .filter(index -> index < above)
                .findFirst()
                .ifPresent(index ->
                        told.add(new StageRollingBack(before.stageNames().get(index))));
    }

    private void tellRetryCompleted() {
        Boolean fromCheckpoint = before.retrying();
        if (fromCheckpoint != null) {
            edit.retrying = null;
            told.add(new TaskRetryCompleted(fromCheckpoint));
        }
    }

    private Set<String> with(String stage) {
        Set<String> more = new HashSet<>(before.settled());
        more.add(stage);
        return more;
    }

    private static Set<String> without(Set<String> all, String one) {
        Set<String> fewer = new HashSet<>(all);
        fewer.remove(one);
        return fewer;
    }

    private Duration duration() {
        return Duration.between(Objects.requireNonNullElse(before.startedAt(), now), now);
    }

    private TaskOperationException illegal(TaskStatus to, String why) {
        return new TaskOperationException("ILLEGAL_STATE", refusal(to, why));
    }

    private String refusal(TaskStatus to, String why) {
        return "task " + before.id() + " can't go from " + before.status() + " to " + to + ": " + why;
    }
}
