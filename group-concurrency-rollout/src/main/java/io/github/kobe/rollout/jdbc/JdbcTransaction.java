package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.StoreTransaction;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.rollout.internal.rules.TenantRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.dao.OptimisticLockingFailureException;

/**
 * One transaction of the database. Every read locks, unless the plan's lock does as well. Saved records are held back and
 * written at the end, in the order in which locks are taken, each table in one batch. Each write of a plan or a task names
 * the epoch under which it was read.
 */
final class JdbcTransaction implements StoreTransaction {

    private final Tables tables;
    private final ScheduledDrives drives;

    /** The epochs of what is in the database, and locked itself or by its plan's lock. */
    private final Map<PlanId, Long> epochsOfPlans = new HashMap<>();

    private final Map<TaskId, Long> epochsOfTasks = new HashMap<>();

    private final Map<PlanId, PlanRecord> plans = new LinkedHashMap<>();
    private final Map<TaskId, TaskRecord> tasks = new LinkedHashMap<>();
    private final Map<TenantId, TenantRecord> tenants = new LinkedHashMap<>();
    private final Map<TenantId, TenantRecord> changedTenants = new LinkedHashMap<>();
    /** The ids of configurations that a tenant doesn't name any more. */
    private final SortedSet<String> left = new TreeSet<>();

    /** By their ids, in whose order they are added: of two transactions that add the same, none waits for one that waits for it. */
    private final SortedMap<String, String> configs = new TreeMap<>();

    /** Those that have a row for sure. */
    private final Set<TenantId> lockedTenants = new HashSet<>();

    private final List<RolloutEvent> events = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();

    JdbcTransaction(Tables tables, ScheduledDrives drives) {
        this.tables = tables;
        this.drives = drives;
    }

    private record Call(PlanId planId, long number, Instant at) {}

    @Override
    public Optional<PlanRecord> plan(PlanId planId) {
        PlanRecord saved = plans.get(planId);
        if (saved != null) {
            return Optional.of(saved);
        }
        Optional<PlanRecord> found = tables.plans().find(planId, true);
        found.ifPresent(plan -> epochsOfPlans.put(planId, plan.epoch()));
        return found;
    }

    @Override
    public Optional<PlanRecord> planAtOnce(PlanId planId) {
        return tables.plans().findAtOnce(planId);
    }

    @Override
    public Optional<TaskRecord> task(TaskId taskId) {
        TaskRecord saved = tasks.get(taskId);
        return saved != null
                ? Optional.of(saved)
                : tables.tasks().find(taskId, true).map(this::current);
    }

    @Override
    public List<TaskRecord> tasks(PlanId planId) {
        return tables.tasks().lockOfPlan(planId).stream().map(this::current).toList();
    }

    @Override
    public List<TaskRecord> unfinished(PlanId planId) {
        tables.tasks().lockRunning(planId);
        return tables.tasks().findUnfinished(planId).stream()
                .map(this::current)
                .filter(TaskRows::isUnfinished)
                .toList();
    }

    @Override
    public Set<TenantId> ofPlan(PlanId planId, Collection<TenantId> tenantIds) {
        return tables.tasks().tenantsOfPlan(planId, tenantIds);
    }

    private TaskRecord current(TaskRecord found) {
        epochsOfTasks.put(found.id(), found.epoch());
        return tasks.getOrDefault(found.id(), found);
    }

    @Override
    public TenantRecord tenant(TenantId tenantId) {
        return tenants.computeIfAbsent(tenantId, id -> {
            lockedTenants.add(id);
            return tables.tenants().lock(id);
        });
    }

    @Override
    public void lock(List<TenantId> tenantIds) {
        List<TenantId> unknown =
                tenantIds.stream().filter(id -> !tenants.containsKey(id)).toList();
        lockAll(unknown);
        List<TenantId> missing =
                unknown.stream().filter(id -> !tenants.containsKey(id)).toList();
        if (!missing.isEmpty()) {
            tables.tenants().add(missing);
            lockAll(missing);
        }
    }

