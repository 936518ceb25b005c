package io.github.kobe;

import io.github.kobe.cluster.Cluster;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.internal.cluster.ClusterNode;
import io.github.kobe.internal.doors.Engine;
import io.github.kobe.internal.doors.ScopeBridge;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.function.UnaryOperator;

/**
 * Runs work by key. Groups run in parallel. Inside a group at most {@code maxConcurrency} tasks run and
 * {@code maxInFlight} are in flight; over all groups at most {@code globalMaxInFlight} are in flight. Work that can't
 * start waits in a bounded queue.
 *
 * <pre>{@code
 * try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
 *         GroupPolicy.builder().globalMaxInFlight(100).defaultMaxConcurrencyPerGroup(2).build())) {
 *     TaskHandle<Report> handle = executor.submit("tenant:a", "report-17", () -> build("a"));
 *     Report report = handle.await().valueOrThrow();
 *     executor.shutdown(Duration.ofSeconds(30)); // close() alone cancels what still waits or runs
 * }
 * }</pre>
 *
 * <p><b>Ordering and fairness.</b> Inside a group work starts in the order in which it was enqueued: tasks, blocked
 * callers and asynchronous acquirers alike. While the global limit is short, each permit that comes back goes to a group
 * below its {@linkplain GroupLimits#withGuaranteed guarantee}, or else to the one that holds least for its
 * {@linkplain GroupLimits#withWeight weight}; among equals groups take turns of up to {@code weight} starts. While only the
 * {@linkplain GroupPolicy.Builder#globalRate global rate} is short, groups take such turns whatever they hold. There are two
 * exceptions. A task that code of its own group waits for starts ahead of the queue on lent permits (see
 * {@link TaskHandle}). A thread that already runs under a permit needs no second global one.
 *
 * <p><b>Threads.</b> Each submitted task runs on a fresh virtual thread, which is created only when the task starts and
 * is named after its group. It inherits no thread-locals; its context class loader is the submitting thread's. A
 * platform thread that uses the executor needs a stack of at least 256 kB: each method first checks whether enough of
 * it is left, and throws a {@link StackOverflowError} if not.
 *
 * <p><b>Shutdown.</b> {@link #close()} and {@link #shutdown()} cancel; they don't drain. {@link #shutdown(Duration)}
 * drains.
 *
 * <p><b>Memory effects.</b> What a thread did before it submitted a task happens-before that task. Returning a permit
 * of a group happens-before the start that takes it, so a group with concurrency 1 orders the memory accesses of its
 * tasks.
 *
 * <p>Safe for use by many threads. Only {@code await…}, {@code call}, {@code acquire}, {@code tryAcquire},
 * {@code executeAll} and {@code shutdown(Duration)} block, and {@code submit} with {@link RejectionPolicy#CALLER_RUNS}
 * while it runs the task. No argument may be {@code null}: each method throws a {@link NullPointerException} that names
 * the argument, before it does anything. A group key that is blank, or longer than the policy's {@code maxKeyLength}, is
 * an {@link IllegalArgumentException} wherever a group would be made for it.
 *
 * @since 0.1.0
 */
public final class GroupExecutor implements AutoCloseable {

    /** The most that {@link #waiters} shows, since they are listed in one critical section. */
    private static final int MOST_WAITERS = 1_000;

    static {
        ScopeBridge.register(executor -> ((GroupExecutor) executor).engine);
    }

    private final Engine engine;

    private GroupExecutor(Engine engine) {
        this.engine = engine;
    }

    /**
     * Makes an executor. It has no thread until the first task, and no platform thread until a time-out or an idle
     * group needs one.
     *
     * @param policy the limits, and the user code that the executor calls
     * @return an executor in its running state
     * @throws InvalidPolicyException if the policy has a limit {@linkplain GroupLimits#withClusterMaxInFlight over all
     *     instances}, of which this executor would know nothing
     */
    public static GroupExecutor newVirtualThreadExecutor(GroupPolicy policy) {
        Objects.requireNonNull(policy, "policy").validateWithoutCluster();
        return over(Engine.of(policy.compiled()));
    }

    /**
     * Makes an executor that shares with those of other instances what may be in flight in a group, by {@link
     * GroupLimits#withClusterMaxInFlight}: of all that have the same store, whatever else their policies say.
     *
     * <p>It leases capacity from the store, and starts work of such a group while it has some: nobody is asked for a task. It
     * has one daemon platform thread for that, until it has ended.
     *
     * @param policy the limits, and the user code that the executor calls
     * @param cluster the store, and what to do without it
     * @return an executor in its running state; it has yet to hear of the store, so work of such groups waits for a moment, or
     *     for as long as a {@linkplain ClusterSettings#withLease lease} if the store has just begun
     * @since 0.1.0
     */
    public static GroupExecutor newVirtualThreadExecutor(GroupPolicy policy, ClusterSettings cluster) {
        Objects.requireNonNull(cluster, "cluster");
        return over(ClusterNode.engine(Objects.requireNonNull(policy, "policy").compiled(), cluster));
    }

