package io.github.kobe.spring.web;

import static io.github.kobe.spring.web.WebServer.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupStats;
import io.github.kobe.spring.testing.Gate;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;

/** The filter in a real Tomcat, on threads of both kinds. */
class GroupConcurrencyFilterTests {

    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private static WebServer start(boolean virtual, String... settings) {
        return start(Application.class, virtual, settings);
    }

    private static WebServer start(Class<?> application, boolean virtual, String... settings) {
        List<String> all = new ArrayList<>(List.of(
                "spring.threads.virtual.enabled=" + virtual,
                "group-concurrency.web.filter.enabled=true",
                "group-concurrency.web.filter.header=X-Tenant"));
        all.addAll(List.of(settings));
        return new WebServer(application, all.toArray(String[]::new));
    }

    private static CompletableFuture<HttpResponse<String>> ask(WebServer server, String path, String tenant) {
        return server.getAsync(path, "X-Tenant", tenant);
    }

    private static int inFlight(WebServer server, String tenant) {
        return server.executor()
                .groupStats("http:" + tenant)
                .map(GroupStats::inFlight)
                .orElse(0);
    }

    private static void awaitQueued(WebServer server, String tenant, int queued) {
        await().untilAsserted(() -> assertThat(server.executor().groupStats("http:" + tenant))
                .hasValueSatisfying(group -> assertThat(group.queued()).isEqualTo(queued)));
    }

