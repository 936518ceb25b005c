package io.github.kobe.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** A key of the settings is the key that code uses, character by character, in every form that has no failure for it. */
@ExtendWith(OutputCaptureExtension.class)
class ExactKeysTests {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** What the map takes in brackets. */
    private static final List<String> KEYS = List.of(
            "a/b",
            "tenant:2",
            "a.b",
            "a b",
            " a ",
            "租户一",
            "\ud83e\udd8a",
            "caf\u00e9",
            "UPPER_lower-9",
            "a=b",
            "a#b",
            "it's",
            "quote\"inside",
            "back\\slash",
            "a,b",
            "k".repeat(1_000));

    /** What only the list takes. */
    private static final List<String> KEYS_OF_THE_LIST = Stream.concat(
                    KEYS.stream(),
                    Stream.of("a[b", "]", "[x]", "a].b", "line\r\nbreak", "\u0007bell", "\u202ereversed"))
            .toList();

    @TempDir
    private Path folder;

    @Test
    void aMapInYamlInBracketsAndQuotes() throws IOException {
        StringBuilder yaml = new StringBuilder("group-concurrency:\n  groups:\n");
        for (int i = 0; i < KEYS.size(); i++) {
            yaml.append("    %s: { max-concurrency: %d }%n"
                    .formatted(JSON.writeValueAsString("[" + KEYS.get(i) + "]"), i + 1));
        }
        Files.writeString(folder.resolve("application.yml"), yaml);

        assertExact(KEYS, Map.of());
    }

    @Test
    void aListInYaml() throws IOException {
        StringBuilder yaml = new StringBuilder("group-concurrency:\n  group-list:\n");
        for (int i = 0; i < KEYS_OF_THE_LIST.size(); i++) {
            yaml.append("    - { key: %s, max-concurrency: %d }%n"
                    .formatted(JSON.writeValueAsString(KEYS_OF_THE_LIST.get(i)), i + 1));
        }
        Files.writeString(folder.resolve("application.yml"), yaml);

        assertExact(KEYS_OF_THE_LIST, Map.of());
    }

    @Test
    void aMapInAPropertiesFileInBrackets() throws IOException {
        Properties properties = new Properties();
        for (int i = 0; i < KEYS.size(); i++) {
            properties.setProperty(
                    "group-concurrency.groups[" + KEYS.get(i) + "].max-concurrency", Integer.toString(i + 1));
        }
        store(properties);

        assertExact(KEYS, Map.of());
    }

    @Test
    void aListInAPropertiesFile() throws IOException {
        Properties properties = new Properties();
        for (int i = 0; i < KEYS_OF_THE_LIST.size(); i++) {
            properties.setProperty("group-concurrency.group-list[" + i + "].key", KEYS_OF_THE_LIST.get(i));
            properties.setProperty("group-concurrency.group-list[" + i + "].max-concurrency", "" + (i + 1));
        }
        store(properties);

        assertExact(KEYS_OF_THE_LIST, Map.of());
    }

    @Test
    void aListInEnvironmentVariables() {
        Map<String, Object> variables = new HashMap<>();
        for (int i = 0; i < KEYS_OF_THE_LIST.size(); i++) {
            variables.put("GROUPCONCURRENCY_GROUPLIST_" + i + "_KEY", KEYS_OF_THE_LIST.get(i));
            variables.put("GROUPCONCURRENCY_GROUPLIST_" + i + "_MAXCONCURRENCY", Integer.toString(i + 1));
        }

        assertExact(KEYS_OF_THE_LIST, variables);
    }

    @Test
    void aPatternIsExactToo() throws IOException {
        Files.writeString(folder.resolve("application.yml"), """
            group-concurrency:
              groups:
                "[租户/*.x y]": { max-concurrency: 7 }
            """);
        try (ConfigurableApplicationContext context = start(Map.of())) {
            GroupPolicy policy = context.getBean(GroupPolicy.class);
            assertThat(policy.patterns()).containsOnlyKeys("租户/*.x y");
            assertThat(policy.explain("租户/1.x y").maxConcurrency().orElseThrow().value())
                    .isEqualTo(7);
        }
    }

    @Test
    void aKeyInAnExceptionAndInTheLogIsOneLine(CapturedOutput output) throws IOException {
        Files.writeString(folder.resolve("application.yml"), """
            group-concurrency:
              group-list:
                - { key: "line\\r\\nforged\\a", queue-threshold: 0 }
            """);
        try (ConfigurableApplicationContext context = start(Map.of())) {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            String key = "line\r\nforged\u0007";
            try (GroupPermit permit = executor.acquireAsync(key)
                    .toCompletableFuture()
                    .orTimeout(Deadline.SECONDS, TimeUnit.SECONDS)
                    .join()) {
                assertThat(permit.groupKey()).isEqualTo(key);
                assertThatExceptionOfType(RejectedTaskException.class)
                        .isThrownBy(() -> executor.call(key, () -> "never"))
                        .withMessageContaining("'line__forged_'")
                        .satisfies(rejection -> assertThat(rejection.groupKey()).isEqualTo(key));
            }
        }

        Files.writeString(folder.resolve("application.yml"), """
            group-concurrency:
              groups:
                "line\\r\\nforged\\a": { queue-threshold: 0 }
            """);
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> start(Map.of()).close());
        assertThat(output)
                .contains("has the group key 'line__forged_' outside brackets")
                .contains("Property: group-concurrency.groups.line__forged_.queue-threshold")
                .doesNotContain("\nforged")
                .doesNotContain("\u0007");
    }

    private void store(Properties properties) throws IOException {
        try (OutputStream file = Files.newOutputStream(folder.resolve("application.properties"))) {
            properties.store(file, null);
        }
    }

    private void assertExact(List<String> keys, Map<String, Object> variables) {
        Map<String, Integer> expected = new HashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            expected.put(keys.get(i), i + 1);
        }
        try (ConfigurableApplicationContext context = start(variables)) {
            Map<String, Integer> configured = new HashMap<>();
            context.getBean(GroupPolicy.class)
                    .groups()
                    .forEach((key, limits) ->
                            configured.put(key, limits.maxConcurrency().orElse(0)));
            assertThat(configured).isEqualTo(expected);
        }
    }

    private ConfigurableApplicationContext start(Map<String, Object> variables) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .initializers(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", variables)))
                .run("--spring.config.location=" + folder.toUri());
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(GroupConcurrencyAutoConfiguration.class)
    static class Application {}
}
