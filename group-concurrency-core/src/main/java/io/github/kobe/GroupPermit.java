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
 * <p>It belongs to no thread: any thread may use and close it. Code that works under it should run in {@link #call}: then
 * its requests to the executor come from inside the permit, so it can't wait for the permit that it has.
 *
 * <p><b>Waiting under a permit.</b> Code inside a permit that waits without a time-out for a queued task lends the
 * permit to that task, but only while no other thread is at work inside the same permit, or inside another one that shares
 * its global permit. A thread that waits in this way is not at work: several that wait inside one permit lend it one after
 * the other. A thread that enters meanwhile, or whose own wait has ended, waits until the permit is back. So a task that has
 * borrowed the permit must not wait for another thread inside it. The executor can't see work that is done under a permit
 * outside {@link #call}; don't do such work while the permit is lent.
 *
 * <p>Safe for use by several threads. Not for implementing: methods may be added.
 *
 * @since 0.1.0
 */
public interface GroupPermit extends AutoCloseable {

    /** {@return the key of the group} */
    String groupKey();

    /**
     * Runs code inside this permit, on the current thread. As re-entry, it is neither reported nor counted, and a
     * shutdown never interrupts it. The permit stays out until the code has returned, even if it is closed meanwhile.
     *
     * <p>What the code submits lines up like any other work, also while the executor drains. If the code then waits for
     * it without a time-out, it lends the permit.
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
     * the new permit shares this one, at once.
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
     * Asks for a permit of another group under this one, as {@link #acquireAsync(String, String, Duration)}, and says what the work
     * under that costs.
     *
     * @param groupKey the group
     * @param taskId names the permit in events and exceptions
     * @param maxWait how long to wait: this or the group's time-out, whichever is shorter; zero or negative: not at all;
     *     {@link GroupLimits#NO_TIMEOUT}: as long as the group allows
     * @param costs what it costs of that group's rates; for this permit's own group it costs nothing more
     * @return a stage that completes as that of {@link GroupExecutor#acquireAsync(String, String, Duration, Costs)};
     *     exceptionally with an {@link IllegalStateException} if this permit is closed
     * @throws ExecutorShutdownException after a shutdown
     * @since 0.1.0
     */
    CompletionStage<GroupPermit> acquireAsync(String groupKey, String taskId, Duration maxWait, Costs costs);

    /**
     * Says what the work under this permit has really used of one of its group's {@linkplain GroupLimits#withRates rates}, once for
     * each, before the permit is closed: see {@link GroupExecutor#settle}. One that shares another permit settles that one's
     * start.
     *
     * @param rate the {@linkplain Rate#name name of the rate}
     * @param used 0 or more
     * @throws IllegalArgumentException if less than 0 was used
     * @throws IllegalStateException if this permit is closed, or that was said before
     * @since 0.1.0
     */
    void settle(String rate, long used);

    /**
     * Returns the permit at once; if code runs inside it by {@link #call}, or other permits share it, when that has ended.
     * Any thread may close it; a second close does nothing.
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
