package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.scope.CancelledByTimeoutException;
import io.github.kobe.scope.GroupScope;
import io.github.kobe.scope.Scopes;
import io.github.kobe.scope.Subtask;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Scopes that are opened for a request which the filter has let in, or in a reactive method. Each group has a limit of 1. */
class ScopesInRequestsTests {

    private static WebServer server;

    @BeforeAll
    static void start() {
        server = new WebServer(
                Application.class,
                "group-concurrency.web.filter.enabled=true",
                "group-concurrency.web.filter.rules[0].key-source=header",
                "group-concurrency.web.filter.rules[0].name=X-Tenant");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void allPermitsAreBack() throws Exception {
        assertThat(server.executor().awaitQuiet(Deadline.LONG)).isTrue();
        allow(Integer.MAX_VALUE);
    }

    private static void allow(int inFlight) {
        GroupExecutor executor = server.executor();
        executor.updatePolicy(
                executor.policy().toBuilder().globalMaxInFlight(inFlight).build());
    }

    private static String ask(String path) throws Exception {
        return Deadline.within(() -> server.get(path, "X-Tenant", "a")).body();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/forked", "/forked-later"})
    void aForkIntoAnotherGroupRuns(String path) throws Exception {
        assertThat(ask(path + "?group=other")).isEqualTo("forked");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/forked", "/forked-later"})
    void aForkIntoTheGroupOfTheRequestHasTheRequestsPermitWhileThatIsJoined(String path) throws Exception {
        assertThat(ask(path + "?group=http:a")).isEqualTo("forked");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/forked", "/forked-later"})
    void aForkHasThePlaceOfTheOnlyOneThatMayBeInFlight(String path) throws Exception {
        allow(1);
        assertThat(ask(path + "?group=other")).isEqualTo("forked");
    }

    /** On a thread of the application's own the code isn't inside of its request. */
    @Test
    void aForkIntoTheGroupOfTheRequestFromAnotherThreadWaitsUntilItsTimeIsUp() throws Exception {
        assertThat(ask("/forked-elsewhere?group=http:a&millis=200")).isEqualTo("out of time");
        assertThat(ask("/forked-elsewhere?group=other")).isEqualTo("forked");
    }

    @Test
    void aForkIntoTheGroupOfAReactiveMethodWaitsUntilItsTimeIsUp() throws Exception {
        assertThat(ask("/reactive?group=reactive&millis=200")).isEqualTo("out of time");
    }

    @Test
    void aForkIntoTheGroupOfAPermitThatBelongsToNoThreadDoesToo() throws Exception {
        try (GroupPermit permit =
                server.executor().acquireAsync("held").toCompletableFuture().get(Deadline.SECONDS, TimeUnit.SECONDS)) {
            assertThat(permit.groupKey()).isEqualTo("held");
            assertThat(server.bean(Forking.class).fork("held", 200)).isEqualTo("out of time");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Forking.class, Endpoints.class, ReactiveForking.class})
    static class Application {}

    static class Forking {

        private final Scopes scopes;

        Forking(Scopes scopes) {
            this.scopes = scopes;
        }

        String fork(String group, long millis) throws InterruptedException {
            try (GroupScope<String, ?, ExecutionException> scope =
                    scopes.open(change -> change.withTimeout(Duration.ofMillis(millis)))) {
                Subtask<String> fork = scope.fork(group, () -> "forked");
                scope.join();
                return fork.get();
            } catch (ExecutionException failed) {
                assertThat(failed.getCause()).isInstanceOf(CancelledByTimeoutException.class);
                return "out of time";
            }
        }
    }

    static class ReactiveForking {

        private final Forking forking;

        ReactiveForking(Forking forking) {
            this.forking = forking;
        }

        @GroupConcurrent(group = "reactive")
        public Mono<String> fork(String group, long millis) {
            return Mono.fromCallable(() -> forking.fork(group, millis)).subscribeOn(Schedulers.boundedElastic());
        }
    }

    @RestController
    static class Endpoints {

        private final Forking forking;
        private final ReactiveForking reactive;

        Endpoints(Forking forking, ReactiveForking reactive) {
            this.forking = forking;
            this.reactive = reactive;
        }

        @GetMapping("/forked")
        String forked(@RequestParam String group, @RequestParam(defaultValue = "60000") long millis)
                throws InterruptedException {
            return forking.fork(group, millis);
        }

        @GetMapping("/forked-later")
        Callable<String> forkedLater(@RequestParam String group, @RequestParam(defaultValue = "60000") long millis) {
            return () -> forking.fork(group, millis);
        }

        @GetMapping("/forked-elsewhere")
        String forkedElsewhere(@RequestParam String group, @RequestParam(defaultValue = "60000") long millis)
                throws Exception {
            return Deadline.within(() -> forking.fork(group, millis));
        }

        @GetMapping("/reactive")
        String reactive(@RequestParam String group, @RequestParam(defaultValue = "60000") long millis) {
            return reactive.fork(group, millis).block(Duration.ofSeconds(Deadline.SECONDS));
        }
    }
}
