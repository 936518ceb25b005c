package io.github.kobe.spring.web;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.Hold;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPattern.PathMatchInfo;

/**
 * One rule of the filter: which requests it is for, and how these are limited.
 *
 * @param paths the patterns of its paths; none: all
 * @param methods the methods of its requests, in capitals; none: all
 * @param key finds the group of a request; {@code null}: its requests are not limited
 * @param executor has the groups; asked once all other beans are there
 * @param queueTimeout how long a request may wait; {@code null}: as long as its group allows
 * @param deadlineHeader the header that says until when somebody waits for the answer; empty: none does
 * @param hold how long a request has its permit
 */
record FilterRule(
        List<PathPattern> paths,
        Set<String> methods,
        @Nullable RequestKey key,
        Supplier<GroupExecutor> executor,
        @Nullable Duration queueTimeout,
        String deadlineHeader,
        Hold hold) {

    boolean isForAll() {
        return paths.isEmpty() && methods.isEmpty();
    }

    boolean isFor(PathContainer path, String method) {
        if (!methods.isEmpty() && !methods.contains(method)) {
            return false;
        }
        if (paths.isEmpty()) {
            return true;
        }
        for (PathPattern pattern : paths) {
            if (pattern.matches(path)) {
                return true;
            }
        }
        return false;
    }

    /** {@return the value of a variable, of a path that it is for} */
    @Nullable
    String variableOf(PathContainer path, String name) {
        for (PathPattern pattern : paths) {
            PathMatchInfo match = pattern.matchAndExtract(path);
            if (match != null) {
                return match.getUriVariables().get(name);
            }
        }
        return null;
    }

    /**
     * Asks for the permit of a request; what is too late already is counted as rejected, and cancelled.
     *
     * @param deadline after which it is of no use; {@code null}: none
     * @return the permit; failed with what kept it from being asked for, too
     */
    CompletableFuture<GroupPermit> ask(String groupKey, @Nullable RequestDeadline deadline) {
        Duration atMost = deadline == null ? queueTimeout : shorter(deadline.left());
        try {
            GroupExecutor groups = executor.get();
            if (deadline != null && deadline.isPassed()) {
                groups.rejectLate(groupKey, "");
                return CompletableFuture.failedFuture(new CancellationException());
            }
            return (atMost == null ? groups.acquireAsync(groupKey) : groups.acquireAsync(groupKey, "", atMost))
                    .toCompletableFuture();
        } catch (RuntimeException | Error failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    private Duration shorter(Duration other) {
        return queueTimeout == null || other.compareTo(queueTimeout) < 0 ? other : queueTimeout;
    }

    boolean holdsUntilFirstByte() {
        return hold == Hold.UNTIL_FIRST_BYTE;
    }
}
