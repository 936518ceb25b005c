package io.github.kobe.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPolicy;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Settings under a name that is nearly the prefix are nobody's: they are told, and nothing else happens. */
@ExtendWith(OutputCaptureExtension.class)
class MisspeltPrefixTests {

    private static final String QUESTION = "Did you mean 'group-concurrency.";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class));

    private static int concurrency(GroupPolicy policy) {
        return policy.defaults().maxConcurrency().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "group-concurency",
                "group-concurrncy",
                "group-concurrancy",
                "groups-concurrency",
                "goup-concurency",
                "groupConcurency",
                "group_concurency",
                "Grop-Concurrency"
            })
    void aPrefixWithASlipOrTwoIsToldWithItsLine(String prefix, CapturedOutput output) {
        runner.withInitializer(new YamlSettings(prefix + ":\n  defaults:\n    max-concurrency: 7\n"))
                .run(context -> {
                    assertThat(concurrency(context.getBean(GroupPolicy.class))).isEqualTo(1);
                    assertThat(output)
                            .containsOnlyOnce(QUESTION)
                            .containsPattern("WARN.* Setting '" + prefix
                                    + "\\.defaults\\.max-concurrency' \\(.*application\\.yml\\] - 3:22\\) isn't under"
                                    + " 'group-concurrency', so the starter doesn't read it\\. Did you mean"
                                    + " 'group-concurrency\\.defaults\\.max-concurrency'\\?");
                });
    }

    @Test
    void ofManySuchSettingsTheFirstIsNamedInOneLine(CapturedOutput output) {
        runner.withInitializer(new YamlSettings("""
            group-concurency:
              global: { max-in-flight: 9 }
              defaults: { max-concurrency: 7, queue-threshold: 8 }
            """))
                .run(context -> assertThat(output).containsOnlyOnce(QUESTION).contains("(and 2 more) isn't under"));
    }

    @Test
    void aSystemPropertyIsToldToo(CapturedOutput output) {
        runner.withSystemProperties("group-concurency.enabled=true")
                .run(context -> assertThat(output).contains("Did you mean 'group-concurrency.enabled'?"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "group-concurrency",
                "groupconcurrency",
                "groupConcurrency",
                "group_concurrency",
                "GROUP-CONCURRENCY"
            })
    void everySpellingThatIsReadIsRight(String prefix, CapturedOutput output) {
        runner.withInitializer(new YamlSettings(prefix + ":\n  defaults:\n    max-concurrency: 7\n"))
                .run(context -> {
                    assertThat(concurrency(context.getBean(GroupPolicy.class))).isEqualTo(7);
                    assertThat(output).doesNotContain("Did you mean");
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "group",
                "group-currency",
                "my-group-concurrency",
                "group-concurrency-2",
                "concurrency",
                "group.concurrency",
                "spring"
            })
    void anotherNameIsSomebodyElses(String prefix, CapturedOutput output) {
        runner.withInitializer(new YamlSettings(prefix + ".defaults.max-concurrency: 7\n"))
                .run(context -> assertThat(output).doesNotContain("Did you mean"));
    }

    @Test
    void environmentVariablesRaiseNoFalseAlarm(CapturedOutput output) {
        runner.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                "test-systemEnvironment",
                                Map.of(
                                        "GROUP_CONCURRENCY_SERVICE_HOST", "10.0.0.1",
                                        "GROUPCONCURENCY", "1",
                                        "groups-concurrency", "1",
                                        "GROUPCONCURRENCY_DEFAULTS_MAXCONCURRENCY", "7"))))
                .run(context -> {
                    assertThat(concurrency(context.getBean(GroupPolicy.class))).isEqualTo(7);
                    assertThat(output).doesNotContain("Did you mean");
                });
    }
}
