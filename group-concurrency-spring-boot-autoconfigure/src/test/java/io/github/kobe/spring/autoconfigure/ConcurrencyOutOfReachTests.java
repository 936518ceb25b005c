package io.github.kobe.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** No more of a group runs than is in flight: a rule that lets more of it run is told. */
@ExtendWith(OutputCaptureExtension.class)
class ConcurrencyOutOfReachTests {

    private static final String WARNING = "can't be reached, since max-in-flight is ";

    private static ApplicationContextRunner with(String yaml) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class))
                .withInitializer(new YamlSettings(yaml));
    }

    @Test
    void aRuleThatLetsMoreRunThanIsInFlightIsToldWithBothNumbersItsLineAndWhatToWrite(CapturedOutput output) {
        with("""
            group-concurrency:
              groups:
                vip:
                  max-concurrency: 10
                  max-in-flight: 2
            """).run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .containsPattern(
                        "WARN.* group-concurrency\\.groups\\.vip\\.max-concurrency \\(.*application\\.yml\\] - 4:24\\)"
                            + " is 10 and can't be reached, since max-in-flight is 2 in the same rule: what runs is in"
                            + " flight too\\. Set max-in-flight of this rule to 10 or more, or its max-concurrency to"
                            + " 2\\.\\R");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        defaults: { max-concurrency: 8, max-in-flight: 4 }                        | defaults     | 8 | 4 in the same rule
        group-list: [ { key: "a:*", max-concurrency: 8, max-in-flight: 4 } ]      | group-list[0] | 8 | 4 in the same rule
        { defaults: { max-in-flight: 4 }, groups: { a: { max-concurrency: 8 } } } | groups.a     | 8 | 4, which the rule inherits
        { defaults: { max-in-flight: 4 }, groups: { "[a*]": { max-concurrency: 8 } } } | groups[a*] | 8 | 4, which the rule inherits
        { groups: { a: { max-concurrency: 8 }, "[a*]": { max-in-flight: 4 } } }   | groups.a     | 8 | 4, which the rule inherits
        """)
    void soIsEachRuleThatSaysItItselfWhereverTheOtherNumberComesFrom(
            String rules, String rule, int concurrency, String inFlight, CapturedOutput output) {
        with("group-concurrency: " + (rules.startsWith("{") ? rules : "{ " + rules + " }"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .containsOnlyOnce(WARNING)
                            .contains("group-concurrency." + rule + ".max-concurrency (")
                            .contains(" is " + concurrency + " and " + WARNING + inFlight);
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ defaults: { max-concurrency: 4, max-in-flight: 4 } }",
                "{ defaults: { max-concurrency: unlimited, max-in-flight: 4 } }",
                "{ groups: { '[a*]': { max-concurrency: 8 } } }",
                "{ defaults: { max-concurrency: 2 }, groups: { '[a*]': { max-concurrency: 8 } } }",
                "{ defaults: { max-concurrency: 8 }, groups: { a: { max-in-flight: 4 } } }",
                "{ defaults: { max-concurrency: 8 }, groups: { a: { max-in-flight: unlimited } } }",
                "{ defaults: { max-in-flight: 4 }, groups: { a: { max-concurrency: 8, max-in-flight: 9 } } }",
                "{ defaults: { max-in-flight: 4 }, groups: { a: { max-concurrency: 8 }, '[a*]': { max-in-flight: 9 } }"
                        + " }",
                "{ global: { max-in-flight: 4 }, defaults: { max-concurrency: 8 } }"
            })
    void aNumberThatIsReachedOrIsNoLimitOrIsOnlyInheritedIsNotTold(String rules, CapturedOutput output) {
        with("group-concurrency: " + rules).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output).doesNotContain(WARNING);
        });
    }

    @Test
    void ofManyRulesTheFirstIsNamedAndTheOthersAreCounted(CapturedOutput output) {
        with("""
            group-concurrency:
              defaults: { max-in-flight: 2 }
              group-list:
                - { key: a, max-concurrency: 3 }
                - { key: b, max-concurrency: 4 }
                - { key: c, max-concurrency: 5 }
                - { key: d, max-concurrency: 6 }
                - { key: e, max-concurrency: 7 }
                - { key: f, max-concurrency: 8 }
            """).run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .containsOnlyOnce(WARNING)
                .containsPattern(
                        "group-concurrency\\.group-list\\[0]\\.max-concurrency \\(.* - 4:.*\\) is 3 and can't be"
                                + " reached, .* or its max-concurrency to 2\\. The same holds for 5 more\\.\\R");
    }
}
