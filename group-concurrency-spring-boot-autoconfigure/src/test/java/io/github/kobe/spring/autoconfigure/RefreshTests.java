package io.github.kobe.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.LimitSource;
import io.github.kobe.TaskHandle;
import io.github.kobe.spring.GroupPolicyCustomizer;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.actuate.GroupExecutorEndpoint;
import io.github.kobe.spring.actuate.GroupExecutorEndpointAutoConfiguration;
import io.github.kobe.spring.actuate.GroupReport;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.autoconfigure.ConfigurationPropertiesRebinderAutoConfiguration;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
import org.springframework.core.convert.converter.Converter;
import org.springframework.core.env.MapPropertySource;

@ExtendWith(OutputCaptureExtension.class)
class RefreshTests {

    /** The source of settings that changes. */
    private final Map<String, Object> settings = new HashMap<>();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class,
                    GroupConcurrencyRefreshAutoConfiguration.class,
                    GroupExecutorEndpointAutoConfiguration.class,
                    ConfigurationPropertiesRebinderAutoConfiguration.class))
            .withPropertyValues("management.endpoints.web.exposure.include=groupexecutor")
            .withInitializer(context ->
                    context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("live", settings)));

    private static void refresh(ApplicationContext context) {
        context.getBean(GroupConcurrencyRefresher.class).refresh();
    }

    private void set(String setting, Object value) {
        settings.put("group-concurrency." + setting, value);
    }

    private static EffectiveLimit<Integer> maxConcurrency(GroupExecutor executor, String group) {
        return executor.groupStats(group).orElseThrow().maxConcurrency();
    }

    @Test
    void limitsMoveBothWaysWhileWorkRuns() {
        set("groups.vip.max-concurrency", 1);
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Gate gate = new Gate();
            Gate secondRuns = new Gate();
            TaskHandle<String> first = executor.submit("vip", "1", () -> {
                gate.pass();
                return "first";
            });
            TaskHandle<String> second = executor.submit("vip", "2", () -> {
                secondRuns.open();
                gate.pass();
                return "second";
            });
            assertThat(executor.groupStats("vip").orElseThrow().queued()).isEqualTo(1);

            set("groups.vip.max-concurrency", 2);
            refresh(context);
            secondRuns.pass();
            set("groups.vip.max-concurrency", 1);
            refresh(context);
            TaskHandle<String> third = executor.submit("vip", "3", () -> "third");

            assertThat(executor.groupStats("vip").orElseThrow().running()).isEqualTo(2);
            assertThat(executor.groupStats("vip").orElseThrow().queued()).isEqualTo(1);
            gate.open();
            assertThat(first.await(Deadline.SECONDS, TimeUnit.SECONDS).value()).isEqualTo("first");
            assertThat(second.await(Deadline.SECONDS, TimeUnit.SECONDS).value()).isEqualTo("second");
            assertThat(third.await(Deadline.SECONDS, TimeUnit.SECONDS).value()).isEqualTo("third");
        });
    }

    @Test
    void allOfThePolicyIsReadAnew() {
        runner.run(context -> {
            set("global.max-in-flight", 7);
            set("global.queue-threshold", 8);
            set("defaults.max-concurrency", 3);
            set("groups[a/b].weight", 5);
            set("group-list[0].key", "c.d:*");
            set("group-list[0].queue-timeout", "2s");
            set("max-idle-groups", 9);
            refresh(context);

            GroupPolicy policy = context.getBean(GroupExecutor.class).policy();
            assertThat(policy.globalMaxInFlight()).isEqualTo(7);
            assertThat(policy.globalQueueThreshold()).isEqualTo(8);
            assertThat(policy.explain("any").maxConcurrency().orElseThrow().value())
                    .isEqualTo(3);
            assertThat(policy.groups()).containsOnlyKeys("a/b");
            assertThat(policy.patterns()).containsOnlyKeys("c.d:*");
            assertThat(policy.maxIdleGroups()).isEqualTo(9);
        });
    }

    @Test
    void settingsThatSpringBootReadsElsewhereAtTheStartAreReadThereAnew() {
        set("groups.a.max-concurrency", 1);
        runner.withUserConfiguration(LocalSettings.class).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            assertThat(executor.policy().groups()).containsOnlyKeys("a", "vip");

            set("groups.a.max-concurrency", 3);
            refresh(context);

            assertThat(executor.policy().groups()).containsOnlyKeys("a", "vip");
            assertThat(executor.policy().groups().get("a").maxConcurrency()).hasValue(3);
            assertThat(executor.policy().defaults().queueTimeout()).contains(Duration.ofSeconds(7));
        });
    }

    @Test
    void anEmptyValueOfAllSettingsIsNoneAsAtTheStart() {
        settings.put("group-concurrency", "");
        set("groups.vip.max-concurrency", 2);
        runner.run(context -> {
            settings.remove("group-concurrency.groups.vip.max-concurrency");
            refresh(context);

            assertThat(context.getBean(GroupExecutor.class).policy().groups()).isEmpty();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class LocalSettings {

        @Bean
        static PropertySourcesPlaceholderConfigurer local() {
            Properties local = new Properties();
            local.setProperty("group-concurrency.groups.vip.max-concurrency", "2");
            local.setProperty("group-concurrency.defaults.queue-timeout", "seven seconds");
            PropertySourcesPlaceholderConfigurer configurer = new PropertySourcesPlaceholderConfigurer();
            configurer.setProperties(local);
            return configurer;
        }

        @Bean
        @ConfigurationPropertiesBinding
        static InWords durations() {
            return new InWords();
        }

        static class InWords implements Converter<String, Duration> {

            @Override
            public Duration convert(String text) {
                return Duration.ofSeconds(text.equals("seven seconds") ? 7 : 1);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("misread")
    void whatStartUpWouldRefuseAsMisreadARefreshRefuses(String setting, Object value, String problem) {
        set("defaults.queue-timeout", Duration.ofSeconds(3));
        set("global.max-in-flight", 3L);
        runner.run(context -> {
            set(setting, value);

            assertThatExceptionOfType(InvalidSettingException.class)
                    .isThrownBy(() -> refresh(context))
                    .withMessage("Setting 'group-concurrency." + setting + "' " + problem);

            GroupPolicy policy = context.getBean(GroupExecutor.class).policy();
            assertThat(policy.defaults().queueTimeout()).contains(Duration.ofSeconds(3));
            assertThat(policy.globalMaxInFlight()).isEqualTo(3);
        });
    }

    static Stream<Arguments> misread() {
        return Stream.of(
                Arguments.of("global.max-in-flight", 2.5, "is not a whole number"),
                Arguments.of("global.max-in-flight", new BigDecimal("2.5"), "is not a whole number"),
                Arguments.of("defaults.queue-timeout", 5, "has no unit"),
                Arguments.of("defaults.queue-timeout", "5", "has no unit"));
    }

    @Test
    void whatWasSetAndPausedWhileItRanStays() {
        set("groups.vip.max-concurrency", 2);
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.setLimits("vip", GroupLimits.unset().withMaxConcurrency(9));
            executor.pause("vip");

            set("groups.vip.max-concurrency", 4);
            set("groups.vip.weight", 3);
            refresh(context);

            GroupExecutorEndpoint endpoint = context.getBean(GroupExecutorEndpoint.class);
            GroupReport shown = endpoint.group(new String[] {"vip"}, null, null, null, null);
            assertThat(shown.paused()).isTrue();
            assertThat(shown.overriddenSince()).isNotNull();
            assertThat(shown.limits().maxConcurrency()).isEqualTo(new GroupReport.Limit<>(9, LimitSource.OVERRIDDEN));
            assertThat(shown.limits().weight()).isEqualTo(new GroupReport.Limit<>(3, LimitSource.CONFIGURED));
            executor.resetLimits("vip");
            assertThat(maxConcurrency(executor, "vip")).isEqualTo(new EffectiveLimit<>(4, LimitSource.CONFIGURED));
        });
    }

    @Test
    void theBeansThatAddToThePolicyDoSoAgain() {
        runner.withBean(GroupPolicyCustomizer.class, () -> builder -> builder.maxIdleGroups(17))
                .run(context -> {
                    set("global.max-in-flight", 7);
                    refresh(context);

                    GroupPolicy policy = context.getBean(GroupExecutor.class).policy();
                    assertThat(policy.globalMaxInFlight()).isEqualTo(7);
                    assertThat(policy.maxIdleGroups()).isEqualTo(17);
                    assertThat(policy.taskDecorators()).isNotEmpty();
                });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        groups.vip.max-concurrency | 0     | must be at least 1        | at least 1
        groups.vip.max-concurency  | 3     | is unknown                | group-concurrency.groups.vip.max-concurrency
        groups.a/b.weight          | 3     | outside brackets          | "[a/b]"
        global.max-in-flight       | many  | can't be read             | a whole number, or "unlimited"
        metrics.max-tag-values         | 0     | must be at least 1        | at least 1
        """)
    void aBadSettingIsRefusedAsAtStartUpAndThePolicyStays(
            String setting, String value, String problem, String allowed) {
        set("groups.vip.max-concurrency", 2);
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            GroupPolicy before = executor.policy();
            set(setting, value);

            assertThatExceptionOfType(InvalidSettingException.class)
                    .isThrownBy(() -> refresh(context))
                    .withMessageContaining("group-concurrency." + setting)
                    .withMessageContaining(problem)
                    .satisfies(refusal -> {
                        assertThat(refusal.value()).isEqualTo(value);
                        assertThat(refusal.origin()).contains("\"live\"");
                        assertThat(refusal.allowed()).contains(allowed);
                    });
            assertThat(executor.policy()).isSameAs(before);
        });
    }

    @Test
    void springCloudsEventRefreshes() {
        set("groups.vip.max-concurrency", 2);
        runner.run(context -> {
            set("groups.vip.max-concurrency", 5);
            context.publishEvent(
                    new EnvironmentChangeEvent(context, Set.of("group-concurrency.groups.vip.max-concurrency")));

            assertThat(maxConcurrency(context.getBean(GroupExecutor.class), "vip")
                            .value())
                    .isEqualTo(5);
        });
    }

    @Test
    void afterTheEventACustomizerSeesTheApplicationsOwnPropertiesAsTheyAreNow() {
        settings.put("app.exports", 3);
        runner.withUserConfiguration(OwnLimits.class).run(context -> {
            settings.put("app.exports", 5);
            set("global.max-in-flight", 9);
            context.publishEvent(new EnvironmentChangeEvent(
                    context.getSourceApplicationContext(), // of which alone the rebinder hears
                    Set.of("app.exports", "group-concurrency.global.max-in-flight")));

            GroupPolicy policy = context.getBean(GroupExecutor.class).policy();
            assertThat(policy.globalMaxInFlight()).isEqualTo(9);
            assertThat(policy.groups().get("exports").maxConcurrency()).hasValue(5);
        });
    }

    @ConfigurationProperties("app")
    static class App {

        private int exports;

        public int getExports() {
            return exports;
        }

        public void setExports(int exports) {
            this.exports = exports;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(App.class)
    static class OwnLimits {

        @Bean
        GroupPolicyCustomizer exports(App app) {
            return builder -> builder.group("exports", GroupLimits.unset().withMaxConcurrency(app.getExports()));
        }
    }

    @Test
    void afterTheEventABadSettingIsLoggedAndThePolicyStays(CapturedOutput output) {
        set("groups.vip.max-concurrency", 2);
        runner.run(context -> {
            set("groups.vip.max-concurrency", "0\nforged");
            context.publishEvent(new EnvironmentChangeEvent(context, Set.of("group-concurrency.global.max-in-flight")));
            set("groups.vip.max-concurrency", "0");
            context.publishEvent(new EnvironmentChangeEvent(context, Set.of("group-concurrency.global.max-in-flight")));

            assertThat(maxConcurrency(context.getBean(GroupExecutor.class), "vip")
                            .value())
                    .isEqualTo(2);
            assertThat(output)
                    .contains("The limits stay as they were. Setting 'group-concurrency.groups.vip.max-concurrency'"
                            + " must be at least 1, value: \"0\", origin: ")
                    .contains("from property source \"live\", allowed: at least 1")
                    .doesNotContain("\nforged");
        });
    }

    @Test
    void anEventThatNamesNoSettingOfOursChangesNothing(CapturedOutput output) {
        runner.run(context -> {
            set("global.max-in-flight", 9);
            context.publishEvent(new EnvironmentChangeEvent(context, Set.of("spring.datasource.url")));
            context.publishEvent(new EnvironmentChangeEvent(context, Set.of()));

            assertThat(context.getBean(GroupExecutor.class).policy().globalMaxInFlight())
                    .isEqualTo(Integer.MAX_VALUE);
            assertThat(output).doesNotContain("were read again");

            context.publishEvent(new EnvironmentChangeEvent(context, Set.of("groupConcurrency.maxInFlight")));
            assertThat(context.getBean(GroupExecutor.class).policy().globalMaxInFlight())
                    .isEqualTo(9);
        });
    }

    @Test
    void whatARefreshHasChangedIsTold(CapturedOutput output) {
        set("groups[tenant:*].max-concurrency", 4);
        set("groups.vip.weight", 2);
        runner.run(context -> {
            set("global.max-in-flight", 9);
            set("groups[tenant:*].max-concurrency", "unlimited");
            set("defaults.queue-timeout", "5s");
            set("limits-refresh", "30s");
            set("warnings.enabled", false);
            settings.remove("group-concurrency.groups.vip.weight");
            refresh(context);
            assertThat(output)
                    .contains("The settings under group-concurrency were read again: defaults.queue-timeout")
                    .contains("PT5S")
                    .contains("groups[tenant:*].max-concurrency 4 -> unlimited")
                    .contains("groups[vip].weight is no longer set")
                    .contains("max-in-flight unlimited -> 9")
                    .contains("limits-refresh none -> PT30S")
                    .contains("warnings.interval PT1M -> none");

            refresh(context);
            assertThat(output).contains("were read again: nothing has changed");
        });
    }

    @Test
    void whereAPolicyOrAnExecutorIsTheApplicationsOwnItIsLeftAlone() {
        runner.withBean(
                        "groupPolicy",
                        GroupPolicy.class,
                        () -> GroupPolicy.builder().build())
                .run(context -> assertThat(context).doesNotHaveBean(GroupConcurrencyRefresher.class));
        runner.withBean(
                        GroupExecutor.class,
                        () -> GroupExecutor.newVirtualThreadExecutor(
                                GroupPolicy.builder().build()))
                .run(context -> assertThat(context).doesNotHaveBean(GroupConcurrencyRefresher.class));
    }

    @Test
    void withoutSpringCloudNothingListensAndNothingIsMade() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRefreshAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("org.springframework.cloud"))
                .run(context -> {
                    assertThat(context).doesNotHaveBean(EnvironmentChangeListener.class);
                    assertThat(context.getSourceApplicationContext()
                                    .getBeanFactory()
                                    .containsSingleton("groupConcurrencyRefresher"))
                            .isFalse();
                    refresh(context);
                });
    }

    /** With a look at all properties for each key, this takes a quarter of an hour; beside other work it takes a minute. */
    @Test
    @Tag("deep")
    @Timeout(value = 4, unit = TimeUnit.MINUTES)
    void thousandsOfKeysStartAndAreRefreshed() {
        int keys = 20_000;
        for (int i = 0; i < keys; i++) {
            settings.put("group-concurrency.groups.[tenant:" + i + "].max-concurrency", "3");
            settings.put("group-concurrency.groups.[tenant:" + i + "].queue-threshold", "40");
        }
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            assertThat(executor.policy().groups()).hasSize(keys);

            settings.put("group-concurrency.groups.[tenant:7].max-concurrency", "5");
            refresh(context);

            assertThat(executor.policy().groups().get("tenant:7").maxConcurrency())
                    .hasValue(5);
        });
    }
}
