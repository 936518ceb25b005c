package io.github.kobe.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.github.kobe.GroupPolicy;
import io.github.kobe.Rate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Several rates of a group as they are written in files: a real application on real YAML. */
@Tag("RA6")
@ExtendWith(OutputCaptureExtension.class)
class SeveralRatesSettingsTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Rate REQUESTS = Rate.of(60, MINUTE);
    private static final Rate TOKENS =
            Rate.of(90_000, MINUTE).withBurst(12_000).named("tokens").withDefaultCost(1_000);

    private static final String TWO = "[ 60 per 1m, { name: tokens, limit: 90000, per: 1m } ]";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[ { limit: 60, per: 1m }, { name: tokens, limit: 90000, per: 1m, burst: 12000, default-cost: 1000 } ]",
                "[ { name: requests, limit: 60, per: PT1M }, { name: tokens, limit: 90000, per: 1m, burst: 12000,"
                        + " defaultCost: 1000, refund: true } ]",
                "[ 60 per 1m, tokens 90000 per 1m burst 12000 default-cost 1000 ]",
                "[ 60 per 1m, { name: tokens, limit: 90000, per: 1m, burst: 12000, default-cost: 1000 } ]",
                "requests 60 per 1m burst 6, tokens 90000 per 1m burst 12000 default-cost 1000",
            })
    void eachRateOfAListIsWrittenInPartsOrAsOneTextAndSoAreAll(String rates) throws IOException {
        write("group-concurrency: { defaults: { rates: " + (rates.startsWith("[") ? rates : "\"" + rates + "\"")
                + " } }\n");
        try (ConfigurableApplicationContext context = start()) {
            assertThat(context.getBean(GroupPolicy.class).defaults().rates()).contains(List.of(REQUESTS, TOKENS));
        }
    }

    @Test
    void eachPlaceOfALimitTakesSeveralAndTheyReplaceInheritedOnesAsOneValue() throws IOException {
        write("""
            group-concurrency:
              defaults: { rate: 60 per 1m }
              groups:
                vip: { rates: unlimited }
                "[llm:*]":
                  rates:
                    - { name: requests, limit: 60, per: 1m }
                    - { name: tokens, limit: 90000, per: 1m, burst: 12000, default-cost: 1000 }
                "llm": { rates: [ { name: tokens, limit: 5, per: 1s, burst: 5, refund: false } ] }
              group-list:
                - { key: "a/b", rates: [ 10 per 1h, tokens 10 per 1d ] }
            """);
        try (ConfigurableApplicationContext context = start()) {
            GroupPolicy policy = context.getBean(GroupPolicy.class);
            assertThat(ratesOf(policy, "x")).containsExactly(REQUESTS);
            assertThat(ratesOf(policy, "vip")).isEmpty();
            assertThat(ratesOf(policy, "llm:x")).containsExactly(REQUESTS, TOKENS);
            assertThat(ratesOf(policy, "llm"))
                    .containsExactly(Rate.of(5, Duration.ofSeconds(1))
                            .withBurst(5)
                            .named("tokens")
                            .withoutRefund());
            assertThat(ratesOf(policy, "a/b"))
                    .containsExactly(
                            Rate.of(10, Duration.ofHours(1)),
                            Rate.of(10, Duration.ofDays(1)).named("tokens"));
        }
    }

    @Test
    void aListTakesThePlaceOfOneInASourceThatComesAfterItAsAWhole() throws IOException {
        write("group-concurrency: { defaults: { rates: " + TWO + " } }\n");
        try (ConfigurableApplicationContext context =
                start("--group-concurrency.defaults.rates[0]=tokens 5 per 1s burst 5")) {
            assertThat(context.getBean(GroupPolicy.class).defaults().rates())
                    .contains(List.of(
                            Rate.of(5, Duration.ofSeconds(1)).withBurst(5).named("tokens")));
        }
        try (ConfigurableApplicationContext context = start("--group-concurrency.defaults.rates=unlimited")) {
            assertThat(context.getBean(GroupPolicy.class).defaults().rates()).contains(List.of());
        }
        write("group-concurrency: { defaults: { rates: [ { limit: 60, per: 1m }, { name: a, limit: 60, per: 1m } ] }"
                + " }\n");
        try (ConfigurableApplicationContext context = start("--group-concurrency.defaults.rates[0]=5 per 1s")) {
            assertThat(context.getBean(GroupPolicy.class).defaults().rates())
                    .contains(List.of(Rate.of(5, Duration.ofSeconds(1))));
        }
    }

    @Test
    void environmentVariablesTakeRatesInPartsAndAsOneText() throws IOException {
        write("");
        Map<String, Object> variables = Map.of(
                "GROUPCONCURRENCY_DEFAULTS_RATES_0", "60 per 1m",
                "GROUPCONCURRENCY_DEFAULTS_RATES_1_NAME", "tokens",
                "GROUPCONCURRENCY_DEFAULTS_RATES_1_LIMIT", "90000",
                "GROUPCONCURRENCY_DEFAULTS_RATES_1_PER", "1m",
                "GROUPCONCURRENCY_DEFAULTS_RATES_1_BURST", "12000",
                "GROUPCONCURRENCY_DEFAULTS_RATES_1_DEFAULTCOST", "1000");
        try (ConfigurableApplicationContext context = start(variables)) {
            assertThat(context.getBean(GroupPolicy.class).defaults().rates()).contains(List.of(REQUESTS, TOKENS));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        defaults: { rate: 60 per 1m, rates: [ 60 per 1m ] }                          | defaults
        groups: { "[llm:*]": { rate: { limit: 6, per: 1m }, rates: [ { limit: 60, per: 1m } ] } } | groups[llm:*]
        group-list: [ { key: a, rate: 6 per 1m, rates: tokens 60 per 1m } ]          | group-list[0]
        """)
    void oneRateBesideAListIsRefusedWithBothOrigins(String yaml, String rule, CapturedOutput output)
            throws IOException {
        failsToStart("group-concurrency: { " + yaml + " }\n");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .containsPattern("Setting 'group-concurrency\\." + java.util.regex.Pattern.quote(rule)
                        + "\\.rates' is set, and 'group-concurrency\\." + java.util.regex.Pattern.quote(rule)
                        + "\\.rate' is set too, in .*application\\.yml\\] - 1:")
                .containsPattern("Origin: .*application\\.yml\\] - 1:")
                .contains("Allowed: one of the two\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        [ 60 per 1m, { limit: 0, per: 1m, name: tokens } ]           | [1].limit | must be 1 to 1000000000 | 0
        [ 60 per 1m, tokens 0 per 1m ]                               | [1] | must have a limit that is 1 to 1000000000 | tokens 0 per 1m
        [ { limit: 5, per: 1m, burst: 6 }, tokens 60 per 1m ]        | [0].burst | must be 1 to the limit, 5 | 6
        [ { limit: 5, per: 1m, default-cost: 6 } ]                   | [0].default-cost | must be 0 to the limit, 5 | 6
        [ { limit: 5, per: 1m, name: a b } ]                         | [0].name | must be 1 to 64 letters, digits, dots, underscores and hyphens, with a letter or digit first | a b
        [ 60 per 1m, { name: requests, limit: 5, per: 1s } ]         | [1].name | must be another one for each rate of a group | requests
        [ 60 per 1m, 5 per 1s ]                                      | [1] | must have a name that is another one for each rate of a group | 5 per 1s
        "tokens 5 per 1s, tokens 6 per 1s"                           |  | must have a name that is another one for each rate of a group | tokens 5 per 1s, tokens 6 per 1s
        [ 60 per 1m, tokens 60 ]                                     | [1] | can't be read | tokens 60
        60 per 1m; tokens 60 per 1m                                  |  | can't be read | 60 per 1m; tokens 60 per 1m
        [ { limit: 5, per: 1 } ]                                     | [0].per | has no unit | 1
        [ { limit: 5, per: 1m, refund: maybe } ]                     | [0].refund | can't be read | maybe
        [ { limit: 5, per: 1m, default-cost: 1.5 } ]                 | [0].default-cost | is not a whole number | 1.5
        """)
    void aBadRateIsToldWithItsPlaceInTheList(
            String rates, String place, String problem, String value, CapturedOutput output) throws IOException {
        String property = "groups[llm:*].rates" + (place == null ? "" : place);
        failsToStart("group-concurrency: { groups: { \"[llm:*]\": { rates: " + rates + " } } }\n");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Setting 'group-concurrency." + property + "' " + problem + ":")
                .contains("Property: group-concurrency." + property + "\n")
                .contains("Value: \"" + value + "\"")
                .containsPattern("Origin: .*application\\.yml\\] - 1:")
                .contains("Allowed: ");
    }

    @Test
    void moreRatesThanAGroupMayHaveAreRefused(CapturedOutput output) throws IOException {
        failsToStart("group-concurrency: { defaults: { rates: [ a 1 per 1s, b 1 per 1s, c 1 per 1s, d 1 per 1s,"
                + " e 1 per 1s, f 1 per 1s, g 1 per 1s, h 1 per 1s, i 1 per 1s ] } }\n");

        assertThat(output)
                .contains("Setting 'group-concurrency.defaults.rates' must be at most 8:")
                .containsPattern("Origin: .*application\\.yml\\] - 1:");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        groups: { vip: { rate: { name: tokens, limit: 60, per: 1m } } }        | groups.vip.rate.name    | groups.vip.rates[0].name
        group-list: [ { key: a, rate: { limit: 6, per: 1m, default-cost: 2 } } ] | group-list[0].rate.default-cost | group-list[0].rates[0].default-cost
        defaults: { rates: [ { nam: tokens, limit: 60, per: 1m } ] }           | defaults.rates[0].nam   | defaults.rates[0].name
        groups: { vip: { rates: [ 60 per 1m, { limit: 60, pre: 1m } ] } }      | groups.vip.rates[1].pre | groups.vip.rates[1].per
        group-list: [ { key: a, rates: [ { limit: 6, per: 1m, brust: 1 } ] } ] | group-list[0].rates[0].brust | group-list[0].rates[0].burst
        group-list: [ { key: a, rates: [ 6 per 1m, { limit: 6, per: 1m, refunds: true } ] } ] | group-list[0].rates[1].refunds | group-list[0].rates[1].refund
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
    @ValueSource(strings = {"rates: []", "rates: ", "rates: \"\""})
    void aListWithoutARateIsRefusedAsOneWithoutAValue(String rates, CapturedOutput output) throws IOException {
        failsToStart("group-concurrency: { defaults: { " + rates + " } }\n");

        assertThat(output)
                .contains("Setting 'group-concurrency.defaults.rates' has no value:")
                .containsPattern("Origin: .*application\\.yml\\] - 1:");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        { name: tokens, limit: 60 } | per   | name
        { default-cost: 6 }         | limit | default-cost
        { refund: true, per: 1m }   | limit | per
        """)
    void aRateInPartsNeedsLimitAndPer(String rate, String missing, String there, CapturedOutput output)
            throws IOException {
        failsToStart("group-concurrency: { defaults: { rates: [ 60 per 1m, " + rate + " ] } }\n");

        assertThat(output)
                .contains("Setting 'group-concurrency.defaults.rates[1]." + missing
                        + "' isn't set beside 'group-concurrency.defaults.rates[1].");
        assertThat(output).contains(there).containsPattern("Origin: .*application\\.yml\\] - 1:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rates[0]", "rates"})
    void partsBesideATextInTheSameSourceAreRefusedSinceTheyWouldBeLeftOut(String text, CapturedOutput output)
            throws IOException {
        write("");
        assertThatException()
                .isThrownBy(() -> start(
                                "--group-concurrency.defaults." + text + "=60 per 1m",
                                "--group-concurrency.defaults.rates[0].limit=30")
                        .close());

        assertThat(output)
                .contains("Setting 'group-concurrency.defaults.rates[0].limit' is a part of a rate that is set as one"
                        + " text too, 'group-concurrency.defaults." + text + "':")
                .contains("Value: \"30\"");
    }

    private static List<Rate> ratesOf(GroupPolicy policy, String key) {
        return policy.explain(key).rates().stream()
                .flatMap(limit -> limit.value().stream())
                .toList();
    }

    private void failsToStart(String yaml) throws IOException {
        write(yaml);
        assertThatException().isThrownBy(() -> start().close());
    }

    private void write(String yaml) throws IOException {
        Files.writeString(folder.resolve("application.yml"), yaml);
    }

    private ConfigurableApplicationContext start(String... arguments) {
        return start(Map.of(), arguments);
    }

    private ConfigurableApplicationContext start(Map<String, Object> variables, String... arguments) {
        StandardEnvironment environment = new StandardEnvironment();
        if (!variables.isEmpty()) {
            environment
                    .getPropertySources()
                    .replace(
                            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                            new SystemEnvironmentPropertySource(
                                    StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        }
        SpringApplication application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .environment(environment)
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
