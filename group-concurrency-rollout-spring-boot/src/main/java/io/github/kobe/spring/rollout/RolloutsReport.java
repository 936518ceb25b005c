package io.github.kobe.spring.rollout;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.github.kobe.rollout.ConflictPolicy;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.OperationResult;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.PlanPreview;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantPreview;
import io.github.kobe.rollout.WaveGate;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.time.Instant;
import java.util.ArrayList;
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
     * @param status its state
     * @param maxConcurrency how many of its tasks run at once
     * @param pauseAsked whether a pause was requested, so that it starts nothing
     * @param tasks how many tasks are in each state
     * @param createdAt when it was created
     * @param createdBy by whom
     * @param startedAt when it was started; null: not yet
     * @param endedAt when it came to rest; null: not yet
     * @param wave the wave whose tasks may begin, from 1
     * @param waves how many waves there are
     * @param maxFailures how many tasks may fail, of the plan or of the current wave; null: any number
     * @param needsApproval whether the next wave waits for an approval
     * @param gate what holds back the next wave; null: nothing
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
            @Nullable Instant endedAt,
            int wave,
            int waves,
            @Nullable Integer maxFailures,
            boolean needsApproval,
            @Nullable Gate gate) {

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
                    plan.endedAt(),
                    plan.wave(),
                    plan.waves(),
                    plan.maxFailures(),
                    plan.gate() != null && plan.gate().needsApproval(),
                    plan.gate() == null ? null : Gate.of(plan.gate()));
        }
    }

    /**
     * What holds back the next wave of a plan.
     *
     * @param since when all tasks of the wave before had ended
     * @param bakedAt the earliest time at which the next one begins
     * @param expiresAt until when it waits for an approval; null: none is needed
     * @param approvedBy who has approved; null: nobody
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Gate(
            Instant since,
            Instant bakedAt,
            @Nullable Instant expiresAt,
            @Nullable String approvedBy) {

        static Gate of(WaveGate gate) {
            String by = gate.approvedBy();
            return new Gate(
                    gate.since(), gate.bakedAt(), gate.expiresAt(), by == null ? null : PrintableText.wellFormed(by));
        }
    }

    /**
     * What the start of a plan would do.
     *
     * @param planId its id
     * @param startable whether it can be started, which means that there are no errors
     * @param maxConcurrency how many tenants run at once
     * @param conflict what happens to a tenant that another task has
     * @param errors everything that is wrong with the plan and its tenants
     * @param waves how many tenants each wave has
     * @param tenants the tenants in the order in which they begin, at most 100
     * @param truncated whether there are more
     */
    public record Preview(
            String planId,
            boolean startable,
            int maxConcurrency,
            ConflictPolicy conflict,
            List<String> errors,
            List<Integer> waves,
            List<Tenant> tenants,
            boolean truncated) {

        static Preview of(PlanPreview preview, int most) {
            List<Tenant> tenants = new ArrayList<>();
            int wave = 0;
            for (List<TenantPreview> all : preview.waves()) {
                wave++;
                for (TenantPreview tenant : all) {
                    tenants.add(Tenant.of(tenant, wave));
                }
            }
            return new Preview(
                    preview.planId(),
                    preview.isStartable(),
                    preview.maxConcurrency(),
                    preview.conflict(),
                    preview.errors().stream()
                            .limit(most)
                            .map(PrintableText::wellFormed)
                            .toList(),
                    preview.waves().stream().map(List::size).toList(),
                    tenants.stream().limit(most).toList(),
                    tenants.size() > most || preview.errors().size() > most);
        }
    }

    /**
     * What the start of a plan would do with one tenant.
     *
     * @param tenant the tenant
     * @param wave its wave, from 1
     * @param stages the names of its stages
     * @param ahead the task that has the tenant, and those that wait for it
     * @param previous what a rollback would restore; null: not known
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Tenant(
            String tenant,
            int wave,
            List<String> stages,
            List<String> ahead,
            @Nullable Unit previous) {

        static Tenant of(TenantPreview preview, int wave) {
            DeployUnit previous = preview.previous();
            return new Tenant(
                    PrintableText.wellFormed(preview.tenant()),
                    wave,
                    preview.stages().stream().map(PrintableText::wellFormed).toList(),
                    preview.ahead().stream().map(TaskId::value).toList(),
                    previous == null ? null : Unit.of(previous));
        }
    }

    /**
     * A plan with tasks of it.
     *
     * @param plan the plan
     * @param tasks those that were requested, in the plan's order
     * @param truncated whether there are more
     */
    public record PlanWithTasks(Plan plan, List<Task> tasks, boolean truncated) {}

    /**
     * How a task is doing. The configuration that it sends isn't shown.
     *
     * @param taskId its id
     * @param tenant its tenant
     * @param status its state
     * @param unit what the tenant has or will have
     * @param previous what a rollback restores; null: not known
     * @param completedStages how many stages are done
     * @param totalStages how many there are
     * @param stage the running or next one; null: all are done
     * @param attempt which attempt it is, from 1
     * @param retryCount how often it was retried
     * @param maxRetry how often it may be retried
     * @param wish the operation that was requested and is not done yet; null: none
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
                    task.previous() == null ? null : Unit.of(task.previous()),
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
     * An operation that somebody has requested for a task.
     *
     * @param kind which operation
     * @param by who requested it
     */
    public record Wanted(String kind, String by) {}

    /**
     * Why something failed.
     *
     * @param errorType the kind of failure, in a word
     * @param message what happened
     */
    public record Failure(String errorType, String message) {

        static Failure of(FailureInfo failure) {
            return new Failure(failure.errorType(), PrintableText.wellFormed(failure.message()));
        }
    }

    /**
     * The result of a request that was accepted.
     *
     * @param success whether it was accepted for all tasks that it was meant for
     * @param message what was accepted
     * @param accepted for how many tasks
     * @param skipped the other tasks of the plan, and why they were skipped, at most 100
     * @param notRolledBack after the rollback of a plan: the tenants that keep the new version, or what they have of
     *     it, at most 100
     * @param truncated whether there are more of those
     * @param plan the plan after it
     */
    public record Operation(
            boolean success,
            String message,
            int accepted,
            Map<String, Failure> skipped,
            List<String> notRolledBack,
            boolean truncated,
            Plan plan) {

        static Operation of(OperationResult result, PlanInfo plan) {
            Map<String, Failure> skipped = new TreeMap<>();
            result.skipped().entrySet().stream()
                    .limit(MOST_SKIPPED)
                    .forEach(entry -> skipped.put(entry.getKey().value(), Failure.of(entry.getValue())));
            return new Operation(
                    result.success(),
                    PrintableText.wellFormed(result.message()),
                    result.accepted().size(),
                    skipped,
                    result.notRolledBack().stream()
                            .limit(MOST_SKIPPED)
                            .map(tenant -> PrintableText.wellFormed(tenant.value()))
                            .toList(),
                    result.skipped().size() > MOST_SKIPPED,
                    Plan.of(plan));
        }

        /** For an operation on the plan as a whole. */
        static Operation of(RolloutAction action, PlanInfo plan) {
            return new Operation(true, action.text() + " accepted", 0, Map.of(), List.of(), false, Plan.of(plan));
        }
    }
}