    /**
     * {@return how this executor stands with those of other instances; empty if it was made without {@link ClusterSettings}}
     *
     * @since 0.1.0
     */
    public Optional<Cluster> cluster() {
        return engine.cluster.shown();
    }

    /** {@return an executor over an engine, which a test may have made} */
    static GroupExecutor over(Engine engine) {
        return new GroupExecutor(engine);
    }

    /** {@return its engine; for tests} */
    Engine engine() {
        return engine;
    }

    /**
     * Submits a task. Before this method returns, the task has started, waits in the queue, or is rejected. Never
     * blocks, except to run the task itself under {@link RejectionPolicy#CALLER_RUNS}.
     *
     * <p>The handle reports everything that happens to the task; none of it is thrown here. The {@link RejectionPolicy}
     * or the {@link RejectionHandler} decides how a rejection is reported: by default the handle's {@code await} and
     * {@code join} throw a {@link RejectedTaskException}. If a {@link GroupTaskDecorator} throws, the task is
     * {@link TaskStatus#FAILED} with that cause.
     *
     * @param groupKey the group that it runs in
     * @param taskId names the task in results, events and exceptions; need not be unique
     * @param task what runs
     * @param <T> the type of its value
     * @return its handle
     * @throws ExecutorShutdownException after a shutdown
     */
    public <T> TaskHandle<T> submit(String groupKey, String taskId, Callable<T> task) {
        requireTask(groupKey, taskId, task);
        return engine.admission.submit(groupKey, taskId, task);
    }

    /**
     * Submits a task, as {@link #submit(String, String, Callable)}, with an empty id.
     *
     * @param groupKey the group that it runs in
     * @param task what runs; {@link java.util.concurrent.Executors#callable(Runnable) Executors.callable} makes one
     *     from a {@link Runnable}
     * @param <T> the type of its value
     * @return its handle
     * @throws ExecutorShutdownException after a shutdown
     */
    public <T> TaskHandle<T> submit(String groupKey, Callable<T> task) {
        return submit(groupKey, "", task);
    }

    /**
     * Submits a task, as {@link #submit(String, String, Callable)}, with the task's own queue time-out.
     *
     * @param task the task with its group and id
     * @param <T> the type of its value
     * @return its handle
     * @throws ExecutorShutdownException after a shutdown
     */
    public <T> TaskHandle<T> submit(GroupTask<T> task) {
        Objects.requireNonNull(task, "task");
        return engine.admission.submit(task);
    }

    /**
     * Submits asynchronous work. The concurrency permit is returned when the callable returns its stage, the in-flight
     * permits when the stage completes, however late. So {@code maxInFlight} bounds how many stages are open; if nobody
     * sets it, as many as {@code maxConcurrency}.
     *
     * <p>Cancelling the handle before the callable has returned works as for a task, and a stage that the callable
     * still returns is cancelled. After that, it cancels the stage as far as possible, through its
     * {@link CompletionStage#toCompletableFuture()}. A shutdown does the same.
     *
     * @param groupKey the group that it runs in
     * @param taskId names the task in results, events and exceptions; need not be unique
     * @param task what runs; a {@code null} stage makes the task {@link TaskStatus#FAILED}
     * @param <T> the type of its value
     * @return its handle; a {@link java.util.concurrent.CompletionException} is unwrapped
     * @throws ExecutorShutdownException after a shutdown
     */
    public <T> TaskHandle<T> submitAsync(String groupKey, String taskId, Callable<? extends CompletionStage<T>> task) {
        requireTask(groupKey, taskId, task);
        return engine.admission.submitAsync(groupKey, taskId, task);
    }

    /**
     * Submits asynchronous work, as {@link #submitAsync(String, String, Callable)}, with an empty id.
     *
     * @param groupKey the group that it runs in
     * @param task what runs; a {@code null} stage makes the task {@link TaskStatus#FAILED}
     * @param <T> the type of its value
     * @return its handle; a {@link java.util.concurrent.CompletionException} is unwrapped
     * @throws ExecutorShutdownException after a shutdown
     */
    public <T> TaskHandle<T> submitAsync(String groupKey, Callable<? extends CompletionStage<T>> task) {
        return submitAsync(groupKey, "", task);
    }

    /**
     * Submits asynchronous work, as {@link #submitAsync(String, String, Callable)}, with the task's own queue time-out.
     * The time-out bounds the wait to start, not the stage.
     *
     * @param task the work with its group and id; a {@code null} stage makes the task {@link TaskStatus#FAILED}
     * @param <T> the type of its value
     * @return its handle; a {@link java.util.concurrent.CompletionException} is unwrapped
     * @throws ExecutorShutdownException after a shutdown
     */
    public <T> TaskHandle<T> submitAsync(GroupTask<? extends CompletionStage<T>> task) {
        Objects.requireNonNull(task, "task");
        return engine.admission.submitAsync(task);
    }

