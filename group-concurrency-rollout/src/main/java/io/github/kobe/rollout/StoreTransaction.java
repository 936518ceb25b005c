package io.github.kobe.rollout;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One transaction of a {@link RolloutStore}: all that is saved in it becomes visible at its end, together, or nothing of it.
 * What is read is locked until then. Locks are taken in the order plan, task, tenant. Nothing is saved for good before the
 * end, so of what is saved several times the last counts.
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
     * {@return the tasks of a plan that wait, run, are taken back, or have a wish, in its order}
     *
     * @param planId which
     */
    List<TaskRecord> unfinished(PlanId planId);

    /**
     * {@return what is known of a tenant}
     *
     * @param tenantId which
     */
    TenantRecord tenant(TenantId tenantId);

    /**
     * Locks tenants as if each of them were read, all at once. Whoever reads several calls this first: nobody then waits for
     * somebody who waits for him.
     *
     * @param tenantIds which, in the order of their ids
     */
    void lock(List<TenantId> tenantIds);

    /**
     * Saves a plan.
     *
     * @param plan the plan as it is now
     */
    void save(PlanRecord plan);

    /**
     * Saves a task.
     *
     * @param task the task as it is now
     */
    void save(TaskRecord task);

    /**
     * Saves a tenant.
     *
     * @param tenant what is known of it now
     */
    void save(TenantRecord tenant);

    /**
     * Keeps an event until it is published, after those that were kept before.
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
     * Lets all tasks of a plan be written by one drive alone.
     *
     * @param planId which
     * @param epoch that of the drive
     */
    void stamp(PlanId planId, long epoch);

    /**
     * Has a drive of a plan run by some node.
     *
     * @param planId which
     * @param number the drive's number
     * @param at not before that time
     */
    void schedule(PlanId planId, long number, Instant at);

    /**
     * Removes a plan with its tasks and events.
     *
     * @param planId which
     */
    void remove(PlanId planId);
}
