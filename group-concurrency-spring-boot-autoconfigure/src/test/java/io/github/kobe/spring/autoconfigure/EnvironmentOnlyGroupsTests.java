package io.github.kobe.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPolicy;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.SystemEnvironmentPropertySource;

@ExtendWith(OutputCaptureExtension.class)
class EnvironmentOnlyGroupsTests {

    private static final String WARNING = "Only environment variables name the group 'vip'";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class))
            .withInitializer(context -> context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new SystemEnvironmentPropertySource(
                            "test-systemEnvironment", Map.of("GROUPCONCURRENCY_GROUPS_VIP_MAXCONCURRENCY", "3"))));

    @Test
    void aGroupThatOnlyAVariableNamesIsWarnedOf(CapturedOutput output) {
        runner.run(context -> {
            assertThat(context.getBean(GroupPolicy.class)
                            .explain("vip")
                            .maxConcurrency()
                            .orElseThrow()
                            .value())
                    .isEqualTo(3);
            assertThat(output).contains(WARNING);
        });
    }

    @Test
    void theKeyInThatWarningIsOneLine(CapturedOutput output) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class))
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                "test-systemEnvironment",
                                Map.of("group-concurrency.groups[a\nforged " + "k".repeat(200) + "].weight", "3"))))
                .run(context -> assertThat(output)
                        .contains("Only environment variables name the group 'a_forged " + "k".repeat(119) + "' (")
                        .doesNotContain("\nforged"));
    }

    @Test
    void aVariableMayOverrideAGroupThatIsNamedElsewhere(CapturedOutput output) {
        runner.withPropertyValues("group-concurrency.groups.vip.weight=2").run(context -> {
            assertThat(context.getBean(GroupPolicy.class)
                            .explain("vip")
                            .maxConcurrency()
                            .orElseThrow()
                            .value())
                    .isEqualTo(3);
            assertThat(output).doesNotContain(WARNING);
        });
    }
}
