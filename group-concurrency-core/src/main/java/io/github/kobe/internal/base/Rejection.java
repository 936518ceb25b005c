package io.github.kobe.internal.base;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.WaitReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Why work was not admitted, or no longer waits; each thread that waits for it gets its own exception.
 *
 * @param limit the limit that was reached; -1: none was
 * @param queued how many waited then
 * @param waitsFor why they did; {@code null}: for nothing that is known
 * @param retryAfterNanos in how long the rates let it start; 0: there is none, or that isn't why
 * @param because why it can never be let in, in words; {@code null}: it could
 */
public record Rejection(
        RejectionReason reason,
        int limit,
        long queued,
        @Nullable WaitReason waitsFor,
        long retryAfterNanos,
        @Nullable String because) {

    /** {@return the same, with words for why it can never be let in} */
    public Rejection because(String words) {
        return new Rejection(reason, limit, queued, waitsFor, retryAfterNanos, words);
    }

    public RejectedTaskException toException(String groupKey, String taskId) {
        return new RejectedTaskException(groupKey, taskId, reason, limit, queued, waitsFor, retryAfter(), because);
    }

    /** {@return one without a stack trace} */
    public RejectedTaskException toUntraced(String groupKey, String taskId) {
        return RejectedTaskException.withoutStackTrace(
                groupKey, taskId, reason, limit, queued, waitsFor, retryAfter(), because);
    }

    private @Nullable Duration retryAfter() {
        return retryAfterNanos == 0 ? null : Duration.ofNanos(retryAfterNanos);
    }
}
