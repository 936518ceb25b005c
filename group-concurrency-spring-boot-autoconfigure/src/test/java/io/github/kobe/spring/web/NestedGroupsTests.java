package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.testing.Deadline;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Mono;

/**
 * A request that is limited calls what is limited too, where only one of all may be in flight: each request comes to an
 * end, whoever waits for whom, in a real Tomcat on threads of both kinds.
 */
class NestedGroupsTests {

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

    private static WebServer start(boolean virtual) {
        return new WebServer(
                Application.class,
                "spring.threads.virtual.enabled=" + virtual,
                "group-concurrency.global.max-in-flight=1",
                "group-concurrency.defaults.max-concurrency=2",
                "group-concurrency.web.filter.enabled=true",
                "group-concurrency.web.filter.rules[0].key-source=header",
                "group-concurrency.web.filter.rules[0].name=X-Tenant");
    }

    @ParameterizedTest
    @CsvSource({
        "true, /blocking",
        "true, /dispatched",
        "true, /reactive",
        "true, /same-group",
        "true, /asynchronous/callable",
        "true, /asynchronous/task",
        "true, /asynchronous/stream",
        "true, /asynchronous/own-thread",
        "true, /asynchronous/dispatched",
        "true, /asynchronous/reactive",
        "false, /blocking",
        "false, /dispatched",
        "false, /reactive",
        "false, /same-group",
        "false, /asynchronous/callable",
        "false, /asynchronous/task",
        "false, /asynchronous/stream",
        "false, /asynchronous/own-thread",
        "false, /asynchronous/dispatched",
        "false, /asynchronous/reactive"
    })
    void requestsThatCallWhatIsLimitedTooComeToAnEnd(boolean virtual, String path) throws Exception {
        WebServer server = virtual ? onVirtualThreads : onPlatformThreads;
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            answers.add(server.getAsync(path, "X-Tenant", path));
        }

        answers.forEach(answer -> assertThat(answer)
                .succeedsWithin(Deadline.LONG)
                .satisfies(response -> assertThat(response.body()).isEqualTo("done")));
        assertThat(server.executor().awaitQuiet(Deadline.LONG)).isTrue();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Service.class, Endpoints.class})
    static class Application {}

    static class Service {

        @GroupConcurrent(group = "inner")
        public String blocking() {
            return "done";
        }

        @GroupConcurrent(group = "inner", queueTimeout = "50ms")
        public String hasty() {
            return "done";
        }

        @GroupConcurrent(group = "inner")
        public CompletableFuture<String> dispatched() {
            return CompletableFuture.completedFuture("done");
        }

        @GroupConcurrent(group = "inner")
        public Mono<String> reactive() {
            return Mono.just("done");
        }
    }

    @RestController
    static class Endpoints {

        private final Service service;
        private final GroupExecutor executor;

        Endpoints(Service service, GroupExecutor executor) {
            this.service = service;
            this.executor = executor;
        }

        @GetMapping("/blocking")
        String blocking() {
            return service.blocking();
        }

        @GetMapping("/dispatched")
        String dispatched() {
            return service.dispatched().join();
        }

        @GetMapping("/reactive")
        String reactive() {
            return service.reactive().block();
        }

        @GetMapping("/same-group")
        String sameGroup() throws Exception {
            return executor.call("http:/same-group", service::blocking);
        }

        @GetMapping("/asynchronous/callable")
        Callable<String> callable() {
            return service::blocking;
        }

        @GetMapping("/asynchronous/task")
        WebAsyncTask<String> task() {
            return new WebAsyncTask<>(service::blocking);
        }

        @GetMapping("/asynchronous/stream")
        StreamingResponseBody stream() {
            return body -> body.write(service.blocking().getBytes(StandardCharsets.UTF_8));
        }

        @GetMapping("/asynchronous/dispatched")
        CompletableFuture<String> asynchronousDispatched() {
            return service.dispatched();
        }

        @GetMapping("/asynchronous/own-thread")
        DeferredResult<String> ownThread(@RequestAttribute(RequestGroupKey.PERMIT_ATTRIBUTE) GroupPermit permit) {
            DeferredResult<String> result = new DeferredResult<>();
            Thread.ofVirtual().start(() -> {
                try {
                    result.setResult(permit.call(service::blocking));
                } catch (Exception failure) {
                    result.setErrorResult(failure);
                }
            });
            return result;
        }

        @GetMapping("/asynchronous/reactive")
        Mono<String> asynchronousReactive() {
            return service.reactive();
        }
    }
}
