package io.github.kobe.spring.rollout;

import static io.github.kobe.spring.testing.Refusals.refusalOf;
import static io.github.kobe.spring.testing.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.ConfigSnapshot;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.PreviousConfig;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.RolloutSettings;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.StageContext;
import io.github.kobe.rollout.StageFactory;
import io.github.kobe.rollout.TaskWorkerFactory;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MDC;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;

class GroupConcurrencyRolloutAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRolloutAutoConfiguration.class))
            .withPropertyValues("group-concurrency.rollout.store=memory");

    // ---- whether there are any

    @Test
    void withoutTheLibraryThereAreNone() {
        runner.withClassLoader(new FilteredClassLoader(Rollouts.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RolloutsLifecycle.class));
    }

    @ParameterizedTest
    @CsvSource({"group-concurrency.enabled=false", "group-concurrency.rollout.enabled=false"})
    void switchedOffThereAreNone(String setting) {
        runner.withPropertyValues(setting)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Rollouts.class));
    }

    @Test
    @Tag("R111")
    void rolloutsOfTheApplicationsOwnAreTheOnlyOnes() {
        runner.withUserConfiguration(Own.class)
                .run(context ->
                        assertThat(context).hasSingleBean(Rollouts.class).hasBean("own"));
    }

    @Test
    void ofSeveralExecutorsOfEqualRankItIsNone() {
        runner.withUserConfiguration(TwoExecutors.class)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Rollouts.class));
    }

    @Test
    void ofSeveralExecutorsItIsThePrimaryOne() {
        runner.withUserConfiguration(TwoExecutors.class, PrimaryExecutor.class, Groups.class)
                .run(context -> {
                    completes(context);
                    assertThat(context.getBean(Groups.class).seen).containsExactly("main");
                });
    }

    @Test
    void whereTheExecutorIsAnAncestorsItsRolloutsAreTheOnlyOnes() {
        runner.run(parent -> runner.withParent(parent)
                .run(context -> assertThat(context.getBean(Rollouts.class)).isSameAs(parent.getBean(Rollouts.class))));
    }

    @Test
    void aContextWithAnExecutorOfItsOwnHasRolloutsOverThat() {
        runner.run(parent -> runner.withParent(parent)
                .withUserConfiguration(Stages.class)
                .withBean("mine", GroupExecutor.class, GroupConcurrencyRolloutAutoConfigurationTests::executor)
                .run(context -> {
                    assertThat(context.getBean(Rollouts.class)).isNotSameAs(parent.getBean(Rollouts.class));
                    completes(context);
                }));
    }

    /** With a store and with listeners of its own. */
    @Test
    @Tag("R90")
    void aContextWithAnExecutorOfItsOwnLeavesTheRolloutsOfItsParentAlone() {
        runner.withUserConfiguration(Stages.class).run(parent -> {
            runner.withParent(parent)
                    .withUserConfiguration(Hearing.class)
                    .withBean("mine", GroupExecutor.class, GroupConcurrencyRolloutAutoConfigurationTests::executor)
                    .run(context -> {
                        completes(context);
                        List<RolloutEvent> heard = context.getBean(Hearing.class).heard;
                        Deadline.until("heard", () -> !heard.isEmpty());
                    });
            completes(parent);
        });
    }

    @Test
    @Tag("R160")
    void whatAListenerThrowsAtIsPublishedAgainOrGivenUpAsIsSet() {
        runner.withUserConfiguration(Stages.class, Throwing.class)
                .withPropertyValues("group-concurrency.rollout.events.give-up-after=0s")
                .run(context -> {
                    completes(context);
                    Deadline.until(
                            "given up",
                            () -> context.getBean(Throwing.class).others.contains("TaskCompleted"));
                    assertThat(context.getBean(Throwing.class).refused).hasSize(1);
                });
        runner.withUserConfiguration(Stages.class, Throwing.class).run(context -> {
            completes(context);
            Throwing listener = context.getBean(Throwing.class);
            Deadline.until("published again", () -> listener.refused.size() == 2);
            assertThat(listener.refused).containsOnly(listener.refused.getFirst());
            Deadline.until("all others", () -> listener.others.contains("TaskCompleted"));
        });
    }

    // ---- settings

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        tenants-at-once      | 0    | at least 1
        shutdown-grace       | -1s  | zero or more
        health.path          | ''   | a path such as /health
        health.version-key   | ''   | the name of a field
        health.interval      | 0s   | more than zero, up to 365 days
        health.interval      | 366d | more than zero, up to 365 days
        health.max-attempts  | 0    | at least 1
        health.timeout       | -1ms | more than zero, up to 365 days
        http.timeout         | 0s   | more than zero, up to 365 days
        http.stage-timeout   | 0s   | more than zero, up to 365 days
        http.parallel        | 0    | at least 1
        http.retries         | -1   | from 0 to 100
        http.retries         | 101  | from 0 to 100
        http.retry-wait      | 0s   | more than zero, up to 5 minutes
        http.retry-wait      | 301s | more than zero, up to 5 minutes
        events.give-up-after | -1s  | zero or more
        """)
    @Tag("R134")
    void aSettingOutOfItsRangeFailsTheStart(String name, String value, String allowed) {
        for (boolean beside : new boolean[] {false, true}) {
            (beside ? runner.withUserConfiguration(Own.class) : runner)
                    .withPropertyValues("group-concurrency.rollout." + name + "=" + value)
                    .withInitializer(context ->
                            context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                    .run(refused("rollout." + name, value, allowed));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "http.headers.Authorization, http.header.NAME",
        "http.haeder.Authorization,",
        "htpp.header.Authorization,"
    })
    @Tag("R134")
    void aMisspeltHeaderIsRefusedWithoutItsValue(String misspelt, String meant) {
        runner.withPropertyValues("group-concurrency.rollout." + misspelt + "=Bearer s3cr3t")
                .run(context -> {
                    InvalidSettingException refusal = refusalOf(context);
                    assertThat(refusal.value()).isNull();
                    if (meant != null) {
                        assertThat(refusal.allowed()).isEqualTo("group-concurrency.rollout." + meant);
                    }
                });
    }

    @Test
    @Tag("R97")
    void theSettingsHoldForEachTenantThatDoesNotSayOtherwise() {
        runner.withPropertyValues(
                        "group-concurrency.rollout.tenants-at-once=3",
                        "group-concurrency.rollout.health.path=/actuator/info",
                        "group-concurrency.rollout.health.interval=500ms",
                        "group-concurrency.rollout.http.timeout=7s",
                        "group-concurrency.rollout.http.parallel=3",
                        "group-concurrency.rollout.http.retries=2",
                        "group-concurrency.rollout.http.retry-wait=20ms",
                        "group-concurrency.rollout.http.fetch-previous=true",
                        "group-concurrency.rollout.http.stage-timeout=1m",
                        "group-concurrency.rollout.http.header.X-Api-Key=s3cr3t")
                .withUserConfiguration(Settings.class)
                .run(context -> {
                    PlanInfo plan = completes(context);
                    assertThat(plan.maxConcurrency()).isEqualTo(3);
                    RolloutSettings settings =
                            context.getBean(Settings.class).seen.getFirst();
                    assertThat(settings.text("health.path", "")).isEqualTo("/actuator/info");
                    assertThat(settings.duration("health.interval", Duration.ZERO))
                            .isEqualTo(Duration.ofMillis(500));
                    assertThat(settings.duration("http.timeout", Duration.ZERO)).isEqualTo(Duration.ofSeconds(7));
                    assertThat(settings.duration("http.stage-timeout", Duration.ZERO))
                            .isEqualTo(Duration.ofMinutes(1));
                    assertThat(settings.count("http.parallel", 0)).isEqualTo(3);
                    assertThat(settings.count("http.retries", 0, 0, 100)).isEqualTo(2);
                    assertThat(settings.duration("http.retry-wait", Duration.ZERO))
                            .isEqualTo(Duration.ofMillis(20));
                    assertThat(settings.text("http.fetch-previous", "")).isEqualTo("true");
                    assertThat(settings.startingWith("http.header.")).isEqualTo(Map.of("X-Api-Key", "s3cr3t"));
                    assertThat(context.getBean(GroupRolloutProperties.class).toString())
                            .contains("X-Api-Key")
                            .doesNotContain("s3cr3t");
                    assertThat(settings.count("health.max-attempts", 0)).isEqualTo(10);
                    assertThat(settings.text("target-port", ""))
                            .as("of the customizer")
                            .isEqualTo("8081");
                });
    }

    // ---- parts

    @Test
    @Tag("R3")
    void stagesThatAreBeansRunInTheirOrder() {
        runner.withUserConfiguration(Stages.class).run(context -> {
            completes(context);
            assertThat(context.getBean(Stages.class).ran).containsExactly("First", "Second");
        });
    }

    @Test
    @Tag("R104")
    void aFactoryOfStagesDecidesAlone() {
        runner.withUserConfiguration(Stages.class)
                .withBean(StageFactory.class, () -> (task, change, settings, health) -> List.of(Stage.named("Made")))
                .run(context -> {
                    completes(context);
                    assertThat(context.getBean(Stages.class).ran).isEmpty();
                });
    }

    @Test
    @Tag("R105")
    void aFactoryOfWorkersStandsAroundTheRunsOfTasks() {
        List<String> around = new CopyOnWriteArrayList<>();
        runner.withUserConfiguration(Stages.class)
                .withBean(
                        TaskWorkerFactory.class,
                        () -> (task, run) -> () -> {
                            around.add("before " + task.tenantId());
                            run.run();
                        })
                .run(context -> {
                    completes(context);
                    assertThat(around).containsExactly("before acme");
                });
    }

    @Test
    @Tag("R153")
    void whatFindsOutWhatWasBeforeIsABean() {
        runner.withUserConfiguration(Stages.class)
                .withBean(
                        PreviousConfig.class,
                        () -> (context, health) -> Optional.of(new ConfigSnapshot(DeployUnit.of(7, 41, "green"), "{}")))
                .run(context -> {
                    PlanInfo plan = completes(context);
                    assertThat(context.getBean(Rollouts.class).tasks(plan.planId()))
                            .extracting(task -> String.valueOf(task.previous()))
                            .singleElement()
                            .asString()
                            .contains("green");
                });
    }

    @Test
    @Tag("R93")
    void aStageHasTheLoggingContext() {
        runner.withUserConfiguration(Stages.class).run(context -> {
            PlanInfo plan = completes(context);
            assertThat(context.getBean(Stages.class).logged)
                    .containsExactly(plan.planId() + " acme First", plan.planId() + " acme Second");
        });
    }

    @Test
    @Tag("R90")
    void whatHappensIsAnEventOfTheApplication() {
        runner.withUserConfiguration(Stages.class, Hearing.class).run(context -> {
            completes(context);
            List<RolloutEvent> heard = context.getBean(Hearing.class).heard;
            Deadline.until(
                    "the end is told",
                    () -> heard.stream()
                            .anyMatch(event ->
                                    event.occurrence().equals(new Occurrence.PlanEntered(PlanStatus.COMPLETED))));
            assertThat(heard)
                    .filteredOn(event -> event.taskId() != null)
                    .extracting(RolloutEvent::sequenceId)
                    .containsExactlyElementsOf(LongStream.rangeClosed(
                                    1,
                                    heard.stream()
                                            .filter(event -> event.taskId() != null)
                                            .count())
                            .boxed()
                            .toList());
        });
    }

    private static PlanInfo completes(AssertableApplicationContext context) throws InterruptedException {
        assertThat(context).hasNotFailed();
        Rollouts rollouts = context.getBean(Rollouts.class);
        PlanInfo plan = rollouts.start(RolloutPlan.named("plan-of-this-test")
                .add(TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), "{}"))
                .build());
        PlanInfo end = rollouts.await(plan.planId(), Deadline.LONG);
        assertThat(end.status()).isEqualTo(PlanStatus.COMPLETED);
        return end;
    }

    private static GroupExecutor executor() {
        return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    }

    @Configuration(proxyBeanMethods = false)
    static class Own {
        @Bean
        Rollouts own(GroupExecutor executor) {
            return Rollouts.builder(executor).stages(Stage.named("Own")).build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoExecutors {
        @Bean
        GroupExecutor second() {
            return executor();
        }

        @Bean
        GroupExecutor third() {
            return executor();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryExecutor {
        @Bean
        @Primary
        GroupExecutor main() {
            return executor();
        }
    }

    /** Which of the executors a stage runs in. */
    @Configuration(proxyBeanMethods = false)
    static class Groups {

        final List<String> seen = new CopyOnWriteArrayList<>();

        @Bean
        Stage look(ApplicationContext beans) {
            return Stage.named("Look")
                    .step(context -> beans.getBeansOfType(GroupExecutor.class).forEach((name, executor) -> {
                        if (executor.groupKeys().contains("rollout:" + context.planId())) {
                            seen.add(name);
                        }
                    }));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Settings {

        final List<RolloutSettings> seen = new CopyOnWriteArrayList<>();

        @Bean
        Stage look() {
            return Stage.named("Look").step(context -> seen.add(context.settings()));
        }

        @Bean
        RolloutsCustomizer port() {
            return rollouts -> rollouts.setting("target-port", "8081");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Stages {

        final List<String> ran = new CopyOnWriteArrayList<>();
        final List<String> logged = new CopyOnWriteArrayList<>();

        @Bean
        @Order(2)
        Stage second() {
            return Stage.named("Second").step(this::note);
        }

        @Bean
        @Order(1)
        Stage first() {
            return Stage.named("First").step(this::note);
        }

        private void note(StageContext context) {
            ran.add(context.stageName());
            logged.add(MDC.get("planId") + " " + MDC.get("tenantId") + " " + MDC.get("stageName"));
        }
    }

    /** Throws at the first time that an event of a task comes. */
    @Configuration(proxyBeanMethods = false)
    static class Throwing {

        final List<RolloutEvent> refused = new CopyOnWriteArrayList<>();
        final List<String> others = new CopyOnWriteArrayList<>();

        @EventListener
        void hear(RolloutEvent event) {
            if (event.occurrence() instanceof Occurrence.TaskCreated) {
                refused.add(event);
                if (refused.size() == 1) {
                    throw new IllegalStateException("not yet");
                }
            } else {
                others.add(event.occurrence().getClass().getSimpleName());
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Hearing {

        final List<RolloutEvent> heard = new CopyOnWriteArrayList<>();

        @EventListener
        void hear(RolloutEvent event) {
            heard.add(event);
        }
    }
}
