package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.Checkpoint;
import io.github.kobe.rollout.CheckpointException;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.PreviousConfig;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.internal.rules.Boundaries;
import io.github.kobe.rollout.internal.rules.Boundaries.Next;
import io.github.kobe.rollout.internal.rules.Boundaries.Way;
import io.github.kobe.rollout.internal.rules.TaskCommand;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.time.Duration;
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
    private final TaskSignals.Signal signal;
    private final StageWork work;
    private final SeparateCheckpoints checkpoints;

    /** Where it is, as far as was committed. */
    private Next next;

    private boolean entered;

    /** Whether it has come to the boundary of a stage: even if the plan is left to other nodes, each task comes to one. */
    private boolean worked;

    /** Known from the time that stages may run. */
    private @Nullable TaskSpec spec;

    /** How often the stage at hand has failed and runs again. */
    private int retried;

    /** Whether a rollback had something to do for the stage at hand before it was opened last. */
    private boolean begunBefore;

    TaskRun(RolloutEngine engine, Drive drive, TaskId id, TaskSignals.Signal signal) {
        this.engine = engine;
        this.drive = drive;
        this.id = id;
        options = engine.options();
        this.signal = signal;
        work = new StageWork(drive, signal);
        checkpoints = new SeparateCheckpoints(engine);
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
        if (next.way() == Way.REST) {
            drive.lease().stay(id);
        }
        checkpoints.forget(next.task());
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
        TaskSpec known = readSpec();
        if (known == null) {
            return;
        }
        Boundaries.Found found = PreviousLook.find(previous, options, next.task(), known);
        if (goesOn()) {
            next = boundary((ledger, task) -> Boundaries.begin(ledger, task, found));
        }
    }

    /** {@return what the task's record only names} If that can't be read, the task has failed, and there is none. */
    private @Nullable TaskSpec readSpec() {
        TaskSpec known = null;
        try {
            known = drive.persist(() -> engine.spec(next.task()));
        } catch (StoreRefusedException e) {
            LOG.warn("Task {} fails, since its configurations can't be read: {}", id, e.getMessage());
            fail(e.toFailure(), false);
        }
        spec = known;
        return known;
    }

    private void follow() {
        if (next.way() != Way.FORWARD && next.way() != Way.BACK) {
            return;
        }
        TaskSpec known = readSpec();
        if (known == null) {
            return;
        }
        List<Stage> stages = UserCode.ask(() -> StageNames.stages(options, next.task(), known.change()));
        List<String> names = stages.stream().map(Stage::name).toList();
        List<String> ofTask = next.task().stageNames();
        if (!names.equals(ofTask)) {
            if (!drive.lease().isStranded(next.task())) {
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
        drive.lease().stay(id);
        try {
            if (next.way() == Way.FORWARD) {
                reconcile(stages);
            }
            while (next.way() == Way.FORWARD && goesOn()) {
                forward(stages.get(next.task().stagesDone()));
            }
        } catch (CheckpointException e) {
            failCheckpoint(e);
        }
        if (next.way() == Way.BACK && goesOn()) {
            back(stages);
        }
    }

    private boolean goesOn() {
        return !engine.isStopping() && !drive.isCut() && !(worked && drive.isLeft());
    }

    /** A checkpoint kept apart may be one stage ahead, if the commit after it was lost. */
    private void reconcile(List<Stage> stages) {
        TaskRecord task = next.task();
        Optional<Checkpoint> found = checkpoints.load(task);
        if (found.isEmpty()) {
            return;
        }
        Checkpoint checkpoint = found.get();
        if (!checkpoint.fits(task.stageNames())) {
            LOG.warn("Task {} starts over: checkpoint {} doesn't fit its stages {}", id, checkpoint, task.stageNames());
            next = boundary((ledger, current) -> Boundaries.restart(ledger, current, task.run()));
        } else if (SeparateCheckpoints.isNext(checkpoint, task)) {
            Stage stage = stages.get(task.stagesDone());
            pass(task, checkpoint.skipped(), stage.isConfirming() && !checkpoint.skipped(), checkpoint.data());
        }
    }

    private void forward(Stage stage) {
        TaskRecord task = next.task();
        TaskContext context = context(task, stage.name(), false);
        boolean idle;
        try {
            idle = work.run(stage, context, stage.steps(), true);
        } catch (Throwable e) {
            if (!isRetried(stage, e)) {
                failStage(stage, e);
            }
            return;
        }
        if (drive.isCut()) {
            return;
        }
        boolean skipped = idle && !begunBefore;
        checkpoints.save(task, skipped, context.data());
        pass(task, skipped, stage.isConfirming() && !idle, context.data());
    }

    private void pass(TaskRecord task, boolean skipped, boolean confirmed, Map<String, String> data) {
        TaskCommand.PassStage pass = new TaskCommand.PassStage(skipped, confirmed, data);
        next = persist(() -> engine.passed(drive.lease(), task, pass));
        worked = true;
        begunBefore = hasBegun(task, next.task());
        retried = 0;
    }

    /** {@return whether the stage may run again} By then the wait is over, or there is something else to do. */
    private boolean isRetried(Stage stage, Throwable e) {
        if (drive.isCut() || signal.isCut() || retried >= stage.retries() || !(e instanceof Exception)) {
            return false;
        }
        retried++;
        Duration wait = UserCode.ask(() -> stage.waitBefore(retried, e));
        LOG.warn("Stage {} of task {} failed, and runs again in {}", stage.name(), id, wait, e);
        TaskCommand.RetryStage retry = new TaskCommand.RetryStage(stage.name(), retried, FailureInfo.of(e), wait);
        next = boundary((ledger, task) -> Boundaries.retrying(ledger, task, retry));
        awaitRetry(next.way(), wait);
        return true;
    }

    private void awaitRetry(Way way, Duration wait) {
        long start = System.nanoTime();
        Duration left = wait;
        try {
            while (isUnderWay() && next.way() == way && goesOn() && left.isPositive()) {
                signal.await(left);
                left = wait.minusNanos(System.nanoTime() - start);
                if (left.isPositive() && goesOn()) {
                    next = boundary(Boundaries::begin);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("Task {} was interrupted before its next try", id, e);
        }
    }

    private void failStage(Stage stage, Throwable e) {
        if (drive.isCut()) {
            LOG.debug("Stage {} of task {} was interrupted", stage.name(), id, e);
            return;
        }
        if (signal.isCut()) {
            LOG.info("Stage {} of task {} was interrupted, since the task is cancelled", stage.name(), id);
        } else {
            LOG.warn("Stage {} of task {} failed", stage.name(), id, e);
        }
        fail(FailureInfo.of(e), true);
    }

    private void failCheckpoint(CheckpointException e) {
        if (drive.isCut()) {
            LOG.debug("Task {} was interrupted at its checkpoint", id, e);
            return;
        }
        LOG.warn("Task {} fails at its checkpoint", id, e);
        fail(FailureInfo.of(e), true);
    }

    private void back(List<Stage> stages) {
        for (int index : next.task().toUndo()) {
            if (!goesOn()) {
                return;
            }
            retried = 0;
            boolean isOver = false;
            while (!isOver && goesOn()) {
                isOver = undo(stages.get(index), index);
            }
            if (!isOver) {
                return;
            }
        }
        FailureInfo unhealthy = next.task().toUndo().isEmpty() ? verify() : null;
        if (!drive.isCut()) {
            next = boundary((ledger, task) -> Boundaries.rolledBack(ledger, task, unhealthy));
        }
    }

    /** {@return whether the stage is rolled back, or can't be; otherwise it is tried again, or the drive ends} */
    private boolean undo(Stage stage, int index) {
        FailureInfo failure = null;
        try {
            work.run(stage, context(next.task(), stage.name(), true), stage.rollbackSteps(), false);
        } catch (Throwable e) {
            if (isRetried(stage, e)) {
                return false;
            }
            failure = FailureInfo.of(e);
            LOG.warn("Stage {} of task {} could not be rolled back", stage.name(), id, e);
        }
        if (drive.isCut()) {
            return false;
        }
        FailureInfo missed = failure;
        next = boundary((ledger, task) -> Boundaries.undone(ledger, task, index, missed));
        worked = true;
        return true;
    }

    private @Nullable FailureInfo verify() {
        TaskContext context = context(next.task(), "verification", true);
        try {
            return UserCode.ask(() -> options.verifier().verify(context, options.health()))
                    ? null
                    : new FailureInfo(FailureInfo.NOT_VERIFIED, "the tenant isn't healthy after the rollback");
        } catch (Throwable e) {
            LOG.warn("Task {} could not be verified after its rollback", id, e);
            return new FailureInfo(
                    FailureInfo.NOT_VERIFIED, "the tenant's health could not be checked: " + e.getMessage());
        }
    }

    private TaskContext context(TaskRecord task, String stage, boolean rollingBack) {
        return new TaskContext(
                task, Objects.requireNonNull(spec, "its configurations are not read"), stage, rollingBack, options);
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
        return persist(() -> engine.withPlan(drive.lease(), id, (ledger, task) -> {
            Next after = boundary.pass(ledger, task);
            begunBefore = hasBegun(task, after.task());
            return after;
        }));
    }

    /** {@return whether the stage that comes next may have run before the boundary, and has not been rolled back since} */
    private static boolean hasBegun(TaskRecord before, TaskRecord after) {
        return before.toUndo().contains(after.stagesDone());
    }

    /** {@return what comes next} If the store can't read or write that, the task ends with as little as can be written. */
    private Next persist(Supplier<Next> work) {
        Next after;
        try {
            after = drive.persist(work);
        } catch (StoreRefusedException e) {
            LOG.warn("Task {} fails: {}", id, e.getMessage());
            FailureInfo failure = e.toFailure();
            after = drive.persist(() ->
                    engine.withPlan(drive.lease(), id, (ledger, task) -> Boundaries.refused(ledger, task, failure)));
        }
        drive.committed();
        return after;
    }
}