    /**
     * Submits all tasks, then waits for all; no failure stops the others.
     *
     * <p>If the caller is interrupted, its interrupt status is set again, and the unfinished tasks are cancelled and
     * reported as {@link TaskStatus#CANCELLED}.
     *
     * @param tasks what to run, in the order in which the collection gives them; no element {@code null}
     * @param <T> the type of their values
     * @return one result for each task, in the order of the tasks, rejected ones included; unmodifiable
     * @throws NullPointerException if the collection or an element is {@code null}; nothing is submitted then
     * @throws ExecutorShutdownException after a shutdown
     */
    public <T> List<GroupResult<T>> executeAll(Collection<? extends GroupTask<? extends T>> tasks) {
        return engine.admission.executeAll(tasks);
    }

    /**
     * Runs work on the calling thread, when its turn comes.
     *
     * <p>The limits, queue bounds and time-outs of the group apply as for tasks; rejection policy and handler don't. A
     * thread that already runs inside the group needs no second permit. A thread that runs inside another group keeps
     * its global permit and takes the group's own permits.
     *
     * @param groupKey the group that it runs in
     * @param task what runs
     * @param <T> the type of its value
     * @return what it returns
     * @throws RejectedTaskException if the work is not admitted, waits too long, or the executor or the group is shut down while it
     *     waits
     * @throws InterruptedException if the caller is interrupted while it has to wait; the group is then unchanged
     * @throws ExecutorShutdownException after a shutdown
     * @throws Exception what the task throws
     */
    public <T> T call(String groupKey, Callable<T> task) throws Exception {
        requireTask(groupKey, "", task);
        return engine.callers.call(groupKey, "", null, null, task);
    }

    /**
     * Runs work on the calling thread, as {@link #call(String, Callable)}, under an id.
     *
     * @param groupKey the group that it runs in
     * @param taskId names the work in events and exceptions
     * @param task what runs
     * @param <T> the type of its value
     * @return what it returns
     * @throws RejectedTaskException if the work is not admitted, waits too long, or the executor or the group is shut down while it
     *     waits
     * @throws InterruptedException if the caller is interrupted while it has to wait; the group is then unchanged
     * @throws ExecutorShutdownException after a shutdown
     * @throws Exception what the task throws
     */
    public <T> T call(String groupKey, String taskId, Callable<T> task) throws Exception {
        requireTask(groupKey, taskId, task);
        return engine.callers.call(groupKey, taskId, null, null, task);
    }

    /**
     * Runs work on the calling thread, as {@link #call(String, Callable)}, if its turn comes in time.
     *
     * @param groupKey the group that it runs in
     * @param maxWait how long to wait: this or the group's time-out, whichever is shorter; zero or negative: not at all
     * @param task what runs
     * @param <T> the type of its value
     * @return what it returns
     * @throws RejectedTaskException if the work is not admitted, waits longer than {@code maxWait} or the group allows,
     *     or the executor or the group is shut down while it waits
     * @throws InterruptedException if the caller is interrupted while it has to wait; the group is then unchanged
     * @throws ExecutorShutdownException after a shutdown
     * @throws Exception what the task throws
     */
    public <T> T call(String groupKey, Duration maxWait, Callable<T> task) throws Exception {
        requireTask(groupKey, "", task);
        return engine.callers.call(groupKey, "", Objects.requireNonNull(maxWait, "maxWait"), null, task);
    }

    /**
     * Runs work on the calling thread, as {@link #call(String, Duration, Callable)}, under an id.
     *
     * @param groupKey the group that it runs in
     * @param taskId names the work in events and exceptions
     * @param maxWait how long to wait: this or the group's time-out, whichever is shorter; zero or negative: not at all;
     *     {@link GroupLimits#NO_TIMEOUT}: as long as the group allows
     * @param task what runs
     * @param <T> the type of its value
     * @return what it returns
     * @throws RejectedTaskException if the work is not admitted, waits longer than {@code maxWait} or the group allows,
     *     or the executor or the group is shut down while it waits
     * @throws InterruptedException if the caller is interrupted while it has to wait; the group is then unchanged
     * @throws ExecutorShutdownException after a shutdown
     * @throws Exception what the task throws
     */
    public <T> T call(String groupKey, String taskId, Duration maxWait, Callable<T> task) throws Exception {
        requireTask(groupKey, taskId, task);
        return engine.callers.call(groupKey, taskId, Objects.requireNonNull(maxWait, "maxWait"), null, task);
    }

    /**
     * Runs work on the calling thread, as {@link #call(String, Callable)}, which says what it costs.
     *
     * @param groupKey the group that it runs in
     * @param costs what it costs of the group's rates; by re-entry it costs nothing
     * @param task what runs
     * @param <T> the type of its value
     * @return what it returns
     * @throws RejectedTaskException if the work is not admitted, costs more than a limit, waits too long, or the executor is shut
     *     down while it waits
     * @throws InterruptedException if the caller is interrupted while it has to wait; the group is then unchanged
     * @throws ExecutorShutdownException after a shutdown
     * @throws Exception what the task throws
     * @since 0.1.0
     */
    public <T> T call(String groupKey, Costs costs, Callable<T> task) throws Exception {
        return call(groupKey, "", GroupLimits.NO_TIMEOUT, costs, task);
    }

