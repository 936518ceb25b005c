package io.github.kobe.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.annotation.After;
import org.aspectj.lang.annotation.AfterReturning;
import org.aspectj.lang.annotation.AfterThrowing;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** An aspect further in than the limit, as one without an order is, where AspectJ is. */
@Tag("resilience4j")
class AspectsTests {

    private static ConfigurableApplicationContext context;
    private static Partner partner;
    private static Audit audit;

    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run("--group-concurrency.rollout.enabled=false");
        partner = context.getBean(Partner.class);
        audit = context.getBean(Audit.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @BeforeEach
    void forget() {
        audit.seen.clear();
    }

    @Test
    void aDispatchedCallHasItsAspects() {
        assertThat(partner.dispatched("a")).succeedsWithin(Deadline.LONG).isEqualTo("ordered a");

        assertThat(audit.seen)
                .containsExactly("before dispatched(a)", "dispatched(a) returned ordered a", "after dispatched(a)");
    }

    @Test
    void theAspectsOfADispatchedCallSeeWhatItThrows() throws IOException {
        assertThat(partner.failing("a"))
                .failsWithin(Deadline.LONG)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(IOException.class)
                .withMessage("no a");

        assertThat(audit.seen).containsExactly("before failing(a)", "failing(a) threw no a", "after failing(a)");
    }

    @Test
    void eachSubscriptionHasItsAspects() {
        Mono<String> cold = partner.reactive("a");
        assertThat(audit.seen).isEmpty();

        for (int i = 0; i < 2; i++) {
            assertThat(cold.block(Deadline.LONG)).isEqualTo("ordered a");
            assertThat(audit.seen)
                    .containsExactly("before reactive(a)", "reactive(a) returned ordered a", "after reactive(a)");
            audit.seen.clear();
        }
    }

    @Test
    void aSubscriptionWithinAnotherCallHasAspectsOfItsOwn() {
        Mono<String> cold = partner.reactive("a");

        assertThat(partner.subscribing("b", cold)).isEqualTo("ordered a");

        assertThat(audit.seen)
                .containsExactly(
                        "before subscribing(b)",
                        "before reactive(a)",
                        "reactive(a) returned ordered a",
                        "after reactive(a)",
                        "subscribing(b) returned ordered a",
                        "after subscribing(b)");
    }

    @Test
    void aCallInAChildContextHasOneLimit() {
        try (ConfigurableApplicationContext child = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .parent(context)
                .run("--group-concurrency.rollout.enabled=false")) {
            assertThat(limitsAround(partner)).isEqualTo(1);
            assertThat(limitsAround(child.getBean(Partner.class))).isEqualTo(1);
        }
    }

    private static long limitsAround(Object bean) {
        return Arrays.stream(((Advised) bean).getAdvisors())
                .filter(advisor -> advisor instanceof PointcutAdvisor by
                        && by.getPointcut().getClass().getSimpleName().equals("GroupConcurrentPointcut"))
                .count();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Partner partner() {
            return new Partner();
        }

        @Bean
        Audit audit() {
            return new Audit();
        }
    }

    static class Partner {

        @GroupConcurrent("dispatched")
        CompletableFuture<String> dispatched(String order) {
            return CompletableFuture.completedFuture("ordered " + order);
        }

        @GroupConcurrent("dispatched")
        CompletableFuture<String> failing(String order) throws IOException {
            throw new IOException("no " + order);
        }

        @GroupConcurrent("reactive")
        Mono<String> reactive(String order) {
            return Mono.just("ordered " + order);
        }

        @GroupConcurrent("subscribing")
        String subscribing(String order, Mono<String> other) {
            return other.block(Deadline.LONG);
        }
    }

    @Aspect
    static class Audit {

        private static final String CALLS = "within(io.github.kobe.compat.AspectsTests.Partner) && args(order, ..)";

        private final List<String> seen = new CopyOnWriteArrayList<>();

        @Before(value = CALLS, argNames = "call,order")
        void before(JoinPoint call, String order) {
            seen.add("before " + nameOf(call, order));
        }

        @AfterReturning(pointcut = CALLS, returning = "value", argNames = "call,order,value")
        void returned(JoinPoint call, String order, Object value) {
            seen.add(nameOf(call, order) + " returned "
                    + switch (value) {
                        case CompletableFuture<?> future -> future.resultNow();
                        case Mono<?> mono -> mono.block(Deadline.LONG);
                        default -> value;
                    });
        }

        @AfterThrowing(pointcut = CALLS, throwing = "thrown", argNames = "call,order,thrown")
        void threw(JoinPoint call, String order, IOException thrown) {
            seen.add(nameOf(call, order) + " threw " + thrown.getMessage());
        }

        @After(value = CALLS, argNames = "call,order")
        void after(JoinPoint call, String order) {
            seen.add("after " + nameOf(call, order));
        }

        private static String nameOf(JoinPoint call, String order) {
            return call.getSignature().getName() + "(" + order + ")";
        }
    }
}
