package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.http.HttpStatus;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** What an application makes of the answers to rejections, by handlers and by the filter, for servlets and for WebFlux. */
class RejectionAnswerTests {

    private static final String[] SETTINGS = {
        "group-concurrency.web.filter.enabled=true",
        "group-concurrency.web.filter.rules[0].paths=/limited/**",
        "group-concurrency.web.filter.rules[0].key-source=header",
        "group-concurrency.web.filter.rules[0].name=X-Tenant"
    };

    @RegisterExtension
    static final WebServers SERVERS = new WebServers(Application.class, SETTINGS);

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void whatAHandlerEndsWithIsAnsweredAsTheApplicationSays(WebApplicationType type) throws Exception {
        HttpResponse<String> answer = SERVERS.of(type).get("/thrown/GROUP_QUEUE_FULL", "Accept-Language", "de");

        assertThat(answer.statusCode()).isEqualTo(429);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(answer.headers().firstValue("X-Language")).hasValue("de");
        assertThat(answer.headers().firstValue("Retry-After"))
                .hasValueSatisfying(pause -> assertThat(pause).matches("[1-3]"));
        JsonNode problem = new ObjectMapper().readTree(answer.body());
        assertThat(problem.path("type").asText()).isEqualTo("https://example.com/busy");
        assertThat(problem.path("title").asText()).isEqualTo("Besetzt");
        assertThat(problem.path("detail").asText()).isEqualTo("Zu viel auf einmal.");
        assertThat(problem.path("status").asInt()).isEqualTo(429);
        assertThat(problem.path("reason").asText()).isEqualTo("GROUP_QUEUE_FULL");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void whereTheApplicationSaysNothingTheAnswerIsSentAsItWas(WebApplicationType type) throws Exception {
        HttpResponse<String> handler = SERVERS.of(type).get("/thrown/GROUP_QUEUE_FULL", "Accept-Language", "it");
        HttpResponse<String> filter = SERVERS.of(type).get("/limited/1", "Accept-Language", "it");

        assertThat(handler.statusCode()).isEqualTo(429);
        assertThat(handler.headers().firstValue("X-Language")).isEmpty();
        assertThat(handler.body()).contains("GROUP_QUEUE_FULL");
        assertThat(filter.statusCode()).isEqualTo(400);
        assertThat(filter.body()).contains("is missing or too long");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void whatTheFilterRefusesToo(WebApplicationType type) throws Exception {
        HttpResponse<String> answer = SERVERS.of(type).get("/limited/1", "Accept-Language", "de");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
        assertThat(answer.headers().firstValue("X-Language")).hasValue("de");
        assertThat(answer.body()).contains("Wer fragt?", "https://example.com/busy");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void anotherAnswerMayTakeItsPlace(WebApplicationType type) throws Exception {
        HttpResponse<String> answer = SERVERS.of(type).get("/thrown/SHUTDOWN", "Accept", "text/html, */*;q=0.5");

        assertThat(answer.statusCode()).isEqualTo(418);
        assertThat(answer.body()).contains("short and stout");
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/problem+xml", "nonsense", "text/html;q=2"})
    void whereThereIsNoOtherFormItIsJson(String accept) throws Exception {
        HttpResponse<String> answer = SERVERS.of(WebApplicationType.SERVLET).get("/limited/1", "Accept", accept);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    }

    @Test
    void withoutSpringMvcItIsTheSameJson() throws Exception {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        beans.addBean("answers", (RejectionAnswer) (rejection, locale) -> rejection);
        MockHttpServletResponse answer = new MockHttpServletResponse();

        boolean written = new ServletRejectionAnswer(beans)
                .write(RejectionProblem.of(RejectionReason.SHUTDOWN), new MockHttpServletRequest(), answer);

        assertThat(written).isTrue();
        assertThat(answer.getContentType()).isEqualTo("application/problem+json");
        assertThat(answer.getContentAsString())
                .isEqualTo("{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,\"detail\":\"The"
                        + " service can't handle the request at the moment.\",\"reason\":\"SHUTDOWN\"}");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void twoBeansFailTheStartUp(WebApplicationType type) {
        assertThatExceptionOfType(NoUniqueBeanDefinitionException.class)
                .isThrownBy(() -> new WebServer(TwoAnswers.class, type, SETTINGS).close());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Rejecting.class)
    static class Application {

        @Bean
        RejectionAnswer answers() {
            StaticMessageSource messages = new StaticMessageSource();
            String codes = RejectedTaskException.class.getName();
            messages.addMessage("problemDetail.title." + codes, Locale.GERMAN, "Besetzt");
            messages.addMessage("problemDetail." + codes + ".GROUP_QUEUE_FULL", Locale.GERMAN, "Zu viel auf einmal.");
            messages.addMessage("problemDetail." + codes + ".NO_KEY", Locale.GERMAN, "Wer fragt?");
            return (rejection, locale) -> {
                if (rejection.getStatusCode().is5xxServerError()) {
                    return ErrorResponse.create(
                            new IllegalStateException(), HttpStatus.I_AM_A_TEAPOT, "short and stout");
                }
                if (locale.equals(Locale.ITALIAN)) {
                    return null; // as it must not
                }
                rejection.getHeaders().set("X-Language", locale.getLanguage());
                rejection.getBody().setType(URI.create("https://example.com/busy"));
                rejection.updateAndGetBody(messages, locale);
                return rejection;
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class TwoAnswers {

        @Bean
        RejectionAnswer other() {
            return (rejection, locale) -> rejection;
        }
    }

    @RestController
    static class Rejecting {

        @GetMapping("/thrown/{reason}")
        String thrown(@PathVariable RejectionReason reason) {
            throw ProblemDetailsTests.rejection(reason);
        }
    }
}
