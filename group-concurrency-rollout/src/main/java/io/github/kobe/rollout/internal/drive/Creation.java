package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.FailureReaction;
import io.github.kobe.rollout.NetworkEndpoint;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.TaskCreationException;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.WaveSize;
import io.github.kobe.rollout.internal.rules.Ledger;
import io.github.kobe.rollout.internal.rules.PlanCommand;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.TaskCommand;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.rollout.internal.rules.Waves;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates a plan with its tasks, and may start it in the same transaction. If tenants have errors, the plan is created as
 * failed, so that it can be inspected; if the plan itself has errors, nothing is created. If it is there already, with the same
 * content, it is created no second time.
 */
public final class Creation {

    private static final Logger LOG = LoggerFactory.getLogger(Creation.class);

    private static final Duration LONGEST_GATE = Duration.ofDays(365);

    private final RolloutEngine engine;
    private final RolloutPlan spec;
    private final String by;
    private final List<String> errors = new ArrayList<>();

    /** Whether the last transaction starts it. */
    private boolean begins;

    public Creation(RolloutEngine engine, RolloutPlan spec, String by) {
        this.engine = engine;
        this.spec = spec;
        this.by = by;
    }

    /** A task to be, and what is wrong about it. */
    record Draft(TaskRecord task, TenantChange change, List<String> errors) {}

    /** {@return the tasks to be} What is wrong is in {@link #errors()} after it; nothing has changed. */
    List<Draft> check() {
        checkNumbers();
        PlanId planId = checkId();
        if (planId != null) {
            engine.store()
                    .findPlan(planId)
                    .flatMap(this::hindrance)
                    .filter(hindrance -> engine.store().findPlan(planId).isPresent()) // it may be removed meanwhile
                    .ifPresent(errors::add);
        }
        return drafts(PlanId.ofTrusted(String.valueOf(spec.planId())));
    }

    List<String> errors() {
        return errors;
    }

    /** {@return the plan, or the same one that was there already} */
    public PlanRecord create() {
        return create(false);
    }

    /** {@return the plan, or the same one that was there already; it is started unless it was} */
    public PlanRecord start() {
        PlanRecord plan = create(true);
        if (begins) {
            LOG.info("{} starts {}", by, plan.id());
        } else {
            LOG.info("{} would start {}, which is there already, and is {}", by, plan.id(), plan.status());
        }
        return plan;
    }

    private PlanRecord create(boolean starts) {
        checkNumbers();
        PlanId planId = checkId();
        if (planId == null || !errors.isEmpty()) {
            checkTenants();
            throw refusal();
        }
        if (engine.store().findPlan(planId).isPresent()) {
            PlanRecord known = engine.transact(ledger -> known(ledger, planId, starts));
            if (known != null) {
                return known;
            }
        }
        List<Draft> drafts = drafts(planId);
        PlanRecord created = engine.transact(ledger -> {
            PlanRecord known = known(ledger, planId, starts);
            if (known != null) {
                return known;
            }
            begins = starts;
            return write(ledger, planId, drafts, starts);
        });
        if (!errors.isEmpty()) {
            throw refusal();
        }
        return created;
    }

    /** {@return the plan if it is there} */
    private @Nullable PlanRecord known(Ledger ledger, PlanId planId, boolean starts) {
        PlanRecord plan = ledger.store().plan(planId).orElse(null);
        if (plan == null) {
            return null;
        }
        List<TaskRecord> tasks = engine.store().findByPlanId(planId);
        SamePlan.difference(plan, tasks, spec, engine.store()).ifPresent(difference -> {
            throw new TaskCreationException(planId.value(), List.of(isThere(planId) + ", and " + difference));
        });
        List<String> failures = tasks.stream()
                .filter(task -> task.status() == TaskStatus.VALIDATION_FAILED)
                .flatMap(task -> Stream.ofNullable(task.failure()).map(FailureInfo::message))
                .toList();
        if (!failures.isEmpty()) {
            throw new TaskCreationException(planId.value(), failures);
        }
        begins = starts && plan.status() == PlanStatus.READY;
        if (!begins) {
            return plan;
        }
        ledger.open(planId);
        new Operations(engine).begin(ledger, ledger.store().unfinished(planId));
        ledger.callDrive(ledger.now());
        return ledger.plan();
    }

