package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.Checkpoint;
import io.github.kobe.rollout.ConfigSnapshot;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.DeployVersion;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.StageContext;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.Wish;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is stored about a task; for stores. Only the rules turn it into another one.
 *
 * @param id the task
 * @param planId its plan
 * @param tenantId its tenant
 * @param position its index in the plan, from 0
 * @param change the change that it makes
 * @param stageNames the names of its stages, as they were when it was created
 * @param status its state
 * @param unit what the tenant has or will have
 * @param previous what a rollback restores
 * @param lastKnownGood the version that was last known to be good for the tenant
 * @param stagesDone how many stages of this run are done
 * @param stagesStarted how many stages have begun in any run
 * @param settled the stages for which a rollback has nothing to do: skipped, or already rolled back
 * @param run the number of the run, from 1; each retry from the beginning is a new run
 * @param attempt the number of the attempt, from 1; each retry and each rollback is a new attempt
 * @param retries how often it was retried
 * @param retrying during a retry: whether it continues from the checkpoint
 * @param lostWith the names of the processes that were lost with it since the last boundary, and haven't shown since then
 *     that they live
 * @param data what its stages have put into {@link StageContext#data()}
 * @param checkpointAt when the last stage was completed, or {@code null} if there is no checkpoint
 * @param failure why it failed
 * @param createdAt when it was created
 * @param startedAt when it first ran
 * @param endedAt when it ended
 * @param wish the operation that was requested for it
 * @param sequence the number of its last event
 * @param epoch the number of the drive that has passed a boundary with it last, or has taken it over since
 * @param token its {@linkplain StageContext#fencingToken() fencing token}, 0 before it runs
 * @since 0.1.0
 */
public record TaskRecord(
        TaskId id,
        PlanId planId,
        TenantId tenantId,
        int position,
        Change change,
        List<String> stageNames,
        TaskStatus status,
        DeployUnit unit,
        @Nullable Snapshot previous,
        @Nullable DeployVersion lastKnownGood,
        int stagesDone,
        int stagesStarted,
        Set<String> settled,
        int run,
        int attempt,
        int retries,
        @Nullable Boolean retrying,
        Set<String> lostWith,
        Map<String, String> data,
        @Nullable Instant checkpointAt,
        @Nullable FailureInfo failure,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        @Nullable Wish wish,
        long sequence,
        long epoch,
        long token) {

    /** Copies the collections. */
    public TaskRecord {
        stageNames = List.copyOf(stageNames);
        settled = Set.copyOf(settled);
        lostWith = Set.copyOf(lostWith);
        data = Map.copyOf(data);
    }

    /**
     * {@return a new task}
     *
     * @param id the task
     * @param planId its plan
     * @param position its index in the plan, from 0
     * @param change what was asked for
     * @param keep turns a configuration into its id
     * @param stageNames the names of its stages
     * @param now the time
     */
    public static TaskRecord created(
            TaskId id,
            PlanId planId,
            int position,
            TenantChange change,
            UnaryOperator<String> keep,
            List<String> stageNames,
            Instant now) {
        ConfigSnapshot previous = change.previous();
        return new TaskRecord(
                id,
                planId,
                TenantId.ofTrusted(change.tenant()),
                position,
                Change.of(change, keep.apply(change.config())),
                stageNames,
                TaskStatus.CREATED,
                change.unit(),
                previous == null ? null : new Snapshot(previous.unit(), keep.apply(previous.config())),
                null,
                0,
                0,
                Set.of(),
                1,
                1,
                0,
                null,
                Set.of(),
                Map.of(),
                null,
                null,
                now,
                null,
                null,
                null,
                0,
                0,
                0);
    }

    /** {@return what is shown of it} */
    public TaskInfo info() {
        return new TaskInfo(
                id,
                planId,
                tenantId,
                status,
                unit,
                previous == null ? null : previous.unit(),
                lastKnownGood,
                stagesDone,
                totalStages(),
                currentStage(),
                attempt,
                retries,
                change.maxRetry(),
                wish,
                failure,
                createdAt,
                startedAt,
                endedAt);
    }

    /** {@return how many stages there are} */
    public int totalStages() {
        return stageNames.size();
    }

    /** {@return the names of the stages that are done} */
    public List<String> completedStages() {
        return stageNames.subList(0, stagesDone);
    }

    /** {@return the running or next stage; none if all are done} */
    public @Nullable String currentStage() {
        return stagesDone < totalStages() ? stageNames.get(stagesDone) : null;
    }

    /** {@return its checkpoint after its last completed stage, if that is known} */
    public Optional<Checkpoint> checkpoint() {
        if (checkpointAt == null || stagesDone == 0) {
            return Optional.empty();
        }
        int last = stagesDone - 1;
        return Optional.of(checkpointAfter(last, checkpointAt, settled.contains(stageNames.get(last)), data));
    }

    /** {@return its checkpoint after the stage at that place} */
    public Checkpoint checkpointAfter(int index, Instant at, boolean skipped, Map<String, String> saved) {
        return new Checkpoint(id, index, stageNames.subList(0, index + 1), at, run, attempt, token, skipped, saved);
    }

    /** {@return the places of the stages that a rollback still has to take back, in its order} */
    public List<Integer> toUndo() {
        List<Integer> undo = new ArrayList<>();
        for (int index = stagesStarted - 1; index >= 0; index--) {
            if (!settled.contains(stageNames.get(index))) {
                undo.add(index);
            }
        }
        return undo;
    }

    /** {@return whether a retry is left} */
    public boolean canRetry() {
        return retries < change.maxRetry();
    }

    /** {@return whether it has come to rest, but has a wish} */
    boolean isOwed() {
        return wish != null && !status.isOpen();
    }

    /** {@return whether it has failed, forward or back} */
    boolean hasFailed() {
        return status == TaskStatus.FAILED || status == TaskStatus.ROLLBACK_FAILED;
    }

    /** {@return whether a stage of it has begun, so that its tenant may have been changed} */
    boolean hasBegun() {
        return stagesStarted > 0;
    }

    /** {@return whether it was cancelled when its tenant may have been changed already} */
    boolean isAbandoned() {
        return status == TaskStatus.CANCELLED && hasBegun();
    }

    /** {@return whether it has failed before any stage of it began} */
    boolean isUntouched() {
        return status == TaskStatus.FAILED && !hasBegun();
    }

    public boolean wants(Wish.Kind kind) {
        return wish != null && wish.is(kind);
    }

    /** {@return whether it is to be cancelled, now or at the boundary} */
    public boolean wantsCancel() {
        return wants(Wish.Kind.CANCEL) || wants(Wish.Kind.CANCEL_NOW);
    }

    /** {@return whether it waits to begin, and nobody wants anything else of it} */
    public boolean waits() {
        return status == TaskStatus.PENDING && wish == null;
    }

    TaskRecord with(Consumer<Edit> change) {
        Edit edit = new Edit(this);
        change.accept(edit);
        return edit.record();
    }

    /** What changes in a task. */
    static final class Edit {

        private final TaskRecord task;
        TaskStatus status;
        DeployUnit unit;

        @Nullable
        Snapshot previous;

        @Nullable
        DeployVersion lastKnownGood;

        int stagesDone;
        int stagesStarted;
        Set<String> settled;
        int run;
        int attempt;
        int retries;

        @Nullable
        Boolean retrying;

        Set<String> lostWith;
        Map<String, String> data;

        @Nullable
        Instant checkpointAt;

        @Nullable
        FailureInfo failure;

        @Nullable
        Instant startedAt;

        @Nullable
        Instant endedAt;

        @Nullable
        Wish wish;

        long sequence;
        long epoch;
        long token;

        private Edit(TaskRecord task) {
            this.task = task;
            status = task.status;
            unit = task.unit;
            previous = task.previous;
            lastKnownGood = task.lastKnownGood;
            stagesDone = task.stagesDone;
            stagesStarted = task.stagesStarted;
            settled = task.settled;
            run = task.run;
            attempt = task.attempt;
            retries = task.retries;
            retrying = task.retrying;
            lostWith = task.lostWith;
            data = task.data;
            checkpointAt = task.checkpointAt;
            failure = task.failure;
            startedAt = task.startedAt;
            endedAt = task.endedAt;
            wish = task.wish;
            sequence = task.sequence;
            epoch = task.epoch;
            token = task.token;
        }

        void removeCheckpoint() {
            checkpointAt = null;
            data = Map.of();
        }

        private TaskRecord record() {
            return new TaskRecord(
                    task.id,
                    task.planId,
                    task.tenantId,
                    task.position,
                    task.change,
                    task.stageNames,
                    status,
                    unit,
                    previous,
                    lastKnownGood,
                    stagesDone,
                    stagesStarted,
                    settled,
                    run,
                    attempt,
                    retries,
                    retrying,
                    lostWith,
                    data,
                    checkpointAt,
                    failure,
                    task.createdAt,
                    startedAt,
                    endedAt,
                    wish,
                    sequence,
                    epoch,
                    token);
        }
    }
}
