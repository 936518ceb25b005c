package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupStats;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskTotals;
import io.github.kobe.spring.testing.NeededAutoConfigurations;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Until when a request has its permit, and until when it may begin, for servlets and for WebFlux. */
class HoldAndDeadlineTests {

    private static final String[] SETTINGS = {
        NeededAutoConfigurations.SETTING + "=METRICS",
        "spring.threads.virtual.enabled=false",
        "server.tomcat.threads.max=2",
        "group-concurrency.web.filter.enabled=true",
        "group-concurrency.web.filter.rules[0].paths=/events/{key},/raw/{way}/{key},/broken/{key}",
        "group-concurrency.web.filter.rules[0].key-source=path",
        "group-concurrency.web.filter.rules[0].name=key",
        "group-concurrency.web.filter.rules[0].hold=until-first-byte",
        "group-concurrency.web.filter.rules[1].paths=/kept/{key},/work/{key}",
        "group-concurrency.web.filter.rules[1].key-source=path",
        "group-concurrency.web.filter.rules[1].name=key",
        "group-concurrency.web.filter.rules[1].deadline-header=X-Deadline",
        "group-concurrency.web.filter.rules[2].limit=false",
    };

    @RegisterExtension
    static final WebServers SERVERS = new WebServers(Application.class, SETTINGS);

    private static final AtomicInteger KEYS = new AtomicInteger();

    private final String key = "key-" + KEYS.incrementAndGet();

    private GroupStats group(WebServer server) {
        return server.executor().groupStats("http:" + key).orElseThrow();
    }

    private static void assertAnswered(CompletableFuture<HttpResponse<String>> answer, int status, String... texts) {
        assertThat(answer).succeedsWithin(Deadline.LONG).satisfies(response -> {
            assertThat(response.statusCode()).isEqualTo(status);
            assertThat(response.body()).contains(texts);
        });
    }