    /** {@return why a start would not start that plan, which is there already} */
    private Optional<String> hindrance(PlanRecord plan) {
        List<TaskRecord> tasks = engine.store().findByPlanId(plan.id());
        return SamePlan.difference(plan, tasks, spec, engine.store())
                .map(difference -> isThere(plan.id()) + ", and " + difference)
                .or(() -> plan.status() == PlanStatus.READY
                        ? Optional.empty()
                        : Optional.of(isThere(plan.id()) + ", and it is " + plan.status()));
    }

    private static String isThere(PlanId planId) {
        return "there is a plan " + planId + " already";
    }

    private TaskCreationException refusal() {
        return new TaskCreationException(spec.planId(), errors);
    }

    private void checkNumbers() {
        Integer limit = spec.maxConcurrency();
        require(limit == null || limit >= 1, "maxConcurrency is " + limit + "; it must be at least 1");
        WaveSize failures = spec.maxFailures();
        require(
                failures == null || failures.isLegal() || (!failures.isPercentage() && failures.value() == 0),
                "maxFailures is " + failures + "; it must be at least 0, or a percentage from 1 to 100");
        require(
                failures != null || spec.onTooManyFailures() == FailureReaction.PAUSE,
                "onTooManyFailures is " + spec.onTooManyFailures() + "; it needs maxFailures, and the plan has none");
        for (WaveSize size : spec.waves()) {
            require(
                    size.isLegal(),
                    "the size of a wave is " + size + "; it must be at least 1, or a percentage from 1 to 100");
        }
        Duration bake = spec.bakeTime();
        require(
                !bake.isNegative() && bake.compareTo(LONGEST_GATE) <= 0,
                "bakeTime is " + bake + "; it must be from zero to " + LONGEST_GATE);
        Duration timeout = spec.approvalTimeout();
        require(
                timeout == null || (timeout.isPositive() && timeout.compareTo(LONGEST_GATE) <= 0),
                "the time-out of approvals is " + timeout + "; it must be more than zero, up to " + LONGEST_GATE);
        Duration check = spec.checkTimeout();
        require(
                check == null || (check.isPositive() && check.compareTo(LONGEST_GATE) <= 0),
                "the time-out of checks is " + check + "; it must be more than zero, up to " + LONGEST_GATE);
        require(
                check == null || engine.options().waveCheck() != null,
                "the plan is checked between its waves, and these rollouts have no waveCheck");
        require(
                !spec.waves().isEmpty() || (bake.isZero() && timeout == null && check == null),
                "bakeTime, approval and checks are between waves, and the plan has none");
    }

    private void require(boolean isRight, String error) {
        if (!isRight) {
            errors.add(error);
        }
    }

    private @Nullable PlanId checkId() {
        try {
            PlanId planId = PlanId.of(spec.planId() == null ? "" : spec.planId());
            engine.requireGroup(planId);
            return planId;
        } catch (IllegalArgumentException e) {
            errors.add(String.valueOf(e.getMessage()));
            return null;
        }
    }

    private void checkTenants() {
        Set<String> tenants = new HashSet<>();
        for (TenantChange change : spec.changes()) {
            errors.addAll(errorsOf(change, tenants));
        }
    }

