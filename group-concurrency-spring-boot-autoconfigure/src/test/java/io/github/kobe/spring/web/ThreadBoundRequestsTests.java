package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.TaskTotals;
import io.github.kobe.testing.Deadline;
import io.micrometer.context.ContextRegistry;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

/** What an earlier filter binds to the thread of a request, which goes on with another one if it has waited. */
class ThreadBoundRequestsTests {

    private static final String ACCESSOR = "tenant";
    private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

    private static WebServer server;

    @BeforeAll
    static void start() {
        ContextRegistry.getInstance().registerThreadLocalAccessor(ACCESSOR, TENANT::get, TENANT::set, TENANT::remove);
        server = new WebServer(
                Application.class,
                "spring.threads.virtual.enabled=false",
                "group-concurrency.web.filter.enabled=true",
                "group-concurrency.web.filter.rules[0].key-source=header",
                "group-concurrency.web.filter.rules[0].name=X-Tenant");
    }

    @AfterAll
    static void stop() {
        ContextRegistry.getInstance().removeThreadLocalAccessor(ACCESSOR);
        server.close();
    }

    /** Sends a request, and waits until it waits for its tenant's permit. */
    private static CompletableFuture<HttpResponse<String>> waitingFor(String tenant) {
        CompletableFuture<HttpResponse<String>> waiting = server.getAsync("/tenant", "X-Tenant", tenant);
        Deadline.until(
                "it waits",
                () -> server.executor()
                                .groupStats("http:" + tenant)
                                .orElseThrow()
                                .queued()
                        == 1);
        return waiting;
    }

    @Test
    void whatHasAnAccessorIsThereForARequestThatHasWaited() throws Exception {
        GroupPermit permit = Deadline.within(() -> server.executor().acquire("http:acme"));
        CompletableFuture<HttpResponse<String>> waiting = waitingFor("acme");

        permit.close();

        assertThat(waiting)
                .succeedsWithin(Deadline.LONG)
                .satisfies(answer -> assertThat(answer.body()).isEqualTo("acme"));
        assertThat(server.executor().awaitQuiet(Deadline.LONG)).isTrue();
    }

    @Test
    void whatADecoratorFailsWithBeforeARequestGoesOnCountsAsItsFailure() throws Exception {
        GroupPermit permit = Deadline.within(() -> server.executor().acquire("http:broken"));
        CompletableFuture<HttpResponse<String>> waiting = waitingFor("broken");

        permit.closeExceptionally(new CancellationException());

        assertThat(waiting)
                .succeedsWithin(Deadline.LONG)
                .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(500));
        assertThat(server.executor().awaitQuiet(Deadline.LONG)).isTrue();
        TaskTotals totals =
                server.executor().groupStats("http:broken").orElseThrow().totals();
        assertThat(totals.failed()).isEqualTo(1);
        assertThat(totals.succeeded()).isZero();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Tenants.class)
    static class Application {

        @Bean
        GroupTaskDecorator failing() {
            return (key, task) -> key.equals("http:broken") ? Tenants::fail : task;
        }

        @Bean
        OncePerRequestFilter tenantFilter() {
            return new OncePerRequestFilter() {
                @Override
                protected void doFilterInternal(
                        HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                        throws ServletException, IOException {
                    TENANT.set(request.getHeader("X-Tenant"));
                    try {
                        chain.doFilter(request, response);
                    } finally {
                        TENANT.remove();
                    }
                }
            };
        }
    }

    @RestController
    static class Tenants {

        static String fail() {
            throw new IllegalStateException("on purpose");
        }

        @GetMapping("/tenant")
        String tenant() {
            return String.valueOf(TENANT.get());
        }
    }
}
