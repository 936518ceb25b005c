package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskOperationException;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.Wish;
import io.github.kobe.rollout.Wish.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which wishes a task takes, in the state that it is in, and what that means for its plan and its tenant. */
public final class Wishes {

    private Wishes() {}

    /**
     * What has become of a wish for all tasks of a plan.
     *
     * @param accepted the tasks that take it
     * @param skipped the others, and why they don't
     * @param notRolledBack after a rollback: the tenants that keep the new version, or what they have of it
     */
    public record Answer(List<TaskId> accepted, Map<TaskId, FailureInfo> skipped, List<TenantId> notRolledBack) {}

    /** Leaves the wish with each task of the plan that allows it, and tells the plan. */
    public static Answer grantAll(Ledger ledger, Wish wish) {
        boolean isReady = ledger.plan().status() == PlanStatus.READY;
        ledger.apply(commandOf(wish));
        return grant(ledger, ledger.tasks(), wish, isReady, wish.is(Kind.ROLLBACK));
    }

    /** As for all, but only tasks that have failed are rolled back, and the plan goes on. */
    public static Answer rollBackFailed(Ledger ledger, String by) {
        ledger.apply(PlanCommand.ROLL_BACK_FAILED);
        List<TaskRecord> failed =
                ledger.tasks().stream().filter(TaskRecord::hasFailed).toList();
        return grant(ledger, failed, Wish.of(Kind.ROLLBACK, by), false, false);
    }

    /**
     * Leaves it with those that allow it.
     *
     * @param isReady whether the plan has not started, so that it is done at once
     * @param leaves whether what doesn't allow it goes no further
     */
    private static Answer grant(Ledger ledger, List<TaskRecord> tasks, Wish wish, boolean isReady, boolean leaves) {
        List<TaskId> accepted = new ArrayList<>();
        Map<TaskId, FailureInfo> skipped = new LinkedHashMap<>();
        List<TenantId> notRolledBack = new ArrayList<>();
        if (wish.is(Kind.RETRY) || wish.is(Kind.ROLLBACK)) {
            ledger.lockTenants(tasks);
        }
        for (TaskRecord task : tasks) {
            try {
                if (isReady) {
                    ledger.apply(task, new TaskCommand.Cancel(wish.by(), null));
                } else if (leaves && task.wants(Kind.CANCEL_NOW) && task.status() != TaskStatus.PENDING) {
                    throw refusal("ILLEGAL_STATE", task, wish, "it is to be cancelled now");
                } else {
                    grant(ledger, task, ofPlan(task, wish));
                }
                accepted.add(task.id());
            } catch (TaskOperationException e) {
                skipped.put(task.id(), e.failure());
                if (leaves && leaveChanged(ledger, task, wish.by())) {
                    notRolledBack.add(task.tenantId());
                }
            }
        }
        return new Answer(accepted, skipped, notRolledBack);
    }

    /** What waits has nothing to take back. */
    private static Wish ofPlan(TaskRecord task, Wish wish) {
        return wish.is(Kind.ROLLBACK) && task.status() == TaskStatus.PENDING ? Wish.of(Kind.CANCEL, wish.by()) : wish;
    }

    /**
     * {@return whether the tenant keeps the new version, or what it has of it} The task can't be rolled back with its plan,
     * and goes no further forward either.
     */
    private static boolean leaveChanged(Ledger ledger, TaskRecord task, String by) {
        if (task.status() == TaskStatus.RUNNING || task.status() == TaskStatus.PAUSED || task.wants(Kind.RETRY)) {
            grant(ledger, task, Wish.of(Kind.CANCEL, by));
        }
        return task.hasBegun() && task.status() != TaskStatus.ROLLING_BACK && task.status() != TaskStatus.ROLLED_BACK;
    }

    private static PlanCommand commandOf(Wish wish) {
        return switch (wish.kind()) {
            case PAUSE -> PlanCommand.PAUSE;
            case RESUME -> PlanCommand.RESUME;
            case RETRY -> PlanCommand.RETRY;
            case CANCEL, CANCEL_NOW -> PlanCommand.CANCEL;
            case ROLLBACK -> PlanCommand.ROLL_BACK;
        };
    }

    /** Leaves the wish with the task, if its state allows it and nobody wants something stronger. */
    public static void grant(Ledger ledger, TaskRecord task, Wish wish) {
        if (withdraws(task, wish)) {
            ledger.wish(task, null);
            return;
        }
        check(ledger, task, wish);
        Wish present = task.wish();
        if (present != null && present.kind().compareTo(wish.kind()) >= 0) {
            return;
        }
        if (wish.is(Kind.RETRY) && ledger.plan().status() == PlanStatus.PARTIAL_FAILED) {
            ledger.apply(PlanCommand.RETRY);
        }
        if (!task.status().isOpen()) {
            claimAgain(ledger, task);
        }
        ledger.wish(task, wish);
    }

    /** {@return whether it takes back what has not begun, and wants nothing more} */
    private static boolean withdraws(TaskRecord task, Wish wish) {
        return switch (wish.kind()) {
            case PAUSE -> task.wants(Kind.RESUME) || task.wants(Kind.RETRY);
            case RESUME -> task.wants(Kind.PAUSE);
            case CANCEL, CANCEL_NOW -> task.wants(Kind.RETRY);
            case RETRY, ROLLBACK -> false;
        };
    }

    private static void check(Ledger ledger, TaskRecord task, Wish wish) {
        TaskStatus status = task.status();
        boolean allowed = switch (wish.kind()) {
            case PAUSE -> status == TaskStatus.RUNNING;
            case RESUME -> status == TaskStatus.PAUSED;
            case CANCEL, CANCEL_NOW ->
                status == TaskStatus.PENDING || status == TaskStatus.RUNNING || status == TaskStatus.PAUSED;
            case ROLLBACK ->
                status == TaskStatus.RUNNING
                        || status == TaskStatus.PAUSED
                        || status == TaskStatus.FAILED
                        || status == TaskStatus.COMPLETED
                        || status == TaskStatus.ROLLBACK_FAILED;
            case RETRY -> status == TaskStatus.FAILED && !ledger.plan().status().isFinal();
        };
        if (!allowed) {
            throw refusal("ILLEGAL_STATE", task, wish, "it is " + status);
        }
        if (wish.is(Kind.ROLLBACK) && task.previous() == null) {
            throw refusal("NO_SNAPSHOT", task, wish, "its previous configuration is unknown");
        }
        if (wish.is(Kind.RETRY) && !task.canRetry()) {
            throw refusal("NO_RETRY_LEFT", task, wish, "it was retried " + task.retries() + " times already");
        }
    }

    private static void claimAgain(Ledger ledger, TaskRecord task) {
        TenantRecord tenant = ledger.tenant(task);
        if (tenant.claim() != null && !tenant.isHeldBy(task.id())) {
            throw new TaskOperationException(
                    FailureInfo.CONFLICT, "tenant " + tenant.id() + " is claimed by " + tenant.claim());
        }
        if (tenant.hasMovedOnFrom(task.id())) {
            throw new TaskOperationException(
                    FailureInfo.CONFLICT, "task " + tenant.lastTask() + " of tenant " + tenant.id() + " is newer");
        }
        ledger.save(tenant.claimedBy(task.id()));
    }

    private static TaskOperationException refusal(String errorType, TaskRecord task, Wish wish, String why) {
        return new TaskOperationException(errorType, "task " + task.id() + " refuses " + wish.kind() + ": " + why);
    }
}
