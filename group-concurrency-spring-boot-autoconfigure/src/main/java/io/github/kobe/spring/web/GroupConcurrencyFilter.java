package io.github.kobe.spring.web;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.RejectionReason;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.http.server.PathContainer;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Limits requests by a key: each has one permit of the key's group, from here until the request is complete, even if it
 * is asynchronous. A request that isn't admitted is answered with the problem of the rejection.
 *
 * <p><b>Waiting.</b> A virtual thread waits. A platform thread is scarce, so it is released: the request becomes
 * asynchronous and is dispatched again when its turn comes, through the filters before this one and on to the rest. A
 * platform thread waits only if a filter or servlet doesn't support that.
 *
 * <p><b>Order.</b> Filters after this one that are registered for {@link DispatcherType#REQUEST} alone don't see a
 * request that waited on a platform thread, since the container dispatches it as {@link DispatcherType#ASYNC}. So this
 * filter is last unless configured otherwise.
 */
final class GroupConcurrencyFilter extends OncePerRequestFilter implements Ordered, SmartInitializingSingleton {

    private static final String TURN = GroupConcurrencyFilter.class.getName() + ".turn";

    private final Supplier<GroupExecutor> executor;
    private final @Nullable RequestGroupKey keys;
    private final FilterRules rules;
    private final @Nullable GroupTaskDecorator decorator;
    private final ServletCrossOrigin crossOrigin;
    private final int order;

    /**
     * Makes a filter.
     *
     * @param executor has the groups; asked once all other beans are there
     * @param keys gives the keys where a rule has no source for them; may be {@code null} where each has
     * @param rules the rules
     * @param decorator takes along what belongs to the thread of a request that waits; may be {@code null}
     * @param crossOrigin lets scripts of other origins read refusals
     * @param order its place among the filters
     */
    GroupConcurrencyFilter(
            Supplier<GroupExecutor> executor,
            @Nullable RequestGroupKey keys,
            FilterRules rules,
            @Nullable GroupTaskDecorator decorator,
            ServletCrossOrigin crossOrigin,
            int order) {
        this.executor = executor;
        this.keys = keys;
        this.rules = rules;
        this.decorator = decorator;
        this.crossOrigin = crossOrigin;
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
            if (!isRefused(turn, request, response)) {
                turn.resume(request, response, chain);
            }
            return;
        }
        if (turn != null) {
            turn.inside(request, response, chain);
            return;
        }
        PathContainer path = ServletRequestPathUtils.parse(request).pathWithinApplication();
        FilterRule rule = isAsyncDispatch(request) || CorsUtils.isPreFlightRequest(request) ? null : rules.find(path);
        if (rule == null) {
            chain.doFilter(request, response);
            return;
        }
        FilterRule.Verdict verdict =
                rule.decide(said(rule, request, path), executor.get().policy());
        String key = verdict.groupKey();
        if (verdict.refused()) {
            refuse(RejectionProblem.NO_KEY, request, response);
        } else if (key == null) {
            chain.doFilter(request, response);
        } else {
            admit(key, request, response, chain);
        }
    }

    private @Nullable String said(FilterRule rule, HttpServletRequest request, PathContainer path) {
        return switch (rule.source()) {
            case HEADER -> request.getHeader(rule.name());
            case PRINCIPAL -> {
                Principal user = request.getUserPrincipal();
                yield user == null ? null : user.getName();
            }
            case PATH -> rule.variableOf(path);
            case null -> keys == null ? null : keys.of(request);
        };
    }

    private void admit(String key, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        GroupExecutor groups = executor.get();
        CompletableFuture<GroupPermit> permit;
        try {
            permit = groups.acquireAsync(key).toCompletableFuture();
        } catch (ExecutorShutdownException shutDown) {
            refuse(RejectionProblem.of(RejectionReason.SHUTDOWN), request, response);
            return;
        }
        RequestTurn turn = new RequestTurn(groups, permit);
        request.setAttribute(TURN, turn);
        boolean mayLeave = request.isAsyncSupported()
                && !request.isAsyncStarted()
                && !Thread.currentThread().isVirtual();
        if (!mayLeave && !turn.waitHere()) {
            refuse(RejectionProblem.of(RejectionReason.INTERRUPTED), request, response);
        } else if (!turn.isDecided()) {
            turn.await(request, response, key, decorator);
        } else if (!isRefused(turn, request, response)) {
            turn.proceed(request, response, chain);
        }
    }

    private boolean isRefused(RequestTurn turn, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        RejectionReason reason = turn.rejection();
        if (reason == null) {
            return false;
        }
        refuse(RejectionProblem.of(reason), request, response);
        return true;
    }

    private void refuse(RejectionProblem problem, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        crossOrigin.allow(request, response);
        ServletRejectionAnswer.write(problem, response);
    }
}
