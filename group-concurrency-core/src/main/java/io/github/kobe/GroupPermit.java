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
 * <p>A permit of {@code acquire} or {@code tryAcquire} belongs to the thread that took it: what that thread takes in the
 * same group meanwhile shares it, and it is given back at the last close, in any order. <b>Don't hand it to a worker:</b>
 * its own thread would go on to enter the group without a permit, so that more than the limit work in it. One that shares
 * what a {@code call} or a task has keeps that thread inside until it is closed and nobody uses it.
 *
 * <p>A permit of {@code acquireUnbound}, {@code tryAcquireUnbound} or {@code acquireAsync} belongs to no thread, and may
 * be handed over. Code that works under it does so in {@link #call}: then what it asks the executor for is asked from
 * inside, so that it can't wait for the permit it has.
 *
 * <p><b>Waiting under a permit.</b> Code inside a permit that waits without a time-out for a queued task lends the permit
 * to that task, but only while nobody else is inside the same permit, or shares its global one: it lends as soon as it is
 * alone, and whoever enters meanwhile waits until it is back. Several that wait inside one permit at once keep each other
 * from lending: if they wait for tasks that need that very permit, they wait for ever. Work that is done under a permit
 * outside {@link #call} is not seen: nobody may do that while the permit is lent.
 *
 * <p>Safe for use by several threads. Not for implementing: methods may be added.
 *
 * @since 0.1.0
 */
public interface GroupPermit extends AutoCloseable {

    /** {@return the key of the group} */
    String groupKey();

    /**
     * Tells a permit of {@code acquire} or {@code tryAcquire} from one that may be handed over.
     *
     * @return whether it belongs to a thread, which is inside the group for as long as it is open
     */
    boolean isBound();

    /**
     * Runs code inside this permit, on the current thread, which need not be the one that took it. As re-entry, it is
     * neither reported nor counted, and a shutdown never interrupts it. The permit stays out until the code has returned,
     * also if it is closed meanwhile.
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
     * Asks for a permit of another group under this one: it needs that group's own permits, and shares the global permit
     * of this one, which goes back when the last that shares it is closed. For this permit's own group it shares the
     * permit itself, at once. It belongs to no thread.
     *
     * <p>If this permit is closed for good while the request waits, the request keeps its place, and then needs a global
     * permit of its own. While the executor drains, what is asked of an open permit is let in.
     *
     * @param groupKey the group
     * @return completes as that of {@link GroupExecutor#acquireAsync(String)}; exceptionally with an
     *     {@link IllegalStateException} if this permit is closed
     * @throws IllegalStateException after a shutdown
     */
    CompletionStage<GroupPermit> acquireAsync(String groupKey);

    /**
     * Asks for a permit of another group under this one, as {@link #acquireAsync(String)}, under an id and for some time.
     *
     * @param groupKey the group
     * @param taskId names the permit in events and exceptions
     * @param maxWait how long to wait: this or the group's time-out, whichever is shorter; zero or negative: not at all;
     *     {@link GroupLimits#NO_TIMEOUT}: as long as the group allows
     * @return completes as that of {@link GroupExecutor#acquireAsync(String, String, Duration)}; exceptionally with an
     *     {@link IllegalStateException} if this permit is closed
     * @throws IllegalStateException after a shutdown
     */
    CompletionStage<GroupPermit> acquireAsync(String groupKey, String taskId, Duration maxWait);

    /**
     * Submits a task that borrows the global permit of this one: it starts as soon as its group has room, even if no
     * global permit is free. One task at a time borrows it; further ones take one of their own, or wait for either. All
     * else is as with {@link GroupExecutor#submit(String, String, Callable)}. While the executor drains, the task is let
     * in.
     *
     * @param groupKey the group that it runs in
     * @param taskId names the task in results, events and exceptions; need not be unique
     * @param task what runs
     * @param <T> the type of its value
     * @return its handle
     * @throws IllegalStateException if this permit is closed, or after a shutdown
     */
    <T> TaskHandle<T> submit(String groupKey, String taskId, Callable<T> task);

    /**
     * Submits a task that borrows the global permit of this one, as {@link #submit(String, String, Callable)}, with the
     * queue time-out that it has.
     *
     * @param task the task with its group and id
     * @param <T> the type of its value
     * @return its handle
     * @throws IllegalStateException if this permit is closed, or after a shutdown
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
     * @throws IllegalStateException if this permit is closed, or after a shutdown
     */
    <T> TaskHandle<T> submitAsync(String groupKey, String taskId, Callable<? extends CompletionStage<T>> task);

    /**
     * Gives the permit back at once, whatever its own thread waits for; if code is inside of it by {@link #call}, when that
     * has returned. Any thread may do so; a second close does nothing.
     */
    @Override
    void close();

    /**
     * Gives the permit back as {@link #close} does, and has what was done under it count as cancelled, if the failure is a
     * {@link java.util.concurrent.CancellationException} or an {@link InterruptedException}, and else as failed. Of one that
     * shares a permit nothing is counted.
     *
     * @param failure the error that a listener is given
     */
    void closeExceptionally(Throwable failure);
}
