package io.github.kobe.spring.web;

import static io.github.kobe.spring.web.WebServer.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupStats;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
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
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;

/** The filter in a real Tomcat, on threads of both kinds. Most tests share one of each, and have a tenant of their own. */
class GroupConcurrencyFilterTests {

    /** What holds for the tenants whose names begin so. */
    private static final String[] SHARED_SETTINGS = {
        "server.tomcat.threads.max=8",
        "group-concurrency.groups[http:three-*].max-concurrency=3",
        "group-concurrency.groups[http:full-*].queue-threshold=0",
        "group-concurrency.groups[http:hasty-*].queue-timeout=50ms"
    };

    private static final AtomicInteger TENANTS = new AtomicInteger();

    private static WebServer onVirtualThreads;
    private static WebServer onPlatformThreads;

    private final String tenant = "tenant-" + TENANTS.incrementAndGet();

    @BeforeAll
    static void start() {
        onVirtualThreads = start(true, SHARED_SETTINGS);
        onPlatformThreads = start(false, SHARED_SETTINGS);
    }

    @AfterAll
    static void stop() {
        onVirtualThreads.close();
        onPlatformThreads.close();
    }

    private static WebServer shared(boolean virtual) {
        return virtual ? onVirtualThreads : onPlatformThreads;
    }

    private static WebServer start(boolean virtual, String... settings) {
        return start(Application.class, virtual, settings);
    }

    private static WebServer start(Class<?> application, boolean virtual, String... settings) {
        List<String> all = new ArrayList<>(List.of(
                "spring.threads.virtual.enabled=" + virtual,
                "group-concurrency.web.filter.enabled=true",
                "group-concurrency.web.filter.rules[0].key-source=header",
                "group-concurrency.web.filter.rules[0].name=X-Tenant",
                "group-concurrency.web.filter.rules[0].missing-key=pass"));
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
        Deadline.untilAsserted(() -> assertThat(server.executor().groupStats("http:" + tenant))
                .hasValueSatisfying(group -> assertThat(group.queued()).isEqualTo(queued)));
    }

