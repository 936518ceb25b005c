package io.github.kobe.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupStats;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.bulkhead.annotation.Bulkhead;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.timelimiter.annotation.TimeLimiter;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The limit beside Resilience4j's annotations, with all that Spring Boot and they set up by themselves. */
@Tag("resilience4j")
class Resilience4jCallsTests {

    private static final GroupLimits NO_WAIT =
            GroupLimits.unset().withMaxConcurrency(1).withQueueThreshold(0);

    private static ConfigurableApplicationContext context;
    private static GroupExecutor executor;
    private static Partner partner;

    /** One application for all tests, each of which has an annotation or a group of its own. */
    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--group-concurrency.rollout.enabled=false",
                        "--resilience4j.retry.instances.partner.max-attempts=3",
                        "--resilience4j.retry.instances.partner.wait-duration=1ms",
                        "--resilience4j.ratelimiter.instances.partner.limit-for-period=1",
                        "--resilience4j.ratelimiter.instances.partner.limit-refresh-period=1h",
                        "--resilience4j.ratelimiter.instances.partner.timeout-duration=0",
                        "--resilience4j.timelimiter.instances.partner.timeout-duration=10ms",
                        "--resilience4j.bulkhead.instances.partner.max-concurrent-calls=1");
        executor = context.getBean(GroupExecutor.class);
        partner = context.getBean(Partner.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @Test
    void eachAttemptTakesATurnOfItsOwn() throws Exception {
        assertThat(partner.retried()).isEqualTo("ordered at the third attempt");

        GroupStats group = group("retried");
        assertThat(group.totals().submitted()).isEqualTo(3);
        assertThat(group.totals().failed()).isEqualTo(2);
    }

    @Test
    void anOpenBreakerAnswersAtOnceAndTakesNoTurn() {
        context.getBean(CircuitBreakerRegistry.class).circuitBreaker("partner").transitionToOpenState();
        executor.pause("broken");

        assertThatExceptionOfType(CallNotPermittedException.class).isThrownBy(partner::broken);
        assertThat(executor.groupStats("broken")
                        .map(stats -> stats.totals().submitted())
                        .orElse(0L))
                .isZero();
    }

    @Test
    void whatTheRateLimiterRefusesTakesNoTurn() {
        assertThat(partner.rated()).isEqualTo("rated");

        assertThatExceptionOfType(RequestNotPermitted.class).isThrownBy(partner::rated);

        assertThat(group("rated").totals().submitted()).isEqualTo(1);
    }

    /** The limit starts the method on another thread; the time that it waits for its turn counts. */
    @Test
    void theTimeLimiterBoundsTheWaitToo() {
        executor.pause("timed");

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> partner.timed().toCompletableFuture().get(Deadline.SECONDS, TimeUnit.SECONDS))
                .withCauseInstanceOf(TimeoutException.class);
        executor.resume("timed");
    }

    /** Both at once are hardly wanted; whoever migrates has them for a while. */
    @Test
    void aCallThatWaitsForItsTurnTakesNoPlaceOfTheBulkhead() throws Exception {
        executor.pause("bulky");
        Caller<String> waiting = Caller.start(partner::bulky);
        Deadline.until(
                "it waits",
                () -> executor.groupStats("bulky").isPresent() && group("bulky").queued() == 1);

        assertThat(context.getBean(BulkheadRegistry.class)
                        .bulkhead("partner")
                        .getMetrics()
                        .getAvailableConcurrentCalls())
                .isEqualTo(1);

        executor.resume("bulky");
        assertThat(waiting.result()).isEqualTo("let in");
    }

    /** A rejection is a failure to what stands further out: retried, and counted by the breaker. */
    @Test
    void aRejectedCallIsRetried() {
        executor.setLimits("rejected", NO_WAIT);
        executor.pause("rejected");

        assertThatExceptionOfType(RejectedTaskException.class).isThrownBy(partner::rejected);

        assertThat(group("rejected").totals().rejected()).isEqualTo(3);
    }

    private static GroupStats group(String key) {
        return executor.groupStats(key).orElseThrow();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Partner partner() {
            return new Partner();
        }
    }

    static class Partner {

        private final AtomicInteger attempts = new AtomicInteger();

        @Retry(name = "partner")
        @GroupConcurrent("retried")
        String retried() throws IOException {
            if (attempts.incrementAndGet() < 3) {
                throw new IOException("not now");
            }
            return "ordered at the third attempt";
        }

        @Retry(name = "partner")
        @GroupConcurrent("rejected")
        String rejected() {
            return "let in";
        }

        @CircuitBreaker(name = "partner")
        @GroupConcurrent("broken")
        String broken() {
            return "let in";
        }

        @RateLimiter(name = "partner")
        @GroupConcurrent("rated")
        String rated() {
            return "rated";
        }

        @TimeLimiter(name = "partner")
        @GroupConcurrent("timed")
        CompletableFuture<String> timed() {
            return CompletableFuture.completedFuture("in time");
        }

        @Bulkhead(name = "partner")
        @GroupConcurrent("bulky")
        String bulky() {
            return "let in";
        }
    }
}
