package io.github.kobe.rollout;

import io.github.kobe.GroupExecutor;
import io.github.kobe.rollout.internal.drive.Creation;
import io.github.kobe.rollout.internal.drive.Operations;
import io.github.kobe.rollout.internal.drive.Pages;
import io.github.kobe.rollout.internal.drive.Preview;
import io.github.kobe.rollout.internal.drive.RolloutEngine;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Creates plans, starts them, and operates on them while they run.
 *
 * <pre>{@code
 * Rollouts rollouts = Rollouts.builder(executor)
 *         .stages(Stage.named("Migrate").step(ctx -> migrate(ctx.tenantId(), ctx.config())))
 *         .build();
 * PlanInfo plan = rollouts.start(RolloutPlan.named("plan-2026-11-22")
 *         .add(TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), configJson))
 *         .build());
 * rollouts.await(plan.planId(), Duration.ofMinutes(10));
 * }</pre>
 *
 * <p>Tenants are changed in the order of the plan, as many at once as the plan allows; a tenant never has two running
 * tasks. An operation on a running task takes effect at the end of the current stage: only {@link #cancelNow} cuts a stage off.
 * Operations return at once. They throw a {@link PlanNotFoundException} or a {@link TaskNotFoundException} if the
 * target doesn't exist, and a {@link TaskOperationException} if the operation isn't allowed; then nothing has changed.
 *
 * <p>A plan runs on virtual threads of the {@link GroupExecutor}, in a group named {@code rollout:} plus the plan's id,
 * with limits that come from the plan; of the application's limits only those over all groups or over all instances
 * apply.
 *
 * <p>Thread-safe. Close it before the executor.
 *
 * @since 0.1.0
 */
public final class Rollouts implements AutoCloseable {

    private final RolloutEngine engine;
    private final Operations operations;
    private final String by;

    Rollouts(RolloutEngine engine, String by) {
        this.engine = engine;
        this.by = by;
        operations = new Operations(engine);
    }

    /**
     * Starts building rollouts.
     *
     * @param executor the executor that runs the tasks
     * @return a builder
     */
    public static RolloutsBuilder builder(GroupExecutor executor) {
        return new RolloutsBuilder(Objects.requireNonNull(executor, "executor"));
    }

    /**
     * {@return the same rollouts, for operations that name who requests them; without it that is {@code system}}
     *
     * @param who the name in events and logs; spaces replace its control characters
     */
    public Rollouts by(String who) {
        return new Rollouts(engine, Texts.clean(Objects.requireNonNull(who, "who")));
    }

    /**
     * Creates a plan, without starting it. If the same plan is there already, nothing changes.
     *
     * @param plan the plan
     * @return the plan, which is {@link PlanStatus#READY} unless it was there already
     * @throws TaskCreationException as {@link #start(RolloutPlan)} throws it
     */
    public PlanInfo create(RolloutPlan plan) {
        return new Creation(engine, plan, by).create().info();
    }

    /**
     * Returns what {@link #start(RolloutPlan)} would do now, and changes nothing. The factory of stages is called as it
     * is when a plan is created.
     *
     * @param plan the plan
     * @return its waves, and everything that is wrong with it
     */
    public PlanPreview preview(RolloutPlan plan) {
        return Preview.of(engine, plan);
    }

    /**
     * Returns what {@link #start(PlanId)} would do now, and changes nothing.
     *
     * @param planId a plan; if it isn't {@link PlanStatus#READY}, the preview reports that as the error
     * @return its waves
     */
    public PlanPreview preview(PlanId planId) {
        return Preview.of(engine, planId);
    }

    /**
     * Creates a plan and starts it, both or neither, so that whoever doesn't know whether it succeeded can call it again: if the
     * same plan is there already, it is started if it is {@link PlanStatus#READY}, and is returned as it is otherwise. Two
     * plans are the same if they have the same id, the same changes in the same order, and the same limits and waves.
     *
     * @param plan the plan
     * @return the plan
     * @throws TaskCreationException if something is wrong with the plan; it has all errors. If there is another plan with its
     *     id, it says what differs first
     */
    public PlanInfo start(RolloutPlan plan) {
        return new Creation(engine, plan, by).start().info();
    }

    /**
     * Starts a plan: claims its tenants, and begins with the first.
     *
     * @param planId a plan that is {@link PlanStatus#READY}
     * @return the plan
     */
    public PlanInfo start(PlanId planId) {
        return operations.start(planId, by).info();
    }

    /**
     * Waits until a plan no longer changes by itself. It also waits while the plan is paused. Its events are delivered
     * by then, unless the sink refuses them: what is tried again later isn't waited for. Inside the transaction that has
     * started the plan it waits in vain, since the plan begins when that has committed.
     *
     * @param planId which
     * @param timeout how long at most
     * @return the plan at that time: {@link PlanStatus#isSettled() settled}, unless the time was up
     * @throws InterruptedException if the caller is interrupted; the plan goes on
     */
    public PlanInfo await(PlanId planId, Duration timeout) throws InterruptedException {
        return engine.await(planId, timeout).info();
    }

    /**
     * Stops a running task, or all running tasks of a plan, between two stages. A paused plan starts nothing. A paused
     * task has no thread, and keeps its tenant. A resume or a retry that has not begun yet is withdrawn.
     *
     * @param target which
     * @return what was accepted
     */
    public OperationResult pause(Target target) {
        return operations.want(target, Wish.of(Wish.Kind.PAUSE, by));
    }

    /**
     * Continues a paused task, or all paused tasks of a paused plan, with the stage after the last one that passed. If
     * the pause hasn't taken effect yet, this withdraws it.
     *
     * @param target which
     * @return what was accepted
     */
    public OperationResult resume(Target target) {
        return operations.want(target, Wish.of(Wish.Kind.RESUME, by));
    }

    /**
     * Cancels a task that waits, runs or is paused, or all unfinished tasks of a plan. A task whose last stage passes
     * meanwhile is completed. A retry that has not begun yet is withdrawn: its task stays failed.
     *
     * @param target which
     * @return what was accepted
     */
    public OperationResult cancel(Target target) {
        return operations.want(target, Wish.of(Wish.Kind.CANCEL, by));
    }

    /**
     * Cancels as {@link #cancel} does, without waiting for the end of a running stage: its thread is interrupted, within a
     * second on whatever node it runs, and again each second until it ends. What the stage has done until then stays, and
     * nothing more is recorded of it. A step that ignores the interrupt isn't cut off; if it passes, and no stage is left,
     * the task is completed. This wins over a requested rollback that has not begun, and is refused once it has.
     *
     * @param target which
     * @return what was accepted
     */
    public OperationResult cancelNow(Target target) {
        return operations.want(target, Wish.of(Wish.Kind.CANCEL_NOW, by));
    }

    /**
     * Rolls back a task, or all tasks of a plan: the stages that have begun, in reverse order. Waiting tasks are
     * cancelled. The previous state of the tenant has to be known, and no other task of the tenant may have run since.
     *
     * @param target which
     * @return what was accepted
     */
    public OperationResult rollback(Target target) {
        return operations.want(target, Wish.of(Wish.Kind.ROLLBACK, by));
    }

    /**
     * Retries a failed task, or all failed tasks of a plan, also while its other tasks run.
     *
     * @param target which
     * @param fromCheckpoint true to continue with the stage that failed, false to begin with the first
     * @return what was accepted
     */
    public OperationResult retry(Target target, boolean fromCheckpoint) {
        return operations.want(target, new Wish(Wish.Kind.RETRY, by, fromCheckpoint));
    }

    /**
     * Rolls back the tasks of a plan that have failed, forward or back, while the others go on.
     *
     * @param planId a plan that is running, paused or failed in part
     * @return what was accepted
     */
    public OperationResult rollbackFailed(PlanId planId) {
        return operations.rollbackFailed(planId, by);
    }

    /**
     * Changes how many tasks of a plan run at once, at once or within a second. What runs goes on.
     *
     * @param planId a plan that isn't {@linkplain PlanStatus#isFinal() final}
     * @param maxConcurrency at least 1
     * @return the plan
     * @throws IllegalArgumentException if it is less than 1
     */
    public PlanInfo changeConcurrency(PlanId planId, int maxConcurrency) {
        return operations.changeConcurrency(planId, maxConcurrency, by).info();
    }

    /**
     * Adds tasks to a plan, at the end of its last wave. They claim their tenants as at a start.
     *
     * @param planId a plan that is ready, running or paused
     * @param changes one for each tenant, of which the plan has none yet
     * @return the plan
     * @throws TaskCreationException if something is wrong with the changes; it has all errors, and nothing was added
     * @throws IllegalArgumentException if there is no change
     */
    public PlanInfo add(PlanId planId, List<TenantChange> changes) {
        return operations.add(planId, changes, by).info();
    }

    /**
     * Approves the next wave of a plan, which waits at a gate. During the bake time, the wave begins when that is over.
     * Approving twice has no further effect, and never approves the gate after another wave. The approval is for the
     * wave that has ended: if a task of it is retried or rolled back meanwhile, the gate closes, and opens again
     * unapproved. A plan that is paused, even by the time-out of its approval, continues when it is approved and
     * {@linkplain #resume resumed}, in either order.
     *
     * @param planId which
     * @param wave the wave that has ended, which is {@link PlanInfo#wave()} while the gate waits
     * @return the plan
     */
    public PlanInfo approve(PlanId planId, int wave) {
        return operations.approve(planId, wave, by).info();
    }

    /**
     * Gives up a plan in which some tasks have failed: it is then {@link PlanStatus#FAILED}.
     *
     * @param planId which
     * @return the plan
     */
    public PlanInfo giveUp(PlanId planId) {
        return operations.giveUp(planId, by).info();
    }

    /**
     * {@return a plan}
     *
     * @param planId which
     */
    public PlanInfo plan(PlanId planId) {
        return engine.store()
                .findPlan(planId)
                .orElseThrow(() -> new PlanNotFoundException(planId))
                .info();
    }

    /** {@return all plans, the newest first} */
    public List<PlanInfo> plans() {
        return plans(Integer.MAX_VALUE);
    }

    /**
     * {@return plans, the newest first}
     *
     * @param limit how many at most
     * @throws IllegalArgumentException if the limit is negative
     */
    public List<PlanInfo> plans(int limit) {
        return Pages.plans(engine.store(), limit);
    }

    /**
     * {@return a task}
     *
     * @param taskId which
     */
    public TaskInfo task(TaskId taskId) {
        return engine.store()
                .findById(taskId)
                .orElseThrow(() -> new TaskNotFoundException(taskId))
                .info();
    }

    /**
     * {@return the task that has a tenant, or else the tenant's newest task}
     *
     * @param tenantId which tenant
     */
    public TaskInfo task(TenantId tenantId) {
        return operations.taskOf(tenantId).info();
    }

    /**
     * {@return what a rollback of a task restores, with its configuration, if that is known}
     *
     * @param taskId which
     */
    public Optional<ConfigSnapshot> previous(TaskId taskId) {
        PlanStore store = engine.store();
        TaskRecord task = store.findById(taskId).orElseThrow(() -> new TaskNotFoundException(taskId));
        return Optional.ofNullable(task.previous()).map(kept -> {
            String config = store.findConfig(kept.configId()).orElseThrow(() -> new TaskNotFoundException(taskId));
            return new ConfigSnapshot(kept.unit(), config);
        });
    }

    /**
     * {@return the tasks of a plan, in its order}
     *
     * @param planId which
     */
    public List<TaskInfo> tasks(PlanId planId) {
        return tasks(planId, null, Integer.MAX_VALUE);
    }

    /**
     * {@return the checkpoint of a task, if the task could continue from there}
     *
     * @param taskId which
     */
    public Optional<Checkpoint> checkpoint(TaskId taskId) {
        TaskRecord task = engine.store().findById(taskId).orElseThrow(() -> new TaskNotFoundException(taskId));
        CheckpointStore checkpoints = engine.options().checkpoints();
        return checkpoints == null ? task.checkpoint() : checkpoints.load(taskId);
    }

    /**
     * {@return the first tasks of a plan, in its order} Reads only these tasks; {@link PlanInfo#tasks()} has the number
     * of tasks in each state.
     *
     * @param planId which
     * @param status only tasks in this state, or {@code null} for any
     * @param limit how many at most
     * @throws IllegalArgumentException if the limit is negative
     */
    public List<TaskInfo> tasks(PlanId planId, @Nullable TaskStatus status, int limit) {
        return Pages.tasks(engine.store(), planId, status, limit);
    }

    /**
     * {@return the next events of a plan, in the order of their positions} Events are kept until the plan is
     * {@linkplain #purge removed}, those about progress only until they are delivered. Whoever asks again after the last
     * position misses none.
     *
     * @param planId which
     * @param tenantId only events of this tenant's task, or {@code null} for all
     * @param after the position after which they begin; 0 for the first
     * @param limit how many at most, from 1 to 1,000
     * @throws IllegalArgumentException if a number is out of its range
     */
    public List<RecordedEvent> events(PlanId planId, @Nullable TenantId tenantId, long after, int limit) {
        return Pages.events(engine.store(), planId, tenantId, after, limit);
    }

    /**
     * {@return the tasks of a tenant, of all plans, the newest first}
     *
     * @param tenantId which tenant
     */
    public List<TaskInfo> tasks(TenantId tenantId) {
        return engine.store().findByTenantId(tenantId, Integer.MAX_VALUE).stream()
                .map(TaskRecord::info)
                .toList();
    }

    /**
     * {@return whether a task has the tenant}
     *
     * @param tenantId which
     */
    public boolean isRunning(TenantId tenantId) {
        return getRunningTaskId(tenantId).isPresent();
    }

    /**
     * {@return the task that has a tenant, if any}
     *
     * @param tenantId which
     */
    public Optional<TaskId> getRunningTaskId(TenantId tenantId) {
        return Optional.ofNullable(engine.store().findTenant(tenantId).claim());
    }

    /**
     * Removes plans that ended some time ago, with their tasks and events. Plans that have partially failed stay, since
     * somebody may still operate on them.
     *
     * @param olderThan how long ago they must have ended; more than 100 years count as 100 years
     * @return how many plans were removed
     */
    public int purge(Duration olderThan) {
        return engine.purge().run(olderThan, false);
    }

    /**
     * Continues the unfinished work of the store, after {@link #close()} or {@link RolloutsBuilder#buildClosed()}. Does
     * nothing if these rollouts are open.
     */
    public void open() {
        engine.start();
    }

    /**
     * Begins no further stage, waits for running stages as long as configured, and then interrupts them. Nothing is
     * recorded of interrupted stages: they run again when the store is used again, or these rollouts are
     * {@link #open() opened} again.
     */
    @Override
    public void close() {
        engine.stop();
    }
}
