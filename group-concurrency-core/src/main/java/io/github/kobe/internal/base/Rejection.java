package io.github.kobe.internal.base;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * Why work was not admitted, or no longer waits; each thread that waits for it gets its own exception.
 *
 * @param limit the limit that was reached; -1: none was
 * @param queued how many waited then
 * @param waitsFor why they did; {@code null}: for nothing that is known
 */
public record Rejection(
        RejectionReason reason,
        int limit,
        long queued,
        @Nullable WaitReason waitsFor) {

    public RejectedTaskException toException(String groupKey, String taskId) {
        return new RejectedTaskException(groupKey, taskId, reason, limit, queued, waitsFor);
    }

    /** {@return one without a stack trace} */
    public RejectedTaskException toUntraced(String groupKey, String taskId) {
        return RejectedTaskException.withoutStackTrace(groupKey, taskId, reason, limit, queued, waitsFor);
    }
}
