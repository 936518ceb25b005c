package io.github.kobe.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupStats;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.method.GroupConcurrentAspectAutoConfiguration;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;

/** The limit beside what only Spring Framework 7 has. */
class RetryableCallsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class))
            .withUserConfiguration(Beans.class);

    @Test
    void eachAttemptTakesATurnOfItsOwn() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);

            assertThat(context.getBean(Partner.class).order()).isEqualTo("ordered at the third attempt");

            GroupStats group = executor.groupStats("partner").orElseThrow();
            assertThat(group.totals().submitted()).isEqualTo(3);
            assertThat(group.totals().failed()).isEqualTo(2);
            assertThat(group.totals().succeeded()).isEqualTo(1);
        });
    }

    @Test
    void aRejectedAttemptIsRetriedWhereTheAnnotationSaysSo() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.setLimits("busy", GroupLimits.unset().withMaxConcurrency(1).withQueueThreshold(0));
            executor.pause("busy");
            FutureTask<String> call = new FutureTask<>(context.getBean(Partner.class)::insist);
            Thread.startVirtualThread(call);
            Deadline.until(
                    "two rejections",
                    () -> executor.groupStats("busy").orElseThrow().totals().rejected() >= 2);

            executor.resume("busy");

            assertThat(call.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("let in");
        });
    }

    @Test
    void springsOwnLimitStandsFurtherOut() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Partner partner = context.getBean(Partner.class);
            executor.pause("both");
            FutureTask<String> first = new FutureTask<>(partner::limitedTwice);
            FutureTask<String> second = new FutureTask<>(partner::limitedTwice);
            Thread one = Thread.ofVirtual().start(first);
            Thread other = Thread.ofVirtual().start(second);
            Deadline.until(
                    "one of the two in the queue",
                    () -> executor.groupStats("both").orElseThrow().queued() == 1);
            Deadline.until(
                    "both wait",
                    () -> one.getState() == Thread.State.WAITING && other.getState() == Thread.State.WAITING);

            assertThat(executor.groupStats("both").orElseThrow().queued()).isEqualTo(1);

            executor.resume("both");
            assertThat(first.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("ran");
            assertThat(second.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("ran");
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class Beans {

        @Bean
        Partner partner() {
            return new Partner();
        }
    }

    static class Partner {

        private final AtomicInteger attempts = new AtomicInteger();

        @Retryable(maxRetries = 5, delay = 1)
        @GroupConcurrent(group = "partner")
        String order() throws IOException {
            if (attempts.incrementAndGet() < 3) {
                throw new IOException("not now");
            }
            return "ordered at the third attempt";
        }

        @Retryable(includes = RejectedTaskException.class, maxRetries = Long.MAX_VALUE, delay = 1)
        @GroupConcurrent(group = "busy")
        String insist() {
            return "let in";
        }

        @ConcurrencyLimit(1)
        @GroupConcurrent(group = "both")
        String limitedTwice() {
            return "ran";
        }
    }
}
