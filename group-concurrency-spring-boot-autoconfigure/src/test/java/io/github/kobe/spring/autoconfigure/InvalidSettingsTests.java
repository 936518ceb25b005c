package io.github.kobe.spring.autoconfigure;

import static io.github.kobe.spring.testing.Refusals.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.scope.Scopes;
import io.github.kobe.spring.GroupPolicyCustomizer;
import io.github.kobe.spring.scope.GroupConcurrencyScopeAutoConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Starts a real application on a real YAML file, and reads what it says. */
@ExtendWith(OutputCaptureExtension.class)
class InvalidSettingsTests {

    @TempDir
    private Path folder;

    @Test
    void aLimitOfZeroIsToldWithPropertyValueLineAndRange(CapturedOutput output) throws IOException {
        failsToStart("""
            group-concurrency:
              groups:
                vip:
                  max-concurrency: 0
            """);

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Setting 'group-concurrency.groups.vip.max-concurrency' must be at least 1:")
                .contains("Property: group-concurrency.groups.vip.max-concurrency")
                .contains("Value: \"0\"")
                .containsPattern("Origin: .*application\\.yml\\] - 4:24")
                .contains("Allowed: at least 1")
                .doesNotContain("Action:");
    }

    @Test
    void aLimitOfZeroIsToldAlthoughBeansAreLazy(CapturedOutput output) throws IOException {
        failsToStart("""
            spring.main.lazy-initialization: true
            group-concurrency.groups.vip.max-concurrency: 0
            """);

        assertThat(output).contains("Setting 'group-concurrency.groups.vip.max-concurrency' must be at least 1:");
    }

