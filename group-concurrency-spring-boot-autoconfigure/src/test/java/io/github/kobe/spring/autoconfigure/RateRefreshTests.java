package io.github.kobe.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupStats;
import io.github.kobe.LimitSource;
import io.github.kobe.Rate;
import io.github.kobe.spring.GroupLimitsResolver;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;

/** Rates that come into force while the application runs: by settings that are read again, and by a resolver. */
@Tag("RA11")
@ExtendWith(OutputCaptureExtension.class)
class RateRefreshTests {

    /** The source of settings that changes. */
    private final Map<String, Object> settings = new HashMap<>();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRefreshAutoConfiguration.class))
            .withInitializer(context ->
                    context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("live", settings)));

    @Test
    void aRateThatIsReadAgainIsInForceAndTold(CapturedOutput output) {
        settings.put("group-concurrency.groups[partner:*].rate", "60 per 1m");
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            assertThat(executor.submit("partner:a", "1", () -> "done")
                            .await(Deadline.SECONDS, TimeUnit.SECONDS)
                            .value())
                    .isEqualTo("done");

            settings.put("group-concurrency.groups[partner:*].rate", "30 per 1m burst 2");
            settings.put("group-concurrency.defaults.rate.limit", 100);
            settings.put("group-concurrency.defaults.rate.per", "1s");
            context.getBean(GroupConcurrencyRefresher.class).refresh();

            assertThat(rateOf(executor, "partner:a").value())
                    .containsExactly(Rate.of(30, Duration.ofMinutes(1)).withBurst(2));
            assertThat(executor.policy().explain("x").rates().orElseThrow().value())
                    .containsExactly(Rate.of(100, Duration.ofSeconds(1)));
            assertThat(output)
                    .contains("groups[partner:*].rate 60 per 1m burst 6 -> 30 per 1m burst 2")
                    .contains("defaults.rate is set to 100 per 1s burst 10");

            settings.put("group-concurrency.groups[partner:*].rate", "unlimited");
            context.getBean(GroupConcurrencyRefresher.class).refresh();
            assertThat(executor.groupStats("partner:a").flatMap(GroupStats::rates))
                    .isEmpty();
            assertThat(output).contains("groups[partner:*].rate 30 per 1m burst 2 -> unlimited");
        });
    }

    @Test
    @Tag("RA6")
    void severalRatesThatAreReadAgainAreInForceAndToldAsOneValue(CapturedOutput output) {
        settings.put("group-concurrency.groups[llm:*].rates[0]", "60 per 1m");
        settings.put("group-concurrency.groups[llm:*].rates[1].name", "tokens");
        settings.put("group-concurrency.groups[llm:*].rates[1].limit", 90_000);
        settings.put("group-concurrency.groups[llm:*].rates[1].per", "1m");
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.setLimits("llm:a", GroupLimits.unset().withMaxConcurrency(2));

            settings.put("group-concurrency.groups[llm:*].rates[1].default-cost", 1_000);
            settings.put("group-concurrency.groups[llm:*].rates[1].refund", false);
            context.getBean(GroupConcurrencyRefresher.class).refresh();

            Rate tokens = Rate.of(90_000, Duration.ofMinutes(1))
                    .named("tokens")
                    .withDefaultCost(1_000)
                    .withoutRefund();
            assertThat(rateOf(executor, "llm:a").value()).containsExactly(Rate.of(60, Duration.ofMinutes(1)), tokens);
            assertThat(output)
                    .contains(
                            "groups[llm:*].rate requests 60 per 1m burst 6, tokens 90000 per 1m burst 9000 -> requests"
                                + " 60 per 1m burst 6, tokens 90000 per 1m burst 9000 default-cost 1000 refund false");

            settings.keySet().removeIf(name -> name.contains("rates[1]"));
            settings.put("group-concurrency.groups[llm:*].rates[0]", "tokens 90000 per 1m");
            context.getBean(GroupConcurrencyRefresher.class).refresh();
            assertThat(rateOf(executor, "llm:a").value())
                    .containsExactly(Rate.of(90_000, Duration.ofMinutes(1)).named("tokens"));
            assertThat(output).contains("-> tokens 90000 per 1m burst 9000");
        });
    }

    @Test
    @Tag("RA5")
    void aRateOverAllGroupsThatIsReadAgainIsInForceAndTold(CapturedOutput output) {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            for (String rate : new String[] {"60 per 1m", "30 per 1m burst 2", "unlimited"}) {
                settings.put("group-concurrency.global.rate", rate);
                context.getBean(GroupConcurrencyRefresher.class).refresh();
            }

            assertThat(executor.stats().globalRate()).isEqualTo(Rate.UNLIMITED);
            assertThat(output)
                    .contains("global.rate unlimited -> 60 per 1m burst 6")
                    .contains("global.rate 60 per 1m burst 6 -> 30 per 1m burst 2")
                    .contains("global.rate 30 per 1m burst 2 -> unlimited");
        });
    }

    @Test
    void aBadRateThatIsReadAgainIsRefusedAndTheOldOneStays() {
        settings.put("group-concurrency.groups[partner:*].rate", "60 per 1m");
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.setLimits("partner:a", GroupLimits.unset().withMaxConcurrency(2));
            settings.put("group-concurrency.groups[partner:*].rate", "60 per 5");

            assertThatExceptionOfType(InvalidSettingException.class)
                    .isThrownBy(() ->
                            context.getBean(GroupConcurrencyRefresher.class).refresh())
                    .withMessage("Setting 'group-concurrency.groups[partner:*].rate' can't be read");
            assertThat(rateOf(executor, "partner:a").value()).containsExactly(Rate.of(60, Duration.ofMinutes(1)));
        });
    }

    @Test
    void aResolverTakesPrecedenceOverAPattern() {
        settings.put("group-concurrency.groups[partner:*].rate", "60 per 1m");
        runner.withBean(
                        GroupLimitsResolver.class,
                        () -> key -> key.endsWith(":slow")
                                ? Optional.of(GroupLimits.unset().withRate(Rate.of(5, Duration.ofMinutes(1))))
                                : Optional.empty())
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    for (String key : new String[] {"partner:slow", "partner:a"}) {
                        executor.submit(key, "1", () -> "done").await(Deadline.SECONDS, TimeUnit.SECONDS);
                    }

                    assertThat(rateOf(executor, "partner:slow").value())
                            .containsExactly(Rate.of(5, Duration.ofMinutes(1)));
                    assertThat(rateOf(executor, "partner:slow").source()).isEqualTo(LimitSource.RESOLVER);
                    assertThat(rateOf(executor, "partner:a").source()).isEqualTo(LimitSource.PATTERN);
                });
    }

    private static EffectiveLimit<List<Rate>> rateOf(GroupExecutor executor, String key) {
        return executor.groupStats(key).flatMap(GroupStats::rates).orElseThrow();
    }
}
