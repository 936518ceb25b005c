package io.github.kobe;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;

/**
 * The right to run inside a group, held until it is closed.
 *
 * <pre>{@code
 * try (GroupPermit permit = executor.acquire("tenant:a")) {
 *     callThePartner();
 * }
 * }</pre>
 *
 * <p>A permit of {@code acquire} or {@code tryAcquire} belongs to the thread that took it. Further permits that this
 * thread takes in the same group share it, and it is returned at the last close, in any order. <b>Don't pass it to a
 * worker:</b> its own thread could still enter the group without another permit, so more threads than the limit would
 * work in it. If a permit shares the one of a {@code call} or a task, the thread stays inside until that permit is
 * closed and nobody uses it.
 *
 * <p>A permit of {@code acquireUnbound}, {@code tryAcquireUnbound} or {@code acquireAsync} belongs to no thread, and
 * may be passed to another one. Code that works under it should run in {@link #call}: then its requests to the executor
 * come from inside the permit, so it can't wait for the permit that it has.
 *
 * <p><b>Waiting under a permit.</b> Code inside a permit that waits without a time-out for a queued task lends the
 * permit to that task, but only while no other thread is inside the same permit, or shares its global one. It lends as
 * soon as it is alone, and a thread that enters meanwhile waits until the permit is back. Several threads that wait
 * inside one permit at once keep each other from lending: if they wait for tasks that need that very permit, they wait
 * for ever. The executor can't see work that is done under a permit outside {@link #call}; don't do such work while the
 * permit is lent.
 *
 * <p>Safe for use by several threads. Not for implementing: methods may be added.
 *
 * @since 0.1.0
 */
public interface GroupPermit extends AutoCloseable {

    /** {@return the key of the group} */
    String groupKey();

    /**
     * Distinguishes a permit of {@code acquire} or {@code tryAcquire} from one that may be passed to another thread.
     *
     * @return whether it belongs to a thread, which is inside the group for as long as it is open
     */
    boolean isBound();

    /**
     * Runs code inside this permit, on the current thread, which need not be the one that took it. As re-entry, it is
     * neither reported nor counted, and a shutdown never interrupts it. The permit stays out until the code has
     * returned, even if it is closed meanwhile.
     *
     * @param task what runs
     * @param <T> the type of its value
     * @return what it returns
     * @throws IllegalStateException if this permit is closed
     * @throws InterruptedException if the current thread is interrupted while it waits for a permit that is lent
     * @throws Exception what the task throws
     */
    <T> T call(Callable<T> task) throws Exception;

    /**
     * Asks for a permit of another group under this one. It needs that group's own permits, and shares the global
     * permit of this one, which is returned when the last permit that shares it is closed. For this permit's own group,
     * the new permit shares this one, at once. It belongs to no thread.
     *
     * <p>If this permit is closed for good while the request waits, the request keeps its place, and then needs a
     * global permit of its own. While the executor drains, requests under an open permit are accepted.
     *
     * @param groupKey the group
     * @return a stage that completes as that of {@link GroupExecutor#acquireAsync(String)}; exceptionally with an
     *     {@link IllegalStateException} if this permit is closed
     * @throws ExecutorShutdownException after a shutdown
     */
    CompletionStage<GroupPermit> acquireAsync(String groupKey);

    /**
     * Asks for a permit of another group under this one, as {@link #acquireAsync(String)}, under an id and for a
     * limited time.
     *
     * @param groupKey the group
     * @param taskId names the permit in events and exceptions
     * @param maxWait how long to wait: this or the group's time-out, whichever is shorter; zero or negative: not at all;
     *     {@link GroupLimits#NO_TIMEOUT}: as long as the group allows
     * @return a stage that completes as that of {@link GroupExecutor#acquireAsync(String, String, Duration)};
     *     exceptionally with an {@link IllegalStateException} if this permit is closed
     * @throws ExecutorShutdownException after a shutdown
     */
    CompletionStage<GroupPermit> acquireAsync(String groupKey, String taskId, Duration maxWait);

    /**
     * Submits a task that borrows the global permit of this one: it starts as soon as its group has room, even if no
     * global permit is free. One task at a time borrows it; others take a global permit of their own, or wait for
     * either. Everything else is as with {@link GroupExecutor#submit(String, String, Callable)}. While the executor
     * drains, the task is accepted.
     *
     * @param groupKey the group that it runs in
     * @param taskId names the task in results, events and exceptions; need not be unique
     * @param task what runs
     * @param <T> the type of its value
     * @return its handle
     * @throws ExecutorShutdownException after a shutdown
     * @throws IllegalStateException if this permit is closed
     */
    <T> TaskHandle<T> submit(String groupKey, String taskId, Callable<T> task);

    /**
     * Submits a task that borrows the global permit of this one, as {@link #submit(String, String, Callable)}, with the
     * task's own queue time-out.
     *
     * @param task the task with its group and id
     * @param <T> the type of its value
     * @return its handle
     * @throws ExecutorShutdownException after a shutdown
     * @throws IllegalStateException if this permit is closed
     */
    <T> TaskHandle<T> submit(GroupTask<T> task);

    /**
     * Submits asynchronous work that borrows the global permit of this one, until its stage completes; as
     * {@link #submit} and {@link GroupExecutor#submitAsync(String, String, Callable)}.
     *
     * @param groupKey the group that it runs in
     * @param taskId names the task in results, events and exceptions; need not be unique
     * @param task what runs
     * @param <T> the type of its value
     * @return its handle
     * @throws ExecutorShutdownException after a shutdown
     * @throws IllegalStateException if this permit is closed
     */
    <T> TaskHandle<T> submitAsync(String groupKey, String taskId, Callable<? extends CompletionStage<T>> task);

    /**
     * Returns the permit at once, whatever its own thread waits for; if code runs inside it by {@link #call}, when that
     * code has returned. Any thread may close it; a second close does nothing.
     */
    @Override
    void close();

    /**
     * Returns the permit as {@link #close} does, and counts the work under it as cancelled if the failure is a
     * {@link java.util.concurrent.CancellationException} or an {@link InterruptedException}, and otherwise as failed. A
     * permit that shares another one isn't counted.
     *
     * @param failure the error that a listener is given
     */
    void closeExceptionally(Throwable failure);
}
