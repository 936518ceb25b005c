package io.github.kobe.spring.web;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.jdbc.GroupConnectionException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;

/**
 * How a rejection is reported to a client, in the form of RFC 9457: the reason, and whether the client's own group is
 * full (429) or the service can't serve (503). It contains neither the key, which may be somebody's name or a secret,
 * nor any number but the time after which to come back.
 *
 * @param status the HTTP status
 * @param reason why it was rejected; {@code null}: for its key
 * @param startsIn in how long the rate of the group lets such a request start; {@code null}: it isn't for a rate
 * @param isVain whether such a request can never start
 */
record RejectionProblem(
        HttpStatus status,
        @Nullable RejectionReason reason,
        @Nullable Duration startsIn,
        boolean isVain) {

    /** What a client is told of a request that doesn't say whom it is for. */
    static final RejectionProblem NO_KEY = new RejectionProblem(HttpStatus.BAD_REQUEST, null, null, true);

    /** What a client is told of a request with the key of somebody else. */
    static final RejectionProblem OF_SOMEBODY_ELSE = new RejectionProblem(HttpStatus.FORBIDDEN, null, null, true);

    /** Up to so many seconds. When there will be room, nobody knows: long enough not to be hammered, short enough to be of use. */
    private static final int LONGEST_PAUSE = 3;

    /** So much more of the time to come back may be asked for, where that is known. */
    private static final double MOST_MORE = 0.1;

    private static final double NANOS_IN_A_SECOND = 1e9;

    static RejectionProblem of(RejectionReason reason) {
        return of(reason, null, false);
    }

    private static RejectionProblem of(RejectionReason reason, @Nullable Duration startsIn, boolean isVain) {
        HttpStatus status = switch (reason) {
            case RATE_LIMITED, GROUP_QUEUE_FULL, QUEUE_TIMEOUT -> HttpStatus.TOO_MANY_REQUESTS;
            case GLOBAL_QUEUE_FULL, SHUTDOWN, INTERRUPTED -> HttpStatus.SERVICE_UNAVAILABLE;
        };
        return new RejectionProblem(status, reason, startsIn, isVain);
    }

    /**
     * Tells whether a failure is a rejection: itself, or as what a future wraps. A rejection that is the cause of any
     * other exception was given another meaning by whoever wrapped it, with one exception: that there was no turn for a
     * connection comes through layers that wrap whatever they get.
     */
    static Optional<RejectionProblem> of(Throwable failure) {
        Throwable inner = failure;
        while ((inner instanceof CompletionException || inner instanceof ExecutionException)
                && inner.getCause() != null) {
            inner = inner.getCause();
        }
        RejectedTaskException rejection =
                inner instanceof RejectedTaskException itself ? itself : rejectionForConnection(inner);
        return Optional.ofNullable(rejection)
                .map(known -> of(known.reason(), known.retryAfter().orElse(null), known.canNeverStart()));
    }

    /**
     * {@return the rejection for which there was no connection, however far down it is; {@code null}: there was none, or an
     * exception above it says itself how it is answered}
     */
    private static @Nullable RejectedTaskException rejectionForConnection(Throwable failure) {
        return Causes.in(failure)
                .takeWhile(each -> !hasAnswer(each))
                .filter(GroupConnectionException.class::isInstance)
                .map(noTurn -> ((GroupConnectionException) noTurn).rejection())
                .findFirst()
                .orElse(null);
    }

    private static boolean hasAnswer(Throwable failure) {
        return failure instanceof ErrorResponse
                || AnnotatedElementUtils.hasAnnotation(failure.getClass(), ResponseStatus.class);
    }

    /** {@return in how many seconds to come back, which isn't the same for all, who would come back together; {@code null}: never} */
    @Nullable
    String retryAfter() {
        if (isVain) {
            return null;
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (startsIn == null) {
            return String.valueOf(1 + random.nextInt(LONGEST_PAUSE));
        }
        double seconds = startsIn.toNanos() / NANOS_IN_A_SECOND;
        return String.valueOf((long) Math.ceil(seconds * (1 + MOST_MORE * random.nextDouble())));
    }

    /** {@return why, for the codes of messages} */
    String code() {
        if (reason == null) {
            return status == HttpStatus.FORBIDDEN ? "OTHER_KEY" : "NO_KEY";
        }
        return isVain ? "TOO_COSTLY" : reason.name();
    }

    /** {@return why, for a client} */
    String detail() {
        return switch (status) {
            case TOO_MANY_REQUESTS ->
                isVain
                        ? "The request costs more than is ever allowed."
                        : "There are too many requests of this kind at the moment.";
            case FORBIDDEN -> "The key that requests are limited by isn't that of the logged-in user.";
            case BAD_REQUEST -> "The key that requests are limited by is missing or too long.";
            default -> "The service can't handle the request at the moment.";
        };
    }
}
