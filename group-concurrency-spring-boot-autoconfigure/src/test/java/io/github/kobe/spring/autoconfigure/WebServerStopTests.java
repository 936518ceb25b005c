package io.github.kobe.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The end of an application with a real web server. */
class WebServerStopTests {

    @Test
    @Tag("S3")
    void aRequestThatAsksTheExecutorDuringTheStopIsStillServed() throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        try (ConfigurableApplicationContext context =
                new SpringApplicationBuilder(Application.class).run("--server.port=0")) {
            String server = "http://localhost:" + context.getEnvironment().getRequiredProperty("local.server.port");
            Answers answers = context.getBean(Answers.class);
            CompletableFuture<HttpResponse<String>> answer =
                    client.sendAsync(get(server + "/answer"), HttpResponse.BodyHandlers.ofString());
            answers.entered.pass();

            Caller<?> closing = Caller.startPlatform(Executors.callable(context::close));
            Deadline.untilAsserted(() -> assertThatThrownBy(
                            () -> client.send(get(server + "/refused"), HttpResponse.BodyHandlers.discarding()))
                    .isInstanceOf(IOException.class));
            answers.asks.open();

            assertThat(answer).succeedsWithin(Deadline.LONG).satisfies(response -> {
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(response.body()).isEqualTo("answer");
            });
            closing.result();
        }
    }

    private static HttpRequest get(String uri) {
        return HttpRequest.newBuilder(URI.create(uri)).build();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Answers.class)
    static class Application {}

    @RestController
    static class Answers {

        private final GroupExecutor executor;
        private final Gate entered = new Gate();
        private final Gate asks = new Gate();

        Answers(GroupExecutor executor) {
            this.executor = executor;
        }

        @GetMapping("/answer")
        String answer() throws Exception {
            entered.open();
            asks.pass();
            return executor.call("group", () -> "answer");
        }
    }
}
