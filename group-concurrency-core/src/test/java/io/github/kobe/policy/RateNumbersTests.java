package io.github.kobe.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.InvalidPolicyException;
import io.github.kobe.Rate;
import io.github.kobe.testing.CapturedLog;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The numbers of a rate, and which are refused. */
@Tag("RA2")
class RateNumbersTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static GroupPolicy.Builder policy(Rate rate) {
        return GroupPolicy.builder().group("a", GroupLimits.unset().withRate(rate));
    }

    private static InvalidPolicyException refusal(Rate rate) {
        return catchThrowableOfType(
                InvalidPolicyException.class, () -> policy(rate).build());
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 2", "19, 2", "20, 2", "30, 3", "60, 6", "90000, 9000", "1000000000, 100000000"})
    void aBurstThatNobodySetsIsATenthOfTheLimitAndTwoAtLeast(int limit, int burst) {
        Rate rate = Rate.of(limit, MINUTE);

        assertThat(rate.burst()).isEqualTo(burst);
        assertThat(rate.sustained()).isEqualTo(limit - burst + 1);
        assertThat(rate.limit()).isEqualTo(limit);
        assertThat(rate.per()).isEqualTo(MINUTE);
    }

    @ParameterizedTest
    @CsvSource({
        "1, PT0.001S, 1",
        "1, P31D, 1",
        "1000000000, PT0.001S, 1",
        "1000000000, PT0.001S, 1000000000",
        "117, P31D, 117"
    })
    void numbersInTheirRangesAreAccepted(int limit, Duration per, int burst) {
        Rate rate = Rate.of(limit, per).withBurst(burst);

        assertThat(policy(rate).build().groups().get("a").rates()).contains(List.of(rate));
    }

    @ParameterizedTest
    @CsvSource({
        "0, PT1M, 1, rate.limit, 0",
        "-1, PT1M, 1, rate.limit, -1",
        "1000000001, PT1M, 1, rate.limit, 1000000001",
        "60, PT0.000999999S, 6, rate.per, PT0.000999999S",
        "60, P31DT0.000000001S, 6, rate.per, PT744H0.000000001S",
        "60, PT-1M, 6, rate.per, PT-1M",
        "60, PT1M, 0, rate.burst, 0",
        "60, PT1M, 61, rate.burst, 61",
        "118, P31D, 118, rate.burst, 118",
    })
    void aNumberOutOfItsRangeIsRefused(int limit, Duration per, int burst, String setting, String value) {
        InvalidPolicyException refused = refusal(Rate.of(limit, per).withBurst(burst));

        assertThat(refused.setting()).isEqualTo(setting);
        assertThat(refused.rule()).isEqualTo("a");
        assertThat(refused.value()).isEqualTo(value);
        assertThat(refused).hasMessageContaining(setting + " of 'a' must be " + refused.allowed());
    }

    @Test
    void aRateIsCheckedWhereverItComesFrom() {
        Rate wrong = Rate.of(0, MINUTE);
        GroupLimits limits = GroupLimits.unset().withRate(wrong);
        assertThat(catchThrowableOfType(
                                InvalidPolicyException.class,
                                () -> GroupPolicy.builder().defaults(limits).build())
                        .rule())
                .isNull();
        assertThat(catchThrowableOfType(
                                InvalidPolicyException.class,
                                () -> GroupPolicy.builder()
                                        .pattern("a*", limits)
                                        .build())
                        .rule())
                .isEqualTo("a*");
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                        .limitsResolver(key -> Optional.of(limits))
                        .build());
                CapturedLog log = CapturedLog.open()) {
            assertThat(catchThrowableOfType(InvalidPolicyException.class, () -> executor.setLimits("a", limits)))
                    .hasMessageContaining("rate.limit of 'a'");
            assertThat(executor.submit("a", "1", () -> "done").join().value()).isEqualTo("done");
            assertThat(log.thrown()).singleElement().isInstanceOf(InvalidPolicyException.class);
        }
    }

    @Test
    void whatKeepsUpFarLessThanItsLimitIsToldWithABurstThatDoesNot() {
        try (CapturedLog log = CapturedLog.open()) {
            policy(Rate.of(60, MINUTE).withBurst(16)).build();
            assertThat(log.warnings()).isEmpty();

            policy(Rate.of(60, MINUTE).withBurst(17)).build();
            assertThat(log.warnings().getLast())
                    .contains("The rate of 'a' keeps up only 44 of 60 in PT1M with a burst of 17")
                    .contains("a burst of 16 keeps up 45");
            GroupPolicy.builder()
                    .defaults(GroupLimits.unset().withRate(Rate.of(60, MINUTE).withBurst(60)))
                    .build();
            assertThat(log.warnings().getLast()).contains("The rate by default keeps up only 1 of 60");
        }
    }

    @Test
    @Tag("RA2")
    void whatWasToldIsNotToldAgainOfAPolicyThatIsMadeFromAnother() {
        try (CapturedLog log = CapturedLog.open()) {
            GroupPolicy.Builder builder = policy(Rate.of(60, MINUTE).withBurst(60));
            GroupPolicy first = builder.build();
            GroupPolicy second = builder.maxIdleGroups(5).build();
            GroupPolicy third = second.toBuilder().maxIdleGroups(6).build();
            assertThat(log.warnings()).hasSize(1);

            third.toBuilder()
                    .group("a", GroupLimits.unset().withRate(Rate.of(60, MINUTE).withBurst(59)))
                    .build();
            assertThat(log.warnings()).hasSize(2);
            assertThat(first.toBuilder()
                            .group("b", first.groups().get("a"))
                            .build()
                            .groups())
                    .hasSize(2);
            assertThat(log.warnings()).hasSize(3).last().asString().contains("The rate of 'b'");
        }
    }

    @Test
    void unlimitedStaysSoAndIsNoRate() {
        assertThat(Rate.of(Integer.MAX_VALUE, MINUTE)).isEqualTo(Rate.UNLIMITED);
        assertThat(Rate.UNLIMITED.withBurst(5)).isEqualTo(Rate.UNLIMITED).hasToString("unlimited");
        assertThat(policy(Rate.UNLIMITED).build().explain("a").rates()).isEmpty();
    }

    @Test
    void twoRatesAreEqualIfAllTheirNumbersAre() {
        Rate rate = Rate.of(60, MINUTE);

        assertThat(rate)
                .isEqualTo(Rate.of(60, Duration.ofSeconds(60)).withBurst(6))
                .hasSameHashCodeAs(Rate.of(60, MINUTE))
                .isNotEqualTo(rate.withBurst(5))
                .isNotEqualTo(Rate.of(61, MINUTE).withBurst(6))
                .isNotEqualTo(Rate.of(60, MINUTE.plusNanos(1)))
                .isNotEqualTo("60")
                .hasToString("60 in PT1M, 6 at once");
        assertThatNullPointerException().isThrownBy(() -> Rate.of(60, null));
    }
}
