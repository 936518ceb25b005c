package io.github.kobe.rollout.internal.memory;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.RecordedEvent;
import io.github.kobe.rollout.RecordedEvent.Delivery;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.internal.rules.DriveState;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.StoreTransaction;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.rollout.internal.rules.TenantRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Keeps everything in maps, under one lock, which a transaction holds from beginning to end. */
public final class MemoryStore implements PlanStore {

    private final InstantSource clock;
    private final MemoryDrives drives = new MemoryDrives();
    private final ReentrantLock lock = new ReentrantLock();

    /** What follows is guarded by the lock. */
    private final Map<PlanId, PlanRecord> plans = new LinkedHashMap<>();

    private final Map<TaskId, TaskRecord> tasks = new HashMap<>();
    private final Map<PlanId, SortedMap<Integer, TaskId>> tasksOfPlans = new HashMap<>();

    /** Those tasks of a plan that wait, run, are taken back, or have a wish: what drives ask for again and again. */
    private final Map<PlanId, SortedMap<Integer, TaskId>> unfinished = new HashMap<>();

    private final Map<PlanId, SortedMap<Integer, TaskId>> wished = new HashMap<>();
    private final Map<TenantId, List<TaskId>> tasksOfTenants = new HashMap<>();
    private final Map<TenantId, TenantRecord> tenants = new HashMap<>();
    private final Map<PlanId, PlanEvents> events = new HashMap<>();

