package io.github.kobe.spring.actuate;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.OperationResult;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.spring.autoconfigure.PrintableText;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The plans at one moment.
 *
 * @param plans the newest first
 * @param truncated whether there are more
 */
public record RolloutsReport(List<Plan> plans, boolean truncated) {

    private static final int MOST_SKIPPED = 100;

    static RolloutsReport of(List<PlanInfo> plans, int most) {
        return new RolloutsReport(plans.stream().limit(most).map(Plan::of).toList(), plans.size() > most);
    }

    /**
     * How a plan is doing.
     *
     * @param planId its id
     * @param status where it is
     * @param maxConcurrency how many of its tasks run at once
     * @param pauseAsked whether it is to start nothing
     * @param tasks how many tasks are in each state
     * @param createdAt when it was created
     * @param createdBy by whom
     * @param startedAt when it was started; null: not yet
     * @param endedAt when it came to rest; null: not yet
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Plan(
            String planId,
            PlanStatus status,
            int maxConcurrency,
            boolean pauseAsked,
            Map<TaskStatus, Integer> tasks,
            Instant createdAt,
            String createdBy,
            @Nullable Instant startedAt,
            @Nullable Instant endedAt) {

        static Plan of(PlanInfo plan) {
            return new Plan(
                    plan.planId().value(),
                    plan.status(),
                    plan.maxConcurrency(),
                    plan.pauseAsked(),
                    new TreeMap<>(plan.tasks()),
                    plan.createdAt(),
                    PrintableText.wellFormed(plan.createdBy()),
                    plan.startedAt(),
                    plan.endedAt());
        }
    }

    /**
     * A plan with tasks of it.
     *
     * @param plan the plan
     * @param tasks those that were asked for, in the plan's order
     * @param truncated whether there are more
     */
    public record PlanWithTasks(Plan plan, List<Task> tasks, boolean truncated) {}

    /**
     * How a task is doing. What it sends isn't shown.
     *
     * @param taskId its id
     * @param tenant its tenant
     * @param status where it is
     * @param unit what the tenant has or is to have
     * @param previous what a rollback brings back; null: not known
     * @param completedStages how many stages are done
     * @param totalStages how many there are
     * @param stage the one at work or next; null: all are done
     * @param attempt which attempt it is, from 1
     * @param retryCount how often it was tried again
     * @param maxRetry how often it may be
     * @param wish what somebody wants of it and is not done yet; null: nothing
     * @param failure why it failed; null: it hasn't
     * @param startedAt when it first ran; null: not yet
     * @param endedAt when it ended; null: not yet
     * @param durationMillis the time between the two; null: it has not ended
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Task(
            String taskId,
            String tenant,
            TaskStatus status,
            Unit unit,
            @Nullable Unit previous,
            int completedStages,
            int totalStages,
            @Nullable String stage,
            int attempt,
            int retryCount,
            int maxRetry,
            @Nullable Wanted wish,
            @Nullable Failure failure,
            @Nullable Instant startedAt,
            @Nullable Instant endedAt,
            @Nullable Long durationMillis) {

        static Task of(TaskInfo task) {
            return new Task(
                    task.taskId().value(),
                    PrintableText.wellFormed(task.tenantId().value()),
                    task.status(),
                    Unit.of(task.unit()),
                    task.previous() == null ? null : Unit.of(task.previous().unit()),
                    task.completedStages(),
                    task.totalStages(),
                    task.stage() == null ? null : PrintableText.wellFormed(task.stage()),
                    task.attempt(),
                    task.retryCount(),
                    task.maxRetry(),
                    task.wish() == null
                            ? null
                            : new Wanted(
                                    task.wish().kind().name(),
                                    PrintableText.wellFormed(task.wish().by())),
                    task.failure() == null ? null : Failure.of(task.failure()),
                    task.startedAt(),
                    task.endedAt(),
                    task.durationMillis());
        }
    }

    /**
     * What is deployed.
     *
     * @param id its id
     * @param version its version
     * @param name its name
     */
    public record Unit(long id, long version, String name) {

        static Unit of(DeployUnit unit) {
            return new Unit(unit.version().unitId(), unit.version().version(), PrintableText.wellFormed(unit.name()));
        }
    }

    /**
     * What somebody wants of a task.
     *
     * @param kind what
     * @param by who
     */
    public record Wanted(String kind, String by) {}

    /**
     * Why something failed.
     *
     * @param errorType a word for the kind
     * @param message what happened
     */
    public record Failure(String errorType, String message) {

        static Failure of(FailureInfo failure) {
            return new Failure(failure.errorType(), PrintableText.wellFormed(failure.message()));
        }
    }

    /**
     * What came of a request that was accepted.
     *
     * @param success whether it was accepted for all tasks that it was meant for
     * @param message what was accepted
     * @param accepted for how many tasks
     * @param skipped the others of the plan, and why, at most 100
     * @param truncated whether there are more of those
     * @param plan the plan after it
     */
    public record Operation(
            boolean success, String message, int accepted, Map<String, Failure> skipped, boolean truncated, Plan plan) {

        static Operation of(OperationResult result, PlanInfo plan) {
            Map<String, Failure> skipped = new TreeMap<>();
            result.skipped().entrySet().stream()
                    .limit(MOST_SKIPPED)
                    .forEach(entry -> skipped.put(entry.getKey().value(), Failure.of(entry.getValue())));
            return new Operation(
                    result.success(),
                    result.message(),
                    result.accepted().size(),
                    skipped,
                    result.skipped().size() > MOST_SKIPPED,
                    Plan.of(plan));
        }

        /** Of the plan as a whole. */
        static Operation of(RolloutAction action, PlanInfo plan) {
            return new Operation(true, action.text() + " accepted", 0, Map.of(), false, Plan.of(plan));
        }
    }
}
