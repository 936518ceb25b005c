package io.github.kobe.internal;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;

/**
 * Why work was not admitted, or no longer waits; each thread that waits for it gets its own exception.
 *
 * @param limit the limit that was reached; -1: none was
 * @param queued how many waited then
 */
record Rejection(RejectionReason reason, int limit, long queued) {

    RejectedTaskException toException(String groupKey, String taskId) {
        return new RejectedTaskException(groupKey, taskId, reason, limit, queued);
    }

    /** {@return one without a stack trace} */
    RejectedTaskException toUntraced(String groupKey, String taskId) {
        return RejectedTaskException.withoutStackTrace(groupKey, taskId, reason, limit, queued);
    }
}
