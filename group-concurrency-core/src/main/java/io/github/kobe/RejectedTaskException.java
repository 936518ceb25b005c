package io.github.kobe;

import io.github.kobe.internal.base.KeyText;
import java.io.Serial;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown for work that was not admitted, or that waited too long. The work never ran and holds no permit.
 *
 * <p>The message shows the key and the task id without control characters, cut off at 128 characters;
 * {@link #groupKey()} and {@link #taskId()} return them unchanged.
 *
 * <p>An exception that completes the stage of an {@code acquireAsync} has no stack trace: it belongs to no thread, and
 * should cost little under overload.
 *
 * @since 0.1.0
 */
public sealed class RejectedTaskException extends RejectedExecutionException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The group that the work was for. @serial */
    private final String groupKey;
    /** The id of the task. @serial */
    private final String taskId;
    /** Why it was rejected. @serial */
    private final RejectionReason reason;
    /** The size of the queue that was full. @serial */
    private final int limit;
    /** How many waited. @serial */
    private final long queued;
    /** Why work of the group waited; null: unknown. @serial */
    private final @Nullable WaitReason waitsFor;
    /** In how long it could start; null: unknown. @serial */
    private final @Nullable Duration retryAfter;
    /** Whether it could never start. @serial */
    private final boolean neverStarts;

    /**
     * Makes an exception for one rejected piece of work, without a reason why work of the group waited, and a time.
     *
     * @param groupKey the group that the work was for
     * @param taskId the id of the task; empty if it was given none
     * @param reason why it was rejected
     * @param limit the size of the queue that was full, in tasks; -1 if no queue was full, or the size isn't known
     * @param queued how many tasks waited in that queue; for the other reasons, how many waited in the group; -1 if
     *     unknown
     */
    public RejectedTaskException(String groupKey, String taskId, RejectionReason reason, int limit, long queued) {
        this(groupKey, taskId, reason, limit, queued, null, null, null);
    }

    /**
     * Makes an exception for one rejected piece of work.
     *
     * @param groupKey as in the other constructor
     * @param taskId as in the other constructor
     * @param reason why it was rejected
     * @param limit as in the other constructor
     * @param queued as in the other constructor
     * @param waitsFor why work of the group waited; null: unknown
     * @param retryAfter in how long the rates let such work start; null: there is none, or that isn't why
     * @param because why such work can never start, in words; null: it could
     */
    public RejectedTaskException(
            String groupKey,
            String taskId,
            RejectionReason reason,
            int limit,
            long queued,
            @Nullable WaitReason waitsFor,
            @Nullable Duration retryAfter,
            @Nullable String because) {
        super(message(groupKey, taskId, reason, limit, queued, waitsFor, retryAfter, because));
        this.groupKey = groupKey;
        this.taskId = taskId;
        this.reason = reason;
        this.limit = limit;
        this.queued = queued;
        this.waitsFor = waitsFor;
        this.retryAfter = retryAfter;
        neverStarts = because != null;
    }

    /**
     * Makes an exception without a stack trace, which is most of an exception's cost. Use it where no thread's stack is
     * relevant.
     *
     * @param groupKey the group that the work was for
     * @param taskId the id of the task; empty if it was given none
     * @param reason why it was rejected
     * @param limit as in the constructor
     * @param queued as in the constructor
     * @param waitsFor as in the constructor
     * @param retryAfter as in the constructor
     * @param because as in the constructor
     * @return the exception
     */
    public static RejectedTaskException withoutStackTrace(
            String groupKey,
            String taskId,
            RejectionReason reason,
            int limit,
            long queued,
            @Nullable WaitReason waitsFor,
            @Nullable Duration retryAfter,
            @Nullable String because) {
        return new Untraced(groupKey, taskId, reason, limit, queued, waitsFor, retryAfter, because);
    }

    private static String message(
            String groupKey,
            String taskId,
            RejectionReason reason,
            int limit,
            long queued,
            @Nullable WaitReason waitsFor,
            @Nullable Duration retryAfter,
            @Nullable String because) {
        String work = taskId.isEmpty() ? "Work" : "Task '" + KeyText.printable(taskId) + "'";
        String why = because != null
                ? because
                : switch (reason) {
                    case RATE_LIMITED ->
                        "the rate of the group, or of all, lets it start only after the time that it may wait"
                                + (retryAfter == null ? "" : ", in " + retryAfter)
                                + facts(queued, " waiting", waitsFor);
                    case GROUP_QUEUE_FULL ->
                        "the group's queue is full" + facts(queued, " waiting, queueThreshold " + limit, waitsFor);
                    case GLOBAL_QUEUE_FULL ->
                        "the global queue is full" + facts(queued, " waiting, globalQueueThreshold " + limit, waitsFor);
                    case QUEUE_TIMEOUT ->
                        "no permit came free within its queue time-out" + facts(queued, " still waiting", waitsFor);
                    case SHUTDOWN -> "the executor or its group was shut down while it waited";
                    case INTERRUPTED -> "its caller was interrupted while it waited";
                };
        return work + " of group '" + KeyText.printable(groupKey) + "' was rejected: " + why;
    }

    private static String facts(long queued, String waiting, @Nullable WaitReason waitsFor) {
        String why = waitsFor == null ? "" : "held up by " + waitsFor;
        if (queued < 0) {
            return why.isEmpty() ? "" : " (" + why + ")";
        }
        return " (" + queued + waiting + (why.isEmpty() ? "" : "; " + why) + ")";
    }

    /** {@return the key of the group that the work was for} */
    public String groupKey() {
        return groupKey;
    }

    /** {@return the id of the task; empty if it was given none} */
    public String taskId() {
        return taskId;
    }

    /** {@return why the work was rejected} */
    public RejectionReason reason() {
        return reason;
    }

    /** {@return the size of the queue that was full, in tasks; -1 if no queue was full, or the size isn't known} */
    public int limit() {
        return limit;
    }

    /**
     * Returns how many waited.
     *
     * @return how many tasks waited in the queue that was full; for the other reasons, how many in the group; -1 if
     *     unknown
     */
    public long queued() {
        return queued;
    }

    /** {@return why work of the group waited at that moment; empty if that isn't known, or nothing kept it from starting} */
    public Optional<WaitReason> waitsFor() {
        return Optional.ofNullable(waitsFor);
    }

    /**
     * {@return in how long the {@linkplain GroupLimits#withRate rate of the group} and {@linkplain GroupPolicy.Builder#globalRate that
     * of all groups} let such work start, as seen at that moment by what waits in the group} It reserves nothing: others who are told the same may come first. Empty unless the reason is {@link
     * RejectionReason#RATE_LIMITED}, or a queue was full and the rate would have had it wait.
     *
     * @since 0.1.0
     */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    /**
     * {@return whether such work can never start under the limits of that moment, since it {@linkplain Costs costs} more than a
     * rate of the group allows} To ask again for the same is in vain.
     *
     * @since 0.1.0
     */
    public boolean canNeverStart() {
        return neverStarts;
    }

    private static final class Untraced extends RejectedTaskException {

        @Serial
        private static final long serialVersionUID = 1L;

        Untraced(
                String groupKey,
                String taskId,
                RejectionReason reason,
                int limit,
                long queued,
                @Nullable WaitReason waitsFor,
                @Nullable Duration retryAfter,
                @Nullable String because) {
            super(groupKey, taskId, reason, limit, queued, waitsFor, retryAfter, because);
        }

        @Override
        public Throwable fillInStackTrace() {
            return this;
        }

        /** As that of any other; only the name of the class would differ. */
        @Override
        @SuppressWarnings("OverrideThrowableToString")
        public String toString() {
            return RejectedTaskException.class.getName() + ": " + getMessage();
        }
    }
}
