package io.github.kobe.spring.web;

import static io.github.kobe.spring.web.WebServer.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** What a client is told of a rejection, by Spring MVC and by WebFlux. */
abstract class ProblemDetailsTests {

    static final String OFF = "group-concurrency.web.problem-details.enabled=false";

    static WebServer server;

    static void start(Class<?> application, WebApplicationType type) {
        server = new WebServer(application, type);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({
        "GROUP_QUEUE_FULL, 429",
        "QUEUE_TIMEOUT, 429",
        "RATE_LIMITED, 429",
        "GLOBAL_QUEUE_FULL, 503",
        "SHUTDOWN, 503",
        "INTERRUPTED, 503"
    })
    void theReasonDecidesTheStatus(String reason, int status) throws Exception {
        assertProblem(server.get("/thrown/" + reason), status, reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/thrown/GROUP_QUEUE_FULL", "/future"})
    void theKeyIsKeptFromTheClient(String path) throws Exception {
        HttpResponse<String> answer = server.get(path);

        assertThat(answer.statusCode()).isEqualTo(429);
        assertThat(answer.body() + answer.headers()).doesNotContain("secret", "170017", "180018");
    }

    @Test
    void anExceptionThatHasAStatusOfItsOwnKeepsIt() throws Exception {
        assertThat(server.get("/status").statusCode()).isEqualTo(502);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/thrown/GROUP_QUEUE_FULL", "/future"})
    @ExtendWith(OutputCaptureExtension.class)
    void aRejectionIsAtMostOneLineInTheLog(String path, CapturedOutput output) throws Exception {
        server.get(path); // what is logged of the first request of all
        int before = output.getAll().length();
        for (int i = 0; i < 10; i++) {
            assertProblem(server.get(path), 429, "GROUP_QUEUE_FULL");
        }

        assertThat(output.getAll().substring(before).lines()).hasSizeLessThanOrEqualTo(10);
    }

    static RejectedTaskException rejection(RejectionReason reason) {
        return new RejectedTaskException("secret", "task-secret", reason, 170_017, 180_018L);
    }

    @RestController
    static class Rejecting {

        @GetMapping("/thrown/{reason}")
        String thrown(@PathVariable RejectionReason reason) {
            throw rejection(reason);
        }

        @GetMapping("/future")
        CompletableFuture<String> future() {
            return CompletableFuture.failedFuture(rejection(RejectionReason.GROUP_QUEUE_FULL));
        }

        @GetMapping("/status")
        String status() {
            throw new ResponseStatusException(HttpStatus.BAD_GATEWAY, "", rejection(RejectionReason.SHUTDOWN));
        }
    }
}