    private static void assertRefused(CompletableFuture<HttpResponse<String>> answer) {
        assertThat(answer)
                .succeedsWithin(Deadline.LONG)
                .satisfies(response -> WebServer.assertProblem(response, 429, "QUEUE_TIMEOUT"));
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void aStreamOfEventsHasItsPermitUntilItsFirstByte(WebApplicationType type) {
        WebServer server = SERVERS.of(type);
        Work work = server.bean(Work.class);
        CompletableFuture<HttpResponse<String>> first = server.getAsync("/events/" + key);
        work.entered(key).awaitArrived(1);
        CompletableFuture<HttpResponse<String>> second = server.getAsync("/events/" + key);
        work.entered(key).awaitArrived(2);

        Deadline.until("both permits are back", () -> group(server).inFlight() == 0);
        assertThat(List.of(first, second)).noneMatch(CompletableFuture::isDone);
        work.gate(key).open();

        assertAnswered(first, 200, "first", "last");
        assertAnswered(second, 200, "first", "last");
        assertThat(group(server).totals().succeeded()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void itIsOtherwiseHeldUntilTheRequestIsComplete(WebApplicationType type) {
        WebServer server = SERVERS.of(type);
        Work work = server.bean(Work.class);
        CompletableFuture<HttpResponse<String>> answer = server.getAsync("/kept/" + key);
        work.entered(key).awaitArrived(1);

        assertThat(group(server).inFlight()).isEqualTo(1);
        work.gate(key).open();

        assertAnswered(answer, 200, "first", "last");
        Deadline.until("the permit is back", () -> group(server).inFlight() == 0);
    }

    @ParameterizedTest
    @EnumSource
    void eachWayToBeginAnAnswerIsItsFirstByte(Way way) {
        WebServer server = SERVERS.of(WebApplicationType.SERVLET);
        Work work = server.bean(Work.class);
        CompletableFuture<HttpResponse<String>> answer = server.getAsync("/raw/" + way + "/" + key);
        work.entered(key).awaitArrived(1);
        assertThat(group(server).inFlight()).isEqualTo(1);

        work.gate(key).open();
        Deadline.until("the permit is back", () -> group(server).inFlight() == 0);
        assertThat(answer).isNotDone();
        work.gate(key + " ends").open();

        assertAnswered(answer, way == Way.FAILURE ? 500 : 200, way.text);
        TaskTotals totals = group(server).totals();
        assertThat(totals.succeeded()).isEqualTo(way == Way.FAILURE ? 0 : 1);
        assertThat(totals.failed()).isEqualTo(way == Way.FAILURE ? 1 : 0);
    }

    /** What the handler has written is still in the buffer, and its client never sees it. */
    @Test
    void whatFailsAfterItsFirstByteOnItsOwnThreadHasFailed() {
        WebServer server = SERVERS.of(WebApplicationType.SERVLET);

        assertAnswered(server.getAsync("/broken/" + key), 500, "Internal Server Error");

        Deadline.until("the permit is back", () -> group(server).inFlight() == 0);
        assertThat(group(server).totals().failed()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void whoseDeadlineHasPassedDoesNotBeginAndIsCountedAsRejected(WebApplicationType type) {
        WebServer server = SERVERS.of(type);
        FunctionCounter counter = server.bean(MeterRegistry.class)
                .get("group.executor.rejected")
                .tags("group", "_default", "reason", "queue_timeout")
                .functionCounter();
        double before = counter.count();

        assertRefused(server.getAsync("/work/" + key, "X-Deadline", "0"));
        assertRefused(server.getAsync("/work/" + key, "X-Passed", "true", "X-Deadline", "1H"));

        assertThat(server.bean(Work.class).entered(key).arrived()).isZero();
        assertThat(group(server).totals().rejectedByReason()).containsEntry(RejectionReason.QUEUE_TIMEOUT, 2L);
        assertThat(group(server).totals().submitted()).isEqualTo(2);
        Deadline.until("the meter counts them", () -> counter.count() >= before + 2);
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void whoWaitsLeavesTheQueueAtItsDeadline(WebApplicationType type) {
        WebServer server = SERVERS.of(type);
        Work work = server.bean(Work.class);
        CompletableFuture<HttpResponse<String>> first = server.getAsync("/work/" + key, "X-Deadline", "1H");
        work.entered(key).awaitArrived(1);

        assertRefused(server.getAsync("/work/" + key, "X-Deadline", "50"));
        assertThat(group(server).queued()).isZero();
        CompletableFuture<HttpResponse<String>> unread = server.getAsync("/work/" + key, "X-Deadline", "whenever");
        work.gate(key).open();

        assertAnswered(first, 200, "done");
        assertAnswered(unread, 200, "done");
        assertThat(work.entered(key).arrived()).isEqualTo(2);
    }

    /** It waits without a thread, and when its turn has come, there is none to go on with. */
    @Test
    void whatIsPastItsDeadlineWhenItHasAThreadAgainDoesNotBegin() {
        WebServer server = SERVERS.of(WebApplicationType.SERVLET);
        Work work = server.bean(Work.class);
        CompletableFuture<HttpResponse<String>> first = server.getAsync("/raw/" + Way.STREAM + "/" + key);
        work.entered(key).awaitArrived(1);
        Instant deadline = Instant.now().plus(Duration.ofSeconds(1));
        CompletableFuture<HttpResponse<String>> late =
                server.getAsync("/work/" + key, "X-Deadline", deadline.toString());
        Deadline.until("it waits, or is too late already", () -> group(server).queued() == 1 || late.isDone());
        String busy = key + "-busy";
        List<CompletableFuture<HttpResponse<String>>> others =
                List.of(server.getAsync("/free/" + busy), server.getAsync("/free/" + busy));
        work.entered(busy).awaitArrived(2);
        work.gate(key).open();

        Deadline.until("it is too late", () -> Instant.now().isAfter(deadline));
        work.gate(busy).open();

        assertRefused(late);
        others.forEach(answer -> assertAnswered(answer, 200, "done"));
        work.gate(key + " ends").open();
        assertAnswered(first, 200, Way.STREAM.text);
        assertThat(work.entered(key).arrived()).isEqualTo(1);
        assertThat(group(server).inFlight()).isZero();
    }

    /** How an answer may begin. */
    enum Way {
        STREAM("a") {
            @Override
            void begin(HttpServletResponse response) throws IOException {
                response.getOutputStream().write('a');
            }
        },
        BYTES("ab") {
            @Override
            void begin(HttpServletResponse response) throws IOException {
                response.getOutputStream().write(new byte[] {'a', 'b'});
            }
        },
        CHARACTER("a") {
            @Override
            void begin(HttpServletResponse response) throws IOException {
                response.getWriter().write('a');
            }
        },
        LINE("\n") {
            @Override
            void begin(HttpServletResponse response) throws IOException {
                response.getWriter().println();
            }
        },
        TEXT("ab") {
            @Override
            void begin(HttpServletResponse response) throws IOException {
                response.getWriter().printf("%s", "ab");
            }
        },
        HEADERS("") {
            @Override
            void begin(HttpServletResponse response) throws IOException {
                response.flushBuffer();
            }
        },
        FLUSHED_STREAM("") {
            @Override
            void begin(HttpServletResponse response) throws IOException {
                response.getOutputStream().flush();
            }
        },
        FLUSHED_WRITER("") {
            @Override
            void begin(HttpServletResponse response) throws IOException {
                response.getWriter().flush();
            }
        },
        FAILURE("a") {
            @Override
            void begin(HttpServletResponse response) throws IOException {
                response.setStatus(500);
                response.getOutputStream().write('a');
            }
        };

        private final String text;

        Way(String text) {
            this.text = text;
        }

        abstract void begin(HttpServletResponse response) throws IOException;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Work.class, Endpoints.class, ServletEndpoints.class})
    static class Application {

        private static final Instant PASSED = Instant.EPOCH;

        @Bean
        OncePerRequestFilter deadlines() {
            return new OncePerRequestFilter() {
                @Override
                protected void doFilterInternal(
                        HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                        throws ServletException, IOException {
                    if (request.getHeader("X-Passed") != null) {
                        request.setAttribute(RequestGroupKey.DEADLINE_ATTRIBUTE, PASSED);
                    }
                    chain.doFilter(request, response);
                }
            };
        }

        @Bean
        WebFilter deadlinesOfExchanges() {
            return (exchange, chain) -> {
                if (exchange.getRequest().getHeaders().getFirst("X-Passed") != null) {
                    exchange.getAttributes().put(RequestGroupKey.DEADLINE_ATTRIBUTE, PASSED);
                }
                return chain.filter(exchange);
            };
        }
    }

    /** What tests and requests meet at. */
    static class Work {

        private final Map<String, Gate> entered = new ConcurrentHashMap<>();
        private final Map<String, Gate> gates = new ConcurrentHashMap<>();

        /** Open from the beginning: it counts. */
        Gate entered(String key) {
            return entered.computeIfAbsent(key, name -> {
                Gate open = new Gate();
                open.open();
                return open;
            });
        }

        Gate gate(String key) {
            return gates.computeIfAbsent(key, name -> new Gate());
        }

        Mono<String> passed(String key, String result) {
            return Mono.defer(() -> {
                entered(key).passStubbornly();
                CompletableFuture<String> done = new CompletableFuture<>();
                Thread.ofVirtual().start(() -> {
                    gate(key).passStubbornly();
                    done.complete(result);
                });
                return Mono.fromFuture(done);
            });
        }
    }

    @RestController
    static class Endpoints {

        private final Work work;

        Endpoints(Work work) {
            this.work = work;
        }

        @GetMapping(
                path = {"/events/{key}", "/kept/{key}"},
                produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> events(@PathVariable("key") String key) {
            return Flux.concat(Mono.just("first"), work.passed(key, "last"));
        }

        @GetMapping("/work/{key}")
        Mono<String> done(@PathVariable("key") String key) {
            return work.passed(key, "done");
        }
    }

    /** What only a servlet application has. */
    @RestController
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static class ServletEndpoints {

        private final Work work;

        ServletEndpoints(Work work) {
            this.work = work;
        }

        @GetMapping("/free/{key}")
        String free(@PathVariable("key") String key) {
            work.entered(key).passStubbornly();
            work.gate(key).passStubbornly();
            return "done";
        }

        @GetMapping("/broken/{key}")
        void broken(HttpServletResponse response) throws IOException {
            response.getWriter().print("x");
            throw new IllegalStateException("on purpose");
        }

        @GetMapping("/raw/{way}/{key}")
        void raw(
                @PathVariable("way") Way way,
                @PathVariable("key") String key,
                HttpServletRequest request,
                HttpServletResponse response) {
            AsyncContext async = request.startAsync();
            work.entered(key).passStubbornly();
            Thread.ofVirtual().start(() -> {
                work.gate(key).passStubbornly();
                try {
                    way.begin(response);
                    work.gate(key + " ends").passStubbornly();
                } catch (IOException failure) {
                    throw new UncheckedIOException(failure);
                } finally {
                    async.complete();
                }
            });
        }
    }
}