    private static void assertOk(CompletableFuture<HttpResponse<String>> answer, String body) {
        assertThat(answer).succeedsWithin(Deadline.LONG).satisfies(response -> {
            assertThat(response.body()).isEqualTo(body);
            assertThat(response.statusCode()).isEqualTo(200);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void requestsOfOneKeyWaitForEachOtherAndNoOthers(boolean virtual) throws Exception {
        WebServer server = shared(virtual);
        CompletableFuture<HttpResponse<String>> first = ask(server, "/held", tenant);
        server.bean(Work.class).entered(tenant).pass();
        CompletableFuture<HttpResponse<String>> second = ask(server, "/at-once", tenant);
        awaitQueued(server, tenant, 1);

        assertOk(ask(server, "/at-once", tenant + "-b"), "done");
        assertOk(server.getAsync("/at-once"), "done");
        assertThat(second).isNotDone();
        server.bean(Work.class).gate(tenant).open();

        assertOk(first, "held");
        assertOk(second, "done");
        Deadline.until("the permits are back", () -> inFlight(server, tenant) == 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void neverMoreOfAKeyThanItsLimitAreInside(boolean virtual) {
        String three = "three-" + tenant;
        WebServer server = shared(virtual);
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            answers.add(ask(server, i % 2 == 0 ? "/counted" : "/counted-later", three));
        }

        answers.forEach(answer -> assertOk(answer, "counted"));

        assertThat(server.bean(Work.class).most.get()).isBetween(1, 3);
        Deadline.until("the permits are back", () -> inFlight(server, three) == 0);
        assertThat(server.executor()
                        .groupStats("http:" + three)
                        .orElseThrow()
                        .totals()
                        .submitted())
                .isEqualTo(40);
    }

    @Test
    void waitingRequestsHoldNoPlatformThread() throws Exception {
        try (WebServer server = start(false, "server.tomcat.threads.max=2")) {
            CompletableFuture<HttpResponse<String>> first = ask(server, "/held", tenant);
            server.bean(Work.class).entered(tenant).pass();
            List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                waiting.add(ask(server, "/at-once", tenant));
            }
            awaitQueued(server, tenant, 6);

            assertOk(ask(server, "/at-once", tenant + "-b"), "done");

            server.bean(Work.class).gate(tenant).open();
            assertOk(first, "held");
            waiting.forEach(answer -> assertOk(answer, "done"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFullQueueIsAnsweredWithItsProblem(boolean virtual) throws Exception {
        String full = "full-" + tenant;
        WebServer server = shared(virtual);
        CompletableFuture<HttpResponse<String>> first = ask(server, "/held", full);
        server.bean(Work.class).entered(full).pass();

        assertProblem(server.get("/at-once", "X-Tenant", full), 429, "GROUP_QUEUE_FULL");

        server.bean(Work.class).gate(full).open();
        assertOk(first, "held");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRequestThatWaitedTooLongIsAnsweredWithItsProblem(boolean virtual) throws Exception {
        String hasty = "hasty-" + tenant;
        WebServer server = shared(virtual);
        CompletableFuture<HttpResponse<String>> first = ask(server, "/held", hasty);
        server.bean(Work.class).entered(hasty).pass();

        assertProblem(server.get("/at-once", "X-Tenant", hasty), 429, "QUEUE_TIMEOUT");

        server.bean(Work.class).gate(hasty).open();
        assertOk(first, "held");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void afterAndWhileTheExecutorShutsDownTheServiceIsUnavailable(boolean virtual) throws Exception {
        try (WebServer server = start(virtual)) {
            CompletableFuture<HttpResponse<String>> first = ask(server, "/held", tenant);
            server.bean(Work.class).entered(tenant).pass();
            CompletableFuture<HttpResponse<String>> waiting = ask(server, "/at-once", tenant);
            awaitQueued(server, tenant, 1);

            server.executor().shutdown();

            assertProblem(waiting.get(Deadline.SECONDS, TimeUnit.SECONDS), 503, "SHUTDOWN");
            assertProblem(server.get("/at-once", "X-Tenant", tenant + "-b"), 503, "SHUTDOWN");
            server.bean(Work.class).gate(tenant).open();
            assertOk(first, "held");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "true, /later, 200",
        "false, /later, 200",
        "true, /later-fails, 500",
        "false, /later-fails, 500",
        "false, /timed-out, 503",
        "true, /throws, 500",
        "false, /throws, 500"
    })
    void thePermitIsHeldUntilTheRequestIsCompleteHoweverItEnds(boolean virtual, String path, int status)
            throws Exception {
        WebServer server = shared(virtual);
        CompletableFuture<HttpResponse<String>> first = ask(server, path, tenant);
        server.bean(Work.class).entered(tenant).pass();
        // The second waits, and so goes through the dispatch that a wait ends with, into the same work.
        CompletableFuture<HttpResponse<String>> second = ask(server, path, tenant);
        awaitQueued(server, tenant, 1);
        assertThat(inFlight(server, tenant)).isEqualTo(1);

        server.bean(Work.class).gate(tenant).open();

        for (CompletableFuture<HttpResponse<String>> answer : List.of(first, second)) {
            assertThat(answer)
                    .succeedsWithin(Deadline.LONG)
                    .satisfies(response -> assertThat(response.statusCode()).isEqualTo(status));
        }
        Deadline.until("the permits are back", () -> inFlight(server, tenant) == 0);
        assertThat(server.executor()
                        .groupStats("http:" + tenant)
                        .orElseThrow()
                        .totals()
                        .failed())
                .isEqualTo(status >= 500 ? 2 : 0);
        assertOk(ask(server, "/at-once", tenant), "done");
    }

    /** Apart, since Tomcat looks for time-outs once a second. */
    @Test
    @Tag("deep")
    void aTimeOutOfARequestOnAVirtualThreadIsAnEndToo() throws Exception {
        thePermitIsHeldUntilTheRequestIsCompleteHoweverItEnds(true, "/timed-out", 503);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClientThatGoesAwayLeavesItsPermit(boolean virtual) throws Exception {
        WebServer server = shared(virtual);
        try (Socket client = new Socket("localhost", server.port())) {
            client.getOutputStream()
                    .write("GET /streamed HTTP/1.1\r\nHost: localhost\r\nX-Tenant: %s\r\n\r\n"
                            .formatted(tenant)
                            .getBytes(StandardCharsets.US_ASCII));
            client.getOutputStream().flush();
            assertThat(client.getInputStream().read()).isEqualTo('H');
            assertThat(inFlight(server, tenant)).isEqualTo(1);
            client.setSoLinger(true, 0);
        }

        Streamed streamed = server.bean(Work.class).streamed(tenant).get(Deadline.SECONDS, TimeUnit.SECONDS);
        // Until then a write that fails may be overlooked by Tomcat, which then never completes the request.
        Deadline.until("the thread has left the request", streamed::isLeftByItsThread);
        Deadline.until("the client is gone", () -> {
            try {
                streamed.emitter().send("x".repeat(10_000));
                return false;
            } catch (IOException | IllegalStateException gone) {
                return true;
            }
        });

        Deadline.until("the permits are back", () -> inFlight(server, tenant) == 0);
        assertOk(ask(server, "/at-once", tenant), "done");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRequestThatWaitedStillHasItsBody(boolean virtual) throws Exception {
        WebServer server = shared(virtual);
        CompletableFuture<HttpResponse<String>> first = ask(server, "/held", tenant);
        server.bean(Work.class).entered(tenant).pass();
        CompletableFuture<HttpResponse<String>> second = server.postAsync("/echo", "the body", "X-Tenant", tenant);
        awaitQueued(server, tenant, 1);
        server.bean(Work.class).gate(tenant).open();

        assertOk(first, "held");
        assertOk(second, "the body");
    }

    @Test
    void whereAFilterCannotBeAsynchronousTheThreadWaits() throws Exception {
        try (WebServer server = start(WithoutAsync.class, false)) {
            CompletableFuture<HttpResponse<String>> first = ask(server, "/held", tenant);
            server.bean(Work.class).entered(tenant).pass();
            CompletableFuture<HttpResponse<String>> second = ask(server, "/at-once", tenant);
            awaitQueued(server, tenant, 1);
            server.bean(Work.class).gate(tenant).open();

            assertOk(first, "held");
            assertOk(second, "done");
            Deadline.until("the permits are back", () -> inFlight(server, tenant) == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aForwardOfARequestThatIsOverIsOutsideOfItsPermit(boolean virtual) throws Exception {
        try (WebServer server = start(WithAPageForFailures.class, virtual)) {
            CompletableFuture<HttpResponse<String>> failed = ask(server, "/throws", tenant);
            server.bean(Work.class).entered(tenant).pass();
            server.bean(Work.class).gate(tenant).open();

            assertOk(failed, "done");
            Deadline.until("the permits are back", () -> inFlight(server, tenant) == 0);
        }
    }

    @Test
    void aRequestThatCannotBecomeAsynchronousLeavesTheQueue() throws Exception {
        try (WebServer server = start(RefusingAsync.class, false)) {
            CompletableFuture<HttpResponse<String>> first = ask(server, "/held", tenant);
            server.bean(Work.class).entered(tenant).pass();
            assertThat(server.get("/at-once", "X-Tenant", tenant, "X-Refuse", "yes")
                            .statusCode())
                    .isEqualTo(500);
            assertThat(server.executor()
                            .groupStats("http:" + tenant)
                            .orElseThrow()
                            .queued())
                    .isZero();
            server.bean(Work.class).gate(tenant).open();

            assertOk(first, "held");
            assertOk(ask(server, "/at-once", tenant), "done");
        }
    }

    @Test
    void theThreadOfARequestThatIsAsynchronousAlreadyWaits() throws Exception {
        try (WebServer server = start(StartingAsync.class, false)) {
            CompletableFuture<HttpResponse<String>> first = ask(server, "/held", tenant);
            server.bean(Work.class).entered(tenant).pass();
            CompletableFuture<HttpResponse<String>> second =
                    server.getAsync("/at-once", "X-Tenant", tenant, "X-Start", "yes");
            awaitQueued(server, tenant, 1);
            server.bean(Work.class).gate(tenant).open();

            assertOk(first, "held");
            assertOk(second, "done");
            Deadline.until("the permits are back", () -> inFlight(server, tenant) == 0);
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
    void filtersBeforeAndBehindSeeARequestThatWaitedOnce(boolean virtual, int order, String marks) throws Exception {
        try (WebServer server = start(Filtered.class, virtual, "group-concurrency.web.filter.order=" + order)) {
            CompletableFuture<HttpResponse<String>> first = ask(server, "/held", tenant);
            server.bean(Work.class).entered(tenant).pass();
            CompletableFuture<HttpResponse<String>> second =
                    server.getAsync("/seen", "X-Tenant", tenant, "X-Request-Id", "17");
            awaitQueued(server, tenant, 1);
            server.bean(Work.class).gate(tenant).open();

            assertOk(first, "held");
            assertOk(second, marks + ", request 17");
        }
    }

    @Test
    void theLoggingContextOfARequestThatWaitedIsGoneAfterIt() {
        try (WebServer server = start(Filtered.class, false, "server.tomcat.threads.max=1")) {
            GroupPermit permit = server.executor()
                    .acquireAsync("http:" + tenant)
                    .toCompletableFuture()
                    .orTimeout(Deadline.SECONDS, TimeUnit.SECONDS)
                    .join();
            CompletableFuture<HttpResponse<String>> waiting =
                    server.getAsync("/seen", "X-Tenant", tenant, "X-Request-Id", "17");
            awaitQueued(server, tenant, 1);
            permit.close();
            assertOk(waiting, "early late plain, request 17");

            assertOk(server.getAsync("/seen"), "early late plain, request null");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void aRequestWithoutAKeyIsNotLimited(String none) throws Exception {
        WebServer server = shared(false);
        // A request that is answered may still have its permit.
        assertThat(server.executor().awaitQuiet(Deadline.LONG)).isTrue();
        long before = server.executor().stats().totals().submitted();
        assertOk(ask(server, "/at-once", none), "done");

        assertThat(server.executor().stats().totals().submitted()).isEqualTo(before);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Work.class, Endpoints.class})
    static class Application {}

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
    static class WithAPageForFailures {

        @Bean
        Filter forwarding() {
            return (request, response, chain) -> {
                try {
                    chain.doFilter(request, response);
                } catch (ServletException failure) {
                    request.getRequestDispatcher("/at-once").forward(request, response);
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class RefusingAsync {

        @Bean
        Filter refusing() {
            return (request, response, chain) -> chain.doFilter(
                    new HttpServletRequestWrapper((HttpServletRequest) request) {
                        @Override
                        public AsyncContext startAsync(ServletRequest inner, ServletResponse answer) {
                            if (getHeader("X-Refuse") != null) {
                                throw new IllegalStateException("on purpose");
                            }
                            return super.startAsync(inner, answer);
                        }
                    },
                    response);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class StartingAsync {

        /** As one that measures how long all of it took. */
        @Bean
        Filter starting() {
            return (request, response, chain) -> {
                boolean starts = ((HttpServletRequest) request).getHeader("X-Start") != null;
                AsyncContext context = starts ? request.startAsync(request, response) : null;
                chain.doFilter(request, response);
                if (context != null) {
                    context.complete();
                }
            };
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

    /** A request that goes on without the thread that it came in on. */
    record Streamed(ResponseBodyEmitter emitter, Thread thread) {

        boolean isLeftByItsThread() {
            return Stream.of(thread.getStackTrace())
                    .noneMatch(frame -> frame.getClassName().startsWith("org.apache.coyote."));
        }
    }

    /** What tests and requests meet at. */
    static class Work {

        private final Map<String, Gate> entered = new ConcurrentHashMap<>();
        private final Map<String, Gate> gates = new ConcurrentHashMap<>();
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();
        private final Map<String, CompletableFuture<Streamed>> streamed = new ConcurrentHashMap<>();

        Gate entered(String tenant) {
            return entered.computeIfAbsent(tenant, key -> new Gate());
        }

        Gate gate(String tenant) {
            return gates.computeIfAbsent(tenant, key -> new Gate());
        }

        CompletableFuture<Streamed> streamed(String tenant) {
            return streamed.computeIfAbsent(tenant, key -> new CompletableFuture<>());
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
        String held(HttpServletRequest request) throws InterruptedException {
            String tenant = request.getHeader("X-Tenant");
            work.entered(tenant).open();
            work.gate(tenant).pass();
            return "held";
        }

        @GetMapping("/throws")
        String fails(HttpServletRequest request) throws InterruptedException {
            held(request);
            throw new IllegalStateException("on purpose");
        }

        @GetMapping("/later")
        DeferredResult<String> later(HttpServletRequest request) {
            DeferredResult<String> result = new DeferredResult<>();
            String tenant = request.getHeader("X-Tenant");
            work.entered(tenant).open();
            Thread.ofVirtual().start(() -> {
                work.gate(tenant).passStubbornly();
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
                work.gate(tenant).passStubbornly();
                result.setErrorResult(new IllegalStateException("on purpose"));
            });
            return result;
        }

        @GetMapping("/timed-out")
        DeferredResult<String> timedOut(HttpServletRequest request) throws InterruptedException {
            String tenant = request.getHeader("X-Tenant");
            work.entered(tenant).open();
            work.gate(tenant).pass();
            return new DeferredResult<>(1L);
        }

        @GetMapping(path = "/streamed", produces = MediaType.TEXT_PLAIN_VALUE)
        ResponseBodyEmitter streamed(HttpServletRequest request) throws IOException {
            ResponseBodyEmitter emitter = new ResponseBodyEmitter(0L);
            emitter.send("first");
            work.streamed(request.getHeader("X-Tenant")).complete(new Streamed(emitter, Thread.currentThread()));
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
    }
}
