package io.github.kobe.spring.autoconfigure;

import static io.github.kobe.spring.testing.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskTrace;
import io.github.kobe.TaskTracer;
import io.github.kobe.spring.GroupConcurrencyResolver;
import io.github.kobe.spring.GroupPolicyCustomizer;
import io.github.kobe.spring.internal.context.MdcTaskDecorator;
import io.github.kobe.spring.method.GroupConcurrentAspectAutoConfiguration;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MDC;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

@ExtendWith(OutputCaptureExtension.class)
class GroupConcurrencyAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class));

    @Test
    void withoutSettingsThereIsAnExecutorWithDefaults() {
        runner.run(context -> {
            GroupPolicy policy = context.getBean(GroupExecutor.class).policy();
            GroupPolicy defaults = GroupPolicy.builder().build();
            assertThat(policy.defaults()).isEqualTo(defaults.defaults());
            assertThat(policy.globalMaxInFlight()).isEqualTo(defaults.globalMaxInFlight());
            assertThat(policy.globalQueueThreshold()).isEqualTo(defaults.globalQueueThreshold());
            assertThat(policy.rejectionPolicy()).isEqualTo(defaults.rejectionPolicy());
            assertThat(policy.maxIdleGroups()).as("more than in plain Java").isEqualTo(10_000);
            assertThat(policy.idleTimeout()).isEqualTo(defaults.idleTimeout());
            assertThat(policy.groups()).isEmpty();
            assertThat(policy.patterns()).isEmpty();
        });
    }

    @Test
    void everySettingOfThePolicyGetsThere() {
        runner.withPropertyValues(
                        "group-concurrency.global.max-in-flight=200",
                        "group-concurrency.global.queue-threshold=5000",
                        "group-concurrency.global.headroom=12%",
                        "group-concurrency.rejection-policy=discard",
                        "group-concurrency.max-idle-groups=7",
                        "group-concurrency.idle-timeout=3m",
                        "group-concurrency.defaults.max-concurrency=2",
                        "group-concurrency.defaults.max-in-flight=3",
                        "group-concurrency.defaults.queue-threshold=1000",
                        "group-concurrency.defaults.queue-timeout=5s",
                        "group-concurrency.defaults.weight=6",
                        "group-concurrency.groups.vip.max-concurrency=8",
                        "group-concurrency.groups.vip.weight=4",
                        "group-concurrency.groups.vip.guaranteed=3",
                        "group-concurrency.groups[tenant/*].max-concurrency=4",
                        "group-concurrency.group-list[0].key=a.b/c",
                        "group-concurrency.group-list[0].queue-timeout=1s")
                .run(context -> {
                    GroupPolicy policy = context.getBean(GroupExecutor.class).policy();
                    assertThat(policy.globalMaxInFlight()).isEqualTo(200);
                    assertThat(policy.globalQueueThreshold()).isEqualTo(5000);
                    assertThat(policy.globalHeadroom()).isEqualTo(24);
                    assertThat(policy.rejectionPolicy()).isEqualTo(RejectionPolicy.DISCARD);
                    assertThat(policy.maxIdleGroups()).isEqualTo(7);
                    assertThat(policy.idleTimeout()).isEqualTo(Duration.ofMinutes(3));
                    assertThat(policy.defaults())
                            .isEqualTo(GroupLimits.unset()
                                    .withMaxConcurrency(2)
                                    .withMaxInFlight(3)
                                    .withQueueThreshold(1000)
                                    .withQueueTimeout(Duration.ofSeconds(5))
                                    .withWeight(6)
                                    .withGuaranteed(0));
                    assertThat(policy.groups())
                            .isEqualTo(Map.of(
                                    "vip",
                                    GroupLimits.unset()
                                            .withMaxConcurrency(8)
                                            .withWeight(4)
                                            .withGuaranteed(3),
                                    "a.b/c",
                                    GroupLimits.unset().withQueueTimeout(Duration.ofSeconds(1))));
                    assertThat(policy.patterns())
                            .isEqualTo(Map.of("tenant/*", GroupLimits.unset().withMaxConcurrency(4)));
                });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        global.headroom=5              | have no effect without group-concurrency.global.max-in-flight
        groups.vip.guaranteed=2        | have no effect without group-concurrency.global.max-in-flight
        group-list[0].guaranteed=2     | have no effect without group-concurrency.global.max-in-flight
        defaults.guaranteed=1          | defaults.guaranteed guarantees the same to all groups
        """)
    void sharesThatDoNothingAreWarnedOf(String setting, String warning, CapturedOutput output) {
        ApplicationContextRunner one =
                runner.withPropertyValues("group-concurrency." + setting, "group-concurrency.group-list[0].key=listed");
        (setting.startsWith("defaults") ? one.withPropertyValues("group-concurrency.global.max-in-flight=9") : one)
                .run(context -> assertThat(output).containsOnlyOnce(warning));
    }

    @Test
    void aPolicyOfTheApplicationsOwnIsUsedInPlaceOfTheSettings() {
        runner.withUserConfiguration(OwnPolicy.class)
                .withPropertyValues("group-concurrency.global.max-in-flight=5")
                .run(context -> assertThat(
                                context.getBean(GroupExecutor.class).policy().globalMaxInFlight())
                        .isEqualTo(17));
    }

    @Test
    void anExecutorOfTheApplicationsOwnIsTheOnlyOne() {
        runner.withUserConfiguration(OwnExecutor.class)
                .run(context ->
                        assertThat(context).hasSingleBean(GroupExecutor.class).hasBean("mine"));
    }

    @Test
    void aFurtherExecutorThatIsNoDefaultCandidateLeavesOursInPlace() {
        runner.withUserConfiguration(FurtherExecutor.class).run(context -> {
            assertThat(context.getBeanNamesForType(GroupExecutor.class))
                    .containsExactlyInAnyOrder("groupExecutor", "further");
            assertThat(context.getBeanProvider(GroupExecutor.class).getObject())
                    .isSameAs(context.getBean("groupExecutor"));
        });
    }

    @Test
    void noGroupIsMadeForAKeyThatIsTooLong() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            assertThat(executor.call("k".repeat(1024), () -> "called")).isEqualTo("called");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> executor.submit("k".repeat(1025), () -> "never"))
                    .withMessageContaining("has 1025 characters; allowed: at most 1024");
            assertThat(executor.groupKeys()).hasSize(1);
        });
        runner.withPropertyValues("group-concurrency.max-key-length=3")
                .run(context -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> context.getBean(GroupExecutor.class).acquire("long")));
    }

    @Test
    void customizersChangeThePolicyInTheirOrder() {
        runner.withUserConfiguration(Customizers.class)
                .run(context -> assertThat(
                                context.getBean(GroupExecutor.class).policy().globalMaxInFlight())
                        .isEqualTo(2));
    }

    @Test
    void handlerResolverListenersTracersAndDecoratorsArePickedUp() {
        runner.withUserConfiguration(PickedUp.class)
                .withPropertyValues("group-concurrency.context-propagation.enabled=false")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    PickedUp pickedUp = context.getBean(PickedUp.class);

                    executor.submit("g", "t", () -> pickedUp.heard.add("task"))
                            .await(Deadline.SECONDS, TimeUnit.SECONDS);

                    assertThat(pickedUp.heard)
                            .containsExactly(
                                    "first listener",
                                    "second listener",
                                    "first tracer",
                                    "second tracer",
                                    "first decorator",
                                    "second decorator",
                                    "task");
                    assertThat(concurrency(executor, "g")).isEqualTo(11);
                    assertThat(executor.policy().rejectionHandler()).containsSame(pickedUp.handler());
                });
    }

    @Test
    void whatIsOnThePolicyAlreadyWinsOverAHandlerOrResolverBean() {
        runner.withUserConfiguration(PickedUp.class, PolicyWithResolver.class).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.call("g", () -> "done");
            assertThat(concurrency(executor, "g")).isEqualTo(3);
        });
    }

    @Test
    void aPlanThatHasChangedComesIntoForceForOneGroupOrForAllWithTheirCountersKept() {
        Map<String, Integer> plans = new ConcurrentHashMap<>(Map.of("a", 2, "b", 2));
        runner.withBean(GroupConcurrencyResolver.class, () -> plans::get).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.call("a", () -> "done");
            executor.call("b", () -> "done");
            plans.replaceAll((group, plan) -> 8);
            executor.call("a", () -> "done");
            assertThat(List.of(concurrency(executor, "a"), concurrency(executor, "b")))
                    .containsExactly(2, 2);

            executor.resetLimits("a");
            assertThat(List.of(concurrency(executor, "a"), concurrency(executor, "b")))
                    .containsExactly(8, 2);

            executor.updatePolicy(executor.policy());
            assertThat(List.of(concurrency(executor, "a"), concurrency(executor, "b")))
                    .containsExactly(8, 8);
            assertThat(executor.groupStats("a").orElseThrow().totals().succeeded())
                    .isEqualTo(2);
        });
    }

    @Test
    void aGroupWhoseResolverFailedKeepsTheDefaultUntilTheResolverIsAskedAgain() {
        AtomicBoolean down = new AtomicBoolean(true);
        runner.withPropertyValues("group-concurrency.defaults.max-concurrency=3")
                .withBean(GroupConcurrencyResolver.class, () -> group -> {
                    if (down.get()) {
                        throw new IllegalStateException("the database is down");
                    }
                    return 8;
                })
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    executor.call("a", () -> "done");
                    down.set(false);
                    executor.call("a", () -> "done");
                    assertThat(concurrency(executor, "a")).isEqualTo(3);

                    executor.resetLimits("a");

                    assertThat(concurrency(executor, "a")).isEqualTo(8);
                });
    }

    private static int concurrency(GroupExecutor executor, String group) {
        return executor.groupStats(group).orElseThrow().maxConcurrency().value();
    }

    @Test
    void twoResolversFailTheStartUp() {
        runner.withUserConfiguration(PickedUp.class)
                .withBean("another", GroupConcurrencyResolver.class, () -> key -> 1)
                .run(context ->
                        assertThat(context).getFailure().hasRootCauseInstanceOf(NoUniqueBeanDefinitionException.class));
    }

    @Test
    void onlyTrueAndFalseSwitchItOnAndOff() {
        runner.withPropertyValues("group-concurrency.enabled=False")
                .run(context -> assertThat(context).doesNotHaveBean(GroupExecutor.class));
        runner.withPropertyValues("group-concurrency.enabled=TRUE")
                .run(context -> assertThat(context).hasSingleBean(GroupExecutor.class));
        runner.withPropertyValues("group-concurrency.enabled=YES").run(refused("enabled", "YES", "true or false"));
        runner.withPropertyValues("group-concurrency.enabled=perhaps")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("group-concurrency.enabled"));
    }

    @Test
    void switchedOffThereIsNoBeanOfOursAndOneWarning(CapturedOutput output) {
        runner.withPropertyValues("group-concurrency.enabled=false").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBeanDefinitionNames())
                    .filteredOn(name -> context.getType(name) != null
                            && context.getType(name).getName().startsWith("io.github.kobe"))
                    .isEmpty();
            assertThat(output.getOut().split("group-concurrency.enabled is false"))
                    .hasSize(2);
        });
    }

    @Test
    void theLoggingContextOfTheSubmitterIsThereForTheTaskAndGoneForTheNext() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            MDC.put("tenant", "a");
            try {
                assertThat(executor.submit("g", "1", () -> MDC.get("tenant"))
                                .await(Deadline.SECONDS, TimeUnit.SECONDS)
                                .value())
                        .isEqualTo("a");
            } finally {
                MDC.clear();
            }
            assertThat(executor.submit("g", "2", () -> MDC.get("tenant"))
                            .await(Deadline.SECONDS, TimeUnit.SECONDS)
                            .value())
                    .isNull();
        });
    }

    @Test
    @Tag("T1")
    void aCallerThatRunsItsRejectedTaskItselfKeepsItsLoggingContext() {
        runner.withPropertyValues(
                        "group-concurrency.rejection-policy=caller_runs",
                        "group-concurrency.defaults.queue-threshold=0")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    executor.pause("g");
                    MDC.put("tenant", "a");
                    try {
                        executor.submit("g", "1", () -> {
                            MDC.put("tenant", "b");
                            return null;
                        });
                        assertThat(MDC.get("tenant")).isEqualTo("a");
                    } finally {
                        MDC.clear();
                    }
                });
    }

    @Test
    void contextPropagationCanBeSwitchedOff() {
        runner.withPropertyValues("group-concurrency.context-propagation.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(MdcTaskDecorator.class));
    }

    @Test
    void withoutALoggingContextNothingIsCopied() {
        runner.withClassLoader(new FilteredClassLoader(MDC.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(GroupExecutor.class)
                        .doesNotHaveBean(MdcTaskDecorator.class));
    }

    @Test
    void springBootsOwnTaskExecutorStays() {
        runner.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
                .run(context -> assertThat(context).hasBean("applicationTaskExecutor"));
        assertThat(Executor.class.isAssignableFrom(GroupExecutor.class)).isFalse();
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnPolicy {
        @Bean
        GroupPolicy policy() {
            return GroupPolicy.builder().globalMaxInFlight(17).build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PolicyWithResolver {
        @Bean
        GroupPolicy policy() {
            return GroupPolicy.builder().concurrencyResolver(key -> 3).build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnExecutor {
        @Bean
        GroupExecutor mine() {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FurtherExecutor {
        @Bean(defaultCandidate = false)
        GroupExecutor further() {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Customizers {
        @Bean
        @Order(2)
        GroupPolicyCustomizer second() {
            return policy -> policy.globalMaxInFlight(2);
        }

        @Bean
        @Order(1)
        GroupPolicyCustomizer first() {
            return policy -> policy.globalMaxInFlight(1);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PickedUp {

        private static final RejectionHandler HANDLER = (groupKey, taskId, task) -> {
            return GroupResult.rejected(groupKey, taskId);
        };

        final List<String> heard = new CopyOnWriteArrayList<>();

        @Bean
        RejectionHandler handler() {
            return HANDLER;
        }

        @Bean
        GroupConcurrencyResolver resolver() {
            return key -> 11;
        }

        @Bean
        @Order(2)
        TaskLifecycleListener second() {
            return new Submissions("second listener");
        }

        @Bean
        @Order(1)
        TaskLifecycleListener first() {
            return new Submissions("first listener");
        }

        @Bean
        @Order(2)
        TaskTracer follower() {
            return (groupKey, taskId) -> started("second tracer");
        }

        @Bean
        @Order(1)
        TaskTracer leader() {
            return (groupKey, taskId) -> started("first tracer");
        }

        private TaskTrace started(String name) {
            return new TaskTrace() {
                @Override
                public void onStarted(long queuedNanos) {
                    heard.add(name);
                }
            };
        }

        @Bean
        @Order(2)
        GroupTaskDecorator inner() {
            return new Telling("second decorator");
        }

        @Bean
        @Order(1)
        GroupTaskDecorator outer() {
            return new Telling("first decorator");
        }

        private final class Submissions implements TaskLifecycleListener {
            private final String name;

            Submissions(String name) {
                this.name = name;
            }

            @Override
            public void onSubmitted(String groupKey, String taskId) {
                heard.add(name);
            }
        }

        private final class Telling implements GroupTaskDecorator {
            private final String name;

            Telling(String name) {
                this.name = name;
            }

            @Override
            public Callable<?> decorate(String groupKey, Callable<?> task) {
                return () -> {
                    heard.add(name);
                    return task.call();
                };
            }
        }
    }
}
