package io.github.kobe.spring.web;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.internal.context.EnclosingPermit;
import io.github.kobe.spring.web.Newcomers.Place;
import java.io.Serial;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * What one request has of its group: its place and, once that is granted, a permit. Both are given back together; of
 * several ends of a request the first counts, on whatever thread.
 */
final class Admission {

    private static final int FIRST_FAILURE = 500;

    private final GroupExecutor executor;
    private final Place place;
    private final String method;
    private final @Nullable RequestDeadline deadline;
    private final CompletableFuture<GroupPermit> permit;

    private volatile boolean over;

    /** Asks for the permit. */
    Admission(FilterRule rule, Place place, String method, @Nullable RequestDeadline deadline) {
        this.executor = rule.executor().get();
        this.place = place;
        this.method = method;
        this.deadline = deadline;
        this.permit = rule.ask(place.groupKey(), deadline);
    }

    private boolean isTooLate() {
        return deadline != null && deadline.isPassed();
    }

    String groupKey() {
        return place.groupKey();
    }

    CompletableFuture<GroupPermit> permit() {
        return permit;
    }

    /** {@return why the request may not begin, once it is decided; {@code null}: it may, or the permit has failed} */
    @Nullable
    RejectionProblem refusal() {
        if (permit.state() != CompletableFuture.State.FAILED) {
            return isTooLate() ? RejectionProblem.of(RejectionReason.QUEUE_TIMEOUT) : null;
        }
        Throwable failure = permit.exceptionNow();
        return failure instanceof ExecutorShutdownException
                ? RejectionProblem.of(RejectionReason.SHUTDOWN)
                : RejectionProblem.of(failure).orElse(null);
    }

    /** {@return the permit for what runs inside it; what has kept it from being made is thrown} */
    EnclosingPermit granted() {
        if (permit.state() == CompletableFuture.State.FAILED) {
            ReflectionUtils.rethrowRuntimeException(permit.exceptionNow());
        }
        return new EnclosingPermit(executor, permit.resultNow(), null);
    }

    /** {@return whether the permit is back, or there never will be one} */
    boolean isOver() {
        return over;
    }

    /** The request was answered: a status of 500 or more is a failure, and one below 400 may be proof of its key. */
    void answered(int status) {
        end(status < FIRST_FAILURE ? null : new FailedAnswer(status), Newcomers.isProof(method, status));
    }

    /** The request has ended otherwise; {@code null}: it doesn't count as failed. */
    void ended(@Nullable Throwable why) {
        end(why, false);
    }

    private void end(@Nullable Throwable why, boolean proof) {
        over = true;
        EnclosingPermit.giveBack(permit, why);
        place.end(proof);
    }

    /** What a listener hears of; without a stack trace. */
    private static final class FailedAnswer extends RuntimeException {

        @Serial
        private static final long serialVersionUID = 1L;

        FailedAnswer(int status) {
            super("The request was answered with " + status, null, false, false);
        }
    }
}
