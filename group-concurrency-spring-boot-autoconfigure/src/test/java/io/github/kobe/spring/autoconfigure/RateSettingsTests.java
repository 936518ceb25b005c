package io.github.kobe.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.Rate;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.RateSetting;
import io.github.kobe.spring.internal.settings.ListedGroup;
import io.github.kobe.spring.internal.settings.NamedRateSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Rates as they are written in files: a real application on real YAML. */
@ExtendWith(OutputCaptureExtension.class)
class RateSettingsTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Rate SIXTY = Rate.of(60, MINUTE);

    private static final String RATE_FORM = "a rate such as \"60 per 1m\" or \"60 per 1m burst 6\", or \"unlimited\"";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ limit: 60, per: 1m, burst: 3 }",
                "{ limit: \"${NOT_SET:60}\", per: PT60S, burst: 3 }",
                "60 per 1m burst 3",
                "\"  60  per  60s  burst  3 \"",
                "\"${NOT_SET:60 per 60000ms burst 3}\"",
            })
    void aRateIsWrittenInPartsOrAsOneText(String rate) throws IOException {
        write("group-concurrency: { defaults: { rate: " + rate + " } }\n");
        try (ConfigurableApplicationContext context = start()) {
            assertThat(context.getBean(GroupPolicy.class).defaults().rates()).contains(List.of(SIXTY.withBurst(3)));
        }
    }

    @Test
    void eachPlaceOfALimitTakesARate() throws IOException {
        write("""
            group-concurrency:
              global: { rate: { limit: 500, per: 1m } }
              defaults: { rate: 60 per 1m }
              groups:
                vip: { rate: unlimited }
                "[partner:*]": { rate: { limit: 5, per: 1s } }
                "[llm:*]": { max-concurrency: 2 }
              group-list:
                - { key: "a/b", rate: { limit: 10, per: 1h, burst: 1 } }
                - { key: "c/*", rate: 10 per 1d }
            """);
        try (ConfigurableApplicationContext context = start()) {
            GroupPolicy policy = context.getBean(GroupPolicy.class);
            assertThat(policy.globalRate()).isEqualTo(Rate.of(500, MINUTE));
            assertThat(rateOf(policy, "vip")).isEmpty();
            assertThat(rateOf(policy, "partner:x")).containsExactly(Rate.of(5, Duration.ofSeconds(1)));
            assertThat(rateOf(policy, "llm:x")).containsExactly(SIXTY);
            assertThat(rateOf(policy, "a/b"))
                    .containsExactly(Rate.of(10, Duration.ofHours(1)).withBurst(1));
            assertThat(rateOf(policy, "c/d")).containsExactly(Rate.of(10, Duration.ofDays(1)));
        }
    }

    private static List<Rate> rateOf(GroupPolicy policy, String key) {
        return policy.explain(key).rates().stream()
                .flatMap(limit -> limit.value().stream())
                .toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        60 per 1m burst 1                  | 60 in PT1M, 1 at once
        { limit: 60, per: 1m, burst: 1 }   | 60 in PT1M, 1 at once
        unlimited                          | unlimited
        """)
    @Tag("RA5")
    void aRateOverAllGroupsIsWrittenInTheSameWays(String rate, String read) throws IOException {
        write("group-concurrency: { global: { rate: " + rate + " } }\n");
        try (ConfigurableApplicationContext context = start()) {
            assertThat(context.getBean(GroupExecutor.class).stats().globalRate())
                    .hasToString(read);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        60                       | defaults | 60
        60 per 5                 | defaults | 60 per 5
        60 per minute            | defaults | 60 per minute
        sixty per 1m             | defaults | sixty per 1m
        60 per 1m burst          | defaults | 60 per 1m burst
        99999999999 per 1m       | defaults | 99999999999 per 1m
        9999999999 per 1m        | defaults | 9999999999 per 1m
        Unlimited                | defaults | Unlimited
        60                       | global   | 60
        60 per 5                 | global   | 60 per 5
        """)
    void aTextThatIsNoRateIsRefused(String rate, String place, String value, CapturedOutput output) throws IOException {
        failsToStart("group-concurrency: { " + place + ": { rate: " + rate + " } }\n");

        assertRefused(output, place + ".rate", "can't be read", value, RATE_FORM);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        { limit: many, per: 1m }   | limit | can't be read           | many | a whole number
        { limit: 1.5, per: 1m }    | limit | is not a whole number   | 1.5  | a whole number
        { limit: unlimited, per: 1m } | limit | can't be read        | unlimited | a whole number
        { limit: 60, per: 5 }      | per   | has no unit             | 5    | a number with a unit such as "500ms" or "5s", or an ISO-8601 duration
        { limit: 60, per: soon }   | per   | can't be read           | soon | a number with a unit such as "500ms" or "5s", or an ISO-8601 duration
        """)
    void aPartThatCannotBeReadIsRefused(
            String rate, String part, String problem, String value, String allowed, CapturedOutput output)
            throws IOException {
        failsToStart("group-concurrency: { groups: { \"[partner:*]\": { rate: " + rate + " } } }\n");

        assertRefused(output, "groups[partner:*].rate." + part, problem, value, allowed);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        defaults: { rate: { limit: 0, per: 1m } }         | defaults.rate.limit   | must be | 0 | 1 to 1000000000
        defaults: { rate: { limit: 2147483647, per: 1m } } | defaults.rate.limit  | must be | 2147483647 | 1 to 1000000000
        defaults: { rate: { limit: 60, per: 0s } }        | defaults.rate.per     | must be | 0s | 1 millisecond to 31 days
        groups: { vip: { rate: { limit: 5, per: 1m, burst: 6 } } } | groups.vip.rate.burst | must be | 6 | 1 to the limit, 5
        group-list: [ { key: a/b, rate: { limit: 5, per: 32d } } ] | group-list[0].rate.per | must be | 32d | 1 millisecond to 31 days
        global: { rate: { limit: 0, per: 1m } }           | global.rate.limit     | must be | 0 | 1 to 1000000000
        global: { rate: { limit: 60, per: 32d } }         | global.rate.per       | must be | 32d | 1 millisecond to 31 days
        global: { rate: 60 per 1m burst 61 }              | global.rate           | must have | 60 per 1m burst 61 | a burst that is 1 to the limit, 60
        defaults: { rate: 0 per 1m }                      | defaults.rate         | must have | 0 per 1m | a limit that is 1 to 1000000000
        defaults: { rate: 60 per 1m burst 61 }            | defaults.rate         | must have | 60 per 1m burst 61 | a burst that is 1 to the limit, 60
        groups: { "[partner:*]": { rate: 60 per 32d } }   | groups[partner:*].rate | must have | 60 per 32d | a per that is 1 millisecond to 31 days
        group-list: [ { key: a/b, rate: 2147483647 per 1m } ] | group-list[0].rate | must have | 2147483647 per 1m | a limit that is 1 to 1000000000
        """)
    void aNumberOutOfItsRangeIsRefused(
            String yaml, String property, String must, String value, String allowed, CapturedOutput output)
            throws IOException {
        failsToStart("group-concurrency: { " + yaml + " }\n");

        assertRefused(output, property, must + " " + allowed, value, allowed);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        { limit: 60 }           | per   | limit
        { per: 1m }             | limit | per
        { limit: 60, burst: 6 } | per   | limit
        { burst: 6 }            | limit | burst
        """)
    void aRateInPartsNeedsLimitAndPer(String rate, String missing, String there, CapturedOutput output)
            throws IOException {
        failsToStart("group-concurrency: { groups: { \"[partner:*]\": { rate: " + rate + " } } }\n");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Setting 'group-concurrency.groups[partner:*].rate." + missing
                        + "' isn't set beside 'group-concurrency.groups[partner:*].rate." + there + "'")
                .contains("Property: group-concurrency.groups[partner:*].rate." + missing + "\n")
                .containsPattern("Origin: .*application\\.yml\\] - 1:")
                .contains("Allowed: limit and per together, and a burst if you like\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        defaults: { rate: { limits: 60, per: 1m } }                  | defaults.rate.limits       | defaults.rate.limit
        groups: { vip: { rate: { limit: 60, pre: 1m } } }            | groups.vip.rate.pre        | groups.vip.rate.per
        group-list: [ { key: a, rate: { limit: 6, per: 1m, brust: 1 } } ] | group-list[0].rate.brust | group-list[0].rate.burst
        global: { rates: 60 per 1m }                                 | global.rates               | global.rate
        global: { rate: { limit: 60, pre: 1m } }                     | global.rate.pre            | global.rate.per
        rate: 60 per 1m                                              | rate                       | global.rate
        """)
    void anUnknownNameIsToldWithTheOneThatIsMeant(String yaml, String name, String meant, CapturedOutput output)
            throws IOException {
        failsToStart("group-concurrency: { " + yaml + " }\n");

        assertThat(output)
                .contains("Setting 'group-concurrency." + name + "' is unknown. Did you mean 'group-concurrency."
                        + meant + "'?")
                .containsPattern("Origin: .*application\\.yml\\] - 1:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"global: { rate: \"\" }", "defaults: { rate: \"\" }", "groups: { vip: { rate: \"\" } }"})
    void aRateWithoutAValueIsToldAsSuch(String yaml, CapturedOutput output) throws IOException {
        failsToStart("group-concurrency: { " + yaml + " }\n");

        assertThat(output).contains(".rate' has no value:").containsPattern("Origin: .*application\\.yml\\] - 1:");
    }

    @Test
    void aKeyOutsideBracketsIsToldAsAWholeBeforeThePartsOfARate(CapturedOutput output) throws IOException {
        failsToStart("group-concurrency: { groups: { a.b: { rate: { limit: 60, per: 1m } } } }\n");

        assertThat(output).contains("has the group key 'a.b' outside brackets");
    }

    @Test
    void oneTextTakesThePlaceOfPartsInASourceThatComesAfterIt() throws IOException {
        write("group-concurrency: { defaults: { rate: { limit: 60, per: 1m } } }\n");
        try (ConfigurableApplicationContext context = start("--group-concurrency.defaults.rate=unlimited")) {
            assertThat(context.getBean(GroupPolicy.class).defaults().rates()).contains(List.of());
        }
    }

    @Test
    void aPartTakesThePlaceOfTheSameOneInASourceThatComesAfterIt() throws IOException {
        write("group-concurrency: { defaults: { rate: { limit: 60, per: 1m } } }\n");
        try (ConfigurableApplicationContext context = start("--group-concurrency.defaults.rate.limit=30")) {
            assertThat(context.getBean(GroupPolicy.class).defaults().rates()).contains(List.of(Rate.of(30, MINUTE)));
        }
    }

    @Test
    void aPartInASourceThatComesBeforeATextIsRefusedSinceItWouldBeLeftOut(CapturedOutput output) throws IOException {
        write("group-concurrency: { defaults: { rate: 60 per 1m } }\n");
        assertThatException()
                .isThrownBy(() -> start(
                                "--group-concurrency.defaults.rate.limit=30",
                                "--group-concurrency.defaults.rate.per=1m")
                        .close());

        assertThat(output)
                .contains("Setting 'group-concurrency.defaults.rate.limit' is a part of a rate that is set as one text"
                        + " too, 'group-concurrency.defaults.rate':")
                .contains("Value: \"30\"");
    }

    @Test
    void aNativeImageFindsWhatReadsATextAsARate() {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, GroupConcurrencyAutoConfiguration.class);

        for (Class<?> rate : new Class<?>[] {RateSetting.class, NamedRateSetting.class}) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onMethod(rate, "valueOf")
                            .invoke())
                    .accepts(hints);
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                GroupConcurrencyProperties.class,
                GroupConcurrencyProperties.Limits.class,
                GroupConcurrencyProperties.Web.class,
                GroupConcurrencyProperties.Filter.class,
                GroupConcurrencyProperties.Rule.class,
                ListedGroup.class,
                RateSetting.class,
                NamedRateSetting.class
            })
    void aNativeImageFindsTheNamesOfTheSettings(Class<?> settings) {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, GroupConcurrencyAutoConfiguration.class);

        assertThat(settings.getRecordComponents())
                .allSatisfy(component -> assertThat(RuntimeHintsPredicates.reflection()
                                .onMethod(settings, component.getName())
                                .invoke())
                        .accepts(hints));
    }

    @Test
    @Tag("RA2")
    void aRateThatKeepsUpTooLittleOfItsLimitIsToldOnceForARule(CapturedOutput output) throws IOException {
        write("""
            group-concurrency:
              defaults: { rate: 60 per 1m }
              groups:
                "[partner:*]": { rate: 60 per 1m burst 60 }
            """);
        start().close();

        assertThat(output.getAll().split("The rate of 'partner:\\*' keeps up only 1 of 60 in PT1M", -1))
                .hasSize(2);
        assertThat(output).contains("a burst of 16 keeps up 45.").doesNotContain("The rate by default");
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

    private void failsToStart(String yaml) throws IOException {
        write(yaml);
        assertThatException().isThrownBy(() -> start().close());
    }

    private void write(String yaml) throws IOException {
        Files.writeString(folder.resolve("application.yml"), yaml);
    }

    private ConfigurableApplicationContext start(String... arguments) {
        SpringApplication application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .build();
        String[] all = new String[arguments.length + 1];
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        all[0] = "--spring.config.location=" + folder.toUri();
        return application.run(all);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(GroupConcurrencyAutoConfiguration.class)
    static class Application {}
}
