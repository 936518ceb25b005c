package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPermit;
import io.github.kobe.testing.Deadline;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.InsufficientAuthenticationException;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authentication.dao.DaoAuthenticationProvider;
import org.springframework.security.authorization.AuthenticatedAuthorizationManager;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.DefaultSecurityFilterChain;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.access.ExceptionTranslationFilter;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.authentication.HttpStatusEntryPoint;
import org.springframework.security.web.authentication.www.BasicAuthenticationFilter;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.security.web.context.SecurityContextHolderFilter;
import org.springframework.security.web.server.MatcherSecurityWebFilterChain;
import org.springframework.security.web.server.WebFilterChainProxy;
import org.springframework.security.web.server.authentication.HttpStatusServerEntryPoint;
import org.springframework.security.web.server.authorization.ExceptionTranslationWebFilter;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatchers;
import org.springframework.security.web.servletapi.SecurityContextHolderAwareRequestFilter;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Spring Security's own filters before ours, where Spring Boot puts them. */
class SecuredRequestsTests {

    private static WebServer onVirtualThreads;
    private static WebServer onPlatformThreads;

    @BeforeAll
    static void start() {
        onVirtualThreads = start(true);
        onPlatformThreads = start(false);
    }

    @AfterAll
    static void stop() {
        onVirtualThreads.close();
        onPlatformThreads.close();
    }

    private static WebServer shared(boolean virtual) {
        return virtual ? onVirtualThreads : onPlatformThreads;
    }

    private static WebServer start(boolean virtual) {
        return new WebServer(
                Application.class,
                "spring.threads.virtual.enabled=" + virtual,
                "group-concurrency.web.filter.enabled=true",
                "group-concurrency.web.filter.rules[0].key-source=principal");
    }

    private static CompletableFuture<HttpResponse<String>> askAs(WebServer server, String user) {
        return askAs(server, user, "/me");
    }

    private static CompletableFuture<HttpResponse<String>> askAs(WebServer server, String user, String path) {
        String credentials =
                Base64.getEncoder().encodeToString((user + ":password").getBytes(StandardCharsets.US_ASCII));
        return server.getAsync(path, "Authorization", "Basic " + credentials);
    }

