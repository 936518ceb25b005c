package io.github.kobe.spring.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.scope.ForkOptions;
import io.github.kobe.scope.GroupScope;
import io.github.kobe.scope.RetryPolicy;
import io.github.kobe.scope.Scopes;
import io.github.kobe.scope.Subtask;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.micrometer.context.ContextRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestAttributesThreadLocalAccessor;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** What goes along from a thread that forks to the fork, with real carriers of context. */
class ScopesAndContextTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyScopeAutoConfiguration.class));

    @AfterEach
    void forget() {
        MDC.clear();
        SecurityContextHolder.clearContext();
        RequestContextHolder.resetRequestAttributes();
        ContextRegistry.getInstance().removeThreadLocalAccessor(RequestAttributesThreadLocalAccessor.KEY);
    }

    @Test
    void theLoggingContextIsThatOfTheFork() {
        runner.run(context -> {
            MDC.put("request", "1");
            assertThat(forked(context.getBean(Scopes.class), () -> MDC.get("request")))
                    .isEqualTo("1");
        });
    }

    @Test
    void theLoggedInUserIsThatOfTheFork() {
        runner.run(context -> {
            SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("ada", "secret"));
            assertThat(forked(
                            context.getBean(Scopes.class),
                            () -> SecurityContextHolder.getContext()
                                    .getAuthentication()
                                    .getName()))
                    .isEqualTo("ada");
        });
    }

    @Test
    void theCurrentObservationAndSoTheTraceIsThatOfTheFork() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(handled -> true);
        runner.run(context -> {
            Observation request = Observation.start("request", registry);
            try (Observation.Scope current = request.openScope()) {
                assertThat(current.getCurrentObservation()).isSameAs(request);
                assertThat(forked(context.getBean(Scopes.class), registry::getCurrentObservation))
                        .isSameAs(request);
            }
            request.stop();
        });
    }

    @Test
    void itIsTakenWhereTheForkIsMadeAlsoForWhatRunsLater() {
        runner.run(context -> {
            List<String> seen = new CopyOnWriteArrayList<>();
            try (GroupScope<String, ?, ExecutionException> scope =
                    context.getBean(Scopes.class).open()) {
                MDC.put("request", "at the fork");
                scope.fork(
                        ForkOptions.in("g")
                                .withStartAfter(Duration.ofMillis(20))
                                .withRetry(RetryPolicy.attempts(2).withDelay(Duration.ofMillis(1))),
                        () -> {
                            seen.add(String.valueOf(MDC.get("request")));
                            if (seen.size() == 1) {
                                throw new IllegalStateException("once more");
                            }
                            return "done";
                        });
                MDC.put("request", "later");
                scope.join();
            }
            assertThat(seen).containsExactly("at the fork", "at the fork");
        });
    }

    @Test
    void aForkOfAForkHasTheContextOfTheLatter() {
        runner.run(context -> {
            MDC.put("request", "outer");
            Scopes scopes = context.getBean(Scopes.class);
            assertThat(forked(scopes, () -> {
                        MDC.put("part", "inner");
                        return forked(scopes, () -> MDC.get("request") + " " + MDC.get("part"));
                    }))
                    .isEqualTo("outer inner");
            assertThat(MDC.get("part")).isNull();
        });
    }

    @Test
    void switchedOffNothingGoesAlong() {
        runner.withPropertyValues("group-concurrency.context-propagation.enabled=false")
                .run(context -> {
                    MDC.put("request", "1");
                    assertThat(forked(context.getBean(Scopes.class), () -> String.valueOf(MDC.get("request"))))
                            .isEqualTo("null");
                });
    }

    @Test
    void theRequestOfSpringIsNotThereUnlessItsAccessorIs() {
        runner.run(context -> {
            Scopes scopes = context.getBean(Scopes.class);
            ServletRequestAttributes request = new ServletRequestAttributes(new MockHttpServletRequest());
            request.setAttribute("tenant", "a", RequestAttributes.SCOPE_REQUEST);
            RequestContextHolder.setRequestAttributes(request);
            assertThat(forked(scopes, ScopesAndContextTests::tenantOfTheRequest))
                    .isEqualTo("no request");

            ContextRegistry.getInstance().registerThreadLocalAccessor(new RequestAttributesThreadLocalAccessor());
            assertThat(forked(scopes, ScopesAndContextTests::tenantOfTheRequest))
                    .isEqualTo("a");
        });
    }

    private static String tenantOfTheRequest() {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        return request == null
                ? "no request"
                : String.valueOf(request.getAttribute("tenant", RequestAttributes.SCOPE_REQUEST));
    }

    private static <T> T forked(Scopes scopes, Callable<T> task) throws Exception {
        try (GroupScope<T, ?, ExecutionException> scope = scopes.open()) {
            Subtask<T> fork = scope.fork("g", task);
            scope.join();
            return fork.get();
        }
    }
}
