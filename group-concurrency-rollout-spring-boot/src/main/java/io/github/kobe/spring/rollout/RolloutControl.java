package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.OperationResult;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.PlanNotFoundException;
import io.github.kobe.rollout.RecordedEvent;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Target;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskOperationException;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.spring.internal.endpoint.RefusedRequestException;
import io.github.kobe.spring.internal.endpoint.RequestedValue;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Shows one plan, and passes on the operations of requests. */
final class RolloutControl {

    private static final int MOST_TASKS = 100;
    private static final int MOST_EVENTS = 1_000;

    private final Rollouts rollouts;
    private final PlanId planId;

    /**
     * Looks for a plan.
     *
     * @param rollouts where it is
     * @param plan the plan's id
     * @throws RefusedRequestException if it isn't there
     */
    RolloutControl(Rollouts rollouts, String plan) {
        this.rollouts = rollouts;
        try {
            planId = PlanId.of(plan);
        } catch (IllegalArgumentException e) {
            throw missing(plan);
        }
        plan();
    }

    private PlanInfo plan() {
        try {
            return rollouts.plan(planId);
        } catch (PlanNotFoundException e) {
            throw missing(planId.value());
        }
    }

    private static RefusedRequestException missing(String plan) {
        return RefusedRequestException.notFound("there is no such plan", "plan", plan, "the id of a plan");
    }

    RolloutsReport.PlanWithTasks show(@Nullable String limit, @Nullable String status, @Nullable String tenant) {
        int most = Math.min(RequestedValue.limit(limit), MOST_TASKS);
        TaskStatus wanted = status(status);
        List<TaskInfo> tasks = tenant == null
                ? rollouts.tasks(planId, wanted, most + 1)
                : ofTenant(tenant)
                        .filter(task -> wanted == null || task.status() == wanted)
                        .toList();
        return new RolloutsReport.PlanWithTasks(
                RolloutsReport.Plan.of(plan()),
                tasks.stream().limit(most).map(RolloutsReport.Task::of).toList(),
                tasks.size() > most);
    }

    RolloutEventsReport events(@Nullable String after, @Nullable String limit, @Nullable String tenant) {
        long from = RequestedValue.after(after);
        int most = RequestedValue.limit(limit, MOST_EVENTS);
        List<RecordedEvent> found = tenant == null
                ? rollouts.events(planId, null, from, most)
                : tenantId(tenant)
                        .map(wanted -> rollouts.events(planId, wanted, from, most))
                        .orElse(List.of());
        return RolloutEventsReport.of(planId, from, found);
    }

    RolloutsReport.Preview preview() {
        return RolloutsReport.Preview.of(rollouts.preview(planId), MOST_TASKS);
    }

    private static @Nullable TaskStatus status(@Nullable String text) {
        if (text == null) {
            return null;
        }
        return Arrays.stream(TaskStatus.values())
                .filter(status -> status.name().equals(text))
                .findFirst()
                .orElseThrow(() -> RefusedRequestException.badRequest(
                        "there is no such status", "status", text, "one of " + names(TaskStatus.values())));
    }

    private static String names(TaskStatus[] all) {
        return String.join(", ", Stream.of(all).map(Enum::name).toList());
    }

    /**
     * Passes on what a request wants.
     *
     * @param action what
     * @param tenant of which tenant's task; {@code null}: of the plan
     * @param fromCheckpoint whether a retry goes on with the stage that failed
     * @param number for an approval: the wave after which its gate is; for another limit: how many tasks run at once
     * @return what came of it
     * @throws RefusedRequestException if the tenant isn't in the plan, or it is nothing that the plan or task allows
     */
    RolloutsReport.Operation want(RolloutAction action, @Nullable String tenant, boolean fromCheckpoint, int number) {
        Target target = tenant == null ? planId : taskOf(action, tenant);
        try {
            return switch (action) {
                case START -> RolloutsReport.Operation.of(action, rollouts.start(planId));
                case GIVE_UP -> RolloutsReport.Operation.of(action, rollouts.giveUp(planId));
                case APPROVE -> RolloutsReport.Operation.of(action, rollouts.approve(planId, number));
                case CHANGE_CONCURRENCY ->
                    RolloutsReport.Operation.of(action, rollouts.changeConcurrency(planId, number));
                case PAUSE -> accepted(rollouts.pause(target));
                case RESUME -> accepted(rollouts.resume(target));
                case CANCEL -> accepted(rollouts.cancel(target));
                case CANCEL_NOW -> accepted(rollouts.cancelNow(target));
                case ROLLBACK -> accepted(rollouts.rollback(target));
                case ROLLBACK_FAILED -> accepted(rollouts.rollbackFailed(planId));
                case RETRY -> accepted(rollouts.retry(target, fromCheckpoint));
            };
        } catch (TaskOperationException refusal) {
            String why = String.valueOf(refusal.getMessage());
            throw refusal.errorType().equals("OTHER_GATE")
                    ? RefusedRequestException.conflict(
                            why, "wave", String.valueOf(number), plan().wave() + ", after which the gate is")
                    : RefusedRequestException.conflict(why, "action", action.text(), allowed(action, tenant, refusal));
        }
    }

    private RolloutsReport.Operation accepted(OperationResult result) {
        return RolloutsReport.Operation.of(result, plan());
    }

    private Target taskOf(RolloutAction action, String tenant) {
        if (!action.isForTasks()) {
            throw RefusedRequestException.badRequest(
                    action.text() + " is for plans as a whole",
                    "tenant",
                    tenant,
                    "none, or one of the actions " + RolloutAction.texts(true));
        }
        return ofTenant(tenant)
                .map(TaskInfo::taskId)
                .findFirst()
                .orElseThrow(() -> RefusedRequestException.notFound(
                        "the plan has no such tenant", "tenant", tenant, "a tenant of the plan"));
    }

    /** Of which a plan has one at most. */
    private Stream<TaskInfo> ofTenant(String tenant) {
        return tenantId(tenant).stream()
                .flatMap(wanted -> rollouts.tasks(wanted).stream())
                .filter(task -> task.planId().equals(planId));
    }

    /** {@return the id, if a tenant can have it} A database may refuse to look for another one. */
    private static Optional<TenantId> tenantId(String text) {
        try {
            return Optional.of(TenantId.of(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static String allowed(RolloutAction action, @Nullable String tenant, TaskOperationException refusal) {
        return switch (refusal.errorType()) {
            case "CONFLICT" -> "a tenant that no other task has, or has had since";
            case "NO_SNAPSHOT" -> "a task of which it is known what was before";
            case "NO_RETRY_LEFT" -> "a task that has a retry left";
            default -> action.allowed(tenant != null);
        };
    }
}
