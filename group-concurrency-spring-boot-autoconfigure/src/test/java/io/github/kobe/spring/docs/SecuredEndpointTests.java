package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.core.userdetails.UserDetailsService;

/** What the howto shows keeps others out, and lets operators in: with POST too. */
@Tag("secured")
@ExtendWith(OutputCaptureExtension.class)
class SecuredEndpointTests {

    @Test
    void onlyOperatorsLookAtAndChangeGroups(CapturedOutput output) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .run(
                        "--server.port=0",
                        "--management.endpoints.web.exposure.include=groupexecutor",
                        "--management.endpoint.groupexecutor.access=unrestricted")) {
            URI address = URI.create("http://localhost:"
                    + context.getEnvironment().getRequiredProperty("local.server.port") + "/actuator/groupexecutor");

            assertThat(status(client, address, "GET", null)).isEqualTo(401);
            assertThat(status(client, address, "POST", null)).isEqualTo(401);
            assertThat(status(client, address, "GET", "user")).isEqualTo(403);
            assertThat(status(client, address, "POST", "user")).isEqualTo(403);
            assertThat(status(client, address, "GET", "ops")).isEqualTo(200);
            assertThat(status(client, address, "POST", "ops")).isEqualTo(200);
            assertThat(output).contains("Group 'tenant:a' of groupExecutor: pause, by 'ops'");
        }
    }

    private static int status(HttpClient client, URI address, String method, String user) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(address).header("Content-Type", "application/json");
        if (user != null) {
            String credentials =
                    Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
            request.header("Authorization", "Basic " + credentials);
        }
        HttpRequest.BodyPublisher body = method.equals("GET")
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString("{\"group\": \"tenant:a\", \"action\": \"pause\"}");
        return client.send(request.method(method, body).build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OperatorSecurity.class)
    static class Application {

        @Bean
        UserDetailsService users() {
            return Operators.users();
        }
    }
}
