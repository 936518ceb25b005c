package io.github.kobe.internal.base;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;

/**
 * Why work was not admitted, or no longer waits; each thread that waits for it gets its own exception.
 *
 * @param limit the limit that was reached; -1: none was
 * @param queued how many waited then
 */
public record Rejection(RejectionReason reason, int limit, long queued) {

    public RejectedTaskException toException(String groupKey, String taskId) {
        return new RejectedTaskException(groupKey, taskId, reason, limit, queued);
    }

    /** {@return one without a stack trace} */
    public RejectedTaskException toUntraced(String groupKey, String taskId) {
        return RejectedTaskException.withoutStackTrace(groupKey, taskId, reason, limit, queued);
    }
}
