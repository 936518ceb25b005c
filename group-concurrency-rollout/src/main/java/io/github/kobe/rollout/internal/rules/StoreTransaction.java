package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TenantId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One transaction of a {@link PlanStore}. At its end, everything that was saved in it becomes visible together, or
 * nothing does. What is read is locked until then, where the method doesn't say otherwise. Locks are taken in the order
 * plan, task, tenant. Nothing is final before the end, so if a record is saved several times, the last one counts.
 *
 * @since 0.1.0
 */
public interface StoreTransaction {

    /**
     * {@return a plan}
     *
     * @param planId which
     */
    Optional<PlanRecord> plan(PlanId planId);

    /**
     * {@return a plan, without waiting for another transaction} It is locked unless another one has locked it, so that a store
     * that can only be read refuses it.
     *
     * @param planId which
     */
    Optional<PlanRecord> planAtOnce(PlanId planId);

    /**
     * {@return a task}
     *
     * @param taskId which
     */
    Optional<TaskRecord> task(TaskId taskId);

    /**
     * {@return all tasks of a plan, in its order}
     *
     * @param planId which
     */
    List<TaskRecord> tasks(PlanId planId);

    /**
     * {@return the tasks of a plan that wait, run, are being rolled back, or have a wish, in its order} Only those that run or
     * are being rolled back are locked: none of the others changes while the plan is.
     *
     * @param planId a plan that was read in this transaction
     */
    List<TaskRecord> unfinished(PlanId planId);

    /**
     * {@return those tenants that a plan has tasks of} No task is locked: who adds some has locked the plan.
     *
     * @param planId a plan that was read in this transaction
     * @param tenantIds the tenants that are asked about
     */
    Set<TenantId> ofPlan(PlanId planId, Collection<TenantId> tenantIds);

    /**
     * {@return what is known of a tenant}
     *
     * @param tenantId which
     */
    TenantRecord tenant(TenantId tenantId);

    /**
     * Locks tenants, all at once, as if each of them were read. Code that reads several tenants calls this first, so
     * that there is no deadlock.
     *
     * @param tenantIds the tenants, in the order of their ids
     */
    void lock(List<TenantId> tenantIds);

    /**
     * Saves a plan.
     *
     * @param plan the new state of the plan
     */
    void save(PlanRecord plan);

    /**
     * Saves a task.
     *
     * @param task the new state of the task
     */
    void save(TaskRecord task);

    /**
     * Saves a tenant.
     *
     * @param tenant what is known of it now
     */
    void save(TenantRecord tenant);

    /**
     * Keeps a configuration, as long as a task or a tenant that is saved names it.
     *
     * @param config the configuration
     * @return its id; the same one for what is kept already
     */
    String keep(String config);

    /**
     * {@return a configuration that is kept}
     *
     * @param configId its id
     */
    String config(String configId);

    /**
     * Appends an event to those that are kept until they are published.
     *
     * @param event the event
     */
    void append(RolloutEvent event);

    /**
     * {@return whether a plan has events that are kept and not yet published}
     *
     * @param planId which
     */
    boolean hasUnpublished(PlanId planId);

    /**
     * Schedules a drive of a plan, which any node may run.
     *
     * @param planId which
     * @param number the drive's number
     * @param at when it is due
     */
    void schedule(PlanId planId, long number, Instant at);

    /**
     * Removes a plan with its tasks and events.
     *
     * @param planId which
     */
    void remove(PlanId planId);
}
