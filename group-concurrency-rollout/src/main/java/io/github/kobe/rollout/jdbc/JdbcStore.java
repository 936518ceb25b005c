package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.ConfigCodec;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.RecordedEvent;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.StoreTransaction;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.rollout.internal.rules.TenantRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/** Plans in a database. */
final class JdbcStore implements PlanStore {

    private static final Logger LOG = LoggerFactory.getLogger(JdbcStore.class);

    /** So many events get their positions in one transaction, which locks the plan. */
    private static final int PLACED_AT_ONCE = 1_000;

    private final Database database;
    private final SchedulerSettings settings;
    private final Tables tables;
    private final ScheduledDrives drives;

    JdbcStore(Database database, ConfigCodec codec, SchedulerSettings settings) {
        this.database = database;
        this.settings = settings;
        tables = Tables.of(database, codec);
        drives = new ScheduledDrives(database, settings);
    }

    @Override
    public <T> T transact(Function<StoreTransaction, T> work) {
        return database.transact(() -> {
            JdbcTransaction transaction = new JdbcTransaction(tables, drives);
            T result = work.apply(transaction);
            transaction.flush();
            return result;
        });
    }

    /** One heartbeat less than it takes until another node takes over: the last one may have been that long ago. */
    @Override
    public Duration lease() {
        return settings.heartbeat().multipliedBy(settings.missedHeartbeats() - 1);
    }

    @Override
    public boolean isAway(RuntimeException failure) {
        return Outage.explains(failure);
    }

    @Override
    public Instant now() {
        return database.clock().now();
    }

    @Override
    public Optional<TaskRecord> findById(TaskId taskId) {
        return tables.tasks().find(taskId, false);
    }

    @Override
    public Optional<String> findConfig(String configId) {
        return tables.configs().find(configId).map(tables.configs()::decode);
    }

    @Override
    public List<TaskRecord> findByPlanId(PlanId planId, @Nullable TaskStatus status, int limit) {
        return tables.tasks().findOfPlan(planId, status, limit);
    }

    @Override
    public List<TaskRecord> findByPosition(PlanId planId, int from, int to) {
        return tables.tasks().findByPosition(planId, from, to);
    }

    @Override
    public List<TaskRecord> findByTenantId(TenantId tenantId, int limit) {
        return tables.tasks().findOfTenant(tenantId, limit);
    }

    @Override
    public List<TaskRecord> findWished(PlanId planId) {
        return tables.tasks().findWished(planId);
    }

    @Override
    public Optional<PlanRecord> findPlan(PlanId planId) {
        return tables.plans().find(planId, false);
    }

    @Override
    public List<PlanRecord> findPlans(int limit) {
        return tables.plans().findNewest(limit);
    }

    @Override
    public List<PlanId> findEnded(Instant before, boolean partlyFailed, int limit) {
        return tables.plans().findEnded(before, partlyFailed, limit);
    }

    @Override
    public List<TenantRecord> findTenants(Collection<TenantId> tenantIds) {
        return tables.tenants().find(tenantIds);
    }

    @Override
    public Set<TaskId> findHolders(Collection<TenantId> tenantIds) {
        return tables.tenants().findHolders(tenantIds);
    }

    @Override
    public List<RolloutEvent> findUnpublished(PlanId planId, int limit) {
        List<RolloutEvent> found = tables.events().findUnpublished(planId, limit);
        if (!found.isEmpty() && database.dialect().showsWhatIsNotKept()) {
            database.transact(() -> tables.events().keep(found.getFirst()));
        }
        return found;
    }

    @Override
    public List<RecordedEvent> findEvents(PlanId planId, @Nullable TenantId tenantId, long after, int limit) {
        if (tenantId == null) {
            return tables.events().find(planId, after, limit);
        }
        return tables.tasks()
                .find(planId, tenantId)
                .map(taskId -> tables.events().find(planId, taskId, after, limit))
                .orElse(List.of());
    }

    @Override
    public void assignPositions(PlanId planId, long epoch) {
        int placed;
        do {
            placed = database.transact(() -> tables.plans()
                    .find(planId, true)
                    .filter(plan -> plan.epoch() == epoch)
                    .map(plan -> tables.events().assignPositions(planId, PLACED_AT_ONCE))
                    .orElse(0));
        } while (placed == PLACED_AT_ONCE);
    }

    @Override
    public Instant markRefused(PlanId planId, long epoch, RolloutEvent event, Instant now) {
        return database.transact(() -> tables.events().refuse(planId, epoch, event, now));
    }

    @Override
    public void markGivenUp(PlanId planId, long epoch, RolloutEvent event) {
        database.transact(() -> {
            tables.events().giveUp(planId, epoch, event);
            return planId;
        });
    }

    @Override
    public void markPublished(PlanId planId, long epoch, List<RolloutEvent> events) {
        database.transact(() -> {
            tables.events().mark(planId, epoch, events);
            return planId;
        });
    }

    /**
     * Begins to drive. A database that doesn't answer is waited for.
     *
     * @throws IllegalStateException if the database answers, and isn't one of rollouts
     */
    @Override
    public void open(DriveRunner runner, String node) {
        try {
            new Schema(database).require();
        } catch (DataAccessException doesNotAnswer) {
            LOG.debug("Whether the tables are there isn't known yet", doesNotAnswer);
        }
        drives.open(runner, node);
    }

    @Override
    public void close() {
        drives.close();
    }

    @Override
    public void awaitClosed(Duration atMost) {
        drives.awaitClosed(atMost);
    }
}
