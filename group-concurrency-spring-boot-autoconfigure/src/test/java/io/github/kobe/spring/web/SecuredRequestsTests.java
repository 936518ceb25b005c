package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPermit;
import io.github.kobe.testing.Deadline;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.AuthenticationManager;
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
import org.springframework.security.web.servletapi.SecurityContextHolderAwareRequestFilter;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

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
        String credentials =
                Base64.getEncoder().encodeToString((user + ":password").getBytes(StandardCharsets.US_ASCII));
        return server.getAsync("/me", "Authorization", "Basic " + credentials);
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
    }
}
