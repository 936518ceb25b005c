package io.github.kobe.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExplanation;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.LimitSource;
import io.github.kobe.testing.CapturedLog;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupPolicyResolutionTests {

    /** What is in force for a group under a policy, as an executor tells it. */
    private static GroupStats resolved(GroupPolicy policy, String groupKey) throws Exception {
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            executor.call(groupKey, () -> null);
            return executor.groupStats(groupKey).orElseThrow();
        }
    }

    /** What a policy without a resolver says. */
    private static int concurrencyOf(GroupPolicy policy, String groupKey) {
        return policy.explain(groupKey).maxConcurrency().orElseThrow().value();
    }

    @Tag("G3")
    @Test
    void theMapOfAGroupWinsOverTheResolver() throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .perGroupMaxConcurrency(Map.of("a", 2))
                .concurrencyResolver(key -> 3)
                .defaultMaxConcurrencyPerGroup(4)
                .build();

        assertThat(resolved(policy, "a").maxConcurrency().value()).isEqualTo(2);
    }

    @Tag("G3")
    @Test
    void theResolverWinsOverTheDefault() throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .perGroupMaxConcurrency(Map.of("a", 2))
                .concurrencyResolver(String::length)
                .defaultMaxConcurrencyPerGroup(4)
                .build();

        assertThat(resolved(policy, "seven--").maxConcurrency().value()).isEqualTo(7);
    }

    @Tag("G3")
    @Test
    void theDefaultHoldsWhereNothingElseDoes() {
        GroupPolicy policy =
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(4).build();

        assertThat(concurrencyOf(policy, "b")).isEqualTo(4);
    }

    @Tag("G3")
    @Test
    void theNumberInFlightIsTheGroupsOrTheDefault() {
        GroupPolicy policy = GroupPolicy.builder()
                .perGroupMaxInFlight(Map.of("a", 2))
                .defaultMaxInFlightPerGroup(5)
                .build();

        assertThat(policy.explain("a").maxInFlight().orElseThrow().value()).isEqualTo(2);
        assertThat(policy.explain("b").maxInFlight().orElseThrow().value()).isEqualTo(5);
    }

    @Tag("G3")
    @Test
    void theSizeOfTheQueueIsTheGroupsOrTheDefault() {
        GroupPolicy policy = GroupPolicy.builder()
                .perGroupQueueThreshold(Map.of("a", 0))
                .defaultQueueThresholdPerGroup(5)
                .build();

        assertThat(policy.explain("a").queueThreshold().value()).isZero();
        assertThat(policy.explain("b").queueThreshold().value()).isEqualTo(5);
    }

    @Tag("G3")
    @Test
    void aGroupWithoutAKeyIsRefused() {
        GroupPolicy policy = GroupPolicy.builder().build();

        assertThatNullPointerException().isThrownBy(() -> policy.explain(null));
    }

    @Tag("G3")
    @Test
    void theResolverIsNotAskedWhereItCannotWin() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        GroupPolicy policy = GroupPolicy.builder()
                .perGroupMaxConcurrency(Map.of("a", 2))
                .pattern("b*", GroupLimits.unset().withMaxConcurrency(3))
                .concurrencyResolver(key -> asked.incrementAndGet())
                .build();

        resolved(policy, "a");
        resolved(policy, "b1");
        assertThat(policy.explain("c").maxConcurrency()).isEmpty();
        assertThat(policy.explain("c").maxInFlight()).isEmpty();
        assertThat(policy.explain("a").maxInFlight()).contains(new EffectiveLimit<>(2, LimitSource.CONFIGURED));

        assertThat(asked).hasValue(0);
    }

    @Tag("G4")
    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void aResolverResultBelowOneCountsAsOne(int result) throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .concurrencyResolver(key -> result)
                .defaultMaxConcurrencyPerGroup(4)
                .build();

        assertThat(resolved(policy, "a").maxConcurrency().value()).isEqualTo(1);
    }

    @Tag("G5")
    @Test
    void aResolverThatThrowsLeavesTheDefault() throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .concurrencyResolver(key -> {
                    throw new IllegalStateException("no plan for " + key);
                })
                .defaultMaxConcurrencyPerGroup(4)
                .build();

        try (CapturedLog log = CapturedLog.open()) {
            assertThat(resolved(policy, "a").maxConcurrency().value()).isEqualTo(4);
            assertThat(log.warnings()).hasSize(1);
        }
    }

    @Tag("G5")
    @Test
    void aResolverThatThrowsAnErrorLeavesTheDefault() throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .concurrencyResolver(key -> {
                    throw new AssertionError(key);
                })
                .defaultMaxConcurrencyPerGroup(4)
                .build();

        try (CapturedLog log = CapturedLog.open()) {
            assertThat(resolved(policy, "a").maxConcurrency().value()).isEqualTo(4);
            assertThat(log.thrown()).singleElement().isInstanceOf(AssertionError.class);
        }
    }

    @Tag("G5")
    @Tag("K7")
    @Test
    void aFailingResolverIsLoggedOnceAndWithoutControlCharacters() throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .concurrencyResolver(key -> {
                    throw new IllegalStateException();
                })
                .build();

        try (CapturedLog log = CapturedLog.open()) {
            resolved(policy, "a\r\nWARNING: all is lost");
            resolved(policy, "b");
            resolved(policy, "b");

            assertThat(log.warnings()).singleElement().asString().contains("'a__WARNING: all is lost'");
        }
    }

    @Tag("E1")
    @Test
    void eachNumberIsInheritedByItself() throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .defaults(GroupLimits.unset()
                        .withMaxConcurrency(1)
                        .withMaxInFlight(2)
                        .withQueueThreshold(3)
                        .withQueueTimeout(Duration.ofSeconds(4))
                        .withWeight(5))
                .pattern(
                        "vip:*",
                        GroupLimits.unset()
                                .withMaxConcurrency(10)
                                .withMaxInFlight(20)
                                .withQueueThreshold(30))
                .group("vip:a", GroupLimits.unset().withMaxInFlight(200).withWeight(500))
                .build();

        GroupStats limits = resolved(policy, "vip:a");

        assertThat(limits.maxConcurrency()).isEqualTo(new EffectiveLimit<>(10, LimitSource.PATTERN));
        assertThat(limits.maxInFlight()).isEqualTo(new EffectiveLimit<>(200, LimitSource.CONFIGURED));
        assertThat(limits.queueThreshold()).isEqualTo(new EffectiveLimit<>(30, LimitSource.PATTERN));
        assertThat(limits.queueTimeout()).isEqualTo(new EffectiveLimit<>(Duration.ofSeconds(4), LimitSource.DEFAULT));
        assertThat(limits.weight()).isEqualTo(new EffectiveLimit<>(500, LimitSource.CONFIGURED));
        assertThat(limits.rule()).contains("vip:a");
    }

    @Tag("E1")
    @Test
    void aTimeOutIsInheritedFromThePatternToo() throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .queueTimeout(Duration.ofSeconds(1))
                .pattern("vip:*", GroupLimits.unset().withQueueTimeout(Duration.ofSeconds(2)))
                .group("vip:a", GroupLimits.unset().withQueueTimeout(GroupLimits.NO_TIMEOUT))
                .group("vip:b", GroupLimits.unset())
                .build();

        assertThat(resolved(policy, "vip:a").queueTimeout())
                .isEqualTo(new EffectiveLimit<>(GroupLimits.NO_TIMEOUT, LimitSource.CONFIGURED));
        assertThat(resolved(policy, "vip:b").queueTimeout())
                .isEqualTo(new EffectiveLimit<>(Duration.ofSeconds(2), LimitSource.PATTERN));
        assertThat(resolved(policy, "c").queueTimeout())
                .isEqualTo(new EffectiveLimit<>(Duration.ofSeconds(1), LimitSource.DEFAULT));
    }

    @Tag("E1")
    @Test
    void aPatternWinsOverTheResolverForConcurrency() throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .concurrencyResolver(key -> 7)
                .pattern("vip:*", GroupLimits.unset().withMaxConcurrency(2))
                .pattern("slow:*", GroupLimits.unset().withMaxInFlight(3))
                .build();

        assertThat(resolved(policy, "vip:a").maxConcurrency()).isEqualTo(new EffectiveLimit<>(2, LimitSource.PATTERN));
        assertThat(resolved(policy, "slow:a").maxConcurrency())
                .isEqualTo(new EffectiveLimit<>(7, LimitSource.RESOLVER));
        assertThat(resolved(policy, "slow:a").rule()).contains("slow:*");
    }

    @Tag("E1")
    @Test
    void thePatternWithTheMostLiteralCharactersWins() {
        GroupPolicy policy = GroupPolicy.builder()
                .pattern("*", GroupLimits.unset().withMaxConcurrency(2))
                .pattern("t:*", GroupLimits.unset().withMaxConcurrency(3))
                .pattern("t:*:eu", GroupLimits.unset().withMaxConcurrency(4))
                .build();

        assertThat(concurrencyOf(policy, "t:a:eu")).isEqualTo(4);
        assertThat(concurrencyOf(policy, "t:a:us")).isEqualTo(3);
        assertThat(concurrencyOf(policy, "other")).isEqualTo(2);
    }

    @Tag("E1")
    @Test
    void ofEquallyClosePatternsTheFirstDeclaredWins() {
        GroupPolicy policy = GroupPolicy.builder()
                .pattern("a*", GroupLimits.unset().withMaxConcurrency(2))
                .pattern("*b", GroupLimits.unset().withMaxConcurrency(3))
                .build();

        assertThat(concurrencyOf(policy, "ab")).isEqualTo(2);
        assertThat(concurrencyOf(policy.toBuilder().build(), "ab")).isEqualTo(2);
    }

    @Tag("E1")
    @Test
    void numbersComeFromTheBestPatternAlone() throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .pattern("t:*", GroupLimits.unset().withMaxConcurrency(3).withWeight(9))
                .pattern("t:*:eu", GroupLimits.unset().withMaxConcurrency(4))
                .build();

        assertThat(resolved(policy, "t:a:eu").weight()).isEqualTo(new EffectiveLimit<>(1, LimitSource.DEFAULT));
    }

    @Tag("E1")
    @Test
    void aKeyMayHaveAStarAndFallsUnderPatterns() {
        GroupPolicy policy = GroupPolicy.builder()
                .pattern("a*", GroupLimits.unset().withMaxConcurrency(5))
                .build();

        assertThat(concurrencyOf(policy, "a*")).isEqualTo(5);
        assertThat(concurrencyOf(policy, "b*")).isEqualTo(1);
    }

    @Tag("E1")
    @Test
    void defaultsThatLeaveNumbersUnsetAreFilledUp() {
        GroupPolicy policy = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(9)
                .defaults(GroupLimits.unset().withMaxInFlight(3))
                .build();

        assertThat(policy.defaultMaxConcurrencyPerGroup()).isEqualTo(1);
        assertThat(policy.defaultMaxInFlightPerGroup()).isEqualTo(3);
    }

    @Tag("E1")
    @Test
    void theRuleOfAGroupIsItsOwnKeyElseTheClosestPattern() {
        GroupPolicy policy = GroupPolicy.builder()
                .group("vip:a", GroupLimits.unset())
                .pattern("*", GroupLimits.unset())
                .pattern("vip:*", GroupLimits.unset())
                .build();

        assertThat(policy.explain("vip:a").rule()).contains("vip:a");
        assertThat(policy.explain("vip:b").rule()).contains("vip:*");
        assertThat(policy.explain("other").rule()).contains("*");
        assertThat(GroupPolicy.builder().build().explain("other").rule()).isEmpty();
    }

    @Tag("G3")
    @Test
    void anExplanationTellsEachNumberWithItsSourceTheRuleAndAllPatternsThatMatch() {
        GroupPolicy policy = GroupPolicy.builder()
                .pattern("*", GroupLimits.unset().withMaxConcurrency(2))
                .pattern("t:*", GroupLimits.unset().withQueueThreshold(30).withWeight(3))
                .group("t:a", GroupLimits.unset().withQueueTimeout(Duration.ofSeconds(4)))
                .build();

        GroupExplanation why = policy.explain("t:a");

        assertThat(why.groupKey()).isEqualTo("t:a");
        assertThat(why.rule()).contains("t:a");
        assertThat(why.patterns()).containsExactly("t:*", "*");
        assertThat(why.maxConcurrency()).contains(new EffectiveLimit<>(1, LimitSource.DEFAULT));
        assertThat(why.maxInFlight()).isEqualTo(why.maxConcurrency());
        assertThat(why.queueThreshold()).isEqualTo(new EffectiveLimit<>(30, LimitSource.PATTERN));
        assertThat(why.queueTimeout()).isEqualTo(new EffectiveLimit<>(Duration.ofSeconds(4), LimitSource.CONFIGURED));
        assertThat(why.weight()).isEqualTo(new EffectiveLimit<>(3, LimitSource.PATTERN));
        assertThat(why).asString().contains("t:a", "[t:*, *]", "PT4S");
    }
}
