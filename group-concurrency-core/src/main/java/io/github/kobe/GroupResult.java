package io.github.kobe;

import io.github.kobe.internal.base.KeyText;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * How one task ended.
 *
 * <pre>{@code
 * Report report = executor.submit("tenant:a", "report-17", () -> build("a")).await().valueOrThrow();
 * }</pre>
 *
 * <p>The two times are readings of {@link System#nanoTime()}, so only their difference is meaningful. The start is
 * taken when the task has all its permits, so {@link #durationNanos()} is pure execution time. Both are 0 for a task
 * that never ran, for one that was cancelled by its handle while it ran, and for a wait that ended before the task.
 *
 * <p>Two results are equal if all that they tell is; errors are compared by their own {@code equals}. Immutable, if the
 * value is.
 *
 * @param <T> the type of the task's value
 * @since 0.1.0
 */
public final class GroupResult<T> {

    private final String groupKey;
    private final String taskId;
    private final TaskStatus status;
    private final @Nullable T value;
    private final @Nullable Throwable error;
    private final long startTimeNanos;
    private final long endTimeNanos;
    private final @Nullable RejectionReason rejectionReason;

    private GroupResult(
            String groupKey,
            String taskId,
            TaskStatus status,
            @Nullable T value,
            @Nullable Throwable error,
            long startTimeNanos,
            long endTimeNanos,
            @Nullable RejectionReason rejectionReason) {
        this.groupKey = Objects.requireNonNull(groupKey, "groupKey");
        this.taskId = Objects.requireNonNull(taskId, "taskId");
        this.status = status;
        this.value = value;
        this.error = error;
        this.startTimeNanos = startTimeNanos;
        this.endTimeNanos = endTimeNanos;
        this.rejectionReason = rejectionReason;
    }

    /**
     * Makes the result of a task that returned.
     *
     * @param groupKey the task's group
     * @param taskId the task's id
     * @param value what it returned
     * @param startTimeNanos when its code began
     * @param endTimeNanos when it ended
     * @param <T> the type of the task's value
     * @return the result
     */
    public static <T> GroupResult<T> success(
            String groupKey, String taskId, @Nullable T value, long startTimeNanos, long endTimeNanos) {
        return new GroupResult<>(groupKey, taskId, TaskStatus.SUCCESS, value, null, startTimeNanos, endTimeNanos, null);
    }

    /**
     * Makes the result of a task that threw.
     *
     * @param groupKey the task's group
     * @param taskId the task's id
     * @param error what it threw
     * @param startTimeNanos when its code began; 0 if it never did
     * @param endTimeNanos when it ended; 0 if it never ran
     * @param <T> the type of the task's value
     * @return the result
     */
    public static <T> GroupResult<T> failed(
            String groupKey, String taskId, Throwable error, long startTimeNanos, long endTimeNanos) {
        Objects.requireNonNull(error, "error");
        return new GroupResult<>(groupKey, taskId, TaskStatus.FAILED, null, error, startTimeNanos, endTimeNanos, null);
    }

    /**
     * Makes the result of a task that was cancelled.
     *
     * @param groupKey the task's group
     * @param taskId the task's id
     * @param error why it was cancelled
     * @param startTimeNanos when its code began; 0 if it never did, or if unknown
     * @param endTimeNanos when it ended; 0 if it never ran, or if unknown
     * @param <T> the type of the task's value
     * @return the result
     */
    public static <T> GroupResult<T> cancelled(
            String groupKey, String taskId, Throwable error, long startTimeNanos, long endTimeNanos) {
        Objects.requireNonNull(error, "error");
        return new GroupResult<>(
                groupKey, taskId, TaskStatus.CANCELLED, null, error, startTimeNanos, endTimeNanos, null);
    }

    /**
     * Makes the result of a task that was rejected. If a {@link RejectionHandler} returns it, the executor adds the
     * reason.
     *
     * @param groupKey the task's group
     * @param taskId the task's id
     * @param <T> the type of the task's value
     * @return the result
     */
    public static <T> GroupResult<T> rejected(String groupKey, String taskId) {
        return new GroupResult<>(groupKey, taskId, TaskStatus.REJECTED, null, null, 0, 0, null);
    }

    /**
     * Makes the result of a task that was rejected for a reason.
     *
     * @param groupKey the task's group
     * @param taskId the task's id
     * @param reason why
     * @param <T> the type of the task's value
     * @return the result
     */
    public static <T> GroupResult<T> rejected(String groupKey, String taskId, RejectionReason reason) {
        Objects.requireNonNull(reason, "reason");
        return new GroupResult<>(groupKey, taskId, TaskStatus.REJECTED, null, null, 0, 0, reason);
    }

    /** {@return the task's group} */
    public String groupKey() {
        return groupKey;
    }

    /** {@return the task's id} */
    public String taskId() {
        return taskId;
    }

    /** {@return how it ended} */
    public TaskStatus status() {
        return status;
    }

    /**
     * {@return what the task returned; {@code null} unless {@link TaskStatus#SUCCESS}, and possibly even then} Use
     * {@link #valueOrThrow()} where a failure must not be taken for {@code null}.
     */
    public @Nullable T value() {
        return value;
    }

    /**
     * {@return why it has no value; not {@code null} exactly for {@link TaskStatus#FAILED} and
     * {@link TaskStatus#CANCELLED}}
     */
    public @Nullable Throwable error() {
        return error;
    }

    /** {@return when the task's code began} */
    public long startTimeNanos() {
        return startTimeNanos;
    }

    /** {@return when the task, or its stage, ended} */
    public long endTimeNanos() {
        return endTimeNanos;
    }

    /**
     * {@return why it was rejected; {@code null} unless {@link TaskStatus#REJECTED}} For that status it is {@code null}
     * only in a result that no executor returned.
     */
    public @Nullable RejectionReason rejectionReason() {
        return rejectionReason;
    }

    /** {@return how long the task's code ran, in nanoseconds; 0 if the two times are 0} */
    public long durationNanos() {
        return endTimeNanos - startTimeNanos;
    }

    /**
     * Returns the value, or throws the reason why there is none. So no failure is taken for a {@code null}.
     *
     * <pre>{@code
     * try {
     *     Report report = handle.await().valueOrThrow();
     * } catch (RejectedTaskException busy) {
     *     // not admitted, or waited too long
     * } catch (CancellationException cancelled) {
     *     // by its handle or a shutdown; or a timed wait is over, and the cause is a TimeoutException
     * } catch (IOException failure) {
     *     // the task threw it
     * }
     * }</pre>
     *
     * <p>What the task threw is thrown unchanged, each time the same object, with the stack trace of the task's thread.
     * An {@link InterruptedException} of a task, or of a {@link TaskHandle#join() join}, becomes the cause of a
     * {@link CancellationException}, because it says nothing about the calling thread.
     *
     * @return what the task returned, possibly {@code null}
     * @throws RejectedExecutionException if the task was rejected; it is a {@link RejectedTaskException}, without queue
     *     sizes, unless the result has no reason
     * @throws CancellationException if it was cancelled, or if the wait for it ended; it is the error itself if that is
     *     a {@code CancellationException}, else a new one with the error as its cause
     * @throws ExecutionException if it failed with a {@link Throwable} that is neither an {@link Exception} nor an
     *     {@link Error}, which is then the cause
     * @throws Exception what the task threw, if it failed; an {@link Error} likewise
     */
    @SuppressWarnings("NullAway") // null exactly if the task returned it, and so T allows it
    public T valueOrThrow() throws Exception {
        return switch (status) {
            case SUCCESS -> value;
            case FAILED -> throw failure();
            case CANCELLED -> throw cancellation();
            case REJECTED -> throw rejection();
        };
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof GroupResult<?> that
                && groupKey.equals(that.groupKey)
                && taskId.equals(that.taskId)
                && status == that.status
                && Objects.equals(value, that.value)
                && Objects.equals(error, that.error)
                && startTimeNanos == that.startTimeNanos
                && endTimeNanos == that.endTimeNanos
                && rejectionReason == that.rejectionReason;
    }

    @Override
    public int hashCode() {
        return Objects.hash(groupKey, taskId, status, value, error, startTimeNanos, endTimeNanos, rejectionReason);
    }

    @Override
    public String toString() {
        return "GroupResult[groupKey=" + groupKey + ", taskId=" + taskId + ", status=" + status + ", value=" + value
                + ", error=" + error + ", startTimeNanos=" + startTimeNanos + ", endTimeNanos=" + endTimeNanos
                + ", rejectionReason=" + rejectionReason + "]";
    }

    private Exception failure() {
        if (error instanceof Error thrown) {
            throw thrown;
        }
        return error instanceof Exception thrown ? thrown : new ExecutionException(error);
    }

    private RejectedExecutionException rejection() {
        return rejectionReason != null
                ? new RejectedTaskException(groupKey, taskId, rejectionReason, -1, -1)
                : new RejectedExecutionException(named() + " was rejected");
    }

    private CancellationException cancellation() {
        if (error instanceof CancellationException own) {
            return own;
        }
        CancellationException cancelled =
                new CancellationException(named() + " has no result: it was cancelled, or the wait for it ended");
        cancelled.initCause(error);
        return cancelled;
    }

    private String named() {
        return "Task '" + KeyText.printable(taskId) + "' of group '" + KeyText.printable(groupKey) + "'";
    }
}
