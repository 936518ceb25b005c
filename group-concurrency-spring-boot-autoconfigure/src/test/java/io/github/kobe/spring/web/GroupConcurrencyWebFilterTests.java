package io.github.kobe.spring.web;

import static io.github.kobe.spring.web.WebServer.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPermit;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The filter of WebFlux in a real server. Most tests share one, and have a tenant of their own. */
class GroupConcurrencyWebFilterTests {

    private static final AtomicInteger TENANTS = new AtomicInteger();

    private static WebServer server;

    /** Where only one of all may be in flight. */
    private static WebServer nested;

    private final String tenant = "tenant-" + TENANTS.incrementAndGet();

    @BeforeAll
    static void start() {
        server = startWith(
                "group-concurrency.groups[http:full-*].queue-threshold=0",
                "group-concurrency.groups[http:hasty-*].queue-timeout=50ms");
        nested = startWith("group-concurrency.global.max-in-flight=1", "group-concurrency.defaults.max-concurrency=2");
    }

    @AfterAll
    static void stop() {
        server.close();
        nested.close();
    }

    @AfterEach
    void allPermitsAreBack() throws Exception {
        assertThat(nested.executor().awaitQuiet(Deadline.LONG)).isTrue();
    }

    private static WebServer startWith(String... settings) {
        List<String> all = new ArrayList<>(List.of(
                "group-concurrency.web.filter.enabled=true",
                "group-concurrency.web.filter.rules[0].key-source=header",
                "group-concurrency.web.filter.rules[0].name=X-Tenant"));
        all.addAll(List.of(settings));
        return new WebServer(Application.class, WebApplicationType.REACTIVE, all.toArray(String[]::new));
    }

    private static CompletableFuture<HttpResponse<String>> ask(String path, String tenant) {
        return server.getAsync(path, "X-Tenant", tenant);
    }

    private static void awaitQueued(WebServer asked, String tenant, int queued) {
        Deadline.untilAsserted(() -> assertThat(asked.executor().groupStats("http:" + tenant))
                .hasValueSatisfying(group -> assertThat(group.queued()).isEqualTo(queued)));
    }

    private static void awaitAllBack(WebServer asked, String tenant) {
        Deadline.until(
                "the permits are back",
                () -> asked.executor()
                                .groupStats("http:" + tenant)
                                .orElseThrow()
                                .inFlight()
                        == 0);
    }

    private static void assertOk(CompletableFuture<HttpResponse<String>> answer, String body) {
        assertThat(answer).succeedsWithin(Deadline.LONG).satisfies(response -> {
            assertThat(response.body()).isEqualTo(body);
            assertThat(response.statusCode()).isEqualTo(200);
        });
    }

    @Test
    void aCancelledRequestHearsOfItUnderItsPermit() {
        AtomicInteger atCancel = new AtomicInteger();
        Gate begun = new Gate();
        Disposable request = server.bean(GroupConcurrencyWebFilter.class)
                .filter(
                        MockServerWebExchange.from(
                                MockServerHttpRequest.get("/at-once").header("X-Tenant", tenant)),
                        exchange -> Mono.<Void>never()
                                .doOnSubscribe(subscription -> begun.open())
                                .doOnCancel(() -> atCancel.set(server.executor()
                                        .groupStats("http:" + tenant)
                                        .orElseThrow()
                                        .inFlight())))
                .subscribe();
        begun.passStubbornly();

        request.dispose();

        assertThat(atCancel).hasValue(1);
        awaitAllBack(server, tenant);
    }

    @Test
    void requestsOfOneKeyWaitForEachOtherAndNoOthers() throws Exception {
        CompletableFuture<HttpResponse<String>> first = ask("/held", tenant);
        server.bean(Work.class).entered(tenant).pass();
        CompletableFuture<HttpResponse<String>> second = ask("/at-once", tenant);
        awaitQueued(server, tenant, 1);

        assertOk(ask("/at-once", tenant + "-b"), "done");
        assertThat(second).isNotDone();
        server.bean(Work.class).gate(tenant).open();

        assertOk(first, "held");
        assertOk(second, "done");
        awaitAllBack(server, tenant);
    }

    @Test
    void aRequestThatIsAnsweredAtOnceGivesItsPermitBackBeforeItIsOver() {
        ServerWebExchange exchange =
                MockServerWebExchange.from(MockServerHttpRequest.get("/").header("X-Tenant", tenant));

        assertThat(nested.bean(GroupConcurrencyWebFilter.class)
                        .filter(exchange, handled -> Mono.empty())
                        .then(Mono.fromCallable(() -> nested.executor().stats().inFlight()))
                        .block(Deadline.LONG))
                .isZero();
        assertThat(nested.executor().groupStats("http:" + tenant)).isPresent();
    }

    @Test
    void aFullQueueIsAnsweredWithItsProblem() throws Exception {
        String full = "full-" + tenant;
        CompletableFuture<HttpResponse<String>> first = ask("/held", full);
        server.bean(Work.class).entered(full).pass();

        assertProblem(server.get("/at-once", "X-Tenant", full), 429, "GROUP_QUEUE_FULL");

        server.bean(Work.class).gate(full).open();
        assertOk(first, "held");
    }

    @Test
    void aRequestThatWaitedTooLongIsAnsweredWithItsProblem() throws Exception {
        String hasty = "hasty-" + tenant;
        CompletableFuture<HttpResponse<String>> first = ask("/held", hasty);
        server.bean(Work.class).entered(hasty).pass();

        assertProblem(server.get("/at-once", "X-Tenant", hasty), 429, "QUEUE_TIMEOUT");

        server.bean(Work.class).gate(hasty).open();
        assertOk(first, "held");
    }

