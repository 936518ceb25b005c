package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.ConflictPolicy;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.OperationResult;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Target;
import io.github.kobe.rollout.TaskCreationException;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskNotFoundException;
import io.github.kobe.rollout.TaskOperationException;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.Wish;
import io.github.kobe.rollout.Wish.Kind;
import io.github.kobe.rollout.internal.rules.Ledger;
import io.github.kobe.rollout.internal.rules.PlanCommand;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.TaskCommand;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.rollout.internal.rules.TenantRecord;
import io.github.kobe.rollout.internal.rules.Wishes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operations on plans and tasks. For a plan that was started, only wishes are written here, and their effect on the
 * plan; its drive does the rest.
 */
public final class Operations {

    private static final Logger LOG = LoggerFactory.getLogger(Operations.class);

    /** How many tenants a message names. */
    private static final int MOST_NAMES = 20;

    private final RolloutEngine engine;

    public Operations(RolloutEngine engine) {
        this.engine = engine;
    }

    public PlanRecord start(PlanId planId, String by) {
        LOG.info("{} starts {}", by, planId);
        try {
            engine.requireGroup(planId);
        } catch (IllegalArgumentException e) {
            throw new TaskOperationException("ILLEGAL_STATE", String.valueOf(e.getMessage()));
        }
        return engine.operate(planId, ledger -> begin(ledger, ledger.store().unfinished(planId)));
    }

    /** {@return the plan, which is open and begins with these tasks} */
    PlanRecord begin(Ledger ledger, List<TaskRecord> tasks) {
        ledger.apply(PlanCommand.START);
        List<TaskRecord> waiting =
                tasks.stream().filter(task -> task.wish() == null).toList();
        ledger.lockTenants(waiting);
        waiting.forEach(task -> register(ledger, task));
        return ledger.plan();
    }

    /** Claims a task's tenant, or does what is to be done if another task has it. */
    private void register(Ledger ledger, TaskRecord task) {
        TenantRecord tenant = ledger.tenant(task);
        if (tenant.claim() == null) {
            ledger.save(tenant.claimedBy(task.id()));
        } else if (engine.options().conflict() == ConflictPolicy.QUEUE) {
            ledger.save(tenant.awaitedBy(task.id()));
        } else {
            String message = "tenant " + tenant.id() + " is claimed by " + tenant.claim();
            LOG.warn("Task {} is cancelled: {}", task.id(), message);
            ledger.apply(task, new TaskCommand.Cancel("system", new FailureInfo(FailureInfo.CONFLICT, message)));
        }
    }

    public OperationResult want(Target target, Wish wish) {
        LOG.info("{} wants {} of {}", wish.by(), wish.kind(), target);
        return switch (target) {
            case PlanId planId -> ofPlan(planId, wish);
            case TaskId taskId -> ofTask(taskId, wish);
            case TenantId tenantId -> ofTask(taskOf(tenantId).id(), wish);
        };
    }

    /** {@return the task that has the tenant, else its newest} */
    public TaskRecord taskOf(TenantId tenantId) {
        TaskId claiming = engine.store().findTenant(tenantId).claim();
        return (claiming == null
                        ? engine.store().findByTenantId(tenantId, 1).stream().findFirst()
                        : engine.store().findById(claiming))
                .orElseThrow(() -> new TaskNotFoundException(tenantId));
    }

    private OperationResult ofTask(TaskId taskId, Wish wish) {
        PlanId planId = engine.store()
                .findById(taskId)
                .orElseThrow(() -> new TaskNotFoundException(taskId))
                .planId();
        return engine.operate(planId, ledger -> {
            Wishes.grant(ledger, ledger.task(taskId), wish);
            return result(wish, List.of(taskId), Map.of(), List.of());
        });
    }

    public OperationResult rollbackFailed(PlanId planId, String by) {
        LOG.info("{} wants ROLLBACK of what has failed of {}", by, planId);
        Wish wish = Wish.of(Kind.ROLLBACK, by);
        return engine.operate(planId, ledger -> result(planId, wish, Wishes.rollBackFailed(ledger, by)));
    }

    public PlanRecord changeConcurrency(PlanId planId, int maxConcurrency, String by) {
        if (maxConcurrency < 1) {
            throw new IllegalArgumentException("maxConcurrency is " + maxConcurrency + "; it must be at least 1");
        }
        LOG.info("{} lets {} tasks of {} run at once", by, maxConcurrency, planId);
        return engine.operate(planId, ledger -> {
            ledger.limit(maxConcurrency, by);
            return ledger.plan();
        });
    }

