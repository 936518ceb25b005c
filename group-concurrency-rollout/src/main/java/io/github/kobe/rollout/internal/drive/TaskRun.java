package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.Checkpoint;
import io.github.kobe.rollout.CheckpointException;
import io.github.kobe.rollout.CheckpointStore;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.PreviousConfig;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.StageContext;
import io.github.kobe.rollout.Step;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.internal.rules.Boundaries;
import io.github.kobe.rollout.internal.rules.Boundaries.Next;
import io.github.kobe.rollout.internal.rules.Boundaries.Way;
import io.github.kobe.rollout.internal.rules.TaskCommand;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** The code of a task's thread: stage after stage, forward or back, until the task comes to rest or the drive ends. */
final class TaskRun {

    private static final Logger LOG = LoggerFactory.getLogger(TaskRun.class);

    private final RolloutEngine engine;
    private final RolloutOptions options;
    private final Drive drive;
    private final TaskId id;

    /** Where it is, as far as was committed. */
    private Next next;

    private boolean entered;

    /** Known from the time that stages may run. */
    private @Nullable TaskSpec spec;

    TaskRun(RolloutEngine engine, Drive drive, TaskId id) {
        this.engine = engine;
        this.drive = drive;
        this.id = id;
        options = engine.options();
        next = boundary(options.previous() == null ? Boundaries::begin : Boundaries::look);
    }

    /** {@return the task, if it could not begin yet} */
    Optional<TaskRecord> run() {
        if (next.way() == Way.LATER) {
            return Optional.of(next.task());
        }
        try {
            if (isUnderWay()) {
                engine.alone(next.task().tenantId(), this::work);
                if (!entered) {
                    throw new IllegalStateException("the TaskWorker didn't run the task");
                }
            }
        } catch (FencedException | StoreLostException | StoreRefusedException | StagesElsewhereException e) {
            throw e;
        } catch (InterruptedException e) {
            LOG.debug("Task {} was interrupted before it had its tenant to itself", id, e);
            return Optional.empty();
        } catch (RuntimeException | Error e) {
            if (drive.isCut()) {
                LOG.debug("Task {} was interrupted", id, e);
            } else {
                failAround(e);
            }
        }
        forgetCheckpoint();
        return next.way() == Way.LATER ? Optional.of(next.task()) : Optional.empty();
    }

    private void work() {
        options.workers().create(next.task().info(), this::course).run();
    }

    private boolean isUnderWay() {
        return next.way() == Way.FORWARD || next.way() == Way.BACK || next.way() == Way.LOOK;
    }

    /** What is around the stages failed: the worker, or the factory of the stages. */
    private void failAround(Throwable e) {
        LOG.warn("Task {} failed outside its stages", id, e);
        fail(FailureInfo.of(e), false);
    }

    private void course() {
        entered = true;
        Map<String, String> before = MDC.getCopyOfContextMap();
        try {
            MDC.put("planId", next.task().planId().value());
            MDC.put("taskId", id.value());
            MDC.put("tenantId", next.task().tenantId().value());
            look();
            follow();
        } finally {
            if (before == null) {
                MDC.clear();
            } else {
                MDC.setContextMap(before);
            }
        }
    }

    private void look() {
        PreviousConfig previous = options.previous();
        if (previous == null || next.way() != Way.LOOK || !goesOn()) {
            return;
        }
        TaskSpec known = drive.persist(() -> engine.spec(next.task()));
        Boundaries.Found found =
                PreviousLook.find(previous, options, new TaskContext(next.task(), known, "previous", false, options));
        if (goesOn()) {
            next = boundary((ledger, task) -> Boundaries.begin(ledger, task, found));
        }
    }