    /** {@return the tasks to be} What is wrong is in {@link #errors()} after it. */
    List<Draft> drafts(PlanId planId) {
        List<Draft> drafts = new ArrayList<>();
        Set<String> tenants = new HashSet<>();
        for (TenantChange change : spec.changes()) {
            List<String> wrong = errorsOf(change, tenants);
            Instant now = engine.store().now();
            TaskId id = idOf(planId, now);
            int position = drafts.size();
            TaskRecord bare = TaskRecord.created(id, planId, position, change, Creation::unkept, List.of(), now);
            List<String> names = wrong.isEmpty() ? stageNames(bare, change, wrong) : List.of();
            TaskRecord task = TaskRecord.created(id, planId, position, change, Creation::unkept, names, now);
            drafts.add(new Draft(task, change, wrong));
            errors.addAll(wrong);
        }
        return drafts;
    }

    /** {@return the id of no configuration} What is only looked at names none. */
    private static String unkept(String config) {
        return "";
    }

    /** {@return the task at that place of the plan, with its configurations kept} */
    static TaskRecord kept(Ledger ledger, Draft draft, int position) {
        TaskRecord task = draft.task();
        return TaskRecord.created(
                task.id(),
                task.planId(),
                position,
                draft.change(),
                ledger.store()::keep,
                task.stageNames(),
                task.createdAt());
    }

    private static TaskId idOf(PlanId planId, Instant now) {
        String random = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
        return TaskId.ofTrusted("task-" + planId + "-" + now.toEpochMilli() + "-" + random);
    }

    private List<String> errorsOf(TenantChange change, Set<String> tenants) {
        List<String> wrong = new ArrayList<>();
        String who = "tenant '" + change.tenant() + "': ";
        try {
            TenantId.of(change.tenant());
        } catch (IllegalArgumentException e) {
            wrong.add(who + e.getMessage());
        }
        if (!tenants.add(change.tenant())) {
            wrong.add(who + "it is in the plan twice");
        }
        if (change.maxRetry() < 0) {
            wrong.add(who + "maxRetry is " + change.maxRetry() + "; it must be at least 0");
        }
        for (String url : change.endpoints()) {
            try {
                engine.options().allowed(NetworkEndpoint.of(url));
            } catch (RuntimeException e) {
                wrong.add(who + e.getMessage());
            }
        }
        return wrong;
    }

    private List<String> stageNames(TaskRecord task, TenantChange change, List<String> wrong) {
        String who = "tenant '" + task.tenantId() + "': ";
        try {
            List<String> names = StageNames.of(engine.options(), task, change);
            if (names.isEmpty()) {
                wrong.add(who + "it has no stages");
            }
            if (new HashSet<>(names).size() < names.size()) {
                wrong.add(who + "two stages have the same name: " + names);
            }
            return names;
        } catch (RuntimeException e) {
            wrong.add(who + e.getMessage());
            return List.of();
        }
    }

    private PlanRecord write(Ledger ledger, PlanId planId, List<Draft> drafts, boolean starts) {
        Integer limit = spec.maxConcurrency();
        int concurrency = limit == null ? engine.options().maxConcurrency() : limit;
        ledger.create(PlanRecord.created(planId, concurrency, Waves.of(spec), by, ledger.now()));
        ledger.apply(PlanCommand.VALIDATE);
        List<TaskRecord> valid = new ArrayList<>();
        for (Draft draft : drafts) {
            TaskRecord task =
                    ledger.apply(ledger.add(kept(ledger, draft, draft.task().position())), new TaskCommand.Validate());
            if (draft.errors().isEmpty()) {
                valid.add(ledger.apply(task, new TaskCommand.Accept()));
            } else {
                ledger.apply(task, new TaskCommand.Refuse(draft.errors()));
            }
        }
        if (errors.isEmpty()) {
            ledger.apply(PlanCommand.ACCEPT);
            if (starts) {
                new Operations(engine).begin(ledger, valid);
            }
        } else {
            FailureInfo others = new FailureInfo("VALIDATION", "other tasks of the plan are invalid");
            valid.forEach(task -> ledger.apply(task, new TaskCommand.Cancel(by, others)));
            ledger.apply(PlanCommand.REFUSE);
        }
        ledger.callDrive(ledger.now());
        return ledger.plan();
    }
}