    @Test
    void aKeyWithASlashOutsideBracketsIsToldWithTheRightSpelling(CapturedOutput output) throws IOException {
        failsToStart("""
            group-concurrency:
              groups:
                a/b:
                  max-concurrency: 2
            """);

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("has the group key 'a/b' outside brackets, where Spring Boot drops characters")
                .contains("Property: group-concurrency.groups.a/b.max-concurrency")
                .contains("Value: \"2\"")
                .containsPattern("Origin: .*application\\.yml\\] - 4:24")
                .contains("Allowed: \"[a/b]\" as the key in YAML, groups[a/b] in a properties file, or an element of"
                        + " group-concurrency.group-list with key: \"a/b\"");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        global: { max-in-flight: 0 }                      | group-concurrency.global.max-in-flight | at least 1
        global: { queue-threshold: -1 }                   | group-concurrency.global.queue-threshold | at least 0
        global: { max-in-flight: 10, headroom: 10 }       | group-concurrency.global.headroom | 0 to 9, or 0% to 99%
        global: { max-in-flight: 10, headroom: 100% }     | group-concurrency.global.headroom | 0 to 9, or 0% to 99%
        global: { max-in-flight: 10, headroom: some }     | group-concurrency.global.headroom | 0 to 9, or 0% to 99%
        global: { max-in-flight: 10, headroom: -1 }       | group-concurrency.global.headroom | 0 to 9, or 0% to 99%
        global: { headroom: some }                        | group-concurrency.global.headroom | 0 to 2147483646, or 0% to 99%
        max-idle-groups: -1                               | group-concurrency.max-idle-groups | at least 0
        idle-timeout: 0s                                  | group-concurrency.idle-timeout | more than zero
        defaults: { cluster-max-in-flight: 0 }            | group-concurrency.defaults.cluster-max-in-flight | at least 1
        defaults: { max-concurrency: 0 }                  | group-concurrency.defaults.max-concurrency | at least 1
        defaults: { max-in-flight: 0 }                    | group-concurrency.defaults.max-in-flight | at least 1
        defaults: { queue-threshold: -1 }                 | group-concurrency.defaults.queue-threshold | at least 0
        defaults: { queue-timeout: 0s }                   | group-concurrency.defaults.queue-timeout | more than zero
        defaults: { weight: 1001 }                        | group-concurrency.defaults.weight | 1 to 1000
        defaults: { guaranteed: -1 }                      | group-concurrency.defaults.guaranteed | 0 to 1000000
        groups: { vip: { max-in-flight: 2, guaranteed: 3 } } | group-concurrency.groups.vip.guaranteed | at most 2, as many as may be in flight
        groups: { "[a.b:*]": { queue-timeout: -1s } }     | group-concurrency.groups[a.b:*].queue-timeout | more than zero
        groups: { vip: { maxInFlight: 0 } }               | group-concurrency.groups.vip.max-in-flight | at least 1
        group-list: [ { key: a/b, weight: 0 } ]           | group-concurrency.group-list[0].weight | 1 to 1000
        group-list: [ { weight: 1 } ]                     | group-concurrency.group-list[0].key | a group key or pattern
        limits-refresh: 0s                                | group-concurrency.limits-refresh | more than zero
        warnings: { enabled: false, interval: -1m }       | group-concurrency.warnings.interval | more than zero
        max-key-length: 0                                 | group-concurrency.max-key-length | at least 1
        groups: { vip: { queue-timeout: 0s } }            | group-concurrency.groups.vip.queue-timeout | more than zero; if nothing may wait, set queue-threshold to 0
        health: { oldest-wait: -1s }                      | group-concurrency.health.oldest-wait | zero or more
        health: { queue: -1 }                      | group-concurrency.health.queue | at least 0
        metrics: { max-tag-values: 0 }                        | group-concurrency.metrics.max-tag-values | at least 1
        shutdown: { await-termination-period: -1s }       | group-concurrency.shutdown.await-termination-period | zero or more
        scope: { default-timeout: 0s }                    | group-concurrency.scope.default-timeout | more than zero, or "unlimited"
        client: { honour-retry-after: 0s }                | group-concurrency.client.honour-retry-after | more than zero, at most 31d
        client: { honour-retry-after: -5m }               | group-concurrency.client.honour-retry-after | more than zero, at most 31d
        client: { honour-retry-after: 32d }               | group-concurrency.client.honour-retry-after | more than zero, at most 31d
        scope: { default-timeout: -1ms }                  | group-concurrency.scope.default-timeout | more than zero, or "unlimited"
        """)
    void everySettingOutOfItsRangeIsTold(String line, String property, String allowed, CapturedOutput output)
            throws IOException {
        failsToStart("group-concurrency:\n  " + line + "\n");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Property: " + property)
                .contains("Allowed: " + allowed);
    }

    @Test
    void aSettingInAnySpellingIsToldWithItsOrigin(CapturedOutput output) throws IOException {
        failsToStart("groupConcurrency: { defaults: { max_concurrency: 0 } }\n");

        assertThat(output).contains("Value: \"0\"").containsPattern("Origin: .*application\\.yml\\] - 1:50");
    }

    @Test
    void aQueueThatADefaultForbidsIsToldWhereTheDefaultIs(CapturedOutput output) throws IOException {
        failsToStart("""
            group-concurrency:
              defaults:
                queue-threshold: 0
              groups:
                "[tenant:*]":
                  cluster-max-in-flight: 20
            """);

        String allowed = "at least 1 with clusterMaxInFlight 20 of 'tenant:*', since work waits until this instance has"
                + " leased a part of that";
        assertThat(output)
                .contains("Setting 'group-concurrency.defaults.queue-threshold' must be " + allowed)
                .contains("Property: group-concurrency.defaults.queue-threshold")
                .contains("Value: \"0\"")
                .containsPattern("Origin: .*application\\.yml\\] - 3:22")
                .contains("Allowed: " + allowed);
    }

    @Test
    void aKeyInMapAndListIsRefused(CapturedOutput output) throws IOException {
        failsToStart("""
            group-concurrency:
              groups:
                vip:
                  weight: 2
              group-list:
                - key: vip
            """);

        assertThat(output)
                .containsPattern("Setting 'group-concurrency.group-list\\[0\\].key' names a group for the second time,"
                        + " after .*application\\.yml\\] - 4:15")
                .containsPattern("Origin: .*application\\.yml\\] - 6:12");
    }

    @Test
    void aKeyTwiceInTheListIsRefusedWithBothLines(CapturedOutput output) throws IOException {
        failsToStart("""
            group-concurrency:
              group-list:
                - { key: vip, weight: 2 }
                - { weight: 3, key: vip }
            """);

        assertThat(output)
                .containsPattern("names a group for the second time, after .*application\\.yml\\] - 3:")
                .containsPattern("Origin: .*application\\.yml\\] - 4:25");
    }

    @Test
    void aMisspeltSettingIsRefused(CapturedOutput output) throws IOException {
        failsToStart("""
            group-concurrency:
              groups:
                vip: { max-concurency: 3 }
            """);

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Property: group-concurrency.groups.vip.max-concurency")
                .containsPattern("Origin: .*application\\.yml\\] - 3:28")
                .containsPattern(
                        "Action:\\R\\RWrite group-concurrency\\.groups\\.vip\\.max-concurrency in its place\\.");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        groups: { vip: { max-concurency: 3 } }     | groups.vip.max-concurrency
        group-list: [ { key: a, weigth: 3 } ]      | group-list[0].weight
        max-concurrency: 3                         | defaults.max-concurrency
        default: { max-concurrency: 3 }            | defaults.max-concurrency
        defaults: { queueTimout: 3s }              | defaults.queue-timeout
        metrics: { enable: false }                 | metrics.enabled
        max-inflights: 3                           | global.max-in-flight
        web: { filter: { rules: [ { pats: /a } ] } } | web.filter.rules[0].paths
        scope: { defualt-timeout: 5s }             | scope.default-timeout
        scope: { default-timout: 5s }              | scope.default-timeout
        scopes: { default-timeout: 5s }            | scope.default-timeout
        group: { vip: { weight: 3 } }              | groups.vip.weight
        """)
    void whatWasMostLikelyMeantByAnUnknownNameIsTold(String line, String meant, CapturedOutput output)
            throws IOException {
        failsToStart("group-concurrency:\n  " + line + "\n");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("is unknown. Did you mean 'group-concurrency." + meant + "'?")
                .containsPattern("Origin: .*application\\.yml\\] - 2:")
                .contains("Allowed: group-concurrency." + meant);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        defaults: { timeout: 5s }                  | defaults.queue-timeout
        global: { max-concurrency: 3 }             | global.max-in-flight
        vip: { max-concurrency: 3 }                | groups.vip.max-concurrency
        vip: { max-concurency: 3 }                 | groups.vip.max-concurrency
        groups: [ { key: vip } ]                   | group-list[0].key
        groups: [ { max-concurency: 3 } ]          | group-list[0].max-concurrency
        datasource: { groups: [ { key: vip } ] }   | datasource.group-list[0].key
        datasource: { limits: { weight: 3 } }      | datasource.defaults.weight
        """)
    void whatIsMoreThanASlipIsAskedForAndNotOrdered(String line, String meant, CapturedOutput output)
            throws IOException {
        failsToStart("group-concurrency:\n  " + line + "\n");

        assertThat(output)
                .contains("is unknown. Did you mean 'group-concurrency." + meant + "'?")
                .contains("Allowed: group-concurrency." + meant)
                .doesNotContain("Action:");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        defaults: { queue-size: 3 }    | defaults.max-concurrency, group-concurrency.defaults.max-in-flight
        global: { limit: 3 }           | global.max-in-flight, group-concurrency.global.queue-threshold
        groups: [ { name: vip } ]      | group-list[0].key, group-concurrency.group-list[0].max-concurrency
        group-list: [ { name: vip } ]  | group-list[0].key, group-concurrency.group-list[0].max-concurrency
        """)
    void ofAnUnknownNameThatMayMeanSeveralThoseBesideItAreTold(String line, String first, CapturedOutput output)
            throws IOException {
        failsToStart("group-concurrency:\n  " + line + "\n");

        assertThat(output)
                .contains("' is unknown:")
                .contains("Allowed: one of group-concurrency." + first)
                .doesNotContain("metrics");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        scope: { default-timeout: "" }             | scope.default-timeout
        defaults: { queueTimeout: "" }             | defaults.queuetimeout
        groups: { vip: { max-concurrency: "" } }   | groups.vip.max-concurrency
        """)
    void aSettingWithoutAValueIsToldAsSuch(String line, String name, CapturedOutput output) throws IOException {
        failsToStart("group-concurrency:\n  " + line + "\n");

        assertThat(output)
                .contains("Setting 'group-concurrency." + name + "' has no value:")
                .containsPattern("Origin: .*application\\.yml\\] - 2:")
                .contains("Allowed: a value; without the setting its default applies");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        max-in-flight: 5                                       | max-in-flight           | global.max-in-flight
        queue-threshold: 5                                     | queue-threshold         | global.queue-threshold
        aspect: { enabled: false }                             | aspect.enabled          | annotation.enabled
        aspect: { bean-references: true }                      | aspect.bean-references  | annotation.bean-references
        metrics: { max-groups: 5 }                             | metrics.max-groups      | metrics.max-tag-values
        health: { global-queue: 5 }                            | health.global-queue     | health.queue
        """)
    void anEarlierNameIsToldWithItsNewOne(String yaml, String earlier, String now, CapturedOutput output)
            throws IOException {
        failsToStart("group-concurrency:\n  " + yaml + "\n");

        assertThat(output)
                .contains("Setting 'group-concurrency." + earlier + "' has another name now")
                .contains("Allowed: group-concurrency." + now + " in its place");
    }