    private void follow() {
        if (next.way() != Way.FORWARD && next.way() != Way.BACK) {
            return;
        }
        TaskSpec known = drive.persist(() -> engine.spec(next.task()));
        spec = known;
        List<Stage> stages = StageNames.stages(options, next.task(), known.change());
        List<String> names = stages.stream().map(Stage::name).toList();
        List<String> ofTask = next.task().stageNames();
        if (!names.equals(ofTask)) {
            if (!drive.isStranded()) {
                throw new StagesElsewhereException(id, ofTask, names);
            }
            fail(
                    new FailureInfo(
                            FailureInfo.STAGES_CHANGED,
                            "the stages have changed from " + ofTask + " to " + names
                                    + ", and no other node has come that has them"),
                    false);
            return;
        }
        drive.atHome();
        if (next.way() == Way.FORWARD) {
            reconcile(stages);
        }
        while (next.way() == Way.FORWARD && goesOn()) {
            forward(stages.get(next.task().stagesDone()));
        }
        if (next.way() == Way.BACK && goesOn()) {
            back(stages);
        }
    }

    private boolean goesOn() {
        return !engine.isStopping() && !drive.isCut();
    }

    /** A checkpoint kept apart may be one stage ahead, if the commit after it was lost. */
    private void reconcile(List<Stage> stages) {
        CheckpointStore checkpoints = options.checkpoints();
        TaskRecord task = next.task();
        if (checkpoints == null) {
            return;
        }
        Optional<Checkpoint> found;
        try {
            found = checkpoints.load(id);
            if (found.isPresent() && found.get().run() != task.run()) {
                checkpoints.remove(id);
                found = Optional.empty();
            }
        } catch (RuntimeException e) {
            failCheckpoint("the checkpoint could not be loaded: ", e);
            return;
        }
        if (found.isEmpty()) {
            return;
        }
        Checkpoint checkpoint = found.get();
        if (!checkpoint.fits(task.stageNames())) {
            LOG.warn("Task {} starts over: checkpoint {} doesn't fit its stages {}", id, checkpoint, task.stageNames());
            next = persist(() -> engine.restart(task));
        } else if (checkpoint.lastCompletedStageIndex() == task.stagesDone() && isLatest(checkpoint, task)) {
            Stage stage = stages.get(task.stagesDone());
            pass(task, stage, checkpoint.skipped(), checkpoint.data());
        }
    }

    /**
     * Whether nobody has run the stage since. A node that has lost the plan may save what it has done at any time later, when
     * another one was in the middle of the same stage, or has failed at it.
     */
    private static boolean isLatest(Checkpoint checkpoint, TaskRecord task) {
        return checkpoint.attempt() == task.attempt() && checkpoint.token() >= task.token() - 1;
    }

    private void forward(Stage stage) {
        TaskRecord task = next.task();
        TaskContext context = context(task, stage.name(), false);
        boolean skipped;
        try {
            skipped = perform(stage, context, stage.steps(), true);
        } catch (Throwable e) {
            failStage(stage, e);
            return;
        }
        if (drive.isCut()) {
            return;
        }
        if (saveCheckpoint(task, skipped, context.data())) {
            pass(task, stage, skipped, context.data());
        }
    }

    private void pass(TaskRecord task, Stage stage, boolean skipped, Map<String, String> data) {
        TaskCommand.PassStage pass = new TaskCommand.PassStage(skipped, stage.isConfirming() && !skipped, data);
        next = persist(() -> engine.passed(task, pass));
    }

    private void failStage(Stage stage, Throwable e) {
        if (drive.isCut()) {
            LOG.debug("Stage {} of task {} was interrupted", stage.name(), id, e);
            return;
        }
        LOG.warn("Stage {} of task {} failed", stage.name(), id, e);
        fail(FailureInfo.of(e), true);
    }

    /** {@return whether there was nothing to do} */
    private boolean perform(Stage stage, TaskContext context, List<Step> steps, boolean skippable) throws Exception {
        MDC.put("stageName", stage.name());
        try {
            if (skippable && stage.canSkip(context)) {
                return true;
            }
            TimeLimit.Work work = () -> {
                for (int index = 0; index < steps.size(); index++) {
                    if (drive.isCut()) {
                        throw new InterruptedException("the step before it was to end");
                    }
                    context.enter(index + 1);
                    steps.get(index).execute(context);
                }
            };
            if (stage.timeout().isPresent()) {
                TimeLimit.run("stage " + stage.name(), stage.timeout().get(), work);
            } else {
                work.run();
            }
            return false;
        } finally {
            MDC.remove("stageName");
        }
    }