    /** Says how a request was answered, and that it is the only one so far that counts as failed, or that none does. */
    private static void assertOutcome(
            CompletableFuture<HttpResponse<String>> answer, int status, WebServer server, int failed)
            throws InterruptedException {
        assertThat(answer)
                .succeedsWithin(Deadline.LONG)
                .satisfies(response -> assertThat(response.statusCode()).isEqualTo(status));
        assertThat(server.executor().awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(server.executor().stats().totals().failed()).isEqualTo(failed);
    }

    /** Says how many requests count as failed after one more, whatever the client makes of what was sent of it. */
    private static void assertFailed(CompletableFuture<HttpResponse<String>> answer, WebServer server, int failed) {
        assertThat(answer.handle((response, broken) -> true)).succeedsWithin(Deadline.LONG);
        Deadline.until(
                failed + " have failed",
                () -> server.executor().stats().totals().failed() == failed);
    }

    private static void assertAnswer(CompletableFuture<HttpResponse<String>> answer, String user) {
        assertThat(answer)
                .succeedsWithin(Deadline.LONG)
                .satisfies(response -> assertThat(response.body()).isEqualTo(user));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aUserWaitsForNobodyElseAndIsStillKnownAfterwards(boolean virtual) {
        WebServer server = shared(virtual);
        GroupPermit permit = server.executor()
                .acquireAsync("http:ann")
                .toCompletableFuture()
                .orTimeout(Deadline.SECONDS, TimeUnit.SECONDS)
                .join();
        CompletableFuture<HttpResponse<String>> ann = askAs(server, "ann");
        Deadline.until(
                "one in the queue",
                () -> server.executor().groupStats("http:ann").orElseThrow().queued() == 1);

        assertAnswer(askAs(server, "bob"), "bob");
        assertThat(ann).isNotDone();
        permit.close();
        assertAnswer(ann, "ann");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoIsNotLetInTakesNoPlace(boolean virtual) throws Exception {
        WebServer server = shared(virtual);
        // A request that is answered may still have its permit.
        assertThat(server.executor().awaitQuiet(Deadline.LONG)).isTrue();
        long before = server.executor().stats().totals().submitted();

        assertThat(server.get("/me").statusCode()).isEqualTo(401);

        assertThat(server.executor().stats().totals().submitted()).isEqualTo(before);
    }

    @Test
    void whomSecurityRefusesFurtherInHasNotFailed() throws Exception {
        try (WebServer server = start(true)) {
            assertOutcome(askAs(server, "ann", "/denied"), 403, server, 0);
            assertOutcome(askAs(server, "ann", "/wrapped"), 403, server, 0);
            assertOutcome(askAs(server, "ann", "/unknown"), 401, server, 0);

            assertFailed(askAs(server, "ann", "/denied-halfway"), server, 1);
        }
    }

    @Test
    void whomSecurityRefusesFurtherInHasNotFailedWithWebFlux() throws Exception {
        try (WebServer server = new WebServer(
                ReactiveApplication.class,
                WebApplicationType.REACTIVE,
                "group-concurrency.web.filter.enabled=true",
                "group-concurrency.web.filter.rules[0].key-source=header",
                "group-concurrency.web.filter.rules[0].name=X-User")) {
            assertOutcome(server.getAsync("/denied", "X-User", "ann"), 401, server, 0);
            assertOutcome(server.getAsync("/unknown", "X-User", "ann"), 500, server, 1);

            assertFailed(server.getAsync("/denied-flux", "X-User", "ann"), server, 2);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Me.class)
    static class ReactiveApplication {

        @Bean
        @Order(-100)
        WebFilterChainProxy security() {
            ExceptionTranslationWebFilter refusals = new ExceptionTranslationWebFilter();
            refusals.setAuthenticationEntryPoint(new HttpStatusServerEntryPoint(HttpStatus.UNAUTHORIZED));
            return new WebFilterChainProxy(
                    new MatcherSecurityWebFilterChain(ServerWebExchangeMatchers.anyExchange(), List.of(refusals)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Me.class)
    static class Application {

        /** As Spring Boot registers it. */
        @Bean
        FilterRegistrationBean<FilterChainProxy> security() throws ServletException {
            InMemoryUserDetailsManager users = new InMemoryUserDetailsManager(
                    User.withUsername("ann").password("{noop}password").build(),
                    User.withUsername("bob").password("{noop}password").build());
            AuthenticationManager manager = new ProviderManager(new DaoAuthenticationProvider(users));
            SecurityContextHolderAwareRequestFilter principal = new SecurityContextHolderAwareRequestFilter();
            principal.afterPropertiesSet();
            FilterRegistrationBean<FilterChainProxy> registration =
                    new FilterRegistrationBean<>(new FilterChainProxy(new DefaultSecurityFilterChain(
                            request -> true,
                            new SecurityContextHolderFilter(new RequestAttributeSecurityContextRepository()),
                            new BasicAuthenticationFilter(manager),
                            principal,
                            new ExceptionTranslationFilter(new HttpStatusEntryPoint(HttpStatus.UNAUTHORIZED)),
                            new AuthorizationFilter(AuthenticatedAuthorizationManager.authenticated()))));
            registration.setOrder(-100);
            registration.setDispatcherTypes(
                    EnumSet.of(DispatcherType.ASYNC, DispatcherType.ERROR, DispatcherType.REQUEST));
            return registration;
        }
    }

    @RestController
    static class Me {

        @GetMapping("/me")
        String me() {
            return SecurityContextHolder.getContext().getAuthentication().getName();
        }

        @GetMapping("/denied")
        String denied() {
            throw new AccessDeniedException("on purpose");
        }

        @GetMapping("/denied-halfway")
        void deniedHalfway(HttpServletResponse response) throws IOException {
            response.getWriter().write("so far");
            response.flushBuffer();
            throw new AccessDeniedException("on purpose");
        }

        @GetMapping(path = "/denied-flux", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> deniedFlux() {
            return Flux.just("so far").concatWith(Mono.error(new AccessDeniedException("on purpose")));
        }

        @GetMapping("/wrapped")
        String wrapped() {
            throw new IllegalStateException(new AccessDeniedException("on purpose"));
        }

        @GetMapping("/unknown")
        String unknown() {
            throw new InsufficientAuthenticationException("on purpose");
        }
    }
}
