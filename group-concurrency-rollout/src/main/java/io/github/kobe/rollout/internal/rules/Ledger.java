package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.FailureReaction;
import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanNotFoundException;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.RolloutStatus;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskNotFoundException;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.WaveCheck;
import io.github.kobe.rollout.Wish;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The work of one transaction: it applies commands to tasks and to their plan, numbers events, releases tenants, and at
 * the end derives the plan's state. The plan may be left out if no task changes its state.
 */
public final class Ledger {

    private static final Comparator<TaskRecord> BY_TENANT =
            Comparator.comparing(task -> task.tenantId().value());

    /** Who rolls a plan back in which too many tasks have failed. */
    private static final String BY_ITSELF = "system";

    private final StoreTransaction store;
    private final Instant now;

    private @Nullable PlanRecord plan;

    /** How many of the plan's tasks could begin when it was opened. */
    private int reach;

    /** The tasks that were changed, as they were before. */
    private final Map<TaskId, TaskRecord> before = new LinkedHashMap<>();

    private final Map<TaskId, TaskRecord> after = new LinkedHashMap<>();

    /** The tasks that were given a tenant which another task let go. */
    private final List<TaskId> handedTo = new ArrayList<>();

    public Ledger(StoreTransaction store, Instant now) {
        this.store = store;
        this.now = now;
    }

    public Instant now() {
        return now;
    }

    public StoreTransaction store() {
        return store;
    }

    /** Locks the plan. */
    public PlanRecord open(PlanId planId) {
        PlanRecord opened = store.plan(planId).orElseThrow(() -> new PlanNotFoundException(planId));
        plan = opened;
        reach = opened.reach();
        return opened;
    }

    /** Begins with a plan that is new. */
    public void create(PlanRecord created) {
        plan = created;
        tell(PlanStatus.CREATED, new Occurrence.PlanEntered(PlanStatus.CREATED));
    }

    public PlanRecord plan() {
        return Objects.requireNonNull(plan, "the plan is not open");
    }

    public void update(PlanRecord changed) {
        plan = changed;
    }

    public TaskRecord task(TaskId taskId) {
        TaskRecord changed = after.get(taskId);
        return changed != null ? changed : store.task(taskId).orElseThrow(() -> new TaskNotFoundException(taskId));
    }

    /** {@return all tasks of the plan, in its order, as they are by now} */
    public List<TaskRecord> tasks() {
        return store.tasks(plan().id()).stream()
                .map(task -> after.getOrDefault(task.id(), task))
                .toList();
    }

    public TaskRecord add(TaskRecord created) {
        plan = plan().counting(null, created);
        after.put(created.id(), created);
        return created;
    }

    public TaskRecord apply(TaskRecord task, TaskCommand command) {
        TaskRules.Changed changed = TaskRules.apply(task, command, now);
        long sequence = task.sequence();
        for (Occurrence occurrence : changed.occurrences()) {
            sequence++;
            append(changed.task().planId(), changed.task(), changed.task().status(), occurrence, sequence);
        }
        long last = sequence;
        return put(task, changed.task().with(edit -> edit.sequence = last));
    }

    public TaskRecord wish(TaskRecord task, @Nullable Wish wish) {
        if (wish != null) {
            plan = plan().with(edit -> edit.wishes++);
        }
        return put(task, task.with(edit -> edit.wish = wish));
    }

    /**
     * {@return the task with a token that is higher than those of all runs of its tenant so far} What of these is still
     * under way somewhere is told from it.
     */
    TaskRecord fence(TaskRecord task) {
        TenantRecord fenced = tenant(task).fenced();
        save(fenced);
        return put(task, task.with(edit -> edit.token = fenced.token()));
    }

    /** {@return the tasks; those that another drive may still be running are taken from it, and have a new token} */
    public List<TaskRecord> fenceRunning(List<TaskRecord> tasks) {
        lockTenants(tasks.stream().filter(task -> task.status().hasThread()).toList());
        return tasks.stream()
                .map(task -> task.status().hasThread() ? take(fence(task)) : task)
                .toList();
    }

    /** {@return the task, which from now on only the drive that has the plan may write} */
    public TaskRecord take(TaskRecord task) {
        long epoch = plan().epoch();
        return task.epoch() == epoch ? task : put(task, task.with(edit -> edit.epoch = epoch));
    }

    private TaskRecord put(TaskRecord old, TaskRecord changed) {
        if (old.status() != changed.status() || old.isOwed() != changed.isOwed()) {
            plan = plan().counting(old, changed);
        }
        before.putIfAbsent(old.id(), old);
        after.put(changed.id(), changed);
        return changed;
    }

    public void apply(PlanCommand command) {
        enter(PlanRules.apply(plan(), command, now));
    }

    public void limit(int maxConcurrency, String by) {
        enter(PlanRules.limit(plan(), maxConcurrency, by));
    }

    /** So many tasks are about to be added, in the last wave. */
    public void grow(int tasks, String by) {
        plan = WaveRules.growing(plan(), tasks);
        tell(plan().status(), new Occurrence.TasksAdded(tasks, by));
    }

