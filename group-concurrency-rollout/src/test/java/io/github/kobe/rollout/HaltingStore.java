package io.github.kobe.rollout;

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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A store whose node is killed at a commit, before it or after it: from then on it answers nothing. */
final class HaltingStore implements PlanStore {

    /** The process is gone. */
    static final class Halt extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private final PlanStore store;
    private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
    private final AtomicInteger failing = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger wishesRead = new AtomicInteger();
    private final AtomicInteger plansRead = new AtomicInteger();
    private volatile Runnable afterwards = () -> {};
    private volatile Runnable afterPlanRead = () -> {};
    private final AtomicReference<Runnable> beforeClose = new AtomicReference<>(() -> {});
    private final AtomicReference<@Nullable Runnable> afterRead = new AtomicReference<>();
    private volatile boolean beforeCommit;
    private volatile boolean halted;

    HaltingStore(PlanStore store) {
        this.store = store;
    }

    void haltAt(int commit, boolean before) {
        beforeCommit = before;
        left.set(commit);
    }

    void halt() {
        halted = true;
    }

    boolean isHalted() {
        return halted;
    }

    void failNext(int times) {
        failing.set(times);
    }

    /** Runs something after each commit, on its thread. */
    void afterCommits(Runnable work) {
        afterwards = work;
    }

    /** Runs something each time that a plan was read, before its reader has it. */
    void afterPlanRead(Runnable work) {
        afterPlanRead = work;
    }

    /** Runs something once, on the next thread that is about to close it. */
    void beforeClose(Runnable work) {
        beforeClose.set(work);
    }

    /** Runs something once, on the next thread that has read what is to be told, before it has that. */
    void afterRead(Runnable work) {
        afterRead.set(work);
    }

    /** {@return how often it was asked what is wanted of a plan's tasks} */
    int wishesRead() {
        return wishesRead.get();
    }

    /** {@return how often it was asked for a plan} */
    int plansRead() {
        return plansRead.get();
    }

    int failed() {
        return failed.get();
    }

    private void check() {
        if (halted) {
            throw new Halt();
        }
    }

    @Override
    public <T> T transact(Function<StoreTransaction, T> work) {
        check();
        if (failing.getAndUpdate(times -> Math.max(0, times - 1)) > 0) {
            failed.incrementAndGet();
            throw new IllegalStateException("the store is down");
        }
        boolean isLast = left.decrementAndGet() == 0;
        T result = store.transact(transaction -> {
            T done = work.apply(transaction);
            if (isLast && beforeCommit) {
                halted = true;
            }
            check();
            return done;
        });
        if (isLast) {
            halted = true;
        }
        check();
        afterwards.run();
        return result;
    }

    @Override
    public Duration lease() {
        return store.lease();
    }

    @Override
    public boolean isAway(RuntimeException failure) {
        return true;
    }

    @Override
    public Instant now() {
        return store.now();
    }

    @Override
    public Optional<TaskRecord> findById(TaskId taskId) {
        check();
        return store.findById(taskId);
    }

    @Override
    public Optional<String> findConfig(String configId) {
        check();
        return store.findConfig(configId);
    }

    @Override
    public List<TaskRecord> findByPlanId(PlanId planId, @Nullable TaskStatus status, int limit) {
        check();
        return store.findByPlanId(planId, status, limit);
    }

    @Override
    public List<TaskRecord> findByTenantId(TenantId tenantId, int limit) {
        check();
        return store.findByTenantId(tenantId, limit);
    }

    @Override
    public List<TaskRecord> findWished(PlanId planId) {
        check();
        wishesRead.incrementAndGet();
        return store.findWished(planId);
    }

    @Override
    public Optional<PlanRecord> findPlan(PlanId planId) {
        check();
        plansRead.incrementAndGet();
        Optional<PlanRecord> found = store.findPlan(planId);
        afterPlanRead.run();
        return found;
    }

    @Override
    public List<PlanRecord> findPlans(int limit) {
        check();
        return store.findPlans(limit);
    }

    @Override
    public List<PlanId> findEnded(Instant before, boolean partlyFailed, int limit) {
        check();
        return store.findEnded(before, partlyFailed, limit);
    }

    @Override
    public List<TenantRecord> findTenants(Collection<TenantId> tenantIds) {
        check();
        return store.findTenants(tenantIds);
    }

    @Override
    public List<RolloutEvent> findUnpublished(PlanId planId, int limit) {
        check();
        List<RolloutEvent> found = store.findUnpublished(planId, limit);
        Runnable work = found.isEmpty() ? null : afterRead.getAndSet(null);
        if (work != null) {
            work.run();
        }
        return found;
    }

    @Override
    public List<RecordedEvent> findEvents(PlanId planId, @Nullable TenantId tenantId, long after, int limit) {
        check();
        return store.findEvents(planId, tenantId, after, limit);
    }

    @Override
    public void assignPositions(PlanId planId, long epoch) {
        check();
        store.assignPositions(planId, epoch);
    }

    @Override
    public Instant markRefused(PlanId planId, long epoch, RolloutEvent event, Instant now) {
        check();
        return store.markRefused(planId, epoch, event, now);
    }

    @Override
    public void markGivenUp(PlanId planId, long epoch, RolloutEvent event) {
        check();
        store.markGivenUp(planId, epoch, event);
    }

    @Override
    public void markPublished(PlanId planId, long epoch, List<RolloutEvent> events) {
        check();
        store.markPublished(planId, epoch, events);
    }

    @Override
    public void open(DriveRunner runner, String node) {
        store.open(runner, node);
    }

    @Override
    public void close() {
        beforeClose.getAndSet(() -> {}).run();
        store.close();
    }

    @Override
    public void awaitClosed(Duration atMost) {
        store.awaitClosed(atMost);
    }
}
