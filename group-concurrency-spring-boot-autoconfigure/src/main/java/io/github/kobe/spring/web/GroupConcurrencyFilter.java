package io.github.kobe.spring.web;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.http.server.PathContainer;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Limits requests by a key: one permit of the key's group for each, from here until the request is complete, also where
 * it is asynchronous. A request that isn't let in is answered with the problem of the rejection.
 *
 * <p><b>Waiting.</b> A virtual thread waits. A platform thread is one of few, so it goes: the request becomes
 * asynchronous and is dispatched again when its turn comes, through the filters before this one and on to the rest. Only
 * where a filter or servlet doesn't support that does a platform thread wait.
 *
 * <p><b>Order.</b> Filters behind this one that are registered for {@link DispatcherType#REQUEST} alone don't see a
 * request that waited on a platform thread, since the container dispatches it as {@link DispatcherType#ASYNC}. So it
 * stands last unless it is told otherwise.
 */
public final class GroupConcurrencyFilter extends OncePerRequestFilter implements Ordered, SmartInitializingSingleton {

    private static final String TURN = GroupConcurrencyFilter.class.getName() + ".turn";

    private final Supplier<GroupExecutor> executor;
    private final RequestGroupKey keys;
    private final List<PathPattern> paths;
    private final @Nullable GroupTaskDecorator decorator;
    private final int order;

    /**
     * Makes a filter.
     *
     * @param executor has the groups; asked once all other beans are there
     * @param keys gives each request its group
     * @param paths the paths that it applies to; none: all
     * @param decorator takes along what belongs to the thread of a request that waits; may be {@code null}
     * @param order its place among the filters
     */
    public GroupConcurrencyFilter(
            Supplier<GroupExecutor> executor,
            RequestGroupKey keys,
            List<PathPattern> paths,
            @Nullable GroupTaskDecorator decorator,
            int order) {
        this.executor = executor;
        this.keys = keys;
        this.paths = List.copyOf(paths);
        this.decorator = decorator;
        this.order = order;
    }

    @Override
    public int getOrder() {
        return order;
    }

    /** Filters are made before other beans; an executor that can't be had is told at start-up all the same. */
    @Override
    public void afterSingletonsInstantiated() {
        GroupExecutor unused = executor.get();
    }

    /** A request that waited comes back as such. */
    @Override
    protected boolean shouldNotFilterAsyncDispatch() {
        return false;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        RequestTurn turn = (RequestTurn) request.getAttribute(TURN);
        if (turn != null && turn.isResumed()) {
            if (!isRefused(turn, response)) {
                turn.resume(request, response, chain);
            }
            return;
        }
        String key = turn == null && isNew(request) && applies(request) ? keys.of(request) : null;
        if (key == null || key.isBlank()) {
            chain.doFilter(request, response);
        } else {
            admit(key, request, response, chain);
        }
    }

    private void admit(String key, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        RequestTurn turn = new RequestTurn(ask(executor.get(), key, request.isAsyncSupported()));
        request.setAttribute(TURN, turn);
        if (!turn.isDecided()) {
            turn.await(request, response, key, decorator);
        } else if (!isRefused(turn, response)) {
            turn.proceed(request, response, chain);
        }
    }

    /**
     * On a platform thread the permit belongs to no thread, although it is asked for by one: the thread may leave before
     * the request is complete, and would take the next one along without a permit of its own.
     */
    private static CompletableFuture<GroupPermit> ask(GroupExecutor groups, String key, boolean asynchronous) {
        try {
            return asynchronous && !Thread.currentThread().isVirtual()
                    ? groups.acquireAsync(key).toCompletableFuture()
                    : CompletableFuture.completedFuture(groups.acquire(key));
        } catch (RejectedTaskException rejection) {
            return CompletableFuture.failedFuture(rejection);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(rejection(key, RejectionReason.INTERRUPTED));
        } catch (IllegalStateException shutDown) {
            return CompletableFuture.failedFuture(rejection(key, RejectionReason.SHUTDOWN));
        }
    }

    private static RejectedTaskException rejection(String key, RejectionReason reason) {
        return new RejectedTaskException(key, "", reason, -1, 0);
    }

    private static boolean isRefused(RequestTurn turn, HttpServletResponse response) throws IOException {
        RejectedTaskException rejection = turn.rejection();
        if (rejection == null) {
            return false;
        }
        ServletRejectionAnswer.write(RejectionProblem.of(rejection.reason()), response);
        return true;
    }

    private static boolean isNew(HttpServletRequest request) {
        return request.getDispatcherType() != DispatcherType.ASYNC;
    }

    private boolean applies(HttpServletRequest request) {
        if (paths.isEmpty()) {
            return true;
        }
        PathContainer path = ServletRequestPathUtils.parse(request).pathWithinApplication();
        return paths.stream().anyMatch(pattern -> pattern.matches(path));
    }
}
