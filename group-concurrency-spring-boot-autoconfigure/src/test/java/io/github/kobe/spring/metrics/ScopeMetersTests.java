package io.github.kobe.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.scope.GroupScope;
import io.github.kobe.scope.Joiner;
import io.github.kobe.scope.ScopeListener;
import io.github.kobe.scope.Scopes;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.scope.GroupConcurrencyScopeAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class ScopeMetersTests {

    private final ApplicationContextRunner withoutMetrics = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class,
                    GroupConcurrencyMetricsAutoConfiguration.class,
                    GroupConcurrencyScopeAutoConfiguration.class));

    private final ApplicationContextRunner runner = withoutMetrics.withConfiguration(BootAutoConfigurations.named(
            "MetricsAutoConfiguration",
            "CompositeMeterRegistryAutoConfiguration",
            "SimpleMetricsExportAutoConfiguration"));

    @Test
    void scopesWithoutANameHaveTheirMetersFromTheStart() {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertThat(active(registry, "_default")).isZero();
            assertThat(forks(registry, "_default", "success")).isZero();
            assertThat(duration(registry, "_default").count()).isZero();
        });
    }

    @Test
    void aScopeIsCountedWhileItIsOpenAndTimedWhenItCloses() {
        runner.run(context -> {
            Scopes scopes = context.getBean(Scopes.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            try (var unnamed = scopes.open();
                    var page = open(scopes, "page")) {
                assertThat(List.of(unnamed, page)).noneMatch(GroupScope::isCancelled);
                assertThat(active(registry, "_default")).isEqualTo(1);
                assertThat(active(registry, "page")).isEqualTo(1);
                try (var inner = open(scopes, "page")) {
                    assertThat(inner.isCancelled()).isFalse();
                    assertThat(active(registry, "page")).isEqualTo(2);
                }
                assertThat(duration(registry, "page").count()).isEqualTo(1);
            }
            assertThat(active(registry, "_default")).isZero();
            assertThat(active(registry, "page")).isZero();
            assertThat(duration(registry, "page").count()).isEqualTo(2);
            assertThat(duration(registry, "page").totalTime(TimeUnit.NANOSECONDS))
                    .isPositive()
                    .isLessThan(6e10);
            assertThat(duration(registry, "_default").count()).isEqualTo(1);
        });
    }

    @Test
    void aNameThatLooksLikeThatOfAScopeWithoutOneTakesNothingFromThat() {
        runner.run(context -> {
            Scopes scopes = context.getBean(Scopes.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            try (var unnamed = scopes.open();
                    var named = open(scopes, unnamed.snapshot().scope().name())) {
                assertThat(named.isCancelled()).isFalse();
                assertThat(active(registry, "_default")).isEqualTo(1);
                assertThat(active(registry, named.snapshot().scope().name())).isEqualTo(1);
            }
            assertThat(active(registry, "_default")).isZero();
            assertThat(duration(registry, "_default").count()).isEqualTo(1);
        });
    }

    @Test
    void aScopeIsCountedWhoseTimeIsUpWhileItIsOpen() {
        runner.run(context -> {
            Scopes scopes = context.getBean(Scopes.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            for (Duration timeout : List.of(Duration.ofNanos(1), Duration.ofHours(1))) {
                try (var scope = scopes.open(
                        Joiner.supervise(), change -> change.withName("page").withTimeout(timeout))) {
                    Deadline.until("it is open", () -> scope.isCancelled() == timeout.equals(Duration.ofNanos(1)));
                }
            }
            open(scopes, "page").close();
            assertThat(timeouts(registry, "page")).isEqualTo(1);
            assertThat(timeouts(registry, "_default")).isZero();
        });
    }

    private static double timeouts(MeterRegistry registry, String name) {
        return registry.get("group.scope.timeouts")
                .tag("scope", name)
                .functionCounter()
                .count();
    }

    @Test
    void aScopeThatNobodyClosesStaysCounted() {
        runner.run(context -> {
            Scopes scopes = context.getBean(Scopes.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertThat(Caller.start(() -> open(scopes, "left").isCancelled()).result())
                    .isFalse();
            assertThat(active(registry, "left")).isEqualTo(1);
            assertThat(duration(registry, "left").count()).isZero();
        });
    }

    @Test
    void forksAreCountedByTheirOutcomeAsTheyEndNotAsTheScopeDoes() {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            try (var scope =
                    context.getBean(Scopes.class).open(Joiner.supervise(), change -> change.withName("page"))) {
                scope.fork("a", () -> "done");
                scope.fork("b", () -> "done");
                scope.fork("c", () -> {
                    throw new IllegalStateException("failed");
                });
                Deadline.untilAsserted(() -> {
                    assertThat(forks(registry, "page", "success")).isEqualTo(2);
                    assertThat(forks(registry, "page", "failed")).isEqualTo(1);
                });
                Gate gate = new Gate();
                scope.fork("d", gate.then("never"));
                scope.cancel();
                scope.join();
            }
            assertThat(forks(registry, "page", "cancelled")).isEqualTo(1);
            assertThat(forks(registry, "_default", "success")).isZero();
        });
    }

    @Test
    void everyMeterHasADescriptionAndAllButTimersAUnit() {
        runner.run(context -> {
            open(context.getBean(Scopes.class), "page").close();
            List<Meter.Id> ids = context.getBean(MeterRegistry.class).getMeters().stream()
                    .map(Meter::getId)
                    .filter(id -> id.getName().startsWith("group.scope."))
                    .toList();
            assertThat(ids)
                    .extracting(Meter.Id::getName)
                    .contains("group.scope.active", "group.scope.duration", "group.scope.forks");
            assertThat(ids).allSatisfy(id -> {
                assertThat(id.getDescription()).isNotBlank();
                assertThat(id.getBaseUnit()).isNotBlank();
            });
        });
    }

    // ---- names

    @Test
    void onlySoManyNamesHaveAValueOfTheirOwnAndKeepIt() {
        runner.withPropertyValues("group-concurrency.metrics.max-tag-values=2").run(context -> {
            Scopes scopes = context.getBean(Scopes.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            for (String name : List.of("one", "two", "three", "four", "one")) {
                open(scopes, name).close();
            }
            scopes.open().close();
            assertThat(names(registry)).containsExactlyInAnyOrder("_default", "_other", "one", "two");
            assertThat(duration(registry, "one").count()).isEqualTo(2);
            assertThat(duration(registry, "_other").count()).isEqualTo(2);
            assertThat(duration(registry, "_default").count()).isEqualTo(1);
        });
    }

    @Test
    void whatStandsForSeveralScopesCannotBeTakenByTheNameOfOne() {
        runner.run(context -> {
            Scopes scopes = context.getBean(Scopes.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            for (String name : List.of("_default", "_other", "_all", "scope-of-mine", "scope-1000000000")) {
                open(scopes, name).close();
            }
            assertThat(names(registry))
                    .containsExactlyInAnyOrder("_default", "_other", "scope-of-mine", "scope-1000000000");
            assertThat(duration(registry, "_default").count()).isZero();
            assertThat(duration(registry, "_other").count()).isEqualTo(3);
        });
    }

    @Test
    void anyNumberOfNamesMakesABoundedNumberOfMeters() {
        runner.run(context -> {
            Scopes scopes = context.getBean(Scopes.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            for (int i = 0; i < 1_000; i++) {
                open(scopes, "page of " + i).close();
                scopes.open().close();
            }
            assertThat(names(registry)).hasSize(100 + 2);
            assertThat(duration(registry, "_other").count()).isEqualTo(900);
            assertThat(duration(registry, "_default").count()).isEqualTo(1_000);
        });
    }

    @Test
    void noNameForgesALineOfAScrape() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        runner.withBean(MeterRegistry.class, () -> registry).run(context -> {
            open(context.getBean(Scopes.class), "\nforged_total{scope=\"x\"} 666")
                    .close();
            assertThat(registry.scrape().lines()).noneMatch(line -> line.startsWith("forged"));
        });
    }

    // ---- switches

    @Test
    void durationsAreTimedOnlyWhereRunsAre() {
        for (String timers : new String[] {"waited", "none"}) {
            runner.withPropertyValues("group-concurrency.metrics.timers=" + timers)
                    .run(context -> {
                        Scopes scopes = context.getBean(Scopes.class);
                        MeterRegistry registry = context.getBean(MeterRegistry.class);
                        try (var scope = open(scopes, "page")) {
                            assertThat(scope.isCancelled()).isFalse();
                            assertThat(active(registry, "page")).isEqualTo(1);
                        }
                        assertThat(registry.find("group.scope.duration").timers())
                                .isEmpty();
                        assertThat(active(registry, "page")).isZero();
                    });
        }
    }

    @Test
    void switchedOffThereAreNone() {
        runner.withPropertyValues("group-concurrency.metrics.enabled=false").run(context -> {
            assertThat(context).doesNotHaveBean(ScopeListener.class);
            open(context.getBean(Scopes.class), "page").close();
            assertThat(names(context.getBean(MeterRegistry.class))).isEmpty();
        });
    }

    @Test
    void withoutMicrometerScopesOpenAllTheSame() {
        withoutMetrics.withClassLoader(new FilteredClassLoader("io.micrometer")).run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(ScopeListener.class);
            open(context.getBean(Scopes.class), "page").close();
        });
    }

    @Test
    void ofSeveralRegistriesEachHasThem() {
        runner.withBean("one", SimpleMeterRegistry.class, SimpleMeterRegistry::new)
                .withBean("another", SimpleMeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    open(context.getBean(Scopes.class), "page").close();
                    assertThat(context.getBeansOfType(MeterRegistry.class).values())
                            .hasSizeGreaterThan(1)
                            .allSatisfy(registry -> assertThat(
                                            duration(registry, "page").count())
                                    .isEqualTo(1));
                });
    }

    @Test
    void scopesOfTheApplicationsOwnAreCountedWhereTheyHaveTheListenerBeans() {
        runner.withUserConfiguration(OwnScopes.class).run(context -> {
            open(context.getBean(Scopes.class), "page").close();
            assertThat(duration(context.getBean(MeterRegistry.class), "page").count())
                    .isEqualTo(1);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnScopes {
        @Bean
        Scopes own(GroupExecutor executor, List<ScopeListener> listeners) {
            return Scopes.of(executor).withDefaults(defaults -> {
                for (ScopeListener listener : listeners) {
                    defaults = defaults.withListener(listener);
                }
                return defaults;
            });
        }
    }

    private static GroupScope<Object, Void, ExecutionException> open(Scopes scopes, String name) {
        return scopes.open(change -> change.withName(name));
    }

    private static Set<String> names(MeterRegistry registry) {
        Set<String> names = new TreeSet<>();
        for (Meter meter : registry.getMeters()) {
            if (meter.getId().getName().startsWith("group.scope.")) {
                names.add(meter.getId().getTag("scope"));
            }
        }
        return names;
    }

    private static double active(MeterRegistry registry, String name) {
        return registry.get("group.scope.active").tag("scope", name).gauge().value();
    }

    private static double forks(MeterRegistry registry, String name, String outcome) {
        return registry.get("group.scope.forks")
                .tags("scope", name, "outcome", outcome)
                .functionCounter()
                .count();
    }

    private static Timer duration(MeterRegistry registry, String name) {
        return registry.get("group.scope.duration").tag("scope", name).timer();
    }
}