    @Test
    void anEarlierNameAmongSystemPropertiesIsToldToo() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class))
                .withSystemProperties("group-concurrency.max-in-flight=2")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("Setting 'group-concurrency.max-in-flight' has another name now"));
    }

    @ParameterizedTest
    @CsvSource({
        "defaults.max-concurency, defaults.max-concurrency",
        "defaults.maxConcurency, defaults.max-concurrency",
        "groups[a.b*].rate.limits, groups[a.b*].rate.limit",
        "group-list[0].weigth, group-list[0].weight",
        "scope.default-timout, scope.default-timeout"
    })
    void anUnknownNameAmongSystemPropertiesIsRefused(String unknown, String meant) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class, GroupConcurrencyScopeAutoConfiguration.class))
                .withSystemProperties("group-concurrency." + unknown + "=2")
                .run(context -> assertThat(refusalOf(context))
                        .hasMessageEndingWith("' is unknown. Did you mean 'group-concurrency." + meant + "'?"));
    }

    @Test
    void anyKnownNameAmongSystemPropertiesIsRead() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class, GroupConcurrencyScopeAutoConfiguration.class))
                .withSystemProperties(
                        "group-concurrency.defaults.maxConcurrency=2",
                        "group-concurrency.defaults.rate.limit=6",
                        "group-concurrency.defaults.rate.per=1m",
                        "group-concurrency.groups.vip.weight=2",
                        "group-concurrency.groups[a.b*].rates[0].name=calls",
                        "group-concurrency.groups[a.b*].rates[0].limit=6",
                        "group-concurrency.groups[a.b*].rates[0].per=1m",
                        "group-concurrency.group-list[0].key=a",
                        "group-concurrency.group-list[0].rates[0]=calls 6 per 1m",
                        "group-concurrency.scope.default-timeout=5s",
                        "group-concurrency.web.filter.enabled=false",
                        "group-concurrency.web.filter.rules[0].paths[0]=/a",
                        "group-concurrency.web.filter.rules[0].key-source=header")
                .run(context -> {
                    assertThat(context.getStartupFailure()).isNull();
                    assertThat(context.getBean(GroupPolicy.class).groups()).containsOnlyKeys("vip", "a");
                });
    }

    @Test
    void aRecordOfTheApplicationBelowThePrefixMayBindLessThanASystemPropertySets() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class))
                .withUserConfiguration(OwnSettings.class)
                .withSystemProperties(
                        "group-concurrency.groups.vip.weight=2", "group-concurrency.groups.vip.max-concurrency=2")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Vip.class).maxConcurrency()).isEqualTo(2);
                });
    }

    @Test
    void anUnknownNameOfAnEnvironmentVariableIsWarnedOf(CapturedOutput output) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class))
                .withInitializer(context -> setVariables(
                        context,
                        Map.of(
                                "GROUPCONCURRENCY_DEFAULTS_MAXCONCURENCY",
                                "3",
                                "GROUPCONCURRENCY_DEFAULTS_WEIGHT",
                                "3",
                                "GROUPCONCURRENCY_GROUPLIST_0_KEY",
                                "vip")))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .containsOnlyOnce("is unknown")
                            .contains("is unknown. Did you mean 'group-concurrency.defaults.max-concurrency'?"
                                    + " (\"GROUPCONCURRENCY_DEFAULTS_MAXCONCURENCY\" from ");
                });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        flight-recorder: { enabled: false }                                 | nothing in its place
        web: { filter: { rules: [ { missing-key-group: "http:x" } ] } }     | missing-key with the key of the group
        """)
    void aNameThatIsNoLongerThereIsToldAsThat(String yaml, String allowed, CapturedOutput output) throws IOException {
        failsToStart("group-concurrency:\n  " + yaml + "\n");

        assertThat(output).contains("is no longer there").contains("Allowed: " + allowed);
    }

    @Test
    void nobodysPrefixIsUnknown(CapturedOutput output) throws IOException {
        failsToStart("group-concurrency: { redis: { url: \"redis://localhost\" } }\n");

        assertThat(output).contains("Setting 'group-concurrency.redis.url' is unknown");
    }

    @Test
    void ofAnUnknownNameThatIsNearNoneAllAreTold(CapturedOutput output) throws IOException {
        failsToStart("group-concurrency: { colour: red }\n");

        assertThat(output)
                .contains("Setting 'group-concurrency.colour' is unknown:")
                .contains("Allowed: one of group-concurrency.enabled, group-concurrency.global.max-in-flight,");
    }

    @Test
    void anUnknownNameAmongThoseOfScopesThatIsNearNoneIsToldWithThese(CapturedOutput output) throws IOException {
        failsToStart("group-concurrency: { scope: { colour: red } }\n");

        assertThat(output)
                .contains("Setting 'group-concurrency.scope.colour' is unknown:")
                .contains("Value: \"red\"")
                .containsPattern("Origin: .*application\\.yml\\] - 1:39")
                .contains("Allowed: one of group-concurrency.scope.default-timeout\n");
    }

    @Test
    void scopesThatAreMissedBesideSeveralExecutorsAreExplained(CapturedOutput output) {
        assertThatException()
                .isThrownBy(() -> start(TwoExecutors.class, Forking.class).close());

        assertThat(output)
                .contains("There is no bean of type " + Scopes.class.getName()
                        + ": it is made for the default GroupExecutor, and there is not exactly"
                        + " one such bean.")
                .contains("Make one of the GroupExecutor beans @Primary");
    }

    /** Where it is there, it binds them. */
    @ParameterizedTest
    @CsvSource({
        "rollout.tenants-at-once: 3, group-concurrency-rollout-spring-boot",
        "dashboard.enabled: true, group-concurrency-dashboard"
    })
    @Tag("once")
    void namesOfAJarThatIsNotThereTellWhichItIs(String setting, String jar, CapturedOutput output) throws IOException {
        write("group-concurrency." + setting);
        assertThatException().isThrownBy(() -> start().close());

        assertThat(output)
                .contains("Setting 'group-concurrency." + setting.replaceFirst(":.*", "")
                        + "' is of a jar that isn't on the class path")
                .contains("the jar io.github.kobe:" + jar + " on the class path");
    }

    @Test
    @Tag("once") // beside Spring Boot 4.1, all jars are there
    void aSystemPropertyOfAJarThatIsNotThereIsRefused() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class))
                .withSystemProperties("group-concurrency.dashboard.enabled=true")
                .run(context -> assertThat(refusalOf(context))
                        .hasMessage("Setting 'group-concurrency.dashboard.enabled' is of a jar that isn't on the class"
                                + " path"));
    }

    @Test
    @Tag("once") // beside Spring Boot 4.1, all jars are there
    void anEnvironmentVariableOfAJarThatIsNotThereIsWarnedOf(CapturedOutput output) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class))
                .withInitializer(context -> setVariables(context, Map.of("GROUPCONCURRENCY_ROLLOUT_NODE", "a")))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .containsOnlyOnce("is of a jar that isn't on the class path")
                            .contains("(\"GROUPCONCURRENCY_ROLLOUT_NODE\" from ");
                });
    }

    @Test
    void unlimitedLiftsWhatWouldBeInherited() throws IOException {
        write("""
            group-concurrency:
              global: { max-in-flight: unlimited, queue-threshold: "${NOT_SET:unlimited}" }
              defaults: { max-concurrency: 5, max-in-flight: 6, queue-threshold: 7, queue-timeout: 8s }
              groups:
                vip: { max-concurrency: unlimited, queue-timeout: unlimited }
              group-list:
                - { key: "tenant:*", max-in-flight: unlimited, queue-threshold: unlimited }
            """);
        try (ConfigurableApplicationContext context = start()) {
            GroupPolicy policy = context.getBean(GroupPolicy.class);
            assertThat(policy.globalMaxInFlight()).isEqualTo(Integer.MAX_VALUE);
            assertThat(policy.globalQueueThreshold()).isEqualTo(Integer.MAX_VALUE);
            assertThat(policy.explain("vip").maxConcurrency().orElseThrow().value())
                    .isEqualTo(Integer.MAX_VALUE);
            assertThat(policy.groups().get("vip").queueTimeout()).contains(GroupLimits.NO_TIMEOUT);
            assertThat(policy.explain("vip").maxInFlight().orElseThrow().value())
                    .isEqualTo(6);
            assertThat(policy.explain("tenant:a").maxInFlight().orElseThrow().value())
                    .isEqualTo(Integer.MAX_VALUE);
            assertThat(policy.explain("tenant:a").queueThreshold().value()).isEqualTo(Integer.MAX_VALUE);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        defaults: { weight: unlimited }   | group-concurrency.defaults.weight
        metrics: { max-tag-values: unlimited } | group-concurrency.metrics.max-tag-values
        """)
    void whatAlwaysHasALimitCannotBeUnlimited(String line, String property, CapturedOutput output) throws IOException {
        failsToStart("group-concurrency:\n  " + line + "\n");

        assertThat(output).contains("Property: " + property).contains("Value: \"unlimited\"");
    }

    @Test
    void aNumberOfACustomizerThatIsOutOfItsRangeIsToldWithItsBean(CapturedOutput output) {
        assertThatException().isThrownBy(() -> start(Customized.class).close());

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("The bean 'groupExecutor' can't be created, because a number in its policy is out of range:")
                .contains("Number: maxConcurrency")
                .contains("Group: vip")
                .contains("Value: 0")
                .contains("Allowed: at least 1");
    }

    @Test
    void aBeanThatASwitchTookAwayIsToldWithTheSwitch(CapturedOutput output) throws IOException {
        write("group-concurrency.enabled: false\n");
        assertThatException().isThrownBy(() -> start(Refreshing.class).close());

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("There is no bean of type " + GroupConcurrencyRefresher.class.getName()
                        + ": group-concurrency.enabled is false")
                .contains("set group-concurrency.annotation.enabled to false instead");
    }

    @Test
    void aRefresherThatIsNotThereBesideAnOwnPolicyIsExplained(CapturedOutput output) {
        assertThatException()
                .isThrownBy(() -> start(Refreshing.class, OwnPolicy.class).close());

        assertThat(output).contains("it is made only if both the GroupPolicy and the GroupExecutor are the starter's");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        global: { max-in-flight: many }                  | global.max-in-flight   | many  | a whole number, or "unlimited"
        groups: { vip: { queue-threshold: some } }       | groups.vip.queue-threshold | some | a whole number, or "unlimited"
        defaults: { weight: unlimited }                  | defaults.weight        | unlimited | a whole number
        defaults: { queue-timeout: soon }                | defaults.queue-timeout | soon  | a number with a unit such as "500ms" or "5s", or an ISO-8601 duration, or "unlimited"
        idle-timeout: soon                               | idle-timeout           | soon  | a number with a unit such as "500ms" or "5s", or an ISO-8601 duration
        metrics: { max-tag-values: few }                     | metrics.max-tag-values     | few   | a whole number
        groups: { vip: 5 }                               | groups.vip             | 5     | limits below the key, such as max-concurrency
        web: { filter: { rules: [ { known-keys-only: yep } ] } } | web.filter.rules[0].known-keys-only | yep | true or false
        scope: { default-timeout: soon }                 | scope.default-timeout  | soon  | a number with a unit such as "500ms" or "5s", or an ISO-8601 duration, or "unlimited"
        group-list: [ vip ]                              | group-list[0]          | vip   | limits below the key, such as max-concurrency
        """)
    void whatCannotBeReadIsRefusedWithWhatIsAllowed(
            String yaml, String property, String value, String allowed, CapturedOutput output) throws IOException {
        failsToStart("group-concurrency: { " + yaml + " }\n");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Setting 'group-concurrency." + property + "' can't be read")
                .contains("Value: \"" + value + "\"")
                .containsPattern("Origin: .*application\\.yml\\] - 1:")
                .contains("Allowed: " + allowed + "\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        global: { max-in-flight: 2.5 }                    | global.max-in-flight           | 2.5 | a whole number, or "unlimited"
        global: { queue-threshold: 10.0 }                 | global.queue-threshold         | 10.0 | a whole number, or "unlimited"
        max-idle-groups: 1.5                              | max-idle-groups                | 1.5 | a whole number
        max-key-length: 64.5                              | max-key-length                 | 64.5 | a whole number
        defaults: { max-concurrency: 2.5 }                | defaults.max-concurrency       | 2.5 | a whole number, or "unlimited"
        defaults: { weight: 1.5 }                         | defaults.weight                | 1.5 | a whole number
        groups: { vip: { max-in-flight: 0.5 } }           | groups.vip.max-in-flight       | 0.5 | a whole number, or "unlimited"
        groups: { "[tenant:*]": { queue-threshold: 1.5 } } | groups[tenant:*].queue-threshold | 1.5 | a whole number, or "unlimited"
        group-list: [ { key: a, max-concurrency: 1.5 } ]  | group-list[0].max-concurrency  | 1.5 | a whole number, or "unlimited"
        metrics: { max-tag-values: 100.5 }                    | metrics.max-tag-values             | 100.5 | a whole number
        health: { queue: 1.5 }                     | health.queue            | 1.5 | a whole number
        annotation: { order: 1.5 }                            | annotation.order                   | 1.5 | a whole number
        web: { filter: { order: 1.5 } }                   | web.filter.order               | 1.5 | a whole number
        """)
    void aFractionIsNoCount(String yaml, String property, String value, String allowed, CapturedOutput output)
            throws IOException {
        failsToStart("group-concurrency: { " + yaml + " }\n");

        assertRefused(output, property, "is not a whole number", value, allowed);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        defaults: { queue-timeout: 5 }                    | defaults.queue-timeout         | 5   | , or "unlimited"
        groups: { vip: { queue-timeout: "5" } }           | groups.vip.queue-timeout       | 5   | , or "unlimited"
        groups: { "[tenant:*]": { queue-timeout: 100 } }  | groups[tenant:*].queue-timeout | 100 | , or "unlimited"
        groups: { vip: { queue-timeout: "${NOT_SET:7}" } } | groups.vip.queue-timeout      | ${NOT_SET:7} | , or "unlimited"
        group-list: [ { key: a, queue-timeout: 5000 } ]   | group-list[0].queue-timeout    | 5000 | , or "unlimited"
        idle-timeout: 600                                 | idle-timeout                   | 600 | ``
        health: { oldest-wait: 30 }                       | health.oldest-wait             | 30  | ``
        shutdown: { await-termination-period: 25 }        | shutdown.await-termination-period | 25 | ``
        scope: { default-timeout: 30 }                    | scope.default-timeout          | 30  | , or "unlimited"
        scope: { default-timeout: -1 }                    | scope.default-timeout          | -1  | , or "unlimited"
        """)
    void aNumberWithoutAUnitIsNoDuration(
            String yaml, String property, String value, String orElse, CapturedOutput output) throws IOException {
        failsToStart("group-concurrency: { " + yaml + " }\n");

        assertRefused(
                output,
                property,
                "has no unit",
                value,
                "a number with a unit such as \"500ms\" or \"5s\", or an ISO-8601 duration" + orElse);
    }

    private static void assertRefused(
            CapturedOutput output, String property, String problem, String value, String allowed) {
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Setting 'group-concurrency." + property + "' " + problem + ":")
                .contains("Property: group-concurrency." + property + "\n")
                .contains("Value: \"" + value + "\"")
                .containsPattern("Origin: .*application\\.yml\\] - 1:")
                .contains("Allowed: " + allowed + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"5s", "PT5S", "5000ms", "${NOT_SET:5s}"})
    void aDurationHasAUnitOrIsAnIsoDuration(String text) throws IOException {
        write("group-concurrency: { defaults: { queue-timeout: \"" + text + "\" } }\n");
        try (ConfigurableApplicationContext context = start()) {
            assertThat(context.getBean(GroupPolicy.class).defaults().queueTimeout())
                    .contains(Duration.ofSeconds(5));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0s"})
    void zeroNeedsNoUnit(String zero, CapturedOutput output) throws IOException {
        failsToStart("group-concurrency: { defaults: { queue-timeout: " + zero + " } }\n");

        assertThat(output).contains("Allowed: more than zero; if nothing may wait, set queue-threshold to 0");
    }

    @Test
    void aGroupWithNothingUnderItInheritsEverything() throws IOException {
        write("""
            group-concurrency:
              defaults: { max-concurrency: 5 }
              groups:
                vip:
                other: {}
                "[tenant:*]":
            """);
        try (ConfigurableApplicationContext context = start()) {
            GroupPolicy policy = context.getBean(GroupPolicy.class);
            assertThat(policy.groups()).containsKey("vip");
            assertThat(policy.patterns()).containsOnlyKeys("tenant:*");
            assertThat(policy.explain("vip").maxConcurrency().orElseThrow().value())
                    .isEqualTo(5);
            assertThat(policy.explain("other").maxConcurrency().orElseThrow().value())
                    .isEqualTo(5);
        }
    }

    @Test
    void aListOfGroupsWithoutKeysIsWarnedOf(CapturedOutput output) throws IOException {
        write("group-concurrency: { groups: [ { max-concurrency: 5 } ] }\n");
        start().close();

        assertThat(output)
                .containsPattern("group-concurrency\\.groups\\[0]\\.max-concurrency \\(.*application\\.yml\\] - 1:.*\\)"
                        + " is of the group '0'\\. If it is in a list, write group-concurrency\\.group-list in place of"
                        + " groups, with a key in each element");
    }

    @Test
    void aGroupWhoseKeyIsANumberIsNotTakenForAList(CapturedOutput output) throws IOException {
        write("""
            group-concurrency:
              groups:
                "0": { max-concurrency: 5 }
                4711: { max-concurrency: 5 }
            """);
        try (ConfigurableApplicationContext context = start()) {
            assertThat(context.getBean(GroupPolicy.class).groups()).containsOnlyKeys("0", "4711");
        }
        assertThat(output).doesNotContain("is of the group");
    }

    @Test
    void theKeyZeroInBracketsIsToldHowItIsWrittenOutsideYaml(CapturedOutput output) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class))
                .withPropertyValues("group-concurrency.groups[0].weight=2")
                .run(context -> assertThat(output)
                        .contains("if 0 is the key, write \"0\" in YAML, or group-concurrency.groups.0 elsewhere."));
    }

    /** A variable takes precedence over a file. */
    @Test
    void anEnvironmentVariableOfAGroupWhoseKeyIsANumberIsNotTakenForAList(CapturedOutput output) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class))
                .withInitializer(context -> {
                    setVariables(context, Map.of("GROUPCONCURRENCY_GROUPS_0_WEIGHT", "2"));
                    context.getEnvironment()
                            .getPropertySources()
                            .addLast(new MapPropertySource(
                                    "file", Map.of("group-concurrency.groups.0.max-concurrency", "5")));
                })
                .run(context -> {
                    assertThat(context.getBean(GroupPolicy.class).groups()).containsOnlyKeys("0");
                    assertThat(output).doesNotContain("is of the group");
                });
    }

    @Test
    void anEmptyMapOfGroupsHasNone() throws IOException {
        write("group-concurrency: { groups: {}, defaults: {} }\n");
        try (ConfigurableApplicationContext context = start()) {
            assertThat(context.getBean(GroupPolicy.class).groups()).isEmpty();
        }
    }

    private static void setVariables(ConfigurableApplicationContext context, Map<String, Object> variables) {
        context.getEnvironment()
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
    }

    private void failsToStart(String yaml) throws IOException {
        write(yaml);
        assertThatException().isThrownBy(() -> start().close());
    }

    private void write(String yaml) throws IOException {
        Files.writeString(folder.resolve("application.yml"), yaml);
    }

    private ConfigurableApplicationContext start(Class<?>... further) {
        SpringApplication application = new SpringApplicationBuilder(Application.class)
                .sources(further)
                .web(WebApplicationType.NONE)
                .build();
        return application.run("--spring.config.location=" + folder.toUri());
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({GroupConcurrencyAutoConfiguration.class, GroupConcurrencyScopeAutoConfiguration.class})
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    static class TwoExecutors {
        @Bean
        GroupExecutor first(GroupPolicy policy) {
            return GroupExecutor.newVirtualThreadExecutor(policy);
        }

        @Bean
        GroupExecutor second(GroupPolicy policy) {
            return GroupExecutor.newVirtualThreadExecutor(policy);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Forking {
        @Bean
        Object forking(Scopes scopes) {
            return scopes;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Customized {
        @Bean
        GroupPolicyCustomizer nobody() {
            return policy -> policy.group("vip", GroupLimits.unset().withMaxConcurrency(0));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(GroupConcurrencyRefreshAutoConfiguration.class)
    static class Refreshing {
        @Bean
        Object change(GroupConcurrencyRefresher refresher) {
            return refresher;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(Vip.class)
    static class OwnSettings {}

    @ConfigurationProperties("group-concurrency.groups.vip")
    record Vip(int maxConcurrency) {}

    @Configuration(proxyBeanMethods = false)
    static class OwnPolicy {
        @Bean
        GroupPolicy own() {
            return GroupPolicy.builder().build();
        }
    }
}
