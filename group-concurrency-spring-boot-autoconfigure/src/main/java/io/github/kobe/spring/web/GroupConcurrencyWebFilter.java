package io.github.kobe.spring.web;

import io.github.kobe.spring.internal.context.EnclosingPermit;
import io.github.kobe.spring.internal.context.ReactivePermits;
import io.github.kobe.spring.observation.ReactorObservation;
import io.github.kobe.spring.web.Newcomers.Place;
import io.github.kobe.spring.web.RequestKey.Verdict;
import java.security.Principal;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.PathContainer;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Limits requests by a key, with WebFlux: each has one permit of the key's group, from here until its response is
 * written, or begins if its rule says so, its handling has failed, or it is cancelled. A waiting request keeps no thread. One that isn't admitted is
 * answered with the problem of the rejection.
 */
final class GroupConcurrencyWebFilter implements WebFilter, Ordered, SmartInitializingSingleton {

    private final @Nullable ExchangeGroupKey keys;
    private final FilterRules rules;
    private final ApplicationContext application;
    private final ReactiveCrossOrigin crossOrigin;
    private final ReactiveRejectionAnswer answer;
    private final int order;

    /**
     * Makes a filter.
     *
     * @param keys gives the keys where a rule has no source for them; may be {@code null} where each has
     * @param rules the rules
     * @param application the context whose requests it limits
     * @param answer writes refusals
     * @param order its place among the filters
     */
    GroupConcurrencyWebFilter(
            @Nullable ExchangeGroupKey keys,
            FilterRules rules,
            ApplicationContext application,
            ReactiveRejectionAnswer answer,
            int order) {
        this.keys = keys;
        this.rules = rules;
        this.application = application;
        this.answer = answer;
        this.crossOrigin = new ReactiveCrossOrigin(application.getBeanProvider(HandlerMapping.class));
        this.order = order;
    }

    @Override
    public int getOrder() {
        return order;
    }

    /** An executor that can't be had is told at start-up. */
    @Override
    public void afterSingletonsInstantiated() {
        rules.makeReady();
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        PathContainer path = exchange.getRequest().getPath().pathWithinApplication();
        FilterRule rule = isOfAnotherServer(exchange) || CorsUtils.isPreFlightRequest(exchange.getRequest())
                ? null
                : rules.find(path, exchange.getRequest().getMethod().name());
        RequestKey key = rule == null ? null : rule.key();
        if (rule == null || key == null) {
            return chain.filter(exchange);
        }
        RequestDeadline deadline = RequestDeadline.of(
                exchange.getAttribute(RequestGroupKey.DEADLINE_ATTRIBUTE),
                exchange.getRequest().getHeaders().getFirst(rule.deadlineHeader()));
        Mono<Optional<String>> said =
                said(rule, key, exchange, path).map(Optional::of).defaultIfEmpty(Optional.empty());
        Mono<Optional<String>> user = key.matchesPrincipal()
                ? userOf(exchange).map(Optional::of).defaultIfEmpty(Optional.empty())
                : Mono.just(Optional.empty());
        return said.zipWith(user).flatMap(both -> {
            Verdict verdict = FilterRules.on(
                    path,
                    key.decide(
                            both.getT1().orElse(null),
                            both.getT2().orElse(null),
                            rule.executor().get().policy()));
            if (verdict.refusal() != null) {
                return answer(verdict.refusal(), exchange);
            }
            Place place = verdict.place();
            return place == null ? chain.filter(exchange) : limited(rule, place, deadline, exchange, chain);
        });
    }

    /** Management endpoints with a port of their own are served from a child context, to which this filter comes too. */
    private boolean isOfAnotherServer(ServerWebExchange exchange) {
        ApplicationContext serving = exchange.getApplicationContext();
        return serving != null && !serving.equals(application);
    }

    private Mono<String> said(FilterRule rule, RequestKey key, ServerWebExchange exchange, PathContainer path) {
        return switch (key.source()) {
            case HEADER -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst(key.name()));
            case PRINCIPAL -> userOf(exchange);
            case PATH -> Mono.justOrEmpty(rule.variableOf(path, key.name()));
            case null -> keys == null ? Mono.empty() : keys.of(exchange);
        };
    }

    private static Mono<String> userOf(ServerWebExchange exchange) {
        return exchange.getPrincipal().mapNotNull(Principal::getName);
    }

    private Mono<Void> limited(
            FilterRule rule,
            Place place,
            @Nullable RequestDeadline deadline,
            ServerWebExchange exchange,
            WebFilterChain chain) {
        return Mono.deferContextual(context -> {
            ReactorObservation observation = ReactorObservation.of(context);
            Admission admission = observation.around(() ->
                    new Admission(rule, place, exchange.getRequest().getMethod().name(), deadline));
            Mono<Void> request = Mono.fromFuture(admission.permit())
                    .map(granted -> admission)
                    .onErrorReturn(failure -> admission.refusal() != null, admission)
                    .flatMap(decided -> begin(decided, rule, exchange, chain))
                    .contextWrite(observation::addTo)
                    .doOnSuccess(nothing -> admission.answered(statusOf(exchange)))
                    .doOnError(failure -> admission.ended(
                            !exchange.getResponse().isCommitted() && isAnsweredBelow500(failure) ? null : failure));
            return ReactivePermits.afterCancel(
                    request, () -> admission.ended(new CancellationException("The request was cancelled")));
        });
    }

    private Mono<Void> begin(Admission admission, FilterRule rule, ServerWebExchange exchange, WebFilterChain chain) {
        RejectionProblem refusal = admission.refusal();
        if (refusal != null) {
            admission.ended(new CancellationException("The request was refused"));
            return answer(refusal, exchange);
        }
        if (rule.holdsUntilFirstByte()) {
            exchange.getResponse().beforeCommit(() -> Mono.fromRunnable(() -> admission.answered(statusOf(exchange))));
        }
        EnclosingPermit granted = admission.granted();
        exchange.getAttributes().put(RequestGroupKey.PERMIT_ATTRIBUTE, granted);
        return ReactivePermits.inside(granted, chain.filter(exchange));
    }

    private static int statusOf(ServerWebExchange exchange) {
        HttpStatusCode status = exchange.getResponse().getStatusCode();
        return status == null ? HttpStatus.OK.value() : status.value();
    }

    /** {@return whether an exception has another status than that of a failure, as that of a page that isn't there} */
    private static boolean isAnsweredBelow500(Throwable failure) {
        if (failure instanceof ErrorResponse answer) {
            return !answer.getStatusCode().is5xxServerError();
        }
        ResponseStatus said = AnnotatedElementUtils.findMergedAnnotation(failure.getClass(), ResponseStatus.class);
        if (said != null) {
            return !said.code().is5xxServerError();
        }
        return SecurityRefusal.isDenial(failure)
                || RejectionProblem.of(failure)
                        .filter(problem -> !problem.status().is5xxServerError())
                        .isPresent();
    }

    private Mono<Void> answer(RejectionProblem problem, ServerWebExchange exchange) {
        return crossOrigin
                .allow(exchange)
                .then(Mono.defer(() -> answer.write(problem, exchange).orElseGet(Mono::empty)));
    }
}