    /** The gate after that wave waits for this. */
    public void approve(int wave, String by) {
        enter(PlanRules.approve(plan(), wave, by, now));
    }

    /**
     * What the check after that wave has found, which counts if the gate still waits for it.
     *
     * @param since since when there was the gate that it was asked about
     */
    public void check(int wave, Instant since, WaveCheck.Verdict verdict) {
        if (!WaveRules.waitsForCheck(plan()) || !WaveRules.isAt(plan(), wave, since)) {
            return;
        }
        switch (verdict.kind()) {
            case PASS -> enter(PlanRules.passCheck(plan(), now));
            case STOP -> {
                FailureInfo failure = new FailureInfo(FailureInfo.CHECK_STOPPED, verdict.reason());
                tell(plan().status(), new Occurrence.GateStopped(wave, failure));
                if (plan().waves().onTooManyFailures() == FailureReaction.ROLLBACK) {
                    Wishes.grantAll(this, Wish.of(Wish.Kind.ROLLBACK, BY_ITSELF));
                } else {
                    plan = plan().with(edit -> edit.pauseAsked = true);
                }
            }
            case WAIT -> {}
        }
    }

    /** Has the plan's state follow from its tasks and the time, before the end of all. */
    public PlanRecord follow() {
        enter(PlanRules.derive(plan(), untouched(), now));
        return plan();
    }

    /** {@return how many tasks have failed before any stage of them began} Only the end of a rollback needs to know. */
    private int untouched() {
        PlanRecord current = plan();
        return current.status() == PlanStatus.ROLLING_BACK
                        && current.open() == 0
                        && current.count(TaskStatus.FAILED) > 0
                ? (int) tasks().stream().filter(TaskRecord::isUntouched).count()
                : 0;
    }

    private void enter(PlanRules.Changed changed) {
        PlanStatus status = plan().status();
        plan = changed.plan();
        for (Occurrence occurrence : changed.told()) {
            status = occurrence instanceof Occurrence.PlanEntered entered ? entered.status() : status;
            tell(status, occurrence);
        }
    }

    private void tell(PlanStatus status, Occurrence occurrence) {
        long sequence = plan().sequence() + 1;
        plan = plan().with(edit -> edit.sequence = sequence);
        append(plan().id(), null, status, occurrence, sequence);
    }

    private void append(
            PlanId planId, @Nullable TaskRecord task, RolloutStatus status, Occurrence occurrence, long sequence) {
        store.append(new RolloutEvent(
                planId,
                task == null ? null : task.id(),
                task == null ? null : task.tenantId(),
                status,
                now,
                occurrence.message(),
                occurrence.failure(),
                sequence,
                occurrence));
    }

    /** Locks the tenants of tasks, in the order in which every transaction does. */
    public void lockTenants(Collection<TaskRecord> tasks) {
        store.lock(tasks.stream()
                .sorted(BY_TENANT)
                .map(TaskRecord::tenantId)
                .distinct()
                .toList());
    }

    public TenantRecord tenant(TaskRecord task) {
        return store.tenant(task.tenantId());
    }

    public void save(TenantRecord tenant) {
        store.save(tenant);
    }

    /** Has a drive look at the plan at that time, unless one does so before. */
    public void callDrive(Instant at) {
        DriveState drive = plan().drive();
        if (!drive.comesBy(at)) {
            DriveState next = drive.next(at);
            plan = plan().with(edit -> edit.drive = next);
            store.schedule(plan().id(), next.number(), at);
        }
    }

    /** {@return the tasks that now have a tenant which another has let go} Saves all, in the order in which locks are taken. */
    public List<TaskId> close() {
        if (plan != null) {
            if (WaveRules.rollsBack(plan)) {
                tell(plan.status(), WaveRules.tooManyFailures(plan));
                Wishes.grantAll(this, Wish.of(Wish.Kind.ROLLBACK, BY_ITSELF));
            }
            store.save(follow());
        }
        after.values().forEach(store::save);
        List<TaskRecord> ended = after.values().stream().filter(this::hasEnded).toList();
        lockTenants(ended);
        ended.forEach(this::letGo);
        return handedTo;
    }

    /** {@return the plan, if other tasks of it may begin than before} */
    public Optional<PlanId> hasTurned() {
        return plan == null || plan.reach() == reach ? Optional.empty() : Optional.of(plan.id());
    }

    /** {@return whether it has come to rest, also again: a retry may begin and fail here} */
    private boolean hasEnded(TaskRecord task) {
        TaskRecord old = before.get(task.id());
        return task.status().isEnd()
                && !task.isOwed()
                && (old == null || !old.status().isEnd() || old.isOwed());
    }

    private void letGo(TaskRecord task) {
        TenantRecord tenant = tenant(task);
        TenantRecord left = tenant.leftBy(task.id());
        if (!left.equals(tenant)) {
            save(left);
        }
        if (left.claim() != null && tenant.isHeldBy(task.id())) {
            handedTo.add(left.claim());
        }
    }
}