    /** Adds tasks at the end of a plan; what is wrong with any of them adds none. */
    public PlanRecord add(PlanId planId, List<TenantChange> changes, String by) {
        LOG.info("{} adds {} tasks to {}", by, changes.size(), planId);
        Creation creation = new Creation(engine, new RolloutPlan(planId.value(), null, changes), by);
        List<Creation.Draft> drafts = creation.drafts(planId);
        return engine.operate(planId, ledger -> {
            ledger.apply(PlanCommand.ADD);
            List<String> errors = new ArrayList<>(creation.errors());
            List<TenantId> tenants =
                    drafts.stream().map(draft -> draft.task().tenantId()).toList();
            Set<TenantId> present = ledger.store().ofPlan(planId, tenants);
            tenants.stream()
                    .filter(present::contains)
                    .forEach(tenant -> errors.add("tenant '" + tenant + "': it is in the plan already"));
            if (!errors.isEmpty()) {
                throw new TaskCreationException(planId.value(), errors);
            }
            addAll(ledger, drafts, by);
            return ledger.plan();
        });
    }

    private void addAll(Ledger ledger, List<Creation.Draft> drafts, String by) {
        int position = ledger.plan().size();
        ledger.grow(drafts.size(), by);
        List<TaskRecord> added = new ArrayList<>();
        for (Creation.Draft draft : drafts) {
            TaskRecord task = ledger.add(Creation.kept(ledger, draft, position++));
            added.add(ledger.apply(ledger.apply(task, new TaskCommand.Validate()), new TaskCommand.Accept()));
        }
        if (ledger.plan().startedAt() != null) {
            ledger.lockTenants(added);
            added.forEach(task -> register(ledger, task));
        }
    }

    private OperationResult ofPlan(PlanId planId, Wish wish) {
        return engine.operate(planId, ledger -> {
            return result(planId, wish, Wishes.grantAll(ledger, wish));
        });
    }

    /** {@return what has become of it} A pause and a resume are the plan's own, too; all else needs a task that takes it. */
    private static OperationResult result(PlanId planId, Wish wish, Wishes.Answer answer) {
        boolean needsTasks = !wish.is(Kind.PAUSE) && !wish.is(Kind.RESUME);
        if (needsTasks && answer.accepted().isEmpty()) {
            FailureInfo first = answer.skipped().isEmpty()
                    ? new FailureInfo("ILLEGAL_STATE", "none has failed")
                    : answer.skipped().values().iterator().next();
            throw new TaskOperationException(
                    first.errorType(), "no task of plan " + planId + " allows this: " + first.message());
        }
        return result(wish, answer.accepted(), answer.skipped(), answer.notRolledBack());
    }

    private static OperationResult result(
            Wish wish, List<TaskId> accepted, Map<TaskId, FailureInfo> skipped, List<TenantId> notRolledBack) {
        String what = wish.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        String left = notRolledBack.isEmpty() ? "" : "; not rolled back are the tenants " + names(notRolledBack);
        return new OperationResult(
                skipped.isEmpty(),
                what + " accepted for " + accepted.size() + " of " + (accepted.size() + skipped.size()) + " tasks"
                        + left,
                skipped.isEmpty() ? null : skipped.values().iterator().next(),
                List.copyOf(accepted),
                Map.copyOf(skipped),
                List.copyOf(notRolledBack));
    }

    private static String names(List<TenantId> tenants) {
        String first = tenants.stream().limit(MOST_NAMES).map(TenantId::value).collect(Collectors.joining(", "));
        int others = tenants.size() - MOST_NAMES;
        return others > 0 ? first + " and " + others + " more" : first;
    }

    public PlanRecord approve(PlanId planId, int wave, String by) {
        LOG.info("{} approves wave {} of {}", by, wave, planId);
        return engine.operate(planId, ledger -> {
            ledger.approve(wave, by);
            return ledger.plan();
        });
    }

    public PlanRecord giveUp(PlanId planId, String by) {
        LOG.info("{} gives {} up", by, planId);
        List<TaskId> forgotten = new ArrayList<>();
        PlanRecord plan = engine.operate(planId, ledger -> {
            ledger.apply(PlanCommand.GIVE_UP);
            for (TaskRecord task : ledger.store().tasks(planId)) {
                if (task.status() == TaskStatus.FAILED) {
                    ledger.apply(task, new TaskCommand.Forget());
                    forgotten.add(task.id());
                }
            }
            return ledger.plan();
        });
        engine.options().forgetCheckpoints(forgotten);
        return plan;
    }
}