    @Test
    void afterAndWhileTheExecutorShutsDownTheServiceIsUnavailable() throws Exception {
        try (WebServer stopping = startWith()) {
            GroupPermit permit = stopping.executor().acquire("http:a");
            CompletableFuture<HttpResponse<String>> waiting = stopping.getAsync("/at-once", "X-Tenant", "a");
            Deadline.until(
                    "one waits",
                    () -> stopping.executor().groupStats("http:a").orElseThrow().queued() == 1);

            stopping.executor().shutdown();

            assertProblem(waiting.get(Deadline.SECONDS, TimeUnit.SECONDS), 503, "SHUTDOWN");
            assertProblem(stopping.get("/at-once", "X-Tenant", "b"), 503, "SHUTDOWN");
            permit.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/fails", "/throws"})
    void thePermitComesBackHoweverTheRequestEnds(String path) throws Exception {
        assertThat(server.get(path, "X-Tenant", tenant).statusCode()).isEqualTo(500);

        awaitAllBack(server, tenant);
        assertOk(ask("/at-once", tenant), "done");
    }

    /** On a server of its own: Tomcat may cut a later answer short after a client has gone while one was streamed to it. */
    @Test
    void thePermitIsHeldUntilTheResponseIsWrittenOrItsClientHasGone() throws Exception {
        try (WebServer streaming = startWith()) {
            CompletableFuture<HttpResponse<String>> second;
            try (Socket client = new Socket("localhost", streaming.port())) {
                client.getOutputStream()
                        .write("GET /streamed HTTP/1.1\r\nHost: localhost\r\nX-Tenant: %s\r\n\r\n"
                                .formatted(tenant)
                                .getBytes(StandardCharsets.US_ASCII));
                client.getOutputStream().flush();
                assertThat(client.getInputStream().read()).isEqualTo('H');
                second = streaming.getAsync("/at-once", "X-Tenant", tenant);
                awaitQueued(streaming, tenant, 1);

                client.setSoLinger(true, 0);
            }
            assertOk(second, "done");
            awaitAllBack(streaming, tenant);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/nested/blocking", "/nested/dispatched", "/nested/reactive"})
    void requestsThatCallWhatIsLimitedTooComeToAnEnd(String path) {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            answers.add(nested.getAsync(path, "X-Tenant", tenant));
        }

        answers.forEach(answer -> assertOk(answer, "done"));
    }

    @Test
    void workOnThreadsOfOnesOwnCanEnterThePermit() {
        assertOk(nested.getAsync("/nested/own-thread", "X-Tenant", tenant), "done");
    }

    @Test
    void workOnAnotherSchedulerIsOutsideAndEndsWithItsTimeOut() throws Exception {
        assertProblem(nested.get("/nested/elsewhere", "X-Tenant", tenant), 429, "QUEUE_TIMEOUT");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Work.class, NestedGroupsTests.Service.class, Endpoints.class})
    static class Application {}

    /** What tests and requests meet at. */
    static class Work {

        private final Map<String, Gate> entered = new ConcurrentHashMap<>();
        private final Map<String, Gate> gates = new ConcurrentHashMap<>();

        Gate entered(String tenant) {
            return entered.computeIfAbsent(tenant, key -> new Gate());
        }

        Gate gate(String tenant) {
            return gates.computeIfAbsent(tenant, key -> new Gate());
        }
    }

    @RestController
    static class Endpoints {

        private final Work work;
        private final NestedGroupsTests.Service service;

        Endpoints(Work work, NestedGroupsTests.Service service) {
            this.work = work;
            this.service = service;
        }

        @GetMapping("/at-once")
        String atOnce() {
            return "done";
        }

        @GetMapping("/held")
        Mono<String> held(@RequestHeader("X-Tenant") String tenant) {
            work.entered(tenant).open();
            return Mono.fromFuture(CompletableFuture.supplyAsync(
                    () -> {
                        work.gate(tenant).passStubbornly();
                        return "held";
                    },
                    Thread::startVirtualThread));
        }

        @GetMapping("/fails")
        Mono<String> fails() {
            return Mono.error(new IllegalStateException("on purpose"));
        }

        @GetMapping("/throws")
        String throwing() {
            throw new IllegalStateException("on purpose");
        }

        @GetMapping(path = "/streamed", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> streamed() {
            // Without dropping it fails once its client reads too slowly, and gives the permit back.
            return Flux.interval(Duration.ofMillis(1)).onBackpressureDrop().map(i -> "x".repeat(1_000));
        }

        @GetMapping("/nested/blocking")
        String blocking() {
            return service.blocking();
        }

        @GetMapping("/nested/dispatched")
        CompletableFuture<String> dispatched() {
            return service.dispatched();
        }

        @GetMapping("/nested/reactive")
        Mono<String> reactive() {
            return service.reactive();
        }

        @GetMapping("/nested/elsewhere")
        Mono<String> elsewhere() {
            return Mono.fromCallable(service::hasty).subscribeOn(Schedulers.boundedElastic());
        }

        @GetMapping("/nested/own-thread")
        Mono<String> ownThread(ServerWebExchange exchange) {
            GroupPermit permit = exchange.getRequiredAttribute(RequestGroupKey.PERMIT_ATTRIBUTE);
            CompletableFuture<String> done = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try {
                    done.complete(permit.call(service::blocking));
                } catch (Exception failure) {
                    done.completeExceptionally(failure);
                }
            });
            return Mono.fromFuture(done);
        }
    }
}
