package io.github.kobe.internal.doors;

import io.github.kobe.Costs;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupHolder;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupTask;
import io.github.kobe.GroupWaiter;
import io.github.kobe.RuleStats;
import io.github.kobe.TaskHandle;
import io.github.kobe.cluster.Cluster;
import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.base.Environment;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The way of a {@link GroupExecutor} into its engine, which it makes. {@link GroupExecutor} has checked the arguments, and
 * its Javadoc says what each method does. Public only because {@link GroupExecutor} uses it.
 */
public final class Doors {

    private final Engine engine;
    private final Admission admission;
    private final Callers callers;
    private final Control control;
    private final Lifecycle lifecycle;

    /** Makes an engine of its own. */
    public Doors(CompiledPolicy policy) {
        this(policy, ClusterSignals.NONE);
    }

    /** Makes an engine of its own, some of whose limits several instances share. */
    public Doors(CompiledPolicy policy, ClusterSignals cluster) {
        this(policy, Environment.SYSTEM, cluster);
    }

    /** Makes an engine with a clock, threads and timers of one's own: for tests. */
    Doors(CompiledPolicy policy, Environment environment) {
        this(policy, environment, ClusterSignals.NONE);
    }

    /** As that, with limits that several instances share. */
    Doors(CompiledPolicy policy, Environment environment, ClusterSignals cluster) {
        engine = new Engine(policy, environment, cluster);
        admission = engine.admission;
        callers = engine.callers;
        control = engine.control;
        lifecycle = engine.lifecycle;
    }

    /** {@return the engine behind them} */
    public Engine engine() {
        return engine;
    }

    /** {@return whether it shares limits with other instances} */
    public boolean isInCluster() {
        return engine.isInCluster();
    }

    /** {@return how it stands with those; empty: it shares none} */
    public Optional<Cluster> cluster() {
        return engine.cluster.shown();
    }

    // ---- work

    public <T> TaskHandle<T> submit(String key, String id, Callable<T> task) {
        return admission.submit(key, id, task);
    }

    public <T> TaskHandle<T> submit(GroupTask<T> task) {
        return admission.submit(task);
    }

    public <T> TaskHandle<T> submitAsync(String key, String id, Callable<? extends CompletionStage<T>> task) {
        return admission.submitAsync(key, id, task);
    }

    public <T> TaskHandle<T> submitAsync(GroupTask<? extends CompletionStage<T>> task) {
        return admission.submitAsync(task);
    }

    public <T> List<GroupResult<T>> executeAll(Collection<? extends GroupTask<? extends T>> tasks) {
        return admission.executeAll(tasks);
    }

    public <T> T call(String key, String id, @Nullable Duration maxWait, @Nullable Costs costs, Callable<T> task)
            throws Exception {
        return callers.call(key, id, maxWait, costs, task);
    }

    public GroupPermit acquire(String key, String id) throws InterruptedException {
        return callers.acquire(key, id);
    }

    public Optional<GroupPermit> tryAcquire(String key, Duration maxWait) throws InterruptedException {
        return callers.tryAcquire(key, maxWait);
    }

    public CompletionStage<GroupPermit> acquireAsync(String key, String id, @Nullable Duration maxWait, Costs costs) {
        engine.requireAdmits();
        return engine.asyncPermits.ask(key, id, maxWait, costs);
    }

    public void settle(String rate, long used) {
        engine.underPermit.settle(rate, used);
    }

    public void rejectLate(String key, String id) {
        admission.rejectLate(key, id);
    }

    public Optional<GroupPermit> enclosingPermit(String key) {
        return engine.underPermit.enclosing(key);
    }

    public ExecutorService asExecutorService(String key) {
        engine.requireKey(key);
        return new GroupExecutorService(engine, key);
    }

    // ---- control

    public GroupPolicy policy() {
        return engine.policy.source();
    }

    public void updatePolicy(CompiledPolicy policy) {
        control.updatePolicy(policy);
    }

    public void setLimits(String key, GroupLimits limits, Duration period) {
        control.setLimits(key, limits, period);
    }

    public void updateLimits(String key, UnaryOperator<GroupLimits> update, Duration period) {
        control.updateLimits(key, update, period);
    }

    public Optional<GroupLimits> overrideOf(String key) {
        return control.overrideOf(key);
    }

    public void resetLimits(String key) {
        control.resetLimits(key);
    }

    public void limitsChanged(String key) {
        control.limitsChanged(key);
    }

    public void limitsChanged() {
        control.limitsChanged();
    }

    public void pause(String key, Duration period) {
        control.pause(key, period);
    }

    public void resume(String key) {
        control.resume(key);
    }

    public void shutdownGroup(String key) {
        control.shutdownGroup(key);
    }

    public void evict(String key) {
        control.evict(key);
    }

    // ---- what is shown

    public GroupExecutorStats stats() {
        return engine.stats();
    }

    public Optional<GroupStats> groupStats(String key) {
        return engine.groupStats(key);
    }

    public List<RuleStats> ruleStats() {
        return engine.ruleStats();
    }

    public List<GroupWaiter> waiters(String key, int limit) {
        return engine.waiters(key, limit);
    }

    public List<GroupHolder> holders(String key) {
        return engine.holders(key);
    }

    public Map<String, Duration> longestHolds() {
        return engine.longestHolds();
    }

    public Set<String> groupKeys() {
        return engine.groupKeys();
    }

    // ---- the end

    public boolean awaitQuiet(Duration timeout) throws InterruptedException {
        return lifecycle.awaitQuiet(timeout);
    }

    public void shutdownNow() {
        lifecycle.shutdownNow();
    }

    public boolean shutdown(Duration timeout) {
        return lifecycle.shutdown(timeout);
    }

    public boolean isShutdown() {
        return !engine.stage.isRunning();
    }

    public boolean isTerminated() {
        return lifecycle.isTerminated();
    }

    public boolean awaitTermination(Duration timeout) throws InterruptedException {
        return lifecycle.awaitTermination(timeout);
    }
}