    private static void assertOk(CompletableFuture<HttpResponse<String>> answer, String body) {
        assertThat(answer).succeedsWithin(DEADLINE).satisfies(response -> {
            assertThat(response.body()).isEqualTo(body);
            assertThat(response.statusCode()).isEqualTo(200);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void requestsOfOneKeyWaitForEachOtherAndNoOthers(boolean virtual) {
        try (WebServer server = start(virtual)) {
            CompletableFuture<HttpResponse<String>> first = ask(server, "/held", "a");
            server.bean(Work.class).entered("a").pass();
            CompletableFuture<HttpResponse<String>> second = ask(server, "/at-once", "a");
            awaitQueued(server, "a", 1);

            assertOk(ask(server, "/at-once", "b"), "done");
            assertOk(server.getAsync("/at-once"), "done");
            assertThat(second).isNotDone();
            server.bean(Work.class).gate("a").open();

            assertOk(first, "held");
            assertOk(second, "done");
            await().until(() -> inFlight(server, "a") == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void neverMoreOfAKeyThanItsLimitAreInside(boolean virtual) {
        try (WebServer server =
                start(virtual, "group-concurrency.groups[http:*].max-concurrency=3", "server.tomcat.threads.max=8")) {
            List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                answers.add(ask(server, i % 2 == 0 ? "/counted" : "/counted-later", "a"));
            }

            answers.forEach(answer -> assertOk(answer, "counted"));

            assertThat(server.bean(Work.class).most.get()).isBetween(1, 3);
            await().until(() -> inFlight(server, "a") == 0);
            assertThat(server.executor()
                            .groupStats("http:a")
                            .orElseThrow()
                            .totals()
                            .submitted())
                    .isEqualTo(40);
        }
    }

    @Test
    void waitingRequestsHoldNoPlatformThread() {
        try (WebServer server = start(false, "server.tomcat.threads.max=2")) {
            CompletableFuture<HttpResponse<String>> first = ask(server, "/held", "a");
            server.bean(Work.class).entered("a").pass();
            List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                waiting.add(ask(server, "/at-once", "a"));
            }
            awaitQueued(server, "a", 6);

            assertOk(ask(server, "/at-once", "b"), "done");

            server.bean(Work.class).gate("a").open();
            assertOk(first, "held");
            waiting.forEach(answer -> assertOk(answer, "done"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFullQueueIsAnsweredWithItsProblem(boolean virtual) throws Exception {
        try (WebServer server = start(virtual, "group-concurrency.defaults.queue-threshold=0")) {
            CompletableFuture<HttpResponse<String>> first = ask(server, "/held", "a");
            server.bean(Work.class).entered("a").pass();

            assertProblem(server.get("/at-once", "X-Tenant", "a"), 429, "GROUP_QUEUE_FULL");

            server.bean(Work.class).gate("a").open();
            assertOk(first, "held");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRequestThatWaitedTooLongIsAnsweredWithItsProblem(boolean virtual) throws Exception {
        try (WebServer server = start(virtual, "group-concurrency.defaults.queue-timeout=50ms")) {
            CompletableFuture<HttpResponse<String>> first = ask(server, "/held", "a");
            server.bean(Work.class).entered("a").pass();

            assertProblem(server.get("/at-once", "X-Tenant", "a"), 429, "QUEUE_TIMEOUT");

            server.bean(Work.class).gate("a").open();
            assertOk(first, "held");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void afterAndWhileTheExecutorShutsDownTheServiceIsUnavailable(boolean virtual) throws Exception {
        try (WebServer server = start(virtual)) {
            CompletableFuture<HttpResponse<String>> first = ask(server, "/held", "a");
            server.bean(Work.class).entered("a").pass();
            CompletableFuture<HttpResponse<String>> waiting = ask(server, "/at-once", "a");
            awaitQueued(server, "a", 1);

            server.executor().shutdown();

            assertProblem(waiting.get(20, TimeUnit.SECONDS), 503, "SHUTDOWN");
            assertProblem(server.get("/at-once", "X-Tenant", "b"), 503, "SHUTDOWN");
            server.bean(Work.class).gate("a").open();
            assertOk(first, "held");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "true, /later, 200",
        "false, /later, 200",
        "true, /later-fails, 500",
        "false, /later-fails, 500",
        "true, /timed-out, 503",
        "false, /timed-out, 503",
        "true, /throws, 500",
        "false, /throws, 500"
    })
    void thePermitIsHeldUntilTheRequestIsCompleteHoweverItEnds(boolean virtual, String path, int status) {
        try (WebServer server = start(virtual)) {
            CompletableFuture<HttpResponse<String>> first = ask(server, path, "a");
            server.bean(Work.class).entered("a").pass();
            // The second waits, and so goes through the dispatch that a wait ends with, into the same work.
            CompletableFuture<HttpResponse<String>> second = ask(server, path, "a");
            awaitQueued(server, "a", 1);
            assertThat(inFlight(server, "a")).isEqualTo(1);

            server.bean(Work.class).gate("a").open();

            for (CompletableFuture<HttpResponse<String>> answer : List.of(first, second)) {
                assertThat(answer)
                        .succeedsWithin(DEADLINE)
                        .satisfies(response -> assertThat(response.statusCode()).isEqualTo(status));
            }
            await().until(() -> inFlight(server, "a") == 0);
            assertOk(ask(server, "/at-once", "a"), "done");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClientThatGoesAwayLeavesItsPermit(boolean virtual) throws Exception {
        try (WebServer server = start(virtual)) {
            try (Socket client = new Socket("localhost", server.port())) {
                client.getOutputStream()
                        .write("GET /streamed HTTP/1.1\r\nHost: localhost\r\nX-Tenant: a\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                client.getOutputStream().flush();
                assertThat(client.getInputStream().read()).isEqualTo('H');
                assertThat(inFlight(server, "a")).isEqualTo(1);
                client.setSoLinger(true, 0);
            }

            ResponseBodyEmitter stream = server.bean(Work.class).stream.get(20, TimeUnit.SECONDS);
            await().until(() -> {
                try {
                    stream.send("x".repeat(10_000));
                    return false;
                } catch (IOException | IllegalStateException gone) {
                    return true;
                }
            });

            await().until(() -> inFlight(server, "a") == 0);
            assertOk(ask(server, "/at-once", "a"), "done");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRequestThatWaitedStillHasItsBody(boolean virtual) {
        try (WebServer server = start(virtual)) {
            CompletableFuture<HttpResponse<String>> first = ask(server, "/held", "a");
            server.bean(Work.class).entered("a").pass();
            CompletableFuture<HttpResponse<String>> second = server.postAsync("/echo", "the body", "X-Tenant", "a");
            awaitQueued(server, "a", 1);
            server.bean(Work.class).gate("a").open();

            assertOk(first, "held");
            assertOk(second, "the body");
        }
    }

    @Test
    void whereAFilterCannotBeAsynchronousTheThreadWaits() {
        try (WebServer server = start(WithoutAsync.class, false)) {
            CompletableFuture<HttpResponse<String>> first = ask(server, "/held", "a");
            server.bean(Work.class).entered("a").pass();
            CompletableFuture<HttpResponse<String>> second = ask(server, "/at-once", "a");
            awaitQueued(server, "a", 1);
            server.bean(Work.class).gate("a").open();

            assertOk(first, "held");
            assertOk(second, "done");
            await().until(() -> inFlight(server, "a") == 0);
        }
    }

    /** "inside" marks filters behind the limit; one of the container's own kind can't see a request that waited there. */
    @ParameterizedTest
    @CsvSource({
        "true, 2147483647, early late plain",
        "false, 2147483647, early late plain",
        "true, -1000, early late-inside plain-inside",
        "false, -1000, early late-inside"
    })
    void filtersBeforeAndBehindSeeARequestThatWaitedOnce(boolean virtual, int order, String marks) {
        try (WebServer server = start(Filtered.class, virtual, "group-concurrency.web.filter.order=" + order)) {
            CompletableFuture<HttpResponse<String>> first = ask(server, "/held", "a");
            server.bean(Work.class).entered("a").pass();
            CompletableFuture<HttpResponse<String>> second =
                    server.getAsync("/seen", "X-Tenant", "a", "X-Request-Id", "17");
            awaitQueued(server, "a", 1);
            server.bean(Work.class).gate("a").open();

            assertOk(first, "held");
            assertOk(second, marks + ", request 17");
        }
    }

    @Test
    void theLoggingContextOfARequestThatWaitedIsGoneAfterIt() {
        try (WebServer server = start(Filtered.class, false, "server.tomcat.threads.max=1")) {
            GroupPermit permit = server.executor()
                    .acquireAsync("http:a")
                    .toCompletableFuture()
                    .join();
            CompletableFuture<HttpResponse<String>> waiting =
                    server.getAsync("/seen", "X-Tenant", "a", "X-Request-Id", "17");
            awaitQueued(server, "a", 1);
            permit.close();
            assertOk(waiting, "early late plain, request 17");

            assertOk(server.getAsync("/seen"), "early late plain, request null");
        }
    }

    @Test
    void theKeyMayBeAVariableOfThePath() {
        try (WebServer server = new WebServer(
                Application.class,
                "group-concurrency.web.filter.enabled=true",
                "group-concurrency.web.filter.path-pattern=/tenants/{tenant}/**",
                "group-concurrency.web.filter.key-prefix=tenant:")) {
            assertOk(server.getAsync("/tenants/%E7%A7%9F%E6%88%B7/reports"), "reports");
            assertOk(server.getAsync("/at-once"), "done");

            assertThat(server.executor().groupKeys()).containsExactly("tenant:租户");
        }
    }

    @Test
    void theKeyMayComeFromABean() {
        try (WebServer server = start(OwnKey.class, true)) {
            assertOk(server.getAsync("/at-once"), "done");

            assertThat(server.executor().groupKeys()).containsExactly("method:GET");
        }
    }

    @Test
    void otherPathsThanThoseNamedAreNotLimited() {
        try (WebServer server = start(
                false, "group-concurrency.web.filter.paths=/tenants/**,/held", "server.servlet.context-path=/app")) {
            assertOk(ask(server, "/app/at-once", "a"), "done");
            assertThat(server.executor().groupKeys()).isEmpty();

            assertOk(ask(server, "/app/tenants/x/reports", "a"), "reports");
            assertThat(server.executor().groupKeys()).containsExactly("http:a");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void aRequestWithoutAKeyIsNotLimited(String tenant) {
        try (WebServer server = start(false)) {
            assertOk(ask(server, "/at-once", tenant), "done");

            assertThat(server.executor().groupKeys()).isEmpty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Work.class, Endpoints.class})
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class OwnKey {

        @Bean
        RequestGroupKey byMethod() {
            return request -> "method:" + request.getMethod();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class WithoutAsync {

        @Bean
        FilterRegistrationBean<Filter> old() {
            FilterRegistrationBean<Filter> registration =
                    new FilterRegistrationBean<>((request, response, chain) -> chain.doFilter(request, response));
            registration.setAsyncSupported(false);
            return registration;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class Filtered {

        @Bean
        OncePerRequestFilter early() {
            return new EarlyMarking();
        }

        @Bean
        OncePerRequestFilter late() {
            return new Marking("late");
        }

        @Bean
        Filter plain() {
            return (request, response, chain) -> {
                mark(request, "plain");
                chain.doFilter(request, response);
            };
        }
    }

    private static void mark(ServletRequest request, String mark) {
        Object before = request.getAttribute("marks");
        boolean inside = request.getAttribute(GroupConcurrencyFilter.class.getName() + ".turn") != null;
        request.setAttribute("marks", (before == null ? "" : before + " ") + mark + (inside ? "-inside" : ""));
    }

    /** Writes down that it was passed; the first has the request's id in the logging context. */
    private static class Marking extends OncePerRequestFilter {

        private final String mark;

        Marking(String mark) {
            this.mark = mark;
        }

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            boolean first = request.getAttribute("marks") == null;
            mark(request, mark);
            if (first && request.getHeader("X-Request-Id") != null) {
                MDC.put("request", request.getHeader("X-Request-Id"));
            }
            try {
                chain.doFilter(request, response);
            } finally {
                if (first) {
                    MDC.remove("request");
                }
            }
        }
    }

    private static final class EarlyMarking extends Marking implements Ordered {

        EarlyMarking() {
            super("early");
        }

        @Override
        public int getOrder() {
            return -2000;
        }
    }

    /** What tests and requests meet at. */
    static class Work {

        private final Map<String, Gate> entered = new ConcurrentHashMap<>();
        private final Map<String, Gate> gates = new ConcurrentHashMap<>();
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();
        private final CompletableFuture<ResponseBodyEmitter> stream = new CompletableFuture<>();

        Gate entered(String tenant) {
            return entered.computeIfAbsent(tenant, key -> new Gate());
        }

        Gate gate(String tenant) {
            return gates.computeIfAbsent(tenant, key -> new Gate());
        }

        void enter() {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
        }

        void leave() {
            inside.decrementAndGet();
        }
    }

    @RestController
    static class Endpoints {

        private final Work work;

        Endpoints(Work work) {
            this.work = work;
        }

        @GetMapping("/at-once")
        String atOnce() {
            return "done";
        }

        @GetMapping("/held")
        String held(HttpServletRequest request) {
            String tenant = request.getHeader("X-Tenant");
            work.entered(tenant).open();
            work.gate(tenant).pass();
            return "held";
        }

        @GetMapping("/throws")
        String fails(HttpServletRequest request) {
            held(request);
            throw new IllegalStateException("on purpose");
        }

        @GetMapping("/later")
        DeferredResult<String> later(HttpServletRequest request) {
            DeferredResult<String> result = new DeferredResult<>();
            String tenant = request.getHeader("X-Tenant");
            work.entered(tenant).open();
            Thread.ofVirtual().start(() -> {
                work.gate(tenant).pass();
                result.setResult("later");
            });
            return result;
        }

        @GetMapping("/later-fails")
        DeferredResult<String> laterFails(HttpServletRequest request) {
            DeferredResult<String> result = new DeferredResult<>();
            String tenant = request.getHeader("X-Tenant");
            work.entered(tenant).open();
            Thread.ofVirtual().start(() -> {
                work.gate(tenant).pass();
                result.setErrorResult(new IllegalStateException("on purpose"));
            });
            return result;
        }

        @GetMapping("/timed-out")
        DeferredResult<String> timedOut(HttpServletRequest request) {
            String tenant = request.getHeader("X-Tenant");
            work.entered(tenant).open();
            work.gate(tenant).pass();
            return new DeferredResult<>(1L);
        }

        @GetMapping(path = "/streamed", produces = MediaType.TEXT_PLAIN_VALUE)
        ResponseBodyEmitter streamed() throws IOException {
            ResponseBodyEmitter emitter = new ResponseBodyEmitter(0L);
            emitter.send("first");
            work.stream.complete(emitter);
            return emitter;
        }

        @PostMapping("/echo")
        String echo(@RequestBody String body) {
            return body;
        }

        @GetMapping("/seen")
        String seen(HttpServletRequest request) {
            assertThat(request.getDispatcherType()).isEqualTo(DispatcherType.REQUEST);
            return request.getAttribute("marks") + ", request " + MDC.get("request");
        }

        @GetMapping("/counted")
        String counted() {
            work.enter();
            try {
                return "counted";
            } finally {
                work.leave();
            }
        }

        @GetMapping("/counted-later")
        CompletableFuture<String> countedLater() {
            work.enter();
            return CompletableFuture.supplyAsync(() -> {
                work.leave();
                return "counted";
            });
        }

        @GetMapping("/tenants/{tenant}/reports")
        String reports(@PathVariable String tenant) {
            return "reports";
        }
    }
}
