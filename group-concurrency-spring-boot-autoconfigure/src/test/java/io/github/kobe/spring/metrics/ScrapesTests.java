package io.github.kobe.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.GroupConcurrencyResolver;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyRefreshAutoConfiguration;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyRefresher;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.GroupTag;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;

/** What a scrape reads, what that costs, and what it follows while the application runs. */
class ScrapesTests {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private final ApplicationContextRunner runner = runnerWith(registry);

    private static ApplicationContextRunner runnerWith(MeterRegistry registry) {
        return new ApplicationContextRunner()
                .withConfiguration(BootAutoConfigurations.named("MetricsAutoConfiguration"))
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class,
                        GroupConcurrencyRefreshAutoConfiguration.class,
                        GroupConcurrencyMetricsAutoConfiguration.class))
                .withBean(MeterRegistry.class, () -> registry);
    }

    /** Reads all that is registered. */
    private void scrape() {
        for (Meter meter : registry.getMeters()) {
            meter.measure().forEach(Measurement::getValue);
        }
    }

    private void untilScraped(Runnable assertion) {
        Deadline.untilAsserted(() -> {
            scrape();
            assertion.run();
        });
    }

    private @Nullable Gauge permits(String group) {
        return registry.find("group.executor.max.permits").tag("group", group).gauge();
    }

    private double submitted(String group) {
        return submitted(registry, group);
    }

    private static double submitted(MeterRegistry registry, String group) {
        return registry.get("group.executor.submitted")
                .tag("group", group)
                .functionCounter()
                .count();
    }

    private static Set<String> groupTags(MeterRegistry registry) {
        return registry.getMeters().stream()
                .map(meter -> meter.getId().getTag("group"))
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
    }

    @Test
    void aScrapeAsksNoResolver() {
        AtomicInteger asked = new AtomicInteger();
        GroupConcurrencyResolver resolver = key -> {
            asked.incrementAndGet();
            return 3;
        };
        runner.withUserConfiguration(EachReadingAnew.class)
                .withBean(GroupConcurrencyResolver.class, () -> resolver)
                .withPropertyValues("group-concurrency.groups.vip.weight=4")
                .run(context -> {
                    int before = asked.get();
                    scrape();
                    assertThat(asked).hasValue(before);

                    context.getBean(GroupExecutor.class).call("vip", () -> "used");
                    untilScraped(() -> assertThat(permits("vip")).isNotNull());
                    assertThat(permits("vip").value()).isEqualTo(3);
                    assertThat(asked.get() - before).as("for the group alone").isEqualTo(1);
                });
    }

    @Test
    void theGaugesOfALimitFollowIt() {
        runner.withUserConfiguration(EachReadingAnew.class)
                .withPropertyValues(
                        "group-concurrency.groups.vip.max-concurrency=2",
                        "group-concurrency.groups.free.max-concurrency=2147483647")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    executor.call("vip", () -> "used");
                    executor.call("free", () -> "used");
                    untilScraped(() -> assertThat(permits("vip")).isNotNull());
                    assertThat(permits("free")).isNull();

                    executor.setLimits("free", GroupLimits.unset().withMaxConcurrency(7));
                    executor.setLimits("vip", GroupLimits.unset().withMaxConcurrency(Integer.MAX_VALUE));

                    untilScraped(() -> {
                        assertThat(permits("vip")).isNull();
                        assertThat(permits("free")).isNotNull();
                        assertThat(permits("free").value()).isEqualTo(7);
                    });
                });
    }

    @Test
    void theMetersOfRulesFollowARefresh() {
        runner.withPropertyValues("group-concurrency.groups.old.max-concurrency=2")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    executor.call("old", () -> "used");
                    executor.call("new", () -> "used");
                    assertThat(submitted("old")).isEqualTo(1);

                    context.getEnvironment().getPropertySources().remove("test");
                    TestPropertyValues.of(
                                    "group-concurrency.global.max-in-flight=9",
                                    "group-concurrency.group-list[0].key=new",
                                    "group-concurrency.group-list[0].max-concurrency=5")
                            .applyTo(context);
                    context.getBean(GroupConcurrencyRefresher.class).refresh();
                    executor.call("new", () -> "used");

                    untilScraped(() -> {
                        assertThat(registry.find("group.executor.submitted")
                                        .tag("group", "old")
                                        .functionCounter())
                                .isNull();
                        assertThat(permits("new")).isNotNull();
                        assertThat(registry.find("group.executor.global.max.permits")
                                        .gauge())
                                .isNotNull();
                        assertThat(registry.find("group.executor.execution")
                                        .tag("group", "new")
                                        .timer()
                                        .count())
                                .isEqualTo(1);
                    });
                });
    }

    @Test
    void countersNeverRunBackwardsWhileGroupsComeAndGo() throws Exception {
        for (GroupTag tag : GroupTag.values()) {
            AtomicLong now = new AtomicLong();
            GroupMeters meters = new GroupMeters(settings(tag), now::get);
            GroupPolicy policy = GroupPolicy.builder()
                    .maxIdleGroups(0)
                    .recorderFactory(meters)
                    .build();
            String shared = switch (tag) {
                case CONFIGURED -> "_default";
                case ALL -> "_other";
                case NONE -> "_all";
            };
            SimpleMeterRegistry own = new SimpleMeterRegistry();
            try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
                meters.bind("mine", executor, own);
                executor.call("named", () -> "used"); // which has the one place, if there is one
                double before = 0;
                for (int i = 0; i < 500; i++) {
                    executor.call("key-" + i, () -> "used");
                    if (i % 5 == 0) {
                        executor.evictGroup("key-" + i);
                    }
                    now.addAndGet(Readings.KEPT_NANOS);
                    double count = own.get("group.executor.submitted")
                            .tag("group", shared)
                            .functionCounter()
                            .count();
                    assertThat(count).isGreaterThanOrEqualTo(before);
                    before = count;
                }
                Deadline.untilAsserted(() -> {
                    now.addAndGet(Readings.KEPT_NANOS);
                    assertThat(own.get("group.executor.completed")
                                    .tags("group", shared, "outcome", "success")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(tag == GroupTag.ALL ? 500 : 501);
                });
            }
        }
    }

    private static GroupConcurrencyProperties.Metrics settings(GroupTag tag) {
        return new GroupConcurrencyProperties.Metrics(true, tag, 1, GroupConcurrencyProperties.Timers.ALL);
    }

    @Test
    void aReadingIsKeptForASecond() {
        AtomicLong now = new AtomicLong();
        GroupMeters meters = new GroupMeters(settings(GroupTag.CONFIGURED), now::get);
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().recorderFactory(meters).build())) {
            meters.bind("mine", executor, registry);
            assertThat(submitted("_default")).isZero();
            executor.submit("a", "1", () -> "done").join();

            now.addAndGet(Readings.KEPT_NANOS - 1);
            assertThat(submitted("_default")).isZero();
            now.incrementAndGet();
            assertThat(submitted("_default")).isEqualTo(1);
        }
    }

    @Test
    void aRuleHasMetersFromItsFirstUseOnAndKeepsItsPlace() {
        for (String timers : new String[] {"all", "none"}) {
            SimpleMeterRegistry own = new SimpleMeterRegistry();
            runnerWith(own)
                    .withUserConfiguration(EachReadingAnew.class)
                    .withPropertyValues(
                            "group-concurrency.metrics.timers=" + timers,
                            "group-concurrency.metrics.max-tag-values=2",
                            "group-concurrency.max-idle-groups=0",
                            "group-concurrency.groups.a.max-concurrency=2",
                            "group-concurrency.groups.b.max-concurrency=2",
                            "group-concurrency.groups.c.max-concurrency=2",
                            "group-concurrency.group-list[0].key=tenant:*")
                    .run(context -> {
                        assertThat(groupTags(own)).containsExactlyInAnyOrder("_default", "_all");

                        GroupExecutor executor = context.getBean(GroupExecutor.class);
                        for (String key : List.of("x", "c", "tenant:1", "a", "tenant:2", "b", "c")) {
                            executor.call(key, () -> "used");
                            executor.evictGroup(key);
                        }

                        assertThat(groupTags(own))
                                .containsExactlyInAnyOrder("_default", "_all", "c", "tenant:*", "_other");
                        assertThat(submitted(own, "c")).isEqualTo(2);
                        assertThat(submitted(own, "tenant:*")).isEqualTo(2);
                        assertThat(submitted(own, "_other")).isEqualTo(2);
                        assertThat(submitted(own, "_default")).isEqualTo(1);
                    });
        }
    }

    @Test
    void theCountersOfRulesWithoutAPlaceNeverRunBackwardsThoughARefreshDropsOne() {
        runner.withUserConfiguration(EachReadingAnew.class)
                .withPropertyValues(
                        "group-concurrency.metrics.max-tag-values=1",
                        "group-concurrency.group-list[0].key=first",
                        "group-concurrency.group-list[1].key=second",
                        "group-concurrency.group-list[2].key=third")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    for (String key : List.of("first", "second", "third")) {
                        executor.call(key, () -> "used");
                    }
                    assertThat(submitted("_other")).isEqualTo(2);

                    context.getEnvironment().getPropertySources().remove("test");
                    TestPropertyValues.of(
                                    "group-concurrency.metrics.max-tag-values=1",
                                    "group-concurrency.group-list[0].key=third")
                            .applyTo(context);
                    context.getBean(GroupConcurrencyRefresher.class).refresh();
                    scrape();
                    assertThat(groupTags(registry)).containsExactlyInAnyOrder("_default", "_other", "_all");
                    executor.evictGroup("third");
                    executor.call("third", () -> "used");

                    assertThat(submitted("third"))
                            .as("it has the place that is free")
                            .isEqualTo(2);
                    assertThat(submitted("_other")).isEqualTo(2);
                });
    }

    @Test
    void thousandsOfExactKeysMakeAScrapeOfBoundedSize() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        runnerWith(prometheus)
                .withPropertyValues(IntStream.range(0, 5_000)
                        .mapToObj(i -> List.of(
                                "group-concurrency.group-list[" + i + "].key=tenant:" + i,
                                "group-concurrency.group-list[" + i + "].max-concurrency=2"))
                        .flatMap(List::stream)
                        .toArray(String[]::new))
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    for (int i = 0; i < 5_000; i++) {
                        executor.call("tenant:" + i, () -> "used");
                    }

                    assertThat(prometheus.scrape().length()).isLessThanOrEqualTo(300_000);
                    assertThat(groupTags(prometheus)).hasSize(100 + 3).contains("_default", "_other", "_all");
                });
    }

    @Test
    void whatWaitsIsTimedAndItsOldestIsSeen() {
        runner.withPropertyValues("group-concurrency.groups.vip.max-concurrency=1")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    Gate gate = new Gate();
                    executor.submit("vip", "1", () -> {
                        gate.pass();
                        return "done";
                    });
                    executor.submit("vip", "2", () -> "done");
                    assertThat(registry.get("group.executor.oldest.wait")
                                    .tag("group", "vip")
                                    .timeGauge()
                                    .value())
                            .isPositive();
                    gate.open();
                    assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();

                    Deadline.untilAsserted(() -> assertThat(registry.get("group.executor.wait")
                                    .tag("group", "vip")
                                    .timer()
                                    .count())
                            .isEqualTo(1));
                });
    }

    @Test
    void aGroupNamedLikeTheDefaultIsCountedWithIt() {
        runner.withPropertyValues(
                        "group-concurrency.group-list[0].key=_default",
                        "group-concurrency.group-list[0].max-concurrency=5")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    executor.call("_default", Duration.ZERO, () -> "used");
                    executor.call("x", Duration.ZERO, () -> "used");

                    assertThat(submitted("_default")).isEqualTo(2);
                    assertThat(permits("_default")).isNull();
                });
    }
}
