package io.github.kobe.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.spring.GroupConcurrencyResolver;
import io.github.kobe.spring.GroupExecutorBuilder;
import io.github.kobe.spring.GroupPolicyCustomizer;
import io.github.kobe.spring.actuate.GroupExecutorEndpoint;
import io.github.kobe.spring.actuate.GroupExecutorEndpointAutoConfiguration;
import io.github.kobe.spring.actuate.GroupExecutorReport;
import io.github.kobe.spring.internal.endpoint.RefusedRequestException;
import io.github.kobe.spring.metrics.GroupConcurrencyMetricsAutoConfiguration;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Executors beside the one of ours, or in place of it. */
@ExtendWith(OutputCaptureExtension.class)
class SeveralExecutorsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class,
                    GroupConcurrencyMetricsAutoConfiguration.class,
                    GroupExecutorEndpointAutoConfiguration.class))
            .withPropertyValues("management.endpoints.web.exposure.include=groupexecutor");

    @Test
    void eachIsDrainedWhenTheContextCloses() {
        runner.withUserConfiguration(FurtherByHand.class).run(context -> {
            GroupExecutor ours = context.getBean("groupExecutor", GroupExecutor.class);
            GroupExecutor further = context.getBean("further", GroupExecutor.class);
            Gate running = new Gate();
            Gate gate = new Gate();
            TaskHandle<String> first = further.submit("g", () -> {
                running.open();
                gate.pass();
                // Of what is quiet already, which is awaited once more.
                return ours.submit("g", () -> "asked for by the other").await().value();
            });
            TaskHandle<String> queued = further.submit("g", () -> "queued");
            running.pass();

            Caller<?> closing = Caller.startPlatform(Executors.callable(context.getSourceApplicationContext()::close));
            Deadline.until(
                    "the close waits",
                    () -> closing.thread().getState() == Thread.State.TIMED_WAITING
                            || closing.thread().getState() == Thread.State.WAITING
                            || further.isShutdown());
            gate.open();

            assertThat(first.await(Deadline.SECONDS, TimeUnit.SECONDS).value()).isEqualTo("asked for by the other");
            assertThat(queued.await(Deadline.SECONDS, TimeUnit.SECONDS).status())
                    .isEqualTo(TaskStatus.SUCCESS);
            closing.result();
            assertThat(ours.isShutdown()).isTrue();
            assertThat(further.isShutdown()).isTrue();
        });
    }

    @Test
    void oneOfAParentContextIsFoundAndLeftToIt() {
        try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(Own.class)) {
            runner.withParent(parent).run(context -> {
                GroupExecutorEndpoint endpoint = context.getBean(GroupExecutorEndpoint.class);
                assertThat(endpoint.groups(null, null, null, null, null, null, null, null, null))
                        .isInstanceOf(GroupExecutorReport.class);
                assertThat(endpoint.groups(null, null, null, null, null, null, null, null, "own"))
                        .isInstanceOf(GroupExecutorReport.class);
                assertThat(metersOf(context)
                                .get("group.executor.global.running")
                                .tag("executor", "own")
                                .gauge()
                                .value())
                        .isZero();
            });
            assertThat(parent.getBean(GroupExecutor.class).isShutdown()).isFalse();
        }
    }

    @Test
    void theOneThatIsMeantWithoutANameIsShownWithoutOneToo() {
        runner.withUserConfiguration(Own.class, FurtherByHand.class).run(context -> {
            context.getBean("own", GroupExecutor.class).call("of-own", () -> "ran");
            GroupExecutorReport shown = (GroupExecutorReport) context.getBean(GroupExecutorEndpoint.class)
                    .groups(null, null, null, null, null, null, null, null, null);
            assertThat(shown.groups()).containsOnlyKeys("of-own");
        });
    }

    @Test
    void oneThatIsNotToBeFoundByItsTypeIsNotShown() {
        runner.withUserConfiguration(Hidden.class).run(context -> {
            GroupExecutorEndpoint endpoint = context.getBean(GroupExecutorEndpoint.class);
            assertThatExceptionOfType(RefusedRequestException.class)
                    .isThrownBy(() -> endpoint.groups(null, null, null, null, null, null, null, null, "hidden"));
            assertThat(metersOf(context)
                            .find("group.executor.global.running")
                            .tag("executor", "hidden")
                            .gauges())
                    .isEmpty();
        });
    }

    @Test
    void whatTheBuilderMakesHasAllThatGoesAlongWithWorkAndNothingThatDecidesOnIt() {
        runner.withUserConfiguration(Built.class)
                .withPropertyValues(
                        "group-concurrency.global.max-in-flight=7", "group-concurrency.defaults.max-concurrency=5")
                .withBean(GroupPolicyCustomizer.class, () -> policy -> policy.globalMaxInFlight(8))
                .withBean(GroupConcurrencyResolver.class, () -> key -> 9)
                .run(context -> {
                    GroupExecutor exports = context.getBean("exports", GroupExecutor.class);
                    MeterRegistry registry = metersOf(context);
                    MDC.put("tenant", "a");
                    try {
                        assertThat(exports.submit("g", () -> MDC.get("tenant"))
                                        .await(Deadline.SECONDS, TimeUnit.SECONDS)
                                        .value())
                                .isEqualTo("a");
                    } finally {
                        MDC.clear();
                    }

                    assertThat(exports.policy().globalMaxInFlight()).isEqualTo(3);
                    assertThat(exports.policy()
                                    .explain("g")
                                    .maxConcurrency()
                                    .orElseThrow()
                                    .value())
                            .isEqualTo(1);
                    assertThat(context.getBean(GroupExecutor.class).policy().globalMaxInFlight())
                            .isEqualTo(8);
                    Deadline.untilAsserted(() -> assertThat(registry.get("group.executor.completed")
                                    .tags("executor", "exports", "group", "_default", "outcome", "success")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1));
                    assertThat(registry.find("group.executor.completed")
                                    .tags("executor", "groupExecutor", "outcome", "success")
                                    .functionCounters())
                            .allMatch(counter -> counter.count() == 0);
                });
    }

    @ParameterizedTest
    @CsvSource({"defaults.max-concurrency, 7", "global.rate, 60 per 1m"})
    void oneThatPutsConfiguredLimitsOutOfForceIsWarnedOf(String setting, String value, CapturedOutput output) {
        runner.withUserConfiguration(Own.class)
                .withPropertyValues("group-concurrency." + setting + "=" + value)
                .run(context -> assertThat(output)
                        .contains("group-concurrency." + setting + " is set, but no executor uses it: the bean"
                                + " own replaces the starter's."));
    }

    @Test
    void oneThatIsMadeFromTheSettingsOrHasNoneToMindIsNot(CapturedOutput output) {
        runner.withUserConfiguration(OwnFromThePolicy.class)
                .withPropertyValues("group-concurrency.defaults.max-concurrency=7")
                .run(context -> assertThat(context).hasNotFailed());
        runner.withUserConfiguration(Own.class)
                .withPropertyValues("group-concurrency.shutdown.await-termination-period=1s")
                .run(context -> assertThat(context).hasNotFailed());
        runner.withUserConfiguration(FurtherByHand.class)
                .withPropertyValues("group-concurrency.defaults.max-concurrency=7")
                .run(context -> assertThat(context).hasNotFailed());
        runner.withUserConfiguration(OwnFromThePolicyWithAnotherTotal.class)
                .withPropertyValues(
                        "group-concurrency.defaults.max-concurrency=7", "group-concurrency.global.max-in-flight=20")
                .run(context -> assertThat(context).hasNotFailed());
        runner.withBean(GroupPolicyCustomizer.class, () -> policy -> policy.globalMaxInFlight(50))
                .withPropertyValues("group-concurrency.global.max-in-flight=20")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("but no executor uses it");
    }

    @Test
    void aPolicyThatPutsConfiguredLimitsOutOfForceIsWarnedOf(CapturedOutput output) {
        runner.withBean("pol", GroupPolicy.class, () -> GroupPolicy.builder().build())
                .withPropertyValues(
                        "group-concurrency.defaults.max-concurrency=7", "group-concurrency.global.max-in-flight=20")
                .run(context -> assertThat(output)
                        .contains("group-concurrency.defaults.max-concurrency is set (and 1 more under the prefix), but"
                                + " no executor uses it: the bean pol replaces the policy that has these settings."));
    }

    private static MeterRegistry metersOf(ApplicationContext context) {
        MeterRegistry registry = context.getBean(MeterRegistry.class);
        context.getBeansOfType(MeterBinder.class).values().forEach(binder -> binder.bindTo(registry));
        return registry;
    }

    @Configuration(proxyBeanMethods = false)
    static class Built {
        @Bean(defaultCandidate = false)
        GroupExecutor exports(GroupExecutorBuilder builder) {
            return builder.build(
                    "exports", GroupPolicy.builder().globalMaxInFlight(3).build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnFromThePolicy {
        @Bean
        GroupExecutor own(GroupPolicy policy) {
            return GroupExecutor.newVirtualThreadExecutor(policy);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnFromThePolicyWithAnotherTotal {
        @Bean
        GroupExecutor own(GroupPolicy policy) {
            return GroupExecutor.newVirtualThreadExecutor(
                    policy.toBuilder().globalMaxInFlight(50).build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FurtherByHand {
        @Bean(defaultCandidate = false)
        GroupExecutor further() {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Own {
        @Bean
        GroupExecutor own() {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Hidden {
        @Bean(autowireCandidate = false)
        GroupExecutor hidden() {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        }
    }
}