    public MemoryStore(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public <T> T transact(Function<StoreTransaction, T> work) {
        return locked(() -> {
            Transaction transaction = new Transaction();
            T result = work.apply(transaction);
            transaction.commit();
            return result;
        });
    }

    /** Nobody else has what is in this memory. */
    @Override
    public Duration lease() {
        return Duration.ofNanos(Long.MAX_VALUE);
    }

    @Override
    public boolean isAway(RuntimeException failure) {
        return false;
    }

    @Override
    public Instant now() {
        return clock.instant();
    }

    @Override
    public Optional<TaskRecord> findById(TaskId taskId) {
        return locked(() -> Optional.ofNullable(tasks.get(taskId)));
    }

    /** It is its own id. */
    @Override
    public Optional<String> findConfig(String configId) {
        return Optional.of(configId);
    }

    @Override
    public List<TaskRecord> findByPlanId(PlanId planId, @Nullable TaskStatus status, int limit) {
        return locked(() -> of(tasksOfPlans, planId)
                .filter(task -> status == null || task.status() == status)
                .limit(limit)
                .toList());
    }

    @Override
    public List<TaskRecord> findByTenantId(TenantId tenantId, int limit) {
        return locked(() -> tasksOfTenants.getOrDefault(tenantId, List.of()).reversed().stream()
                .limit(limit)
                .map(tasks::get)
                .toList());
    }

    @Override
    public List<TaskRecord> findWished(PlanId planId) {
        return locked(() -> of(wished, planId).toList());
    }

    @Override
    public Optional<PlanRecord> findPlan(PlanId planId) {
        return locked(() -> Optional.ofNullable(plans.get(planId)));
    }

    @Override
    public List<PlanRecord> findPlans(int limit) {
        return locked(() -> plans.values().stream()
                .sorted(Comparator.comparing(PlanRecord::createdAt).reversed())
                .limit(limit)
                .toList());
    }

    @Override
    public List<PlanId> findEnded(Instant before, boolean partlyFailed, int limit) {
        return locked(() -> plans.values().stream()
                .filter(plan -> plan.hasEnded(before, partlyFailed))
                .limit(limit)
                .map(PlanRecord::id)
                .toList());
    }

    @Override
    public List<TenantRecord> findTenants(Collection<TenantId> tenantIds) {
        return locked(() -> tenantIds.stream()
                .flatMap(tenantId -> Stream.ofNullable(tenants.get(tenantId)))
                .toList());
    }

    @Override
    public List<RolloutEvent> findUnpublished(PlanId planId, int limit) {
        return locked(() -> events(planId).findUnpublished(limit));
    }

    @Override
    public List<RecordedEvent> findEvents(PlanId planId, @Nullable TenantId tenantId, long after, int limit) {
        return locked(() -> events(planId).find(tenantId, after, limit));
    }

    /** They have theirs from the beginning, since all is committed one after the other. */
    @Override
    public void assignPositions(PlanId planId, long epoch) {}

    @Override
    public void markPublished(PlanId planId, long epoch, List<RolloutEvent> published) {
        settle(planId, epoch, published, Delivery.DELIVERED);
    }

    @Override
    public void markGivenUp(PlanId planId, long epoch, RolloutEvent event) {
        settle(planId, epoch, List.of(event), Delivery.GIVEN_UP);
    }

    private void settle(PlanId planId, long epoch, List<RolloutEvent> those, Delivery delivery) {
        locked(() -> {
            if (isUnder(planId, epoch)) {
                events(planId).settle(those, delivery);
            }
            return true;
        });
    }

    @Override
    public Instant markRefused(PlanId planId, long epoch, RolloutEvent event, Instant now) {
        return locked(() -> isUnder(planId, epoch) ? events(planId).refuse(event, now) : now);
    }

    private boolean isUnder(PlanId planId, long epoch) {
        PlanRecord plan = plans.get(planId);
        return plan != null && plan.epoch() == epoch;
    }

    @Override
    public void open(DriveRunner runner, String node) {
        locked(() -> {
            drives.open(runner);
            plans.values().forEach(this::resume);
            return true;
        });
    }

    private void resume(PlanRecord plan) {
        DriveState drive = plan.drive();
        if (drive.phase() != DriveState.Phase.OVER) {
            begin(plan.id(), drive.number(), drive.at() == null ? now() : drive.at());
        }
    }

    @Override
    public void close() {
        drives.close();
    }

    /** There is nothing to record. */
    @Override
    public void awaitClosed(Duration atMost) {}

    private void begin(PlanId planId, long number, Instant at) {
        drives.begin(planId, number, Duration.between(now(), at));
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    private Stream<TaskRecord> of(Map<PlanId, SortedMap<Integer, TaskId>> index, PlanId planId) {
        SortedMap<Integer, TaskId> ids = index.get(planId);
        return ids == null ? Stream.of() : ids.values().stream().map(tasks::get);
    }

    private PlanEvents events(PlanId planId) {
        return events.computeIfAbsent(planId, id -> new PlanEvents());
    }

    private static boolean isUnfinished(TaskRecord task) {
        return task.status() == TaskStatus.PENDING || task.status().hasThread() || task.wish() != null;
    }

    private void put(TaskRecord task) {
        if (tasks.put(task.id(), task) == null) {
            tasksOfTenants
                    .computeIfAbsent(task.tenantId(), id -> new ArrayList<>())
                    .add(task.id());
        }
        index(tasksOfPlans, task, true);
        index(unfinished, task, isUnfinished(task));
        index(wished, task, task.wish() != null);
    }

    private static void index(Map<PlanId, SortedMap<Integer, TaskId>> index, TaskRecord task, boolean isIn) {
        SortedMap<Integer, TaskId> ids = index.computeIfAbsent(task.planId(), id -> new TreeMap<>());
        if (isIn) {
            ids.put(task.position(), task.id());
        } else {
            ids.remove(task.position());
        }
    }

    private void forget(PlanId planId) {
        plans.remove(planId);
        events.remove(planId);
        unfinished.remove(planId);
        wished.remove(planId);
        SortedMap<Integer, TaskId> ids = tasksOfPlans.remove(planId);
        if (ids != null) {
            ids.values().forEach(id -> forget(Objects.requireNonNull(tasks.remove(id))));
        }
    }

    private void forget(TaskRecord task) {
        tasksOfTenants.computeIfPresent(task.tenantId(), (tenantId, ids) -> {
            ids.remove(task.id());
            return ids.isEmpty() ? null : ids;
        });
    }

    /** What is to be saved, and what was there before it; all of it on the thread that has the lock. */
    private final class Transaction implements StoreTransaction {

        private final Map<PlanId, PlanRecord> newPlans = new LinkedHashMap<>();
        private final Map<TaskId, TaskRecord> newTasks = new LinkedHashMap<>();
        private final Map<TenantId, TenantRecord> newTenants = new LinkedHashMap<>();
        private final List<RolloutEvent> newEvents = new ArrayList<>();
        private final List<Runnable> afterwards = new ArrayList<>();

        @Override
        public Optional<PlanRecord> plan(PlanId planId) {
            return Optional.ofNullable(either(newPlans, plans, planId));
        }

        @Override
        public Optional<PlanRecord> planAtOnce(PlanId planId) {
            return plan(planId);
        }

        @Override
        public Optional<TaskRecord> task(TaskId taskId) {
            return Optional.ofNullable(either(newTasks, tasks, taskId));
        }

        @Override
        public List<TaskRecord> tasks(PlanId planId) {
            return current(of(tasksOfPlans, planId), task -> true);
        }

        @Override
        public List<TaskRecord> unfinished(PlanId planId) {
            return current(of(unfinished, planId), MemoryStore::isUnfinished);
        }

        @Override
        public Set<TenantId> ofPlan(PlanId planId, Collection<TenantId> tenantIds) {
            return tasks(planId).stream()
                    .map(TaskRecord::tenantId)
                    .filter(Set.copyOf(tenantIds)::contains)
                    .collect(Collectors.toSet());
        }

        private List<TaskRecord> current(Stream<TaskRecord> saved, Predicate<TaskRecord> isIn) {
            return saved.map(task -> newTasks.getOrDefault(task.id(), task))
                    .filter(isIn)
                    .toList();
        }

        @Override
        public TenantRecord tenant(TenantId tenantId) {
            TenantRecord tenant = either(newTenants, tenants, tenantId);
            return tenant == null ? TenantRecord.unknown(tenantId) : tenant;
        }

        /** A transaction has everything. */
        @Override
        public void lock(List<TenantId> tenantIds) {}

        private <K, V> @Nullable V either(Map<K, V> changed, Map<K, V> saved, K key) {
            V value = changed.get(key);
            return value == null ? saved.get(key) : value;
        }

        @Override
        public void save(PlanRecord plan) {
            newPlans.put(plan.id(), plan);
        }

        @Override
        public void save(TaskRecord task) {
            newTasks.put(task.id(), task);
        }

        @Override
        public void save(TenantRecord tenant) {
            newTenants.put(tenant.id(), tenant);
        }

        /** It is its own id: who names it keeps it. */
        @Override
        public String keep(String config) {
            return config;
        }

        @Override
        public String config(String configId) {
            return configId;
        }

        @Override
        public void append(RolloutEvent event) {
            newEvents.add(event);
        }

        @Override
        public boolean hasUnpublished(PlanId planId) {
            return events(planId).hasUnpublished() || !newEvents.isEmpty();
        }

        @Override
        public void schedule(PlanId planId, long number, Instant at) {
            afterwards.add(() -> begin(planId, number, at));
        }

        @Override
        public void remove(PlanId planId) {
            afterwards.add(() -> forget(planId));
        }

        private void commit() {
            plans.putAll(newPlans);
            newTasks.values().forEach(MemoryStore.this::put);
            tenants.putAll(newTenants);
            newEvents.forEach(event -> events(event.planId()).add(event));
            afterwards.forEach(Runnable::run);
        }
    }
}
