package io.github.kobe.spring.web;

import static io.github.kobe.spring.web.WebServer.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

class ReactiveProblemDetailsTests extends ProblemDetailsTests {

    @BeforeAll
    static void start() {
        start(Application.class, WebApplicationType.REACTIVE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/mono", "/future", "/composed", "/functional"})
    void aRejectionThatAPublisherOrAFutureEndsWithIsOneToo(String path) throws Exception {
        assertProblem(server.get(path), 429, "GROUP_QUEUE_FULL");
    }

    @Test
    void aPublishersExceptionThatHasAStatusOfItsOwnKeepsIt() throws Exception {
        assertThat(server.get("/mono-status").statusCode()).isEqualTo(502);
    }

    @ParameterizedTest
    @ValueSource(classes = {OwnAdvice.class, CatchAllAdvice.class})
    void aHandlerInAnAdviceWins(Class<?> advice) throws Exception {
        try (WebServer advised = new WebServer(advice, WebApplicationType.REACTIVE)) {
            HttpResponse<String> answer = advised.get("/mono");

            assertThat(answer.statusCode()).isEqualTo(418);
            assertThat(answer.body()).isEqualTo(advice.getSimpleName());
        }
    }

    @Test
    void aHandlerOfTheApplicationsOwnWins() throws Exception {
        try (WebServer own = new WebServer(OwnLastResort.class, WebApplicationType.REACTIVE)) {
            assertThat(own.get("/mono").statusCode()).isEqualTo(418);
        }
    }

    @Test
    void switchedOffARejectionIsAnErrorAsAnyOther() throws Exception {
        try (WebServer plain = new WebServer(Application.class, WebApplicationType.REACTIVE, OFF)) {
            assertThat(plain.get("/mono").statusCode()).isEqualTo(500);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({ProblemDetailsTests.Rejecting.class, Publishing.class})
    static class Application {

        @Bean
        RouterFunction<ServerResponse> functional() {
            return RouterFunctions.route()
                    .GET("/functional", request -> Mono.error(rejection(RejectionReason.GROUP_QUEUE_FULL)))
                    .build();
        }
    }

    @RestController
    static class Publishing {

        @GetMapping("/mono")
        Mono<String> mono() {
            return Mono.error(rejection(RejectionReason.GROUP_QUEUE_FULL));
        }

        @GetMapping("/mono-status")
        Mono<String> status() {
            return Mono.error(
                    new ResponseStatusException(HttpStatus.BAD_GATEWAY, "", rejection(RejectionReason.SHUTDOWN)));
        }

        @GetMapping("/composed")
        Mono<String> composed() {
            return Mono.error(new CompletionException(rejection(RejectionReason.GROUP_QUEUE_FULL)));
        }
    }

    @RestControllerAdvice
    @Import(Application.class)
    static class OwnAdvice {

        @ExceptionHandler
        ResponseEntity<String> answer(RejectedTaskException rejection) {
            return ResponseEntity.status(418).body("OwnAdvice");
        }
    }

    @RestControllerAdvice
    @Import(Application.class)
    static class CatchAllAdvice {

        @ExceptionHandler
        ResponseEntity<String> answer(Exception any) {
            return ResponseEntity.status(418).body("CatchAllAdvice");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class OwnLastResort {

        /** Right before Spring Boot's, as ours. */
        @Bean
        @Order(-2)
        WebExceptionHandler lastResort() {
            return (exchange, failure) -> {
                exchange.getResponse().setRawStatusCode(418);
                return exchange.getResponse().setComplete();
            };
        }
    }
}
