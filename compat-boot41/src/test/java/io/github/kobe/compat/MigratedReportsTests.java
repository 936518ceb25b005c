package io.github.kobe.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.compat.MigratedReports.Report;
import io.github.kobe.compat.MigratedReports.ReportStore;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.method.GroupConcurrentAspectAutoConfiguration;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.InvocationRejectedException;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.ConcurrencyLimit.ThrottlePolicy;
import org.springframework.resilience.annotation.EnableResilientMethods;

/** The claims of the howto on {@code @ConcurrencyLimit}. */
class MigratedReportsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class))
            .withUserConfiguration(Resilient.class);

    @Test
    void bothGiveTheSameReport() {
        runner.withBean(ReportStore.class, () -> Report::new)
                .withBean(MigratedReports.class)
                .withPropertyValues("group-concurrency.defaults.max-concurrency=2")
                .run(context -> {
                    MigratedReports reports = context.getBean(MigratedReports.class);

                    assertThat(reports.after("a")).isEqualTo(reports.before("a"));

                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    assertThat(executor.groupStats("tenant:a")
                                    .orElseThrow()
                                    .maxConcurrency()
                                    .value())
                            .isEqualTo(2);
                });
    }

    @Test
    void whatRejectsThrowsAnotherException() {
        runner.withBean(Strict.class).run(context -> {
            Strict strict = context.getBean(Strict.class);
            Gate gate = new Gate();
            FutureTask<Integer> first = new FutureTask<>(() -> strict.pass(gate));
            Thread.startVirtualThread(first);
            Deadline.until("the first is inside", () -> strict.entered() == 1);

            assertThatExceptionOfType(InvocationRejectedException.class).isThrownBy(() -> strict.pass(gate));

            gate.open();
            assertThat(first.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo(1);
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class Resilient {}

    static class Strict {

        private final AtomicInteger entered = new AtomicInteger();

        @ConcurrencyLimit(limit = 1, policy = ThrottlePolicy.REJECT)
        public int pass(Gate gate) throws InterruptedException {
            int number = entered.incrementAndGet();
            gate.pass();
            return number;
        }

        public int entered() {
            return entered.get();
        }
    }
}
