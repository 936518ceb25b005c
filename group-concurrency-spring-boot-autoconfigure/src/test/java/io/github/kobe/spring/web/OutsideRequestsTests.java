package io.github.kobe.spring.web;

import static io.github.kobe.spring.web.WebServer.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.testing.Deadline;
import java.net.http.HttpResponse;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.config.annotation.AsyncSupportConfigurer;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurationSupport;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * What runs for a limited request without being inside of its permit, since the application has threads or a Spring MVC of
 * its own. The request's permit is held all the same, a limited call takes one more of those that all share, and where
 * there is none, it ends with the time-out of its queue, and so does the request.
 */
class OutsideRequestsTests {

    private static WebServer server;

    @BeforeAll
    static void start() {
        server = start(Application.class);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void allPermitsAreBack() throws Exception {
        assertThat(server.executor().awaitQuiet(Deadline.LONG)).isTrue();
    }

    private static WebServer start(Class<?> application) {
        return new WebServer(
                application,
                "group-concurrency.groups[inner].queue-timeout=50ms",
                "group-concurrency.web.filter.enabled=true",
                "group-concurrency.web.filter.rules[0].key-source=header",
                "group-concurrency.web.filter.rules[0].name=X-Tenant");
    }

    /** Says how many may be in flight, over all groups. */
    private static void allow(WebServer server, int inFlight) {
        GroupExecutor executor = server.executor();
        executor.updatePolicy(
                executor.policy().toBuilder().globalMaxInFlight(inFlight).build());
    }

    private static HttpResponse<String> ask(WebServer server, String path) throws Exception {
        return Deadline.within(() -> server.get(path, "X-Tenant", "a"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/thread", "/own-executor", "/awaited", "/task", "/async-method"})
    void aCallOnAThreadOfOnesOwnCountsBesideItsRequest(String path) throws Exception {
        allow(server, 2);

        assertThat(ask(server, path).body()).isEqualTo("1 of http:a, 2 of all");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/thread", "/own-executor", "/awaited", "/task", "/async-method"})
    void whereRequestsHoldAllThatMayBeInFlightItEndsWithItsTimeOut(String path) throws Exception {
        allow(server, 1);

        assertProblem(ask(server, path), 429, "QUEUE_TIMEOUT");
    }

    @Test
    void withEnableWebMvcWhatTheHandlerReturnsIsInside() throws Exception {
        try (WebServer own = start(WithEnableWebMvc.class)) {
            allow(own, 1);

            assertThat(ask(own, "/callable").body()).isEqualTo("1 of http:a, 1 of all");
            assertProblem(ask(own, "/thread"), 429, "QUEUE_TIMEOUT");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {WithOwnMvc.class, WithOwnMvcExecutor.class, WithoutBootsExecutor.class})
    void withAnMvcOrAnExecutorOfOnesOwnItIsOutside(Class<?> application) throws Exception {
        try (WebServer own = start(application)) {
            allow(own, 2);
            assertThat(ask(own, "/callable").body()).isEqualTo("1 of http:a, 2 of all");
            assertThat(own.executor().awaitQuiet(Deadline.LONG)).isTrue();

            allow(own, 1);
            assertProblem(ask(own, "/callable"), 429, "QUEUE_TIMEOUT");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableAsync
    @Import({Service.class, AsyncService.class, Endpoints.class})
    static class Application {

        /** Beside Spring Boot's, which steps back for any that could be meant in its place. */
        @Bean(defaultCandidate = false)
        AsyncTaskExecutor own() {
            return new SimpleAsyncTaskExecutor("own-");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    @EnableWebMvc
    static class WithEnableWebMvc {}

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class WithOwnMvc extends WebMvcConfigurationSupport {}

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class WithOwnMvcExecutor implements WebMvcConfigurer {

        @Override
        public void configureAsyncSupport(AsyncSupportConfigurer configurer) {
            configurer.setTaskExecutor(new SimpleAsyncTaskExecutor("own-mvc-"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class WithoutBootsExecutor {

        @Bean
        ExecutorService reports() {
            return Executors.newCachedThreadPool();
        }
    }

    static class Service {

        private final GroupExecutor executor;

        Service(GroupExecutor executor) {
            this.executor = executor;
        }

        @GroupConcurrent(group = "inner")
        public String inFlight() {
            int ofRequests =
                    executor.groupStats("http:a").map(GroupStats::inFlight).orElseThrow();
            return ofRequests + " of http:a, " + executor.stats().inFlight() + " of all";
        }
    }

    static class AsyncService {

        private final Service service;

        AsyncService(Service service) {
            this.service = service;
        }

        @Async("own")
        public CompletableFuture<String> inFlight() {
            return CompletableFuture.completedFuture(service.inFlight());
        }
    }

    @RestController
    static class Endpoints {

        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        private final Service service;
        private final AsyncService async;

        Endpoints(Service service, AsyncService async) {
            this.service = service;
            this.async = async;
        }

        @GetMapping("/callable")
        Callable<String> callable() {
            return service::inFlight;
        }

        @GetMapping("/thread")
        DeferredResult<String> thread() {
            DeferredResult<String> result = new DeferredResult<>();
            Thread.ofPlatform().start(() -> {
                try {
                    result.setResult(service.inFlight());
                } catch (RuntimeException rejected) {
                    result.setErrorResult(rejected);
                }
            });
            return result;
        }

        @GetMapping("/own-executor")
        CompletableFuture<String> ownExecutor() {
            return CompletableFuture.supplyAsync(service::inFlight, threads);
        }

        @GetMapping("/awaited")
        String awaited() throws ExecutionException, InterruptedException {
            return threads.submit(service::inFlight).get();
        }

        @GetMapping("/task")
        WebAsyncTask<String> task() {
            return new WebAsyncTask<>(null, new SimpleAsyncTaskExecutor("task-"), service::inFlight);
        }

        @GetMapping("/async-method")
        CompletableFuture<String> asyncMethod() {
            return async.inFlight();
        }
    }
}
