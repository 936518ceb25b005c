package io.github.kobe.spring.properties;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

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
                .contains("Allowed: at least 1");
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
        max-in-flight: 0                                  | group-concurrency.max-in-flight | at least 1
        queue-threshold: -1                               | group-concurrency.queue-threshold | at least 0
        max-idle-groups: -1                               | group-concurrency.max-idle-groups | at least 0
        idle-timeout: 0s                                  | group-concurrency.idle-timeout | more than zero
        defaults: { max-concurrency: 0 }                  | group-concurrency.defaults.max-concurrency | at least 1
        defaults: { max-in-flight: 0 }                    | group-concurrency.defaults.max-in-flight | at least 1
        defaults: { queue-threshold: -1 }                 | group-concurrency.defaults.queue-threshold | at least 0
        defaults: { queue-timeout: 0s }                   | group-concurrency.defaults.queue-timeout | more than zero
        defaults: { weight: 1001 }                        | group-concurrency.defaults.weight | 1 to 1000
        groups: { "[a.b:*]": { queue-timeout: -1s } }     | group-concurrency.groups[a.b:*].queue-timeout | more than zero
        groups: { vip: { maxInFlight: 0 } }               | group-concurrency.groups.vip.max-in-flight | at least 1
        group-list: [ { key: a/b, weight: 0 } ]           | group-concurrency.group-list[0].weight | 1 to 1000
        group-list: [ { weight: 1 } ]                     | group-concurrency.group-list[0].key | a group key or pattern
        metrics: { max-groups: 0 }                        | group-concurrency.metrics.max-groups | at least 1
        shutdown: { await-termination-period: -1s }       | group-concurrency.shutdown.await-termination-period | zero or more
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
    void aKeyInMapAndListIsRefused(CapturedOutput output) throws IOException {
        failsToStart("""
            group-concurrency:
              groups:
                vip:
              group-list:
                - key: vip
            """);

        assertThat(output)
                .contains("Setting 'group-concurrency.group-list[0].key' names a group for the second time")
                .containsPattern("Origin: .*application\\.yml\\] - 5:12");
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
                .containsPattern("Origin: .*application\\.yml\\] - 3:28");
    }

    @Test
    void aWordInPlaceOfANumberIsRefused(CapturedOutput output) throws IOException {
        failsToStart("group-concurrency: { max-in-flight: many }\n");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Property: group-concurrency.max-in-flight")
                .contains("Value: \"many\"")
                .containsPattern("Origin: .*application\\.yml\\] - 1:37");
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
            assertThat(policy.resolveConcurrency("vip")).isEqualTo(5);
            assertThat(policy.resolveConcurrency("other")).isEqualTo(5);
        }
    }

    @Test
    void anEmptyMapOfGroupsHasNone() throws IOException {
        write("group-concurrency: { groups: {}, defaults: {} }\n");
        try (ConfigurableApplicationContext context = start()) {
            assertThat(context.getBean(GroupPolicy.class).groups()).isEmpty();
        }
    }

    private void failsToStart(String yaml) throws IOException {
        write(yaml);
        assertThatException().isThrownBy(() -> start().close());
    }

    private void write(String yaml) throws IOException {
        Files.writeString(folder.resolve("application.yml"), yaml);
    }

    private ConfigurableApplicationContext start() {
        SpringApplication application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .build();
        return application.run("--spring.config.location=" + folder.toUri());
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(GroupConcurrencyAutoConfiguration.class)
    static class Application {}
}
