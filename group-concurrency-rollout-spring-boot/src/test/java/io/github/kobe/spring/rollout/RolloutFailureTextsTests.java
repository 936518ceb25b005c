package io.github.kobe.spring.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.github.kobe.rollout.Rollouts;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What an application tells that can't start with its settings of rollouts. */
@Tag("R134")
@ExtendWith(OutputCaptureExtension.class)
class RolloutFailureTextsTests {

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        tenants-atonc: 3             | rollout.tenants-atonc   | 3         | group-concurrency.rollout.tenants-at-once
        max-concurrency: 3           | rollout.max-concurrency | 3         | group-concurrency.rollout.tenants-at-once in its place
        health: { pth: /up }         | rollout.health.pth      | /up       | group-concurrency.rollout.health.path
        tenants-at-once: 0           | rollout.tenants-at-once | 0         | at least 1
        tenants-at-once: unlimited   | rollout.tenants-at-once | unlimited | a whole number
        shutdown-grace: soon         | rollout.shutdown-grace  | soon      | a number with a unit such as "500ms" or "5s", or an ISO-8601 duration
        tenants-at-once: 2.5         | rollout.tenants-at-once | 2.5       | a whole number
        health: { max-attempts: 2.5 } | rollout.health.max-attempts | 2.5   | a whole number
        shutdown-grace: 20           | rollout.shutdown-grace  | 20        | a number with a unit such as "500ms" or "5s", or an ISO-8601 duration
        health: { interval: 3 }      | rollout.health.interval | 3         | a number with a unit such as "500ms" or "5s", or an ISO-8601 duration
        health: { timeout: 2 }       | rollout.health.timeout  | 2         | a number with a unit such as "500ms" or "5s", or an ISO-8601 duration
        http: { timeout: 10 }        | rollout.http.timeout    | 10        | a number with a unit such as "500ms" or "5s", or an ISO-8601 duration
        checkpoint: { redis: { ttl: 24 } } | rollout.checkpoint.redis.ttl | 24 | a number with a unit such as "500ms" or "5s", or an ISO-8601 duration
        retention: 0s                | rollout.retention       | 0s        | more than zero
        wait-for-stages: -1s         | rollout.wait-for-stages | -1s       | zero or more
        application: " "             | rollout.application     | ` `       | 1 to 100 characters, not all blank, none of them a control character
        node: ""                     | rollout.node            | ``        | a name
        store: redis                 | rollout.store           | redis     | one of jdbc, memory
        store: jdbc                  | rollout.store           | jdbc      | memory; or jdbc, with a DataSource bean, such as that of spring.datasource.url
        """)
    void aWrongSettingIsToldWithItsPlaceAndWhatIsAllowed(
            String line, String property, String value, String allowed, CapturedOutput output) throws IOException {
        failsToStart("group-concurrency:\n  rollout: { " + line + " }\n");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Property: group-concurrency." + property + "\n")
                .contains("Value: \"" + value + "\"")
                .containsPattern("Origin: .*application\\.yml\\] - 2:")
                .contains("Allowed: " + allowed + "\n");
    }

    @ParameterizedTest
    @CsvSource({"Host, s3cr3t", "X-Key, 's3cr3t\u4e2d'"})
    @Tag("R150")
    void aHeaderThatCantBeSentIsToldWithoutItsValue(String name, String value, CapturedOutput output)
            throws IOException {
        failsToStart("group-concurrency:\n  rollout: { http: { header: { " + name + ": " + value + " } } }\n");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .containsIgnoringCase("Property: group-concurrency.rollout.http.header." + name + "\n")
                .containsPattern("Origin: .*application\\.yml\\] - 2:")
                .contains("header '" + name + "' can't be se")
                .doesNotContain("s3cr3t");
    }

    @Test
    void rolloutsThatAreAskedForAndSwitchedOffAreExplained(CapturedOutput output) throws IOException {
        failsToStart("group-concurrency.rollout.enabled: false\n", Asking.class);

        assertThat(output)
                .contains("There is no bean of type " + Rollouts.class.getName()
                        + ": group-concurrency.rollout.enabled is false.");
    }

    private void failsToStart(String yaml, Class<?>... further) throws IOException {
        Files.writeString(folder.resolve("application.yml"), yaml);
        assertThatException()
                .isThrownBy(() -> new SpringApplicationBuilder(Application.class)
                        .sources(further)
                        .web(WebApplicationType.NONE)
                        .run("--spring.config.location=" + folder.toUri())
                        .close());
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRolloutAutoConfiguration.class})
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    static class Asking {
        @Bean
        Object asking(Rollouts rollouts) {
            return rollouts;
        }
    }
}
