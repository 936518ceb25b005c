package io.github.kobe.spring.web;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.web.Newcomers.Place;
import io.github.kobe.spring.web.RequestKey.Verdict;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.http.server.PathContainer;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Limits requests by a key: each has one permit of the key's group, from here until the request is complete, even if it
 * is asynchronous, or until its answer begins, if its rule says so. A request that isn't admitted is answered with the problem of the rejection.
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

    private final @Nullable RequestGroupKey keys;
    private final FilterRules rules;
    private final List<GroupTaskDecorator> decorators;
    private final ServletCrossOrigin crossOrigin;
    private final ServletRejectionAnswer answer;
    private final int order;

    /**
     * Makes a filter.
     *
     * @param keys gives the keys where a rule has no source for them; may be {@code null} where each has
     * @param rules the rules
     * @param decorators take along what belongs to the thread of a request that waits; the first is the outermost
     * @param crossOrigin lets scripts of other origins read refusals
     * @param answer writes refusals
     * @param order its place among the filters
     */
    GroupConcurrencyFilter(
            @Nullable RequestGroupKey keys,
            FilterRules rules,
            List<GroupTaskDecorator> decorators,
            ServletCrossOrigin crossOrigin,
            ServletRejectionAnswer answer,
            int order) {
        this.keys = keys;
        this.rules = rules;
        this.decorators = decorators;
        this.crossOrigin = crossOrigin;
        this.answer = answer;
        this.order = order;
    }

    @Override
    public int getOrder() {
        return order;
    }

    /** Filters are made before other beans; an executor that can't be had is told at start-up all the same. */
    @Override
    public void afterSingletonsInstantiated() {
        rules.makeReady();
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
        PathContainer path = rules.pathOf(request);
        FilterRule rule = isAsyncDispatch(request) || CorsUtils.isPreFlightRequest(request)
                ? null
                : rules.find(path, request.getMethod());
        RequestKey key = rule == null ? null : rule.key();
        if (rule == null || key == null) {
            chain.doFilter(request, response);
            return;
        }
        RequestDeadline deadline = RequestDeadline.of(
                request.getAttribute(RequestGroupKey.DEADLINE_ATTRIBUTE), request.getHeader(rule.deadlineHeader()));
        GroupExecutor groups = rule.executor().get();
        Verdict verdict =
                FilterRules.on(path, key.decide(said(rule, key, request, path), userOf(key, request), groups.policy()));
        Place place = verdict.place();
        if (verdict.refusal() != null) {
            refuse(verdict.refusal(), request, response);
        } else if (place == null) {
            chain.doFilter(request, response);
        } else {
            Admission admission = new Admission(rule, place, request.getMethod(), deadline);
            begin(new RequestTurn(admission, rule.holdsUntilFirstByte()), request, response, chain);
        }
    }

    private @Nullable String said(FilterRule rule, RequestKey key, HttpServletRequest request, PathContainer path) {
        return switch (key.source()) {
            case HEADER -> request.getHeader(key.name());
            case PRINCIPAL -> nameOf(request.getUserPrincipal());
            case PATH -> rule.variableOf(path, key.name());
            case null -> keys == null ? null : keys.of(request);
        };
    }

    private static @Nullable String userOf(RequestKey key, HttpServletRequest request) {
        return key.matchesPrincipal() ? nameOf(request.getUserPrincipal()) : null;
    }

    private static @Nullable String nameOf(@Nullable Principal user) {
        return user == null ? null : user.getName();
    }

    private void begin(RequestTurn turn, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        request.setAttribute(TURN, turn);
        boolean mayLeave = request.isAsyncSupported()
                && !request.isAsyncStarted()
                && !Thread.currentThread().isVirtual();
        if (!mayLeave && !turn.waitHere()) {
            refuse(RejectionProblem.of(RejectionReason.INTERRUPTED), request, response);
        } else if (!turn.isDecided()) {
            turn.await(request, response, decorators);
        } else if (!isRefused(turn, request, response)) {
            turn.proceed(request, response, chain);
        }
    }

    private boolean isRefused(RequestTurn turn, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        RejectionProblem refusal = turn.refusal();
        if (refusal == null) {
            return false;
        }
        refuse(refusal, request, response);
        return true;
    }

    private void refuse(RejectionProblem problem, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        crossOrigin.allow(request, response);
        boolean unused = answer.write(problem, request, response);
    }
}
