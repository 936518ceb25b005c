package io.github.kobe.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.method.GroupConcurrentAspectAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Keys of an attacker's choice, in what is scraped and in number. */
@ExtendWith(OutputCaptureExtension.class)
class HostileTagsTests {

    /** How many keys the attacker tries. */
    private static final int KEYS = Depth.pick(10_000, 10_000, 1_000_000);

    /** Comment, or name, labels with escaped values, and a number; nothing else is a line of Prometheus' format. */
    private static final Pattern LINE = Pattern.compile(
            "#.*|[a-zA-Z_:][a-zA-Z0-9_:]*(\\{([a-z_]+=\"([^\"\\\\\\n]|\\\\[\\\\\"n])*\",?)*})? [-+0-9.eEINanf]+");

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(BootAutoConfigurations.named("MetricsAutoConfiguration"))
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class,
                    GroupConcurrentAspectAutoConfiguration.class,
                    GroupConcurrencyMetricsAutoConfiguration.class));

    @Test
    void noKeyForgesALineOfAScrape() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        runner.withBean(MeterRegistry.class, () -> registry)
                .withPropertyValues("group-concurrency.metrics.group-tag=all")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    List<String> keys = List.of(
                            "\nforged_total{group=\"x\"} 666",
                            "a\"} 666\nforged_total 666",
                            "back\\\nslash\\",
                            "\r\n# EOF\n",
                            "\u2028forged 1",
                            "\ud800",
                            "<b>html</b>");
                    for (String key : keys) {
                        executor.call(key, () -> "used");
                    }

                    String scrape = registry.scrape();

                    assertThat(scrape.split("\n"))
                            .allMatch(line -> LINE.matcher(line).matches(), "a line of its format");
                    assertThat(scrape.lines().filter(line -> line.startsWith("forged")))
                            .isEmpty();
                    assertThat(scrape.lines().filter(line -> line.startsWith("group_executor_submitted")))
                            .hasSizeGreaterThanOrEqualTo(keys.size());
                });
    }

    @ParameterizedTest
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    @CsvSource({"configured, 3", "all, 11", "none, 1"})
    void manyKeysGrowNeitherGroupsNorMetersNorLog(String tag, int tags, CapturedOutput output) {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        runner.withBean(MeterRegistry.class, () -> registry)
                .withBean(Guarded.class)
                .withPropertyValues(
                        "group-concurrency.metrics.group-tag=" + tag,
                        "group-concurrency.metrics.max-tag-values=10",
                        "group-concurrency.max-idle-groups=100",
                        "group-concurrency.group-list[0].key=tenant:vip-*",
                        "group-concurrency.group-list[0].max-concurrency=2",
                        "group-concurrency.groups.vip.max-concurrency=2")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    Guarded guarded = context.getBean(Guarded.class);
                    for (int i = 0; i < 1_000; i++) {
                        guarded.work("warm-up-" + i);
                    }
                    int lines = output.getAll().split("\n").length;

                    for (int i = 0; i < KEYS; i++) {
                        guarded.work((i % 3 == 0 ? "vip-" : "\r\n") + i);
                    }

                    assertThat(executor.stats().totals().submitted()).isEqualTo(KEYS + 1_000L);
                    Deadline.untilAsserted(
                            () -> assertThat(executor.groupKeys()).hasSizeLessThanOrEqualTo(100 + 25 + 1));
                    assertThat(registry.getMeters().stream()
                                    .map(meter -> meter.getId().getTag("group"))
                                    .filter(value -> value != null && !value.equals(GroupTags.ALL))
                                    .distinct())
                            .hasSizeLessThanOrEqualTo(tags);
                    assertThat(registry.getMeters()).hasSizeLessThan(22 * (tags + 2));
                    assertThat(output.getAll().split("\n").length - lines).isLessThanOrEqualTo(2);
                });
    }

    @Test
    void noKeyTakesAValueThatStandsForOthers() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        runner.withUserConfiguration(EachReadingAnew.class)
                .withBean(MeterRegistry.class, () -> registry)
                .withPropertyValues(
                        "group-concurrency.metrics.group-tag=all", "group-concurrency.metrics.max-tag-values=3")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    for (String key : List.of("_other", "_default", "_all", "a", "b", "c", "d")) {
                        executor.call(key, () -> "used");
                    }

                    assertThat(submitted(registry, "_other")).isEqualTo(4);
                    assertThat(registry.get("group.executor.groups")
                                    .tag("group", "_other")
                                    .gauge()
                                    .value())
                            .isEqualTo(4);
                    assertThat(registry.find("group.executor.max.permits")
                                    .tag("group", "_other")
                                    .gauge())
                            .isNull();
                    executor.evictGroup("_other");
                    assertThat(registry.find("group.executor.submitted")
                                    .tag("group", "_default")
                                    .functionCounter())
                            .isNull();
                    executor.call("e", () -> "used");
                    Deadline.untilAsserted(
                            () -> assertThat(submitted(registry, "_other")).isEqualTo(5));
                });
    }

    private static double submitted(MeterRegistry registry, String group) {
        return registry.get("group.executor.submitted")
                .tag("group", group)
                .functionCounter()
                .count();
    }

    static class Guarded {

        @GroupConcurrent(group = "tenant:#{#tenant}")
        void work(String tenant) {}
    }
}
