package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.Costs;
import io.github.kobe.GroupExecutor;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** When a client is told to come back whose group has used up its rate, by the filter and by handlers, for servlets and for WebFlux. */
@Tag("RA9")
class RateRejectionTests {

    private static final int HOUR = 3_600;

    private static final String[] SETTINGS = {
        "group-concurrency.web.filter.enabled=true",
        "group-concurrency.web.filter.rules[0].paths=/limited/**",
        "group-concurrency.web.filter.rules[0].key-source=header",
        "group-concurrency.web.filter.rules[0].name=X-Tenant",
        "group-concurrency.groups[http:slow].rate=2 per 1h",
        "group-concurrency.groups[http:slow].queue-timeout=1s",
        "group-concurrency.groups[http:full].rate=1 per 1h",
        "group-concurrency.groups[http:full].queue-threshold=0",
        "group-concurrency.groups[http:brief].rate=1 per 900ms",
        "group-concurrency.groups[http:brief].queue-threshold=0",
        "group-concurrency.groups.called.rate=1 per 1h",
        "group-concurrency.groups.called.queue-timeout=1s"
    };

    @RegisterExtension
    static final WebServers SERVERS = new WebServers(Application.class, SETTINGS);

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void whatTheFilterRefusesForItsRateTellsWhenToComeBack(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);
        assertThat(server.get("/limited/1", "X-Tenant", "slow").statusCode()).isEqualTo(200);
        assertThat(server.get("/limited/1", "X-Tenant", "slow").statusCode()).isEqualTo(200);

        Set<Long> times = new TreeSet<>();
        for (int i = 0; i < 20; i++) {
            times.add(retryAfter(server.get("/limited/1", "X-Tenant", "slow"), "RATE_LIMITED"));
        }

        assertThat(times).as("not the same for all").hasSizeGreaterThan(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void aFullQueueOfAGroupWithARateTellsItToo(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);
        assertThat(server.get("/limited/1", "X-Tenant", "full").statusCode()).isEqualTo(200);

        long unused = retryAfter(server.get("/limited/1", "X-Tenant", "full"), "GROUP_QUEUE_FULL");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void lessThanASecondIsOne(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);
        HttpResponse<String> answer = server.get("/limited/1", "X-Tenant", "brief");
        while (answer.statusCode() == 200) {
            answer = server.get("/limited/1", "X-Tenant", "brief");
        }

        assertThat(answer.statusCode()).isEqualTo(429);
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void whatAHandlerEndsWithTellsIt(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);
        assertThat(server.get("/called").statusCode()).isEqualTo(200);

        long unused = retryAfter(server.get("/called"), "RATE_LIMITED");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void whoAsksForMoreThanIsEverAllowedIsNotToldToComeBack(WebApplicationType type) throws Exception {
        HttpResponse<String> answer = SERVERS.of(type).get("/costly");

        assertThat(answer.statusCode()).isEqualTo(429);
        assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
        assertThat(answer.body()).contains("RATE_LIMITED", "costs more than is ever allowed");
    }

    /** {@return after how many seconds to come back: an hour, but for what has passed of it, and up to a tenth more} */
    private static long retryAfter(HttpResponse<String> answer, String reason) throws Exception {
        assertThat(answer.statusCode()).isEqualTo(429);
        JsonNode problem = new ObjectMapper().readTree(answer.body());
        assertThat(problem.path("reason").asText()).isEqualTo(reason);
        assertThat(problem).as("nothing but what every rejection has").hasSize(5);
        long seconds = answer.headers().firstValueAsLong("Retry-After").orElseThrow();
        assertThat(seconds).isBetween(HOUR - 300L, HOUR + HOUR / 10L);
        return seconds;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Endpoints.class)
    static class Application {}

    @RestController
    static class Endpoints {

        private final GroupExecutor executor;

        Endpoints(GroupExecutor executor) {
            this.executor = executor;
        }

        @GetMapping("/limited/1")
        String limited() {
            return "done";
        }

        @GetMapping("/called")
        String called() throws Exception {
            return executor.call("called", () -> "done");
        }

        @GetMapping("/costly")
        String costly() throws Exception {
            return executor.call("called", Costs.of("requests", 2), () -> "never");
        }
    }
}
