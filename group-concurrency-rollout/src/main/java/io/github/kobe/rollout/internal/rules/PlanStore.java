package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.RecordedEvent;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.RolloutStore;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What rollouts ask of a {@link io.github.kobe.rollout.RolloutStore}. A method may throw any {@link RuntimeException}; if
 * {@link #isAway} says so, a drive then tries again. Thread-safe.
 */
public interface PlanStore extends RolloutStore {

    /**
     * {@return what keeps the plans of a store}
     *
     * @param store the store
     * @throws IllegalArgumentException if it is none of this library
     */
    static PlanStore of(RolloutStore store) {
        return switch (store) {
            case PlanStore plans -> plans;
            case StoreDoor door -> door.plans();
            default ->
                throw new IllegalArgumentException(
                        "store is a " + store.getClass().getName()
                                + "; it must be made by RolloutStore.inMemory() or JdbcRolloutStore.of(dataSource)");
        };
    }

    /**
     * Does something in one transaction. If it throws, nothing is saved.
     *
     * @param work what to do; if the store gave up on a transaction, it is called again, and only the last call counts
     * @param <T> the type of its result
     * @return its result
     */
    <T> T transact(Function<StoreTransaction, T> work);

    /**
     * {@return for how long after the last answer of the store a drive may go on} After that another node may have the plan.
     * A drive that has heard nothing for so long interrupts its stages.
     */
    Duration lease();

    /**
     * {@return whether a method has failed because the store can't be reached now, so that it may succeed later} If not, the
     * store can't read or write what it was asked to.
     *
     * @param failure what a method of this store has thrown
     */
    boolean isAway(RuntimeException failure);

    /** {@return the time, the same for all that share the store} */
    Instant now();

    /**
     * {@return a task}
     *
     * @param taskId which
     */
    Optional<TaskRecord> findById(TaskId taskId);

    /**
     * {@return a configuration, as long as it is kept}
     *
     * @param configId its id
     */
    Optional<String> findConfig(String configId);

    /**
     * {@return the tasks of a plan, in its order}
     *
     * @param planId which
     */
    default List<TaskRecord> findByPlanId(PlanId planId) {
        return findByPlanId(planId, null, Integer.MAX_VALUE);
    }

    /**
     * {@return the first tasks of a plan, in its order}
     *
     * @param planId which
     * @param status only tasks in this state, or {@code null} for any
     * @param limit how many at most
     */
    List<TaskRecord> findByPlanId(PlanId planId, @Nullable TaskStatus status, int limit);

    /**
     * {@return some tasks of a plan, in its order}
     *
     * @param planId which
     * @param from the position of the first
     * @param to the position before which they end
     */
    default List<TaskRecord> findByPosition(PlanId planId, int from, int to) {
        return findByPlanId(planId, null, to).stream().skip(from).toList();
    }

    /**
     * {@return the newest tasks of a tenant, the newest first}
     *
     * @param tenantId which
     * @param limit how many at most
     */
    List<TaskRecord> findByTenantId(TenantId tenantId, int limit);

    /**
     * {@return the tasks of a plan that have a wish, in its order}
     *
     * @param planId which
     */
    List<TaskRecord> findWished(PlanId planId);

    /**
     * {@return a plan}
     *
     * @param planId which
     */
    Optional<PlanRecord> findPlan(PlanId planId);

    /**
     * {@return plans, the newest first}
     *
     * @param limit how many at most
     */
    List<PlanRecord> findPlans(int limit);

    /**
     * {@return plans that have come to rest, those that ended first before others}
     *
     * @param before they ended before that time
     * @param partlyFailed whether those too that have partially failed
     * @param limit how many at most
     */
    List<PlanId> findEnded(Instant before, boolean partlyFailed, int limit);

    /**
     * {@return what is known of a tenant}
     *
     * @param tenantId which
     */
    default TenantRecord findTenant(TenantId tenantId) {
        return findTenants(List.of(tenantId)).stream().findFirst().orElseGet(() -> TenantRecord.unknown(tenantId));
    }

    /**
     * {@return what is known of those tenants that anything is known of} It takes as many questions for 1,000 tenants as for
     * one.
     *
     * @param tenantIds which
     */
    List<TenantRecord> findTenants(Collection<TenantId> tenantIds);

    /**
     * {@return the tasks that have any of these tenants} It takes as many questions for 1,000 tenants as for one.
     *
     * @param tenantIds which
     */
    default Set<TaskId> findHolders(Collection<TenantId> tenantIds) {
        return findTenants(tenantIds).stream()
                .flatMap(tenant -> Stream.ofNullable(tenant.claim()))
                .collect(Collectors.toSet());
    }

    /**
     * {@return events of a plan that are not published yet, the oldest first} They are kept although the process is killed
     * now.
     *
     * @param planId which
     * @param limit how many at most
     */
    List<RolloutEvent> findUnpublished(PlanId planId, int limit);

    /**
     * {@return events of a plan, in the order of their positions} If an event is found, all that ever have a lower position
     * are there already, so whoever goes on after it misses none.
     *
     * @param planId which
     * @param tenantId only events of this tenant's task, or {@code null} for all
     * @param after the position after which they begin
     * @param limit how many at most
     */
    List<RecordedEvent> findEvents(PlanId planId, @Nullable TenantId tenantId, long after, int limit);

    /**
     * Gives positions to the events of a plan that have none, after all others, unless another drive has taken over the plan.
     * Events without one are not {@linkplain #findEvents found}.
     *
     * @param planId the plan
     * @param epoch the epoch of the drive that is about to publish them
     */
    void assignPositions(PlanId planId, long epoch);

    /**
     * Marks events as published, unless another drive has taken over the plan. Progress events may be deleted.
     *
     * @param planId the plan
     * @param epoch the epoch of the drive that has published them
     * @param events the oldest events that are not published, in order
     */
    void markPublished(PlanId planId, long epoch, List<RolloutEvent> events);

    /**
     * Keeps since when the sink has refused an event, unless another drive has taken over the plan.
     *
     * @param planId the plan
     * @param epoch the epoch of the drive that has tried to publish it
     * @param event the oldest event that is not published
     * @param now when it was refused
     * @return when it was refused for the first time
     */
    Instant markRefused(PlanId planId, long epoch, RolloutEvent event, Instant now);

    /**
     * Marks an event as published that was not delivered, unless another drive has taken over the plan.
     *
     * @param planId the plan
     * @param epoch the epoch of the drive that gives it up
     * @param event the oldest event that is not published
     */
    void markGivenUp(PlanId planId, long epoch, RolloutEvent event);

    /**
     * Begins to run drives: those that are due, and those that another node has begun and not ended.
     *
     * @param runner what runs one
     * @param node the name of this node, which no other has
     */
    void open(DriveRunner runner, String node);

    /**
     * Begins no more drives on this node, without waiting for those that run, which end by themselves. It may be
     * {@linkplain #open opened} again meanwhile. Neither is called while the other one runs.
     */
    void close();

    /**
     * Waits until the store has recorded whether the drives that ran when it was last closed are over. An interrupt ends
     * the wait and sets the flag again.
     *
     * @param atMost how long to wait at most
     */
    void awaitClosed(Duration atMost);

    /** Runs drives. */
    @FunctionalInterface
    interface DriveRunner {

        /**
         * Runs a drive to its end. If it throws, it is run again a little later.
         *
         * @param planId of which plan
         * @param number which
         * @return after what time it is due again, on some node, or {@code null} if it is over
         */
        @Nullable
        Duration drive(PlanId planId, long number);
    }
}
