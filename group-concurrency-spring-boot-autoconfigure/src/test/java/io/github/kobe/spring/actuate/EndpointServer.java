package io.github.kobe.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.testing.ApplicationServer;
import io.github.kobe.spring.testing.NeededAutoConfigurations;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

/** An application with the endpoint, and a client of it. */
public final class EndpointServer extends ApplicationServer {

    private static final ObjectMapper JSON = new ObjectMapper();

    public EndpointServer(String... settings) {
        super(
                new SpringApplicationBuilder(Application.class),
                Stream.concat(
                        Stream.of(
                                NeededAutoConfigurations.SETTING + "=ACTUATOR,METRICS",
                                "management.endpoints.web.exposure.include=groupexecutor",
                                "spring.autoconfigure.exclude=io.github.kobe.spring.rollout.GroupConcurrencyRolloutAutoConfiguration",
                                "group-concurrency.global.max-in-flight=50",
                                "group-concurrency.max-key-length=2000",
                                "group-concurrency.defaults.queue-timeout=5s",
                                "group-concurrency.groups.vip.max-concurrency=8",
                                "group-concurrency.groups[tenant:*].max-concurrency=4",
                                "group-concurrency.groups[ten*].weight=2"),
                        Stream.of(settings)));
    }

    GroupExecutor executor() {
        return bean(GroupExecutor.class);
    }

    Answer get(String path) throws Exception {
        return ask("GET", "/actuator/groupexecutor" + path, "");
    }

    Answer post(String path, String body) throws Exception {
        return ask("POST", "/actuator/groupexecutor" + path, body);
    }

    Answer delete(String path) throws Exception {
        return ask("DELETE", "/actuator/groupexecutor" + path, "");
    }

    /** {@return what any path of the server answers} */
    Answer ask(String path) throws Exception {
        return ask("GET", path, "");
    }

    private Answer ask(String method, String path, String body) throws Exception {
        return Answer.of(sendJson(method, at(path), body));
    }

    /** What it has answered. */
    public record Answer(int status, JsonNode body) {

        static Answer of(HttpResponse<String> response) throws IOException {
            String body = response.body();
            return new Answer(response.statusCode(), body.isEmpty() ? JSON.nullNode() : JSON.readTree(body));
        }

        /** Says that the request was refused, and for what. */
        public void assertProblem(int expectedStatus, String parameter, String value, String allowed) {
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
