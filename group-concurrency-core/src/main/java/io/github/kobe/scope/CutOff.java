package io.github.kobe.scope;

import io.github.kobe.internal.base.KeyText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Why a scope was cancelled, in words. The thread that cancels makes it beforehand: afterwards forks leave, and nobody could
 * count any more what waited.
 *
 * @param cause for which it was made; another one may come first
 */
record CutOff(Cause cause, String text) {

    /** How many groups are named. */
    private static final int MOST_GROUPS = 3;

    /**
     * Puts it into words.
     *
     * @param outermost the scope that is cancelled with all that is inside it
     * @return {@code null}: nobody will ask, or there is no memory for it
     */
    static @Nullable CutOff of(OpenScope<?, ?, ?> scope, OpenScope<?, ?, ?> outermost, Cause cause) {
        OpenScope<?, ?, ?> parent = outermost.parent();
        OpenScope<?, ?, ?> origin = parent != null && parent.isCancelled() ? parent : outermost;
        if (scope.equals(origin) && (cause == Cause.CLOSED || cause == Cause.JOINER)) {
            return null;
        }
        try {
            return new CutOff(
                    cause,
                    cause == Cause.TIMED_OUT ? timedOut(scope, origin.time.whose()) : cancelled(scope, origin, cause));
        } catch (OutOfMemoryError none) {
            return null;
        }
    }

    private static String cancelled(OpenScope<?, ?, ?> scope, OpenScope<?, ?, ?> origin, Cause cause) {
        if (!scope.equals(origin)) {
            return scope + " was cancelled with " + origin + ", which it is inside of";
        }
        return scope
                + switch (cause) {
                    case ASKED -> " was cancelled by " + OpenScope.named(Thread.currentThread());
                    case INTERRUPTED -> " was cancelled, since its owner was interrupted while it waited";
                    case ABANDONED -> " was cancelled, since its owner had ended and left it open";
                    default -> " was cancelled";
                };
    }

    private static String timedOut(OpenScope<?, ?, ?> scope, OpenScope<?, ?, ?> whose) {
        String with = scope.equals(whose) ? "" : " with " + whose + ", opened by " + OpenScope.named(whose.owner) + ",";
        return scope + " timed out" + with + " after " + brief(whose.age()) + ": " + unfinished(scope);
    }

    /** {@return a time without what is of no interest} */
    private static Duration brief(Duration time) {
        return time.toMillis() == 0 ? time : time.truncatedTo(ChronoUnit.MILLIS);
    }

    private static String unfinished(OpenScope<?, ?, ?> scope) {
        long forked = scope.forks.forked();
        if (forked == 0) {
            return "nothing was forked";
        }
        Map<String, Integer> queued = scope.forks.stack.queuedByGroup();
        int all = queued.values().stream().mapToInt(Integer::intValue).sum();
        return scope.forks.unfinished() + " of " + forked + " forks had not ended"
                + (all == 0 ? "" : ", " + all + " of them queued: " + listed(queued));
    }

    private static String listed(Map<String, Integer> queued) {
        String named = queued.entrySet().stream()
                .limit(MOST_GROUPS)
                .map(entry -> entry.getValue() + " in group '" + KeyText.printable(entry.getKey()) + "'")
                .collect(Collectors.joining(", "));
        return queued.size() > MOST_GROUPS ? named + ", others in " + (queued.size() - MOST_GROUPS) + " more" : named;
    }
}