    /**
     * Runs work on the calling thread, as {@link #call(String, String, Duration, Callable)}, which says what it costs.
     *
     * @param groupKey the group that it runs in
     * @param taskId names the work in events and exceptions
     * @param maxWait how long to wait: this or the group's time-out, whichever is shorter; zero or negative: not at all;
     *     {@link GroupLimits#NO_TIMEOUT}: as long as the group allows
     * @param costs what it costs of the group's rates; by re-entry it costs nothing
     * @param task what runs
     * @param <T> the type of its value
     * @return what it returns
     * @throws RejectedTaskException if the work is not admitted, costs more than a limit, waits longer than {@code maxWait} or the
     *     group allows, or the executor or the group is shut down while it waits
     * @throws InterruptedException if the caller is interrupted while it has to wait; the group is then unchanged
     * @throws ExecutorShutdownException after a shutdown
     * @throws Exception what the task throws
     * @since 0.1.0
     */
    public <T> T call(String groupKey, String taskId, Duration maxWait, Costs costs, Callable<T> task)
            throws Exception {
        requireTask(groupKey, taskId, task);
        Objects.requireNonNull(maxWait, "maxWait");
        Objects.requireNonNull(costs, "costs");
        return engine.callers.call(groupKey, taskId, maxWait, costs.areUnsaid() ? null : costs, task);
    }

    /**
     * Says what the innermost work that the current thread is inside, by a call, a task or {@link GroupPermit#call}, has really used
     * of one of its group's {@linkplain GroupLimits#withRates rates}. If that is less than it was charged, the rest is free again at once,
     * unless the rate is {@linkplain Rate#withoutRefund without refund}. If it is more, that is charged now, and delays
     * what comes next.
     *
     * <p>It can be said once for each rate, and only while the work runs; what nobody says stays as it was charged, also if the
     * work fails. Where the group has no such rate, nothing happens, and the log is told once for all groups of a rule. Where it
     * had none when the work came, nothing happens.
     *
     * <pre>{@code
     * executor.call("llm:acme", Costs.of("tokens", 1_200), () -> {
     *     Answer answer = model.ask(prompt);
     *     executor.settle("tokens", answer.totalTokens());
     *     return answer;
     * });
     * }</pre>
     *
     * @param rate the {@linkplain Rate#name name of the rate}
     * @param used 0 or more
     * @throws IllegalArgumentException if less than 0 was used
     * @throws IllegalStateException if the thread is inside no work, or that was said before
     * @since 0.1.0
     */
    public void settle(String rate, long used) {
        engine.underPermit.settle(rate, used);
    }

    /**
     * Waits for a permit of a group. Use it for code that doesn't fit into one callable, and to hand permits to workers.
     *
     * <p>A permit belongs to no thread. So taking one is never re-entry, and needs a global permit of its own. <b>A thread
     * that is already inside the group may wait for itself:</b> nothing is lent to it. Use {@link #call} for re-entry.
     *
     * <pre>{@code
     * GroupPermit permit = executor.acquire(message.tenant());
     * workers.execute(() -> {
     *     try (permit) {
     *         permit.call(() -> handle(message));
     *     } catch (Exception failure) {
     *         giveBack(message, failure);
     *     }
     * });
     * }</pre>
     *
     * @param groupKey the group
     * @return the permit; close it when done, on any thread
     * @throws RejectedTaskException if the work is not admitted, waits too long, or the executor or the group is shut down while it
     *     waits
     * @throws InterruptedException if the caller is interrupted while it has to wait
     * @throws ExecutorShutdownException after a shutdown
     */
    public GroupPermit acquire(String groupKey) throws InterruptedException {
        return acquire(groupKey, "");
    }

    /**
     * Waits for a permit of a group, as {@link #acquire(String)}, under an id.
     *
     * @param groupKey the group
     * @param taskId names the permit in events, in exceptions and among the {@linkplain #holders holders}
     * @return the permit; close it when done, on any thread
     * @throws RejectedTaskException if the work is not admitted, waits too long, or the executor or the group is shut down while it
     *     waits
     * @throws InterruptedException if the caller is interrupted while it has to wait
     * @throws ExecutorShutdownException after a shutdown
     * @since 0.1.0
     */
    public GroupPermit acquire(String groupKey, String taskId) throws InterruptedException {
        Objects.requireNonNull(groupKey, "groupKey");
        return engine.callers.acquire(groupKey, Objects.requireNonNull(taskId, "taskId"));
    }