    private void lockAll(List<TenantId> tenantIds) {
        for (TenantRecord tenant : tables.tenants().lockAll(tenantIds)) {
            lockedTenants.add(tenant.id());
            tenants.put(tenant.id(), tenant);
        }
    }

    @Override
    public void save(PlanRecord plan) {
        plans.put(plan.id(), plan);
    }

    @Override
    public void save(TaskRecord task) {
        tasks.put(task.id(), task);
    }

    @Override
    public void save(TenantRecord tenant) {
        TenantRecord before = tenants.get(tenant.id());
        if (before != null
                && before.lastKnownGood() != null
                && !before.lastKnownGood().equals(tenant.lastKnownGood())) {
            left.add(before.lastKnownGood().configId());
        }
        tenants.put(tenant.id(), tenant);
        changedTenants.put(tenant.id(), tenant);
    }

    @Override
    public String keep(String config) {
        String body = tables.configs().encode(config);
        String id = ConfigRows.idOf(body);
        configs.put(id, body);
        return id;
    }

    @Override
    public String config(String configId) {
        String body = configs.get(configId);
        if (body == null) {
            body = tables.configs().find(configId).orElseThrow(() -> new EmptyResultDataAccessException(1));
        }
        return tables.configs().decode(body);
    }

    @Override
    public void append(RolloutEvent event) {
        events.add(event);
    }

    @Override
    public boolean hasUnpublished(PlanId planId) {
        return !events.isEmpty() || tables.events().hasUnpublished(planId);
    }

    @Override
    public void schedule(PlanId planId, long number, Instant at) {
        calls.add(new Call(planId, number, at));
    }

    @Override
    public void remove(PlanId planId) {
        SortedSet<String> named = tables.configs().idsOfPlan(planId.value());
        tables.events().deleteOfPlan(planId);
        tables.tasks().deleteOfPlan(planId);
        tables.configs().deleteUnnamed(named);
        tables.plans().delete(planId);
        drives.forget(planId);
    }

    void flush() {
        tables.configs().add(configs);
        plans.values().forEach(this::write);
        write(tasks.values());
        if (!changedTenants.isEmpty()) {
            tables.tenants().update(changedTenants.values());
        }
        tables.configs().deleteUnnamed(left);
        if (!events.isEmpty()) {
            tables.events().insert(events);
        }
        calls.forEach(call -> drives.schedule(call.planId(), call.number(), call.at()));
    }

    private void write(PlanRecord plan) {
        Long epoch = epochsOfPlans.get(plan.id());
        if (epoch == null) {
            tables.plans().insert(plan);
        } else if (!tables.plans().update(plan, epoch)) {
            throw new OptimisticLockingFailureException("plan " + plan.id() + " was taken over");
        }
    }

    private void write(Collection<TaskRecord> all) {
        List<TaskRecord> added = new ArrayList<>();
        List<TaskRecord> changed = new ArrayList<>();
        List<Long> epochs = new ArrayList<>();
        for (TaskRecord task : all) {
            Long epoch = epochsOfTasks.get(task.id());
            if (epoch == null) {
                added.add(task);
            } else {
                changed.add(task);
                epochs.add(epoch);
            }
        }
        if (!added.isEmpty()) {
            tables.tasks().insert(added);
            tables.tenants()
                    .add(added.stream()
                            .map(TaskRecord::tenantId)
                            .filter(id -> !lockedTenants.contains(id))
                            .toList());
        }
        if (!changed.isEmpty()) {
            int[] counts = tables.tasks().update(changed, epochs);
            for (int index = 0; index < counts.length; index++) {
                if (counts[index] != 1) {
                    throw new OptimisticLockingFailureException(
                            "task " + changed.get(index).id() + " was taken over");
                }
            }
        }
    }
}