    private boolean saveCheckpoint(TaskRecord task, boolean skipped, Map<String, String> data) {
        CheckpointStore checkpoints = options.checkpoints();
        if (checkpoints == null) {
            return true;
        }
        int index = task.stagesDone();
        try {
            checkpoints.save(new Checkpoint(
                    id,
                    index,
                    task.stageNames().subList(0, index + 1),
                    engine.now(),
                    task.run(),
                    task.attempt(),
                    task.token(),
                    skipped,
                    data));
            return true;
        } catch (RuntimeException e) {
            failCheckpoint("the checkpoint could not be saved: ", e);
            return false;
        }
    }

    private void failCheckpoint(String what, RuntimeException e) {
        if (drive.isCut()) {
            LOG.debug("Task {} was interrupted at its checkpoint", id, e);
            return;
        }
        LOG.warn("Task {}: {}", id, what, e);
        fail(FailureInfo.of(new CheckpointException(what + e.getMessage(), e)), true);
    }

    private void back(List<Stage> stages) {
        for (int index : next.task().toUndo()) {
            if (!goesOn()) {
                return;
            }
            Stage stage = stages.get(index);
            FailureInfo failure = null;
            try {
                perform(stage, context(next.task(), stage.name(), true), stage.rollbackSteps(), false);
            } catch (Throwable e) {
                failure = FailureInfo.of(e);
                LOG.warn("Stage {} of task {} could not be rolled back", stage.name(), id, e);
            }
            if (drive.isCut()) {
                return;
            }
            FailureInfo missed = failure;
            next = boundary((ledger, task) -> Boundaries.undone(ledger, task, index, missed));
        }
        FailureInfo unhealthy = next.task().toUndo().isEmpty() ? verify() : null;
        if (!drive.isCut()) {
            next = boundary((ledger, task) -> Boundaries.rolledBack(ledger, task, unhealthy));
        }
    }

    private @Nullable FailureInfo verify() {
        StageContext context = context(next.task(), "verification", true);
        try {
            return options.verifier().verify(context, options.health())
                    ? null
                    : new FailureInfo(FailureInfo.NOT_VERIFIED, "the tenant isn't healthy after the rollback");
        } catch (Throwable e) {
            LOG.warn("Task {} could not be verified after its rollback", id, e);
            return new FailureInfo(
                    FailureInfo.NOT_VERIFIED, "the tenant's health could not be checked: " + e.getMessage());
        }
    }

    private TaskContext context(TaskRecord task, String stage, boolean rollingBack) {
        TaskSpec known = Objects.requireNonNull(spec, "its configurations are not read");
        return new TaskContext(task, known, stage, rollingBack, options);
    }

    private void fail(FailureInfo failure, boolean ofStage) {
        if (next.way() == Way.LOOK) {
            FailureInfo unknown = new FailureInfo(FailureInfo.NO_PREVIOUS, failure.message());
            next = boundary((ledger, task) -> Boundaries.begin(ledger, task, new Boundaries.Found(null, unknown)));
        } else if (next.way() == Way.BACK) {
            next = boundary((ledger, task) -> Boundaries.rolledBack(ledger, task, failure));
        } else {
            next = boundary((ledger, task) -> Boundaries.failed(ledger, task, failure, ofStage));
        }
    }

    private Next boundary(RolloutEngine.Boundary boundary) {
        return persist(() -> engine.withPlan(drive.planId(), id, drive.epoch(), boundary));
    }

    /** {@return what comes next} If the store can't read or write that, the task ends with as little as can be written. */
    private Next persist(Supplier<Next> work) {
        Next after;
        try {
            after = drive.persist(work);
        } catch (StoreRefusedException e) {
            LOG.warn("Task {} fails: {}", id, e.getMessage());
            FailureInfo failure = e.toFailure();
            after = drive.persist(() -> engine.withPlan(
                    drive.planId(), id, drive.epoch(), (ledger, task) -> Boundaries.refused(ledger, task, failure)));
        }
        drive.committed();
        return after;
    }

    /** Where nothing is left that could go on from it. */
    private void forgetCheckpoint() {
        TaskRecord task = next.task();
        if (task.status().isEnd() && !(task.status() == TaskStatus.FAILED && task.canRetry())) {
            engine.forgetCheckpoints(List.of(id));
        }
    }
}
