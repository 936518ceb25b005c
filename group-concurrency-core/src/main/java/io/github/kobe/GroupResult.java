package io.github.kobe;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How one task ended.
 *
 * <p>The two times are readings of {@link System#nanoTime()}, good for differences only. The start is taken when the task
 * has all its permits, so {@link #durationNanos()} is pure execution. Both are 0 for a task that never ran, for one that
 * was cancelled by its handle while it ran, and for a wait that ended before the task.
 *
 * @param groupKey the task's group
 * @param taskId the task's id
 * @param status how it ended
 * @param value what the task returned; {@code null} unless {@link TaskStatus#SUCCESS}, and perhaps then
 * @param error why it has no value; not {@code null} exactly for {@link TaskStatus#FAILED} and
 *     {@link TaskStatus#CANCELLED}
 * @param startTimeNanos when the task's code began
 * @param endTimeNanos when the task, or its stage, ended
 * @param <T> the type of the task's value
 * @since 0.1.0
 */
public record GroupResult<T>(
        String groupKey,
        String taskId,
        TaskStatus status,
        @Nullable T value,
        @Nullable Throwable error,
        long startTimeNanos,
        long endTimeNanos) {

    /**
     * Checks that status, value and error agree.
     *
     * @throws IllegalArgumentException if a value comes with a status other than SUCCESS, or an error is missing for
     *     FAILED or CANCELLED, or present for another status
     */
    public GroupResult {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(status, "status");
        boolean wantsError = status == TaskStatus.FAILED || status == TaskStatus.CANCELLED;
        if (wantsError != (error != null)) {
            throw new IllegalArgumentException(
                    "error of a " + status + " result must " + (wantsError ? "not be null" : "be null, was " + error));
        }
        if (status != TaskStatus.SUCCESS && value != null) {
            throw new IllegalArgumentException("value of a " + status + " result must be null, was " + value);
        }
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
        return new GroupResult<>(groupKey, taskId, TaskStatus.SUCCESS, value, null, startTimeNanos, endTimeNanos);
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
        return new GroupResult<>(groupKey, taskId, TaskStatus.FAILED, null, error, startTimeNanos, endTimeNanos);
    }

    /**
     * Makes the result of a task that was cancelled.
     *
     * @param groupKey the task's group
     * @param taskId the task's id
     * @param error what tells of the cancellation
     * @param startTimeNanos when its code began; 0 if it never did, or that isn't known
     * @param endTimeNanos when it ended; 0 if it never ran, or that isn't known
     * @param <T> the type of the task's value
     * @return the result
     */
    public static <T> GroupResult<T> cancelled(
            String groupKey, String taskId, Throwable error, long startTimeNanos, long endTimeNanos) {
        return new GroupResult<>(groupKey, taskId, TaskStatus.CANCELLED, null, error, startTimeNanos, endTimeNanos);
    }

    /**
     * Makes the result of a task that was rejected.
     *
     * @param groupKey the task's group
     * @param taskId the task's id
     * @param <T> the type of the task's value
     * @return the result
     */
    public static <T> GroupResult<T> rejected(String groupKey, String taskId) {
        return new GroupResult<>(groupKey, taskId, TaskStatus.REJECTED, null, null, 0, 0);
    }

    /** Makes the result of a task whose code, or stage, ended with {@code value} or {@code failure}. */
    static GroupResult<?> of(
            String key,
            String id,
            @Nullable Object value,
            @Nullable Throwable failure,
            long startTimeNanos,
            long endTimeNanos) {
        TaskStatus status = TaskStatus.of(failure);
        return new GroupResult<>(
                key, id, status, status == TaskStatus.SUCCESS ? value : null, failure, startTimeNanos, endTimeNanos);
    }

    /** {@return how long the task's code ran, in nanoseconds; 0 where the times are} */
    public long durationNanos() {
        return endTimeNanos - startTimeNanos;
    }
}
