package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.GroupExecutor;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** A real application on a real Tomcat, and a client of it. */
final class WebServer implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context;

    WebServer(Class<?> application, String... settings) {
        this(application, WebApplicationType.SERVLET, settings);
    }

    WebServer(Class<?> application, WebApplicationType type, String... settings) {
        List<String> all = new ArrayList<>(List.of("--server.port=0"));
        for (String setting : settings) {
            all.add("--" + setting);
        }
        context = new SpringApplicationBuilder(application).web(type).run(all.toArray(String[]::new));
    }

    GroupExecutor executor() {
        return bean(GroupExecutor.class);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    int port() {
        return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
    }

    HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        return client.send(request(path, headers), HttpResponse.BodyHandlers.ofString());
    }

    CompletableFuture<HttpResponse<String>> getAsync(String path, String... headers) {
        return client.sendAsync(request(path, headers), HttpResponse.BodyHandlers.ofString());
    }

    CompletableFuture<HttpResponse<String>> postAsync(String path, String body, String... headers) {
        HttpRequest request = HttpRequest.newBuilder(request(path, headers), (name, value) -> true)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    /** Asks what a browser asks before a request of another origin. */
    HttpResponse<String> preflight(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        request(path, "Origin", "http://other.example", "Access-Control-Request-Method", "GET"),
                        (name, value) -> true)
                .method("OPTIONS", HttpRequest.BodyPublishers.noBody())
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest request(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port() + path));
        return (headers.length == 0 ? request : request.headers(headers)).build();
    }

    /** Says that a client was told of a rejection, and of nothing else. */
    static void assertProblem(HttpResponse<String> answer, int status, String reason) throws IOException {
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
        JsonNode problem = JSON.readTree(answer.body());
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("reason").asText()).isEqualTo(reason);
        assertThat(problem.path("type").asText()).isEqualTo("about:blank");
        assertThat(problem.path("title").asText()).isNotBlank();
        assertThat(problem.path("detail").asText()).isNotBlank();
        assertThat(problem).hasSize(5);
    }

    @Override
    public void close() {
        client.close();
        context.close();
    }
}
