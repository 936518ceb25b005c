package io.github.kobe.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.Costs;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.InvalidPolicyException;
import io.github.kobe.Rate;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Costs and the rates that count them, as values. */
@Tag("RA6")
class CostValuesTests {

    private static final Rate TOKENS = Rate.of(100, Duration.ofMinutes(1)).named("tokens");

    private static GroupPolicy policy(Rate... rates) {
        return GroupPolicy.builder()
                .group("a", GroupLimits.unset().withRates(List.of(rates)))
                .build();
    }

    @Test
    void costsSayWhatIsSaidLast() {
        Costs costs = Costs.of("tokens", 1).and("requests", 2).and("tokens", 3);

        assertThat(costs.size()).isEqualTo(2);
        assertThat(costs.costOf("tokens")).hasValue(3);
        assertThat(costs.costOf("requests")).hasValue(2);
        assertThat(costs.costOf("other")).isEmpty();
        assertThat(costs).hasToString("tokens=3, requests=2");
        assertThat(Costs.unsaid().areUnsaid()).isTrue();
        assertThat(costs.areUnsaid()).isFalse();
    }

    @Test
    void costsAreEqualWhateverTheirOrder() {
        Costs costs = Costs.of("tokens", 1).and("requests", 2);

        assertThat(costs)
                .isEqualTo(Costs.of("requests", 2).and("tokens", 1))
                .hasSameHashCodeAs(Costs.of("requests", 2).and("tokens", 1))
                .isNotEqualTo(Costs.of("requests", 1).and("tokens", 2))
                .isNotEqualTo(Costs.of("tokens", 1))
                .isNotEqualTo(Costs.of("tokens", 1).and("other", 2));
    }

    @Test
    void aCostOutOfItsRangeIsRefused() {
        for (int cost : new int[] {-1, 1_000_000_001}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Costs.of("tokens", cost))
                    .withMessageContaining("'tokens'")
                    .withMessageContaining("0 to 1000000000")
                    .withMessageContaining(String.valueOf(cost));
        }
        assertThatNullPointerException().isThrownBy(() -> Costs.of(null, 1));
        assertThat(Costs.of("tokens", 1_000_000_000).costOf("tokens")).hasValue(1_000_000_000);
        assertThat(Costs.of("tokens", 0).costOf("tokens")).hasValue(0);
    }

    @Test
    void aRateHasANameADefaultCostAndARefund() {
        assertThat(TOKENS.name()).isEqualTo("tokens");
        assertThat(TOKENS.defaultCost()).isEqualTo(1);
        assertThat(TOKENS.isRefunded()).isTrue();
        assertThat(TOKENS.withDefaultCost(7).withoutRefund())
                .hasToString("tokens: 100 in PT1M, 10 at once, 7 by default, nothing given back")
                .isNotEqualTo(TOKENS)
                .isNotEqualTo(TOKENS.withDefaultCost(7))
                .isEqualTo(TOKENS.withoutRefund().withDefaultCost(7));
        assertThat(Rate.of(100, Duration.ofMinutes(1)).name()).isEqualTo(Rate.REQUESTS);
        assertThat(TOKENS.withBurst(3).name()).isEqualTo("tokens");
        assertThat(Rate.UNLIMITED.named("tokens").withDefaultCost(3).withoutRefund())
                .isEqualTo(Rate.UNLIMITED);
    }

    @Test
    void wrongRatesAreRefused() {
        for (String name : List.of("", "-a", "a b", "a=b", "x".repeat(65))) {
            assertRefused("rate.name", TOKENS.named(name));
        }
        assertRefused("rate.defaultCost", TOKENS.withDefaultCost(-1));
        assertRefused("rate.defaultCost", TOKENS.withDefaultCost(101));
        assertRefused("rate.name", TOKENS, TOKENS.withBurst(2));
        assertRefused("rates", many(9));
        assertThat(policy(many(8)).groups().get("a").rates().orElseThrow()).hasSize(8);
        assertThat(policy(
                                TOKENS.withDefaultCost(0),
                                TOKENS.named("x".repeat(64)).withDefaultCost(100))
                        .groups())
                .hasSize(1);
    }

    private static Rate[] many(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> TOKENS.named("rate-" + i))
                .toArray(Rate[]::new);
    }

    private static void assertRefused(String setting, Rate... rates) {
        assertThatExceptionOfType(InvalidPolicyException.class)
                .isThrownBy(() -> policy(rates))
                .withMessageContaining(setting)
                .withMessageContaining("'a'");
    }

    @Test
    void theRateOverAllGroupsCountsStartsAlone() {
        for (Rate rate : List.of(TOKENS, Rate.of(100, Duration.ofMinutes(1)).withDefaultCost(2))) {
            assertThatExceptionOfType(InvalidPolicyException.class)
                    .isThrownBy(() -> GroupPolicy.builder().globalRate(rate).build())
                    .withMessageContaining("globalRate")
                    .withMessageContaining("counts starts");
        }
    }

    @Test
    void noRatesAndUnlimitedOnesRemoveThoseThatAreInherited() {
        GroupPolicy policy = GroupPolicy.builder()
                .pattern("llm:*", GroupLimits.unset().withRates(List.of(TOKENS, TOKENS.named("other"))))
                .group("llm:none", GroupLimits.unset().withRates(List.of()))
                .group("llm:unlimited", GroupLimits.unset().withRate(Rate.UNLIMITED))
                .group("llm:one", GroupLimits.unset().withRate(TOKENS))
                .group("llm:inherits", GroupLimits.unset().withMaxConcurrency(3))
                .build();

        assertThat(policy.explain("llm:none").rates()).isEmpty();
        assertThat(policy.explain("llm:unlimited").rates()).isEmpty();
        assertThat(policy.explain("llm:one").rates().orElseThrow().value()).containsExactly(TOKENS);
        assertThat(policy.explain("llm:inherits").rates().orElseThrow().value()).hasSize(2);
    }
}