    /**
     * Waits for a permit of a group, as {@link #acquire(String)}, for a limited time. Never overtakes work that already waits,
     * even with no time to wait.
     *
     * @param groupKey the group
     * @param maxWait how long to wait: this or the group's time-out, whichever is shorter; zero or negative: not at all
     * @return the permit; empty if there was none in time, or the queue is full
     * @throws RejectedTaskException if the executor or the group is shut down while the caller waits
     * @throws InterruptedException if the caller is interrupted while it has to wait
     * @throws ExecutorShutdownException after a shutdown
     */
    public Optional<GroupPermit> tryAcquire(String groupKey, Duration maxWait) throws InterruptedException {
        Objects.requireNonNull(groupKey, "groupKey");
        return engine.callers.tryAcquire(groupKey, Objects.requireNonNull(maxWait, "maxWait"));
    }

    /**
     * Asks for a permit of a group without blocking a thread. The request waits in the same queue as all other work.
     *
     * <p>As with {@link #acquire(String)}, there is no re-entry, and nothing is lent to the request. If it has to wait, the stage
     * completes on a fresh virtual thread. Cancelling the stage's
     * {@link CompletionStage#toCompletableFuture() future} takes the request out of the queue, or returns the permit.
     *
     * @param groupKey the group
     * @return a stage that completes with the permit, or exceptionally with a {@link RejectedTaskException}
     * @throws ExecutorShutdownException after a shutdown
     */
    public CompletionStage<GroupPermit> acquireAsync(String groupKey) {
        return engine.asyncPermits.ask(Objects.requireNonNull(groupKey, "groupKey"), "", null, Costs.unsaid());
    }

    /**
     * Asks for a permit of a group, as {@link #acquireAsync(String)}, under an id and for a limited time.
     *
     * @param groupKey the group
     * @param taskId names the permit in events and exceptions
     * @param maxWait how long to wait: this or the group's time-out, whichever is shorter; zero or negative: not at all;
     *     {@link GroupLimits#NO_TIMEOUT}: as long as the group allows
     * @return a stage that completes with the permit, or exceptionally with a {@link RejectedTaskException}
     * @throws ExecutorShutdownException after a shutdown
     */
    public CompletionStage<GroupPermit> acquireAsync(String groupKey, String taskId, Duration maxWait) {
        return acquireAsync(groupKey, taskId, maxWait, Costs.unsaid());
    }

