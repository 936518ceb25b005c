package io.github.kobe.spring.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.MetricsRegistry;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.metrics.GroupConcurrencyMetricsAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@org.junit.jupiter.api.Tag("R95")
class RolloutMetersTests {

    private static final PlanId FIRST = PlanId.of("plan-1");
    private static final PlanId SECOND = PlanId.of("plan-2");
    private static final PlanId THIRD = PlanId.of("plan-3");

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class,
                    GroupConcurrencyMetricsAutoConfiguration.class,
                    GroupConcurrencyRolloutAutoConfiguration.class,
                    RolloutMetricsAutoConfiguration.class))
            .withConfiguration(BootAutoConfigurations.named(
                    "MetricsAutoConfiguration",
                    "CompositeMeterRegistryAutoConfiguration",
                    "SimpleMetricsExportAutoConfiguration"))
            .withPropertyValues("group-concurrency.rollout.store=memory");

    @Test
    void whatRunsAndHowItEndedIsToldForEachPlan() {
        Gate gate = new Gate();
        runner.withBean(RolloutsCustomizer.class, () -> rollouts -> rollouts.progressInterval(Duration.ofMillis(10)))
                .withBean(
                        Stage.class,
                        () -> Stage.named("Hold").step(context -> {
                            gate.pass();
                            if (context.tenantId().value().equals("bad")) {
                                throw new IllegalStateException("bad");
                            }
                        }))
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    Rollouts rollouts = context.getBean(Rollouts.class);
                    rollouts.start(RolloutPlan.named("plan-1")
                            .add(TenantChange.of("good", DeployUnit.of(7, 42, "blue"), "{}"))
                            .add(TenantChange.of("bad", DeployUnit.of(7, 42, "blue"), "{}"))
                            .build());
                    gate.awaitArrived(2);
                    Deadline.until("both are shown", () -> gauge(registry, "task.active", "plan-1") == 2);
                    Deadline.until("their lag is shown", () -> gauge(registry, "heartbeat.lag", "plan-1") == 2);

                    gate.open();
                    rollouts.await(FIRST, Deadline.LONG);

                    Deadline.until("nothing runs", () -> gauge(registry, "task.active", "plan-1") == 0);
                    assertThat(gauge(registry, "heartbeat.lag", "plan-1")).isZero();
                    assertThat(count(registry, "task.completed", "plan-1")).isEqualTo(1);
                    assertThat(count(registry, "task.failed", "plan-1")).isEqualTo(1);
                    assertThat(count(registry, "task.paused", "plan-1")).isZero();
                    assertThat(count(registry, "task.cancelled", "plan-1")).isZero();
                    assertThat(count(registry, "rollback.count", "plan-1")).isZero();
                });
    }

    @Test
    void eachHasADescriptionAndThePlanForATag() {
        runner.run(context -> {
            context.getBean(MetricsRegistry.class).incrementCounter("task_failed", FIRST);
            assertThat(context.getBean(MeterRegistry.class).getMeters())
                    .filteredOn(meter -> meter.getId().getName().startsWith("rollout."))
                    .hasSize(16)
                    .allSatisfy(meter -> {
                        assertThat(meter.getId().getDescription()).isNotBlank();
                        assertThat(meter.getId().getTags())
                                .extracting(Tag::getKey)
                                .containsExactly("plan");
                    });
        });
    }

    @Test
    void oneMorePlanTakesThePlaceOfTheOneThatWasQuietForLongestWithoutACountThatRunsBackwards() {
        runner.withPropertyValues("group-concurrency.metrics.max-tag-values=2").run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            MetricsRegistry rollouts = context.getBean(MetricsRegistry.class);
            rollouts.setGauge("task_active", FIRST, 1);
            rollouts.incrementCounter("task_completed", SECOND);
            rollouts.incrementCounter("task_completed", FIRST);

            rollouts.incrementCounter("task_completed", THIRD);

            assertThat(plans(registry)).containsExactly("_other", "plan-1", "plan-3");
            assertThat(count(registry, "task.completed", "_other")).isEqualTo(1);
            assertThat(count(registry, "task.completed", "plan-3")).isEqualTo(1);

            rollouts.setGauge("task_active", SECOND, 0);
            assertThat(plans(registry))
                    .as("what is quiet comes back for nothing")
                    .doesNotContain("plan-2");
        });
    }

    @Test
    void whereAllAreBusyOneMoreIsAmongTheOthersUntilThereIsRoom() {
        runner.withPropertyValues("group-concurrency.metrics.max-tag-values=1").run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            MetricsRegistry rollouts = context.getBean(MetricsRegistry.class);
            rollouts.setGauge("task_active", FIRST, 4);
            rollouts.setGauge("task_active", SECOND, 2);
            rollouts.setGauge("task_active", THIRD, 1);
            assertThat(gauge(registry, "task.active", "_other")).isEqualTo(3);

            rollouts.setGauge("task_active", FIRST, 0);
            rollouts.setGauge("task_active", SECOND, 5);

            assertThat(gauge(registry, "task.active", "plan-2")).isEqualTo(5);
            assertThat(gauge(registry, "task.active", "_other")).isEqualTo(1);
        });
    }

    @Test
    @org.junit.jupiter.api.Tag("R107")
    void aRegistryOfTheApplicationsOwnCountsInTheirPlace() {
        runner.withBean(MetricsRegistry.class, MetricsRegistry::noop)
                .run(context -> assertThat(context).doesNotHaveBean(RolloutMeters.class));
    }

    @Test
    void theirNamesInPrometheusDoNotStutter() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        runner.withBean(PrometheusMeterRegistry.class, () -> registry).run(context -> {
            context.getBean(MetricsRegistry.class).incrementCounter("task_failed", FIRST);
            List<String> names = registry.scrape()
                    .lines()
                    .filter(line -> line.startsWith("rollout_") && line.contains("plan-1"))
                    .map(line -> line.substring(0, line.indexOf('{')))
                    .toList();
            assertThat(names)
                    .containsExactlyInAnyOrder(
                            "rollout_event_given_up_total",
                            "rollout_heartbeat_lag_stages",
                            "rollout_rollback_count_total",
                            "rollout_task_active",
                            "rollout_task_cancelled_total",
                            "rollout_task_completed_total",
                            "rollout_task_failed_total",
                            "rollout_task_paused_total");
        });
    }

    private static Set<String> plans(MeterRegistry registry) {
        Set<String> plans = new TreeSet<>();
        for (Meter meter : registry.getMeters()) {
            if (meter.getId().getName().startsWith("rollout.")) {
                plans.add(meter.getId().getTag("plan"));
            }
        }
        return plans;
    }

    private static double gauge(MeterRegistry registry, String name, String plan) {
        Gauge gauge = registry.find("rollout." + name).tag("plan", plan).gauge();
        return gauge == null ? -1 : gauge.value();
    }

    private static double count(MeterRegistry registry, String name, String plan) {
        FunctionCounter counter =
                registry.find("rollout." + name).tag("plan", plan).functionCounter();
        return counter == null ? -1 : counter.count();
    }
}
