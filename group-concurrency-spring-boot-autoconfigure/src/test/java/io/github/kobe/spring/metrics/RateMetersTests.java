package io.github.kobe.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.Rate;
import io.github.kobe.TaskHandle;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.testing.Deadline;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What meters tell of rates. */
@Tag("RA15")
class RateMetersTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(BootAutoConfigurations.named(
                    "MetricsAutoConfiguration",
                    "CompositeMeterRegistryAutoConfiguration",
                    "SimpleMetricsExportAutoConfiguration"))
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyMetricsAutoConfiguration.class))
            .withUserConfiguration(EachReadingAnew.class)
            .withPropertyValues(
                    "group-concurrency.groups[hourly-*].rate=4 per 1h burst 2",
                    "group-concurrency.groups.hasty.rate=1 per 1h",
                    "group-concurrency.groups.hasty.queue-timeout=1s");

    private static @Nullable Double gauge(MeterRegistry registry, String name, String tag) {
        registry.get("group.executor.global.running").gauge().value(); // a scrape
        Gauge gauge = registry.find("group.executor." + name).tag("group", tag).gauge();
        return gauge == null ? null : gauge.value();
    }

    private static void run(GroupExecutor executor, String key) throws Exception {
        executor.submit(key, "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @CsvSource({"configured, hourly-*", "all, hourly-a", "none, _all"})
    void gaugesTellHowFarTheRateIsUsedUpThatIsClosest(String groupTag, String tag) {
        runner.withPropertyValues("group-concurrency.metrics.group-tag=" + groupTag)
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    run(executor, "hourly-a");
                    run(executor, "hourly-b");
                    assertThat(gauge(registry, "rate.used", tag)).isEqualTo(0.5);
                    assertThat(gauge(registry, "rate.waiting", tag)).isZero();

                    run(executor, "hourly-a");
                    TaskHandle<Object> waiting = executor.submit("hourly-a", "3", () -> null);
                    assertThat(gauge(registry, "rate.used", tag)).isEqualTo(1);
                    assertThat(gauge(registry, "rate.waiting", tag)).isEqualTo(1);
                    assertThat(waiting.cancel(false)).isTrue();
                    assertThat(gauge(registry, "rate.waiting", tag)).isZero();
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"configured", "all", "none"})
    void whatIsRememberedOfRatesIsShownOnceAGroupHasOne(String groupTag) {
        runner.withPropertyValues("group-concurrency.metrics.group-tag=" + groupTag)
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    run(executor, "free");
                    assertThat(gauge(registry, "global.rate.remembered", "_all"))
                            .isNull();

                    run(executor, "hourly-a");
                    assertThat(gauge(registry, "global.rate.remembered", "_all"))
                            .isZero();
                });
    }

    @Test
    @Tag("RA5")
    void aGaugeTellsHowFarTheRateOverAllGroupsIsUsedUp() {
        runner.withPropertyValues("group-concurrency.global.rate=10 per 1h burst 4")
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    run(executor, "other");
                    run(executor, "hourly-a");
                    assertThat(gauge(registry, "global.rate.used", "_all")).isEqualTo(0.5);
                    assertThat(gauge(registry, "rate.used", "hourly-*")).isEqualTo(0.5);
                    assertThat(gauge(registry, "rate.used", "_default")).isNull();

                    executor.updatePolicy(executor.policy().toBuilder()
                            .globalRate(Rate.UNLIMITED)
                            .build());
                    Deadline.untilAsserted(() -> assertThat(gauge(registry, "global.rate.used", "_all"))
                            .isNull());
                });
    }

    @Test
    void theyAreThereWhereARateIs() {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            run(executor, "hourly-a");
            run(executor, "other");
            assertThat(gauge(registry, "rate.used", "hourly-*")).isNotNull();
            assertThat(gauge(registry, "rate.used", "_default")).isNull();

            executor.setLimits("other", GroupLimits.unset().withRate(Rate.of(10, Duration.ofHours(1))));
            Deadline.untilAsserted(
                    () -> assertThat(gauge(registry, "rate.used", "_default")).isNotNull());
            executor.resetLimits("other");
            Deadline.untilAsserted(
                    () -> assertThat(gauge(registry, "rate.used", "_default")).isNull());
            executor.evictGroup("hourly-a");
            Deadline.untilAsserted(
                    () -> assertThat(gauge(registry, "rate.used", "hourly-*")).isZero());
        });
    }

    @Test
    void whatIsRejectedForItsRateIsCounted() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            run(executor, "hasty");
            assertThat(executor.submit("hasty", "2", () -> null).toCompletableFuture())
                    .failsWithin(Deadline.LONG);

            assertThat(context.getBean(MeterRegistry.class)
                            .get("group.executor.rejected")
                            .tags("group", "hasty", "reason", "rate_limited")
                            .functionCounter()
                            .count())
                    .isEqualTo(1);
        });
    }
}
