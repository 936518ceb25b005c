package io.github.kobe.spring.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.spring.InvalidSettingException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class GroupKeySpellingTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "group-concurrency.groups.vip.max-concurrency",
                "group-concurrency.groups.VIP_2-x.max-concurrency",
                "groupConcurrency.groups.vip.maxConcurrency",
                "group-concurrency.groups.vip",
                "group-concurrency.groups",
                "group-concurrency.groups[a/b].max-concurrency",
                "group-concurrency.groups[a.b:*].max-concurrency",
                "group-concurrency.groups.[a/b].max-concurrency",
                "group-concurrency.group-list[0].key",
                "another.groups.a/b.max-concurrency",
            })
    void whatSpringBootTakesAsItIsPasses(String name) {
        assertThatCode(() -> check(name)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        group-concurrency.groups.a/b.max-concurrency      | a/b
        group-concurrency.groups.tenant:2.max-concurrency | tenant:2
        group-concurrency.groups.a.b.max-concurrency      | a.b
        group-concurrency.groups.a.b.queue_timeout        | a.b
        groupConcurrency.groups.a/b.maxConcurrency        | a/b
        group-concurrency.groups.*.weight                 | *
        group-concurrency.groups.a/b                      | a/b
        group-concurrency.groups.München.weight           | München
        group-concurrency.groups.北京.weight                | 北京
        """)
    void aKeyOutsideBracketsThatWouldBeChangedIsRefused(String name, String key) {
        assertThatExceptionOfType(InvalidSettingException.class)
                .isThrownBy(() -> check(name))
                .withMessageContaining("has the group key '" + key + "' outside brackets")
                .satisfies(refusal -> {
                    assertThat(refusal.property()).isEqualTo(name);
                    assertThat(refusal.allowed()).contains("\"[" + key + "]\"");
                    assertThat(refusal.origin()).contains("from property source \"test\"");
                });
    }

    @Test
    void bracketsWithoutQuotesInYamlAreRefused() {
        assertThatExceptionOfType(InvalidSettingException.class)
                .isThrownBy(() -> check("group-concurrency.groups[[a/b]].max-concurrency"))
                .withMessageContaining("has the group key [a/b] without quotes")
                .satisfies(refusal -> assertThat(refusal.allowed()).startsWith("\"[a/b]\" as the key in YAML"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        group-concurrency.groups[a]b].max-concurrency  | a]b
        group-concurrency.groups[a[b].max-concurrency  | a[b
        group-concurrency.groups[a].b].max-concurrency | a].b
        group-concurrency.groups[a]b].rates[0].limit   | a]b
        group-concurrency.groups[a].rate[0].limit      | a].rate[0
        """)
    void aBracketInsideBracketsIsRefusedInFavourOfTheList(String name, String key) {
        assertThatExceptionOfType(InvalidSettingException.class)
                .isThrownBy(() -> check(name))
                .withMessageContaining("has a bracket inside the group key '" + key + "'")
                .satisfies(refusal -> assertThat(refusal.allowed())
                        .isEqualTo("an element of group-concurrency.group-list with key: \"" + key + "\""));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        group-concurrency.groups[a:b.max-concurrency   | a:b   | "[a:b]"
        group-concurrency.groups[127.0.0.3.queue-timeout | 127.0.0.3 | "[127.0.0.3]"
        group-concurrency.groups[a[b.weight            | a[b   | key: "a[b"
        """)
    void aBracketThatIsNotClosedIsRefused(String name, String key, String allowed) {
        assertThatExceptionOfType(InvalidSettingException.class)
                .isThrownBy(() -> check(name))
                .withMessageContaining("has no closing bracket behind the group key '" + key + "'")
                .satisfies(refusal -> assertThat(refusal.allowed()).contains(allowed));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "group-concurrency.groups[].weight",
                "group-concurrency.groups[ \t].weight",
                "group-concurrency.groups[ .weight",
                "group-concurrency.groups..weight"
            })
    void aBlankKeyIsRefused(String name) {
        assertThatExceptionOfType(InvalidSettingException.class)
                .isThrownBy(() -> check(name))
                .withMessageContaining("has a blank group key")
                .satisfies(refusal -> assertThat(refusal.allowed()).isEqualTo("a group key or pattern"));
    }

    @Test
    void environmentVariablesAreLeftAlone() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        "variables", Map.of("group-concurrency.groups.a/b.weight", "1")));

        assertThatCode(() -> WrittenName.each(environment, GroupKeySpelling::check))
                .doesNotThrowAnyException();
    }

    private static void check(String name) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", Map.of(name, "1")));
        WrittenName.each(environment, GroupKeySpelling::check);
    }
}
