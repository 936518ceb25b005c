package io.github.kobe.spring.scope;

import static io.github.kobe.spring.testing.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.scope.ForkInfo;
import io.github.kobe.scope.ScopeInfo;
import io.github.kobe.scope.ScopeListener;
import io.github.kobe.scope.Scopes;
import io.github.kobe.scope.Subtask;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.annotation.Order;

class GroupConcurrencyScopeAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyScopeAutoConfiguration.class));

    @Test
    void scopesForkIntoTheGroupsOfTheExecutor() {
        runner.run(context -> {
            Scopes scopes = context.getBean(Scopes.class);
            try (var scope = scopes.open()) {
                Subtask<String> fork = scope.fork("tenant:a", () -> "forked");
                scope.join();
                assertThat(fork.get()).isEqualTo("forked");
            }
            assertThat(context.getBean(GroupExecutor.class).groupKeys()).containsExactly("tenant:a");
        });
    }

    @Test
    void switchedOffThereAreNone() {
        runner.withPropertyValues("group-concurrency.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(Scopes.class));
    }

    @Test
    void aNativeImageFindsTheNamesOfTheSettings() {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, GroupConcurrencyScopeAutoConfiguration.class);

        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethod(GroupScopeProperties.class, "defaultTimeout")
                        .invoke())
                .accepts(hints);
    }

    // ---- the time-out

    @ParameterizedTest
    @CsvSource({
        "any=thing, PT30S",
        "group-concurrency.scope.default-timeout=1500ms, PT1.5S",
        "group-concurrency.scope.defaultTimeout=2m, PT2M",
        "groupConcurrency.scope.default_timeout=PT3S, PT3S",
        "group-concurrency.scope.default-timeout=unlimited, ",
        "groupConcurrency.scope.defaultTimeout=unlimited, ",
    })
    void aScopeThatSaysNothingHasTheTimeoutOfTheSettings(String setting, Duration timeout) {
        runner.withPropertyValues(setting)
                .run(context -> assertThat(timeoutOf(context)).isEqualTo(Optional.ofNullable(timeout)));
    }

    @Test
    void aScopeThatSaysAnotherTimeoutHasThat() {
        runner.withPropertyValues("group-concurrency.scope.default-timeout=1ms").run(context -> {
            try (var scope = context.getBean(Scopes.class).open(change -> change.withTimeout(Duration.ofHours(1)))) {
                assertThat(scope.settings().timeout()).contains(Duration.ofHours(1));
                assertThat(scope.isCancelled()).isFalse();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noTimeAtAllFailsTheStartEvenWhereNobodyOpensAScope(boolean lazily) {
        runner.withPropertyValues("group-concurrency.scope.default-timeout=0s")
                .withInitializer(context -> {
                    if (lazily) {
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor());
                    }
                })
                .run(refused("scope.default-timeout", "0s", "more than zero, or \"unlimited\""));
    }

    @Test
    void noTimeAtAllFailsTheStartAlsoBesideScopesOfTheApplicationsOwn() {
        runner.withUserConfiguration(Own.class)
                .withPropertyValues("group-concurrency.scope.default-timeout=-1s")
                .run(refused("scope.default-timeout", "-1s", "more than zero, or \"unlimited\""));
    }

    // ---- listeners

    @Test
    void allListenersHearOfEachScopeInTheirOrder() {
        runner.withUserConfiguration(Listening.class).run(context -> {
            List<String> heard = context.getBean(Listening.class).heard;
            try (var scope = context.getBean(Scopes.class).open(change -> change.withName("page"))) {
                scope.fork("g", () -> "forked");
                scope.join();
            }
            assertThat(heard)
                    .containsExactly(
                            "first: opened page",
                            "second: opened page",
                            "first: started task-1",
                            "second: started task-1");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Listening {

        final List<String> heard = new CopyOnWriteArrayList<>();

        @Bean
        @Order(2)
        ScopeListener second() {
            return new Hearing("second", heard);
        }

        @Bean
        @Order(1)
        ScopeListener first() {
            return new Hearing("first", heard);
        }
    }

    private record Hearing(String name, List<String> heard) implements ScopeListener {

        @Override
        public void onOpened(ScopeInfo scope) {
            heard.add(name + ": opened " + scope.name());
        }

        @Override
        public void onStart(ForkInfo fork) {
            heard.add(name + ": started " + fork.name());
        }
    }

    // ---- which executor

    @Test
    void scopesOfTheApplicationsOwnAreTheOnlyOnes() {
        runner.withUserConfiguration(Own.class)
                .run(context -> assertThat(context).hasSingleBean(Scopes.class).hasBean("own"));
    }

    @Test
    void furtherScopesLeaveTheseThere() {
        runner.withUserConfiguration(Further.class).run(context -> {
            assertThat(context).hasBean("further").hasBean("groupConcurrencyScopes");
            assertRunsIn(context.getBean(Scopes.class), context.getBean(GroupExecutor.class));
        });
    }

    @Test
    void anExecutorOfTheApplicationsOwnRunsTheForks() {
        runner.withBean("mine", GroupExecutor.class, GroupConcurrencyScopeAutoConfigurationTests::executor)
                .run(context ->
                        assertRunsIn(context.getBean(Scopes.class), context.getBean("mine", GroupExecutor.class)));
    }

    @Test
    void besideExecutorsThatAreKeptOutOfTheChoiceItIsTheOneThatIsNot() {
        runner.withUserConfiguration(Nightly.class)
                .run(context -> assertRunsIn(
                        context.getBean(Scopes.class), context.getBean("groupExecutor", GroupExecutor.class)));
    }

    @Test
    void ofSeveralExecutorsItIsThePrimaryOne() {
        runner.withUserConfiguration(Two.class, First.class)
                .run(context ->
                        assertRunsIn(context.getBean(Scopes.class), context.getBean("first", GroupExecutor.class)));
    }

    @Test
    void ofSeveralExecutorsOfEqualRankItIsNone() {
        runner.withUserConfiguration(Two.class)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Scopes.class));
    }

    // ---- ancestors

    @Test
    void whereTheExecutorIsAnAncestorsItsScopesAreTheOnlyOnes() {
        runner.run(parent -> runner.withParent(parent)
                .run(context -> assertThat(context.getBean(Scopes.class)).isSameAs(parent.getBean(Scopes.class))));
    }

    @Test
    void overTheExecutorOfAnAncestorWithoutScopesThereAreScopes() {
        try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext()) {
            parent.registerBean(
                    "of-parent", GroupExecutor.class, GroupConcurrencyScopeAutoConfigurationTests::executor);
            parent.refresh();
            runner.withParent(parent)
                    .run(context -> assertRunsIn(context.getBean(Scopes.class), parent.getBean(GroupExecutor.class)));
        }
    }

    @Test
    void aContextWithAnExecutorOfItsOwnHasScopesOverThat() {
        runner.run(parent -> runner.withParent(parent)
                .withBean("mine", GroupExecutor.class, GroupConcurrencyScopeAutoConfigurationTests::executor)
                .run(context -> {
                    assertRunsIn(context.getBean(Scopes.class), context.getBean("mine", GroupExecutor.class));
                    assertRunsIn(parent.getBean(Scopes.class), parent.getBean(GroupExecutor.class));
                }));
    }

    private static Optional<Duration> timeoutOf(AssertableApplicationContext context) {
        try (var scope = context.getBean(Scopes.class).open()) {
            return scope.settings().timeout();
        }
    }

    private static void assertRunsIn(Scopes scopes, GroupExecutor executor) {
        String group = "of-this-test";
        assertThat(executor.groupKeys()).doesNotContain(group);
        try (var scope = scopes.open()) {
            scope.fork(group, () -> "forked");
            scope.join();
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
        assertThat(executor.groupKeys()).contains(group);
    }

    private static GroupExecutor executor() {
        return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    }

    @Configuration(proxyBeanMethods = false)
    static class Own {
        @Bean
        Scopes own(GroupExecutor executor) {
            return Scopes.of(executor);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Further {
        @Bean(defaultCandidate = false)
        Scopes further(GroupExecutor executor) {
            return Scopes.of(executor).withDefaults(defaults -> defaults.withGroup("exports"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Nightly {
        @Bean(defaultCandidate = false)
        GroupExecutor nightly() {
            return executor();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Two {
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
    static class First {
        @Bean
        @Primary
        GroupExecutor first() {
            return executor();
        }
    }
}