    /**
     * Asks for a permit of a group, as {@link #acquireAsync(String, String, Duration)}, and says what the work under it costs.
     *
     * @param groupKey the group
     * @param taskId names the permit in events and exceptions
     * @param maxWait how long to wait: this or the group's time-out, whichever is shorter; zero or negative: not at all;
     *     {@link GroupLimits#NO_TIMEOUT}: as long as the group allows
     * @param costs what it costs of the group's rates; {@link GroupPermit#settle} corrects it
     * @return a stage that completes with the permit, or exceptionally with a {@link RejectedTaskException}
     * @throws ExecutorShutdownException after a shutdown
     * @since 0.1.0
     */
    public CompletionStage<GroupPermit> acquireAsync(String groupKey, String taskId, Duration maxWait, Costs costs) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(maxWait, "maxWait");
        return engine.asyncPermits.ask(groupKey, taskId, maxWait, Objects.requireNonNull(costs, "costs"));
    }

    /**
     * Counts work of a group as rejected, with {@link RejectionReason#QUEUE_TIMEOUT}, that has come too late to ask for a
     * permit, such as a request whose deadline has passed. It takes no permit and no place in a queue, and is no start that
     * a rate counts, even if all of these are free. Listeners, tracers and the recorder of the group hear of it as of other
     * work that isn't admitted.
     *
     * @param groupKey the group
     * @param taskId names the work in events; may be empty
     * @throws ExecutorShutdownException after a shutdown
     */
    public void rejectLate(String groupKey, String taskId) {
        Objects.requireNonNull(groupKey, "groupKey");
        engine.admission.rejectLate(groupKey, Objects.requireNonNull(taskId, "taskId"));
    }

    /**
     * Shares the permit that the current thread is inside, by a call, a task or {@link GroupPermit#call}, with code that
     * continues without this thread.
     *
     * <p>If the thread is inside several, this is the one of the given group; otherwise, a permit of another group: the
     * innermost that it is inside by {@link GroupPermit#call}, or else the innermost of all. All permits that a thread
     * is inside share one global permit, so a request under any of them needs no further one.
     *
     * @param groupKey the group that the code will ask for
     * @return a permit that shares it, to be closed on any thread; what it shares is out until then, also if the call or
     *     task has ended. Empty if the thread is inside no open permit
     */
    public Optional<GroupPermit> enclosingPermit(String groupKey) {
        return engine.underPermit.enclosing(Objects.requireNonNull(groupKey, "groupKey"));
    }

    /**
     * Returns a view of one group as an {@link ExecutorService}, a new one for each call. Shutting the view down
     * affects only what was submitted through it. This executor's shutdown ends its views too.
     *
     * <p>For rejected work a {@link java.util.concurrent.RejectedExecutionException} is thrown, except that
     * {@link RejectionPolicy#CALLER_RUNS} runs it and {@link RejectionPolicy#DISCARD} gives a cancelled future. A
     * rejection handler doesn't apply. If the task decorator fails, or no thread can be started for work that need not
     * wait, a future fails with the cause, and {@code execute} throws a {@code RejectedExecutionException} that has it.
     *
     * <p>Its {@code shutdownNow} returns the commands that wait for a permit. Commands with a permit have begun and are
     * interrupted, though a thread may not have reached the command's code yet; commands that are just being submitted
     * are refused. A returned command of {@code invokeAll} or {@code invokeAny} is cancelled, so that these methods
     * return.
     *
     * <p>While this executor {@linkplain #shutdown(Duration) drains}, {@code isShutdown} is true and the view refuses
     * work. It still accepts work from code that runs under the executor, so it terminates after the drain at the
     * earliest.
     *
     * @param groupKey the group
     * @return the view
     */
    public ExecutorService asExecutorService(String groupKey) {
        return engine.view(Objects.requireNonNull(groupKey, "groupKey"));
    }

    /**
     * Sets limits of one group, which override those of the policy until {@link #resetLimits}. They are in force at
     * once, and this method doesn't block: with a larger limit waiting work starts now; with a smaller one running work
     * goes on, and none starts until the count is within the limit.
     *
     * @param groupKey the group
     * @param limits replaces what was set for the group before; the policy applies to numbers that it leaves unset
     * @throws InvalidPolicyException if a number is out of its range, or {@code clusterMaxInFlight} is set; nothing changes
     *     then
     */
    public void setLimits(String groupKey, GroupLimits limits) {
        setLimits(groupKey, limits, GroupLimits.NO_TIMEOUT);
    }

    /**
     * As {@link #setLimits(String, GroupLimits)}, for a period: then the limits are reset, unless they were set again
     * meanwhile. What holds is the end of the last change; without a period it has none.
     *
     * @param groupKey the group
     * @param limits replaces what was set for the group before; the policy applies to numbers that it leaves unset
     * @param period how long, more than zero; {@link GroupLimits#NO_TIMEOUT}: until {@link #resetLimits}
     * @throws InvalidPolicyException if a number is out of its range, or {@code clusterMaxInFlight} is set; nothing changes
     *     then
     * @throws IllegalArgumentException if the period is zero or negative; nothing changes then
     * @since 0.1.0
     */
    public void setLimits(String groupKey, GroupLimits limits, Duration period) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(limits, "limits").validateAsOverride(groupKey);
        engine.control.setLimits(groupKey, limits, requirePeriod(period));
    }

    private static Duration requirePeriod(Duration period) {
        if (!Objects.requireNonNull(period, "period").isPositive()) {
            throw new IllegalArgumentException("The period is " + period + "; allowed: more than zero");
        }
        return period;
    }

    /**
     * Changes what {@link #setLimits} has set for one group: {@code limits.withMaxConcurrency(8)} changes one number
     * and leaves the rest. Updates of one group are applied one after the other: if the group's limits change
     * meanwhile, the update is called again with the new ones. The result is in force at once, as with
     * {@link #setLimits}.
     *
     * @param groupKey the group
     * @param update is given the limits that override the policy, which are unset if nothing is overridden, and returns
     *     the new ones; returning unset limits is the same as {@link #resetLimits}. It runs on the calling thread. It
     *     may run several times, so it must have no side effects. What it throws is thrown by this method, and nothing
     *     changes. Returning what it was given is a change too: limits that were set for a period stay then
     * @throws InvalidPolicyException if a number is out of its range, or {@code clusterMaxInFlight} is set; nothing changes
     *     then
     * @throws NullPointerException if the update returns {@code null}; nothing changes then
     */
    public void updateLimits(String groupKey, UnaryOperator<GroupLimits> update) {
        updateLimits(groupKey, update, GroupLimits.NO_TIMEOUT);
    }

    /**
     * As {@link #updateLimits(String, UnaryOperator)}, for a period, as with
     * {@link #setLimits(String, GroupLimits, Duration)}: all limits that are set for the group end with it.
     *
     * @param groupKey the group
     * @param update as there
     * @param period how long, more than zero; {@link GroupLimits#NO_TIMEOUT}: until {@link #resetLimits}
     * @throws InvalidPolicyException if a number is out of its range, or {@code clusterMaxInFlight} is set; nothing changes
     *     then
     * @throws IllegalArgumentException if the period is zero or negative; nothing changes then
     * @since 0.1.0
     */
    public void updateLimits(String groupKey, UnaryOperator<GroupLimits> update, Duration period) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(update, "update");
        engine.control.updateLimits(
                groupKey,
                before -> {
                    GroupLimits after = Objects.requireNonNull(update.apply(before), "The update returned null");
                    after.validateAsOverride(groupKey);
                    return after;
                },
                requirePeriod(period));
    }

    /**
     * Returns what {@link #setLimits} or {@link #updateLimits} has set for a group; never blocks.
     *
     * @param groupKey the group
     * @return the limits as they were set, with inherited numbers unset; empty if nothing is set
     */
    public Optional<GroupLimits> overrideOf(String groupKey) {
        return engine.control.overrideOf(Objects.requireNonNull(groupKey, "groupKey"));
    }

    /**
     * Removes what {@link #setLimits} set for a group; its limits are looked up again.
     *
     * @param groupKey the group
     */
    public void resetLimits(String groupKey) {
        engine.control.resetLimits(Objects.requireNonNull(groupKey, "groupKey"));
    }

    /**
     * Says that the {@linkplain GroupPolicy.Builder#limitsResolver limits resolver} would say something else of a group now.
     * The current thread asks it, and what it says is in force when this returns: what was asked for before has no effect any
     * more. Nothing happens without a resolver, or if the group is not known, since it is asked for anyway when it is used.
     *
     * @param groupKey the group
     * @since 0.1.0
     */
    public void limitsChanged(String groupKey) {
        engine.control.limitsChanged(Objects.requireNonNull(groupKey, "groupKey"));
    }

    /**
     * As {@link #limitsChanged(String)}, for all groups that the executor knows, one after the other. If the resolver fails
     * three times in a row, those that are left are asked for later, as after any failure.
     *
     * @since 0.1.0
     */
    public void limitsChanged() {
        engine.control.limitsChanged();
    }

    /**
     * Stops a group from starting work. Work is still accepted and queued, running work goes on, and queue time-outs
     * still expire.
     *
     * @param groupKey the group
     */
    public void pause(String groupKey) {
        pause(groupKey, GroupLimits.NO_TIMEOUT);
    }

    /**
     * As {@link #pause(String)}, for a period: then the group goes on. A pause that is under way already is only extended,
     * never shortened.
     *
     * @param groupKey the group
     * @param period how long, more than zero; {@link GroupLimits#NO_TIMEOUT}: until {@link #resume}
     * @throws IllegalArgumentException if the period is zero or negative; nothing changes then
     * @since 0.1.0
     */
    public void pause(String groupKey, Duration period) {
        engine.control.pause(Objects.requireNonNull(groupKey, "groupKey"), requirePeriod(period));
    }

    /**
     * Lets a paused group start work again.
     *
     * @param groupKey the group
     */
    public void resume(String groupKey) {
        engine.control.resume(Objects.requireNonNull(groupKey, "groupKey"));
    }

    /**
     * Replaces the policy. The limits of all groups are looked up again; overrides of {@link #setLimits} and pauses
     * stay. The policy is in force at once, and this method doesn't block, as with {@link #setLimits}. Work that was
     * already accepted keeps its decorator.
     *
     * @param policy the new policy
     * @throws InvalidPolicyException if it has a limit {@linkplain GroupLimits#withClusterMaxInFlight over all instances}, and
     *     this executor shares none; nothing changes then
     */
    public void updatePolicy(GroupPolicy policy) {
        Objects.requireNonNull(policy, "policy");
        if (!engine.isInCluster()) {
            policy.validateWithoutCluster();
        }
        engine.control.updatePolicy(policy.compiled());
    }

    /** {@return the policy in force} */
    public GroupPolicy policy() {
        return engine.policy.source();
    }

    /**
     * Cancels what waits in a group and interrupts what runs in it, without waiting for either. The group stays usable:
     * new work is accepted, and work that still runs counts against its limits.
     *
     * @param groupKey the group
     */
    public void shutdownGroup(String groupKey) {
        engine.control.shutdownGroup(Objects.requireNonNull(groupKey, "groupKey"));
    }

    /**
     * Forgets what is known about a group: its limits are looked up again, and its override by {@link #setLimits}, its
     * pause and its counters are gone. Running work still counts, and waiting work stays queued. Does nothing for an
     * unknown group.
     *
     * @param groupKey the group
     */
    public void evictGroup(String groupKey) {
        engine.control.evict(Objects.requireNonNull(groupKey, "groupKey"));
    }

    /** {@return the statistics of all groups together at this moment; never blocks} */
    public GroupExecutorStats stats() {
        return engine.stats();
    }

    /**
     * Returns the statistics of one group at this moment; never blocks. A group that the policy names exactly is shown
     * even before its first use, which may call the resolver.
     *
     * @param groupKey the group
     * @return the statistics; empty if neither the engine nor the policy knows the group by its exact key
     */
    public Optional<GroupStats> groupStats(String groupKey) {
        return engine.groupStats(Objects.requireNonNull(groupKey, "groupKey"));
    }

    /**
     * Returns the statistics of all groups, summed up by rule. Never blocks and calls no user code. The time is linear
     * in the number of known groups and of rules.
     *
     * @return each exact key of the policy, then each pattern, in their order of declaration; last, without a rule, the
     *     groups that fall under none; unmodifiable
     */
    public List<RuleStats> ruleStats() {
        return engine.ruleStats();
    }

    /**
     * Returns what waits in a group, the oldest first. It holds the group's lock only for a short time, however many
     * wait.
     *
     * @param groupKey the group
     * @param limit how many to show at most: from 1 to 1,000
     * @return what waits now; empty if nothing does, or the group isn't known; unmodifiable
     * @throws IllegalArgumentException if the limit is out of its range
     */
    public List<GroupWaiter> waiters(String groupKey, int limit) {
        Objects.requireNonNull(groupKey, "groupKey");
        if (limit < 1 || limit > MOST_WAITERS) {
            throw new IllegalArgumentException("limit is " + limit + "; allowed: from 1 to " + MOST_WAITERS);
        }
        return engine.waiters(groupKey, limit);
    }

    /**
     * Returns who has permits of a group, those that have had them longest first. Never blocks and takes no lock. The
     * time is linear in the number of holders in all groups.
     *
     * <p>Each holder is shown once, however often it has entered the group by re-entry. While permits come and go, a
     * new holder may be missing, and each holder shown had permits at some moment during the call. At rest the list is
     * exact: it has as many holders as are in flight in the group, and one more for each that has
     * {@linkplain GroupHolder#lent lent} its permits to another. A task that has started, but whose thread the JVM has
     * not yet run, is not shown. If memory runs out, a permit without a thread or an open stage may be missing for
     * good.
     *
     * @param groupKey the group
     * @return who has permits now; empty if nobody has, or the group isn't known; unmodifiable
     */
    public List<GroupHolder> holders(String groupKey) {
        return engine.holders(Objects.requireNonNull(groupKey, "groupKey"));
    }

    /**
     * Tells since when permits have been out: for each group of which one is held, how long its longest holder has had it, as
     * {@link #holders} shows it. A permit that is held for far longer than its work takes was lost, or its work hangs.
     *
     * <p>It goes once over all holders and all groups, and blocks nobody. A holder that comes or goes meanwhile may be missed.
     *
     * @return by group; groups of which no holder's time is known are left out
     */
    public Map<String, Duration> longestHolds() {
        return engine.longestHolds();
    }

    /** {@return the keys of the groups that the engine knows at this moment, unmodifiable; never blocks} */
    public Set<String> groupKeys() {
        return engine.groupKeys();
    }

    /**
     * Waits until nothing runs, is in flight or waits; work is accepted meanwhile. Code that runs under a permit of
     * this executor waits in vain, because it runs itself.
     *
     * @param timeout how long to wait; zero or negative: only checks
     * @return whether it was quiet in time
     * @throws InterruptedException if the caller is interrupted while it waits
     */
    public boolean awaitQuiet(Duration timeout) throws InterruptedException {
        return engine.lifecycle.awaitQuiet(Objects.requireNonNull(timeout, "timeout"));
    }

    /**
     * Refuses new work, cancels what waits, interrupts what runs, and waits for nothing. A thread that runs under
     * {@code call} or a permit is never interrupted. Idempotent; after a drain that a task began, it still interrupts that
     * task.
     *
     * <p>If the interrupted thread waits in a channel, the interrupt closes the channel, on the thread that shuts down.
     * What the channel throws is logged, and all other threads are still interrupted.
     */
    public void shutdown() {
        engine.lifecycle.shutdownNow();
    }

    /**
     * Refuses new work and lets what is queued and running finish. When the time is up, shuts down as
     * {@link #shutdown()} does.
     *
     * <ul>
     *   <li>Work that is submitted by code that runs under this executor is accepted until the drain ends, and so are
     *       its requests for permits.
     *   <li>Work that waits in groups that are paused without an end is cancelled at once, which counts as forced. A
     *       pause with an end is waited for, within the time.
     *   <li>If the caller is interrupted, the shutdown is forced at once, and the interrupt status is set again.
     *   <li>A second call joins the first and returns what it returns.
     *   <li>Called from inside a task, it doesn't wait for that task. A later {@link #shutdown()} still interrupts it.
     * </ul>
     *
     * @param timeout how long to wait; zero or negative: as {@link #shutdown()}
     * @return true if nothing had to be forced
     */
    public boolean shutdown(Duration timeout) {
        return engine.lifecycle.shutdown(Objects.requireNonNull(timeout, "timeout"));
    }

    /**
     * Same as {@link #shutdown()}: cancels, interrupts and doesn't wait. To drain, call {@link #shutdown(Duration)}
     * first.
     */
    @Override
    public void close() {
        shutdown();
    }

    /** {@return whether new work is refused} */
    public boolean isShutdown() {
        return engine.lifecycle.isShutdown();
    }

    /** {@return whether it is shut down and all permits are back} */
    public boolean isTerminated() {
        return engine.lifecycle.isTerminated();
    }

    /**
     * Waits until the executor is shut down and all permits are back. Code that runs under a permit of this executor
     * waits in vain, because it has one.
     *
     * @param timeout how long to wait; zero or negative: only checks
     * @return whether it was terminated in time
     * @throws InterruptedException if the caller is interrupted while it waits
     */
    public boolean awaitTermination(Duration timeout) throws InterruptedException {
        return engine.lifecycle.awaitTermination(Objects.requireNonNull(timeout, "timeout"));
    }

    private static void requireTask(String groupKey, String taskId, Callable<?> task) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(task, "task");
    }
}
