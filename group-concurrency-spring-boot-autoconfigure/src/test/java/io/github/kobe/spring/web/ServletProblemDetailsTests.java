package io.github.kobe.spring.web;

import static io.github.kobe.spring.web.WebServer.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

class ServletProblemDetailsTests extends ProblemDetailsTests {

    @BeforeAll
    static void start() {
        start(Application.class, WebApplicationType.SERVLET);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/future", "/composed", "/callable", "/deferred", "/functional"})
    void aRejectionThatAFutureWrapsIsOneToo(String path) throws Exception {
        assertProblem(server.get(path), 429, "GROUP_QUEUE_FULL");
    }

    @Test
    void anyClientGetsTheSame() throws Exception {
        assertProblem(server.get("/thrown/SHUTDOWN", "Accept", "text/html"), 503, "SHUTDOWN");
    }

    @Test
    void aHandlerThatHasAskedForTheWriterIsAnsweredToo() throws Exception {
        HttpResponse<String> answer = server.get("/written");

        assertProblem(answer, 429, "GROUP_QUEUE_FULL");
        assertThat(answer.headers().firstValue("X-Kept")).hasValue("kept");
        assertThat(answer.body()).doesNotContain("unfinished");
    }

    @Test
    void aFailureThatARejectionCausedIsNoRejection() throws Exception {
        assertThat(server.get("/wrapped").statusCode()).isEqualTo(500);
    }

    @Test
    void aHandlerInTheControllerWins() throws Exception {
        assertThat(server.get("/own").body()).isEqualTo("the controller's own");
    }

    @ParameterizedTest
    @ValueSource(classes = {OwnAdvice.class, CatchAllAdvice.class})
    void aHandlerInAnAdviceWins(Class<?> advice) throws Exception {
        try (WebServer advised = new WebServer(advice)) {
            HttpResponse<String> answer = advised.get("/thrown/SHUTDOWN");

            assertThat(answer.statusCode()).isEqualTo(418);
            assertThat(answer.body()).isEqualTo(advice.getSimpleName());
        }
    }

    @Test
    void aHandlerOfTheApplicationsOwnWins() throws Exception {
        try (WebServer own = new WebServer(OwnLastResort.class)) {
            assertThat(own.get("/thrown/GROUP_QUEUE_FULL").statusCode()).isEqualTo(418);
        }
    }

    @Test
    void switchedOffARejectionIsAnErrorAsAnyOther() throws Exception {
        try (WebServer plain = new WebServer(Application.class, OFF)) {
            assertThat(plain.get("/thrown/GROUP_QUEUE_FULL").statusCode()).isEqualTo(500);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({ProblemDetailsTests.Rejecting.class, RejectingLater.class, OwnHandler.class, Writing.class})
    static class Application {

        @Bean
        RouterFunction<ServerResponse> functional() {
            return RouterFunctions.route()
                    .GET("/functional", request -> {
                        throw rejection(RejectionReason.GROUP_QUEUE_FULL);
                    })
                    .build();
        }
    }

    @RestController
    static class RejectingLater {

        private static CompletableFuture<String> failed() {
            return CompletableFuture.failedFuture(rejection(RejectionReason.GROUP_QUEUE_FULL));
        }

        @GetMapping("/composed")
        CompletableFuture<String> composed() {
            return failed().thenApply(String::trim);
        }

        @GetMapping("/callable")
        Callable<String> callable() {
            return () -> failed().get();
        }

        @GetMapping("/deferred")
        DeferredResult<String> deferred() {
            DeferredResult<String> result = new DeferredResult<>();
            result.setErrorResult(
                    new ExecutionException(new CompletionException(rejection(RejectionReason.GROUP_QUEUE_FULL))));
            return result;
        }

        @GetMapping("/wrapped")
        String wrapped() {
            throw new IllegalStateException(rejection(RejectionReason.SHUTDOWN));
        }
    }

    @RestController
    static class OwnHandler {

        @GetMapping("/own")
        String own() {
            throw rejection(RejectionReason.SHUTDOWN);
        }

        @ExceptionHandler
        ResponseEntity<String> answer(RejectedTaskException rejection) {
            return ResponseEntity.status(418).body("the controller's own");
        }
    }

    @RestController
    static class Writing {

        @GetMapping("/written")
        void written(HttpServletResponse response) throws IOException {
            response.setHeader("X-Kept", "kept");
            response.getWriter().write("unfinished");
            throw ProblemDetailsTests.rejection(RejectionReason.GROUP_QUEUE_FULL);
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

        @Bean
        HandlerExceptionResolver lastResort() {
            return (request, response, handler, exception) -> {
                response.setStatus(418);
                return new ModelAndView();
            };
        }
    }
}
