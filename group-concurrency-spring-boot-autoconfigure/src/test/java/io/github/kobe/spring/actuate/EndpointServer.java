package io.github.kobe.spring.actuate;

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
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

/** A real application with a real web server, and a client of its endpoint. */
final class EndpointServer implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context;

    EndpointServer(String... settings) {
        List<String> all = new ArrayList<>(List.of(
                "--server.port=0",
                "--management.endpoints.web.exposure.include=groupexecutor",
                "--group-concurrency.max-in-flight=50",
                "--group-concurrency.max-key-length=2000",
                "--group-concurrency.defaults.queue-timeout=5s",
                "--group-concurrency.groups.vip.max-concurrency=8",
                "--group-concurrency.groups[tenant:*].max-concurrency=4",
                "--group-concurrency.groups[ten*].weight=2"));
        all.addAll(List.of(settings));
        context = new SpringApplicationBuilder(Application.class).run(all.toArray(String[]::new));
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    GroupExecutor executor() {
        return context.getBean(GroupExecutor.class);
    }

    Answer get(String path) throws Exception {
        return send("GET", path, null);
    }

    Answer post(String path, String body) throws Exception {
        return send("POST", path, body);
    }

    Answer delete(String path) throws Exception {
        return send("DELETE", path, null);
    }

    /** {@return what any path of the server answers} */
    Answer ask(String path) throws Exception {
        return sendTo("GET", path, null);
    }

    private Answer send(String method, String path, String body) throws IOException, InterruptedException {
        return sendTo(method, "/actuator/groupexecutor" + path, body);
    }

    private Answer sendTo(String method, String path, String body) throws IOException, InterruptedException {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        return new Answer(
                response.statusCode(), response.body().isEmpty() ? JSON.nullNode() : JSON.readTree(response.body()));
    }

    @Override
    public void close() {
        client.close();
        context.close();
    }

    record Answer(int status, JsonNode body) {

        void assertProblem(int expectedStatus, String parameter, String value, String allowed) {
            assertThat(status).isEqualTo(expectedStatus);
            assertThat(body.path("error").asText()).isNotBlank();
            assertThat(body.path("parameter").asText()).isEqualTo(parameter);
            assertThat(body.has("value")).isTrue();
            assertThat(body.path("value").isNull() ? null : body.path("value").asText())
                    .isEqualTo(value);
            assertThat(body.path("allowed").asText()).isEqualTo(allowed);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Changes.class)
    static class Application {}

    /** Hears what the audit is told. */
    static final class Changes {

        final List<AuditEvent> events = new CopyOnWriteArrayList<>();

        @EventListener
        void hear(AuditApplicationEvent event) {
            events.add(event.getAuditEvent());
        }
    }
}
