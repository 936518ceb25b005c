package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.testing.ApplicationServer;
import io.github.kobe.spring.testing.NeededAutoConfigurations;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** An application of web tests, and a client of it. */
final class WebServer extends ApplicationServer {

    private static final ObjectMapper JSON = new ObjectMapper();

    WebServer(Class<?> application, String... settings) {
        this(application, WebApplicationType.SERVLET, settings);
    }

    WebServer(Class<?> application, WebApplicationType type, String... settings) {
        super(
                new SpringApplicationBuilder(application).web(type),
                Stream.concat(
                        Stream.of(
                                NeededAutoConfigurations.SETTING + "=",
                                "spring.autoconfigure.exclude=io.github.kobe.spring.rollout.GroupConcurrencyRolloutAutoConfiguration"),
                        Stream.of(settings)));
    }

    GroupExecutor executor() {
        return bean(GroupExecutor.class);
    }

    int port() {
        return address().getPort();
    }

    HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        return send(request(path, headers));
    }

    CompletableFuture<HttpResponse<String>> getAsync(String path, String... headers) {
        return sendAsync(request(path, headers));
    }

    CompletableFuture<HttpResponse<String>> postAsync(String path, String body, String... headers) {
        return sendAsync(request(path, headers).POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    HttpResponse<String> options(String path, String... headers) throws IOException, InterruptedException {
        return send(request(path, headers).method("OPTIONS", HttpRequest.BodyPublishers.noBody()));
    }

    HttpResponse<String> head(String path, String... headers) throws IOException, InterruptedException {
        return send(request(path, headers).method("HEAD", HttpRequest.BodyPublishers.noBody()));
    }

    /** Asks what a browser asks before a request of another origin. */
    HttpResponse<String> preflight(String path) throws IOException, InterruptedException {
        return send(request(path, "Origin", "http://other.example", "Access-Control-Request-Method", "GET")
                .method("OPTIONS", HttpRequest.BodyPublishers.noBody()));
    }

    /** Says that a client was told of a rejection, and of nothing else. */
    static void assertProblem(HttpResponse<String> answer, int status, String reason) throws IOException {
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(answer.headers().firstValue("Retry-After"))
                .hasValueSatisfying(pause -> assertThat(pause).matches("[1-3]"));
        assertThat(answer.headers().firstValueAsLong("Content-Length"))
                .hasValue(answer.body().getBytes(StandardCharsets.UTF_8).length);
        JsonNode problem = JSON.readTree(answer.body());
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("reason").asText()).isEqualTo(reason);
        assertThat(problem.path("type").asText()).isEqualTo("about:blank");
        assertThat(problem.path("title").asText()).isNotBlank();
        assertThat(problem.path("detail").asText()).isNotBlank();
        assertThat(problem).hasSize(5);
    }
}
