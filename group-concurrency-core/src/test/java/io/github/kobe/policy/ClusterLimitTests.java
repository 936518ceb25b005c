package io.github.kobe.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExplanation;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.InvalidPolicyException;
import io.github.kobe.LimitSource;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.CapturedLog;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The limit of a group over all instances, as a policy says it; without a cluster nobody may say one. */
class ClusterLimitTests {

    private static final int UNLIMITED = Integer.MAX_VALUE;

    @RegisterExtension
    final Engines engines = new Engines();

    private static GroupLimits inAll(int number) {
        return GroupLimits.unset().withClusterMaxInFlight(number);
    }

    private static Optional<EffectiveLimit<Integer>> configured(int number) {
        return Optional.of(new EffectiveLimit<>(number, LimitSource.CONFIGURED));
    }

    private static Optional<EffectiveLimit<Integer>> byPattern(int number) {
        return Optional.of(new EffectiveLimit<>(number, LimitSource.PATTERN));
    }

    private static Optional<EffectiveLimit<Integer>> byDefault(int number) {
        return Optional.of(new EffectiveLimit<>(number, LimitSource.DEFAULT));
    }

    private static InvalidPolicyException refusal(ThrowingCallable call) {
        InvalidPolicyException refusal = catchThrowableOfType(InvalidPolicyException.class, call);
        assertThat(refusal).isNotNull();
        return refusal;
    }

    // ---- where it comes from

    @Tag("CL2")
    @Test
    void itIsInheritedAsAnyNumber() {
        GroupPolicy policy = GroupPolicy.builder()
                .group("t:a", inAll(10))
                .group("t:b", GroupLimits.unset().withWeight(2))
                .pattern("t:*", inAll(20))
                .pattern("free:*", inAll(UNLIMITED))
                .defaultClusterMaxInFlightPerGroup(30)
                .build();

        assertThat(policy.explain("t:a").clusterMaxInFlight()).isEqualTo(configured(10));
        assertThat(policy.explain("t:b").clusterMaxInFlight()).isEqualTo(byPattern(20));
        assertThat(policy.explain("t:c").clusterMaxInFlight()).isEqualTo(byPattern(20));
        assertThat(policy.explain("other").clusterMaxInFlight()).isEqualTo(byDefault(30));
        assertThat(policy.explain("free:1").clusterMaxInFlight()).isEmpty();
        assertThat(policy.defaultClusterMaxInFlightPerGroup()).hasValue(30);
        assertThat(policy.explain("t:a")).asString().contains("clusterMaxInFlight=" + configured(10));
    }

    @Tag("CL2")
    @Test
    void byDefaultThereIsNone() {
        GroupPolicy policy = GroupPolicy.builder().build();

        assertThat(policy.defaultClusterMaxInFlightPerGroup()).isEmpty();
        assertThat(policy.defaults().clusterMaxInFlight()).isEmpty();
        assertThat(policy.explain("a").clusterMaxInFlight()).isEmpty();
    }

    @Tag("CL2")
    @Test
    void whatALimitsResolverMaySayIsNotToldByAnExplanation() {
        GroupPolicy policy = GroupPolicy.builder()
                .limitsResolver(key -> Optional.empty())
                .group("own", inAll(10))
                .pattern("t:*", inAll(20))
                .build();

        assertThat(policy.explain("own").clusterMaxInFlight()).isEqualTo(configured(10));
        assertThat(policy.explain("t:a").clusterMaxInFlight()).isEmpty();
        assertThat(policy.explain("other").clusterMaxInFlight()).isEmpty();
    }

    // ---- it stands for a concurrency that nobody has set

    @Tag("CL2")
    @Test
    void itStandsForAConcurrencyThatNobodyHasSet() {
        GroupPolicy policy = GroupPolicy.builder()
                .group("t:a", GroupLimits.unset().withMaxConcurrency(4))
                .group("t:b", GroupLimits.unset().withMaxInFlight(6))
                .pattern("t:*", inAll(20))
                .build();

        assertThat(policy.explain("t:a").maxConcurrency()).isEqualTo(configured(4));
        GroupExplanation own = policy.explain("t:b");
        assertThat(own.maxConcurrency()).isEqualTo(byPattern(20));
        assertThat(own.maxInFlight()).isEqualTo(configured(6));
        GroupExplanation other = policy.explain("t:c");
        assertThat(other.maxConcurrency()).isEqualTo(byPattern(20));
        assertThat(other.maxInFlight()).isEqualTo(byPattern(20));
        assertThat(policy.explain("other").maxConcurrency()).isEqualTo(byDefault(1));
    }

    @Tag("CL2")
    @Test
    void theDefaultOfItDoesTooAndADefaultConcurrencyGoesBefore() {
        GroupPolicy policy = GroupPolicy.builder()
                .defaultClusterMaxInFlightPerGroup(30)
                .pattern("t:*", inAll(20))
                .pattern("free:*", inAll(UNLIMITED))
                .build();
        assertThat(policy.defaultMaxConcurrencyPerGroup()).isEqualTo(30);
        assertThat(policy.explain("other").maxConcurrency()).isEqualTo(byDefault(30));
        assertThat(policy.explain("t:a").maxConcurrency()).isEqualTo(byPattern(20));
        assertThat(policy.explain("free:1").maxConcurrency()).isEqualTo(byDefault(1));

        GroupPolicy one = policy.toBuilder().defaultMaxConcurrencyPerGroup(1).build();
        assertThat(one.explain("other").maxConcurrency()).isEqualTo(byDefault(1));
        assertThat(one.explain("t:a").maxConcurrency()).isEqualTo(byDefault(1));
    }

    @Tag("CL2")
    @Test
    void aPolicyThatIsCopiedHasNoOtherConcurrency() {
        GroupPolicy copy = GroupPolicy.builder().pattern("t:*", inAll(20)).build().toBuilder()
                .maxIdleGroups(5)
                .build();

        assertThat(copy.explain("t:a").maxConcurrency()).isEqualTo(byPattern(20));
        assertThat(copy.explain("other").maxConcurrency()).isEqualTo(byDefault(1));
    }

    @Tag("CL2")
    @Test
    void aConcurrencyResolverGoesBeforeIt() {
        GroupPolicy policy = GroupPolicy.builder()
                .pattern("t:*", inAll(20))
                .concurrencyResolver(key -> 3)
                .build();

        assertThat(policy.explain("t:a").maxConcurrency()).isEmpty();
        assertThat(policy.explain("t:a").clusterMaxInFlight()).isEqualTo(byPattern(20));
    }

    // ---- what isn't allowed with it

    static Stream<Arguments> whereNothingMayWait() {
        return Stream.of(
                arguments(
                        GroupPolicy.builder().group("a", inAll(20).withQueueThreshold(0)),
                        "queueThreshold",
                        "a",
                        "20,"),
                arguments(
                        GroupPolicy.builder()
                                .group("t:a", GroupLimits.unset().withQueueThreshold(0))
                                .pattern("t:*", inAll(20)),
                        "queueThreshold",
                        "t:a",
                        "20,"),
                arguments(
                        GroupPolicy.builder()
                                .group("t:a", inAll(7))
                                .pattern("t:*", GroupLimits.unset().withQueueThreshold(0)),
                        "queueThreshold",
                        "t:*",
                        "7 of 't:a',"),
                arguments(
                        GroupPolicy.builder().pattern("t:*", inAll(20)).defaultQueueThresholdPerGroup(0),
                        "defaults.queueThreshold",
                        null,
                        "20 of 't:*',"),
                arguments(
                        GroupPolicy.builder()
                                .group("t:a", inAll(7))
                                .pattern("t:*", GroupLimits.unset().withMaxConcurrency(2))
                                .defaultQueueThresholdPerGroup(0),
                        "defaults.queueThreshold",
                        null,
                        "7 of 't:a',"),
                arguments(
                        GroupPolicy.builder()
                                .pattern("t:*", GroupLimits.unset().withQueueThreshold(0))
                                .defaultClusterMaxInFlightPerGroup(30),
                        "queueThreshold",
                        "t:*",
                        "30,"),
                arguments(
                        GroupPolicy.builder().defaultQueueThresholdPerGroup(0).defaultClusterMaxInFlightPerGroup(30),
                        "defaults.queueThreshold",
                        null,
                        "30,"),
                arguments(
                        GroupPolicy.builder()
                                .globalQueueThreshold(0)
                                .group("t:a", GroupLimits.unset().withQueueThreshold(5))
                                .pattern("t:*", inAll(20)),
                        "globalQueueThreshold",
                        null,
                        "20 of 't:a',"),
                arguments(
                        GroupPolicy.builder().globalQueueThreshold(0).defaultClusterMaxInFlightPerGroup(30),
                        "globalQueueThreshold",
                        null,
                        "30,"));
    }

    @Tag("CL1")
    @ParameterizedTest(name = "{1} of {2}")
    @MethodSource("whereNothingMayWait")
    void whereItHoldsWorkMustBeAllowedToWait(GroupPolicy.Builder builder, String setting, String rule, String needing) {
        InvalidPolicyException refusal = refusal(builder::build);

        assertThat(refusal.setting()).isEqualTo(setting);
        assertThat(refusal.rule()).isEqualTo(rule);
        assertThat(refusal.value()).isEqualTo("0");
        assertThat(refusal.allowed()).startsWith("at least 1 with clusterMaxInFlight " + needing);
        assertThat(refusal).hasMessageContaining(setting).hasMessageContaining("was 0");
    }

    @Tag("CL1")
    @Test
    void whereItDoesNotHoldNothingNeedsToWait() {
        GroupPolicy policy = GroupPolicy.builder()
                .group("t:a", GroupLimits.unset().withQueueThreshold(5))
                .group("t:b", inAll(UNLIMITED))
                .group("other", GroupLimits.unset())
                .pattern("*", GroupLimits.unset().withQueueThreshold(0))
                .pattern("t:*", inAll(20).withQueueThreshold(1))
                .defaultQueueThresholdPerGroup(0)
                .build();

        assertThat(policy.explain("t:a").queueThreshold().value()).isEqualTo(5);
        assertThat(policy.explain("other").queueThreshold().value()).isZero();
    }

    // ---- without a cluster

    static Stream<Arguments> policiesWithIt() {
        return Stream.of(
                arguments(
                        GroupPolicy.builder()
                                .defaultClusterMaxInFlightPerGroup(30)
                                .pattern("t:*", inAll(20))
                                .group("free", inAll(UNLIMITED))
                                .group("b", inAll(11))
                                .group("a", inAll(10)),
                        "clusterMaxInFlight",
                        "b",
                        "11"),
                arguments(
                        GroupPolicy.builder()
                                .defaultClusterMaxInFlightPerGroup(30)
                                .pattern("t:*", inAll(20))
                                .pattern("*", inAll(21)),
                        "clusterMaxInFlight",
                        "t:*",
                        "20"),
                arguments(
                        GroupPolicy.builder().defaultClusterMaxInFlightPerGroup(30),
                        "defaults.clusterMaxInFlight",
                        null,
                        "30"));
    }

    @Tag("CL1")
    @ParameterizedTest(name = "{1} of {2}")
    @MethodSource("policiesWithIt")
    void anExecutorWithoutAClusterRefusesAPolicyWithItAndNamesTheFirst(
            GroupPolicy.Builder builder, String setting, String rule, String value) {
        GroupPolicy policy = builder.build();

        InvalidPolicyException refusal = refusal(() -> GroupExecutor.newVirtualThreadExecutor(policy));

        assertThat(refusal.setting()).isEqualTo(setting);
        assertThat(refusal.rule()).isEqualTo(rule);
        assertThat(refusal.value()).isEqualTo(value);
        assertThat(refusal).hasMessageContaining("without ClusterSettings");
    }

    @Tag("CL1")
    @Test
    void anExecutorWithoutAClusterKeepsItsPolicyInsteadOfOneWithIt() {
        GroupPolicy before = GroupPolicy.builder().build();
        GroupExecutor executor = engines.startPlain(before);
        GroupPolicy policy = GroupPolicy.builder().pattern("t:*", inAll(20)).build();

        assertThat(refusal(() -> executor.updatePolicy(policy)))
                .hasMessage(
                        "clusterMaxInFlight of 't:*' must be unset in an executor without ClusterSettings, which say"
                                + " where instances share their limits, was 20");
        assertThat(executor.policy()).isSameAs(before);
    }

    @Tag("CL1")
    @Test
    void onesThatSayThatThereIsNoneAreAllowed() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .group("a", inAll(UNLIMITED))
                .defaultClusterMaxInFlightPerGroup(UNLIMITED)
                .limitsResolver(key -> Optional.of(inAll(UNLIMITED).withMaxConcurrency(5)))
                .build());

        assertThat(executor.call("b", () -> "done")).isEqualTo("done");
        assertThat(executor.groupStats("b").orElseThrow().maxConcurrency().value())
                .isEqualTo(5);
    }

    @Tag("CL1")
    @Test
    void aLimitsResolverThatAnswersWithItIsOneThatFails() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .limitsResolver(key -> Optional.of(inAll(20).withMaxConcurrency(9)))
                .defaultMaxConcurrencyPerGroup(2)
                .build());

        try (CapturedLog log = CapturedLog.open()) {
            executor.call("tenant", () -> "done");

            assertThat(log.warnings()).singleElement().asString().contains("limits resolver failed for group 'tenant'");
            assertThat(log.thrown())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            InvalidPolicyException.class,
                            failure -> assertThat(failure)
                                    .hasMessageContaining("clusterMaxInFlight of 'tenant'")
                                    .hasMessageContaining("without ClusterSettings"));
        }
        assertThat(executor.groupStats("tenant").orElseThrow().maxConcurrency())
                .isEqualTo(new EffectiveLimit<>(2, LimitSource.DEFAULT));
    }

    // ---- on one instance

    @Tag("CL5")
    @Test
    void itCannotBeOverriddenOnOneInstance() {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        executor.setLimits("a", GroupLimits.unset().withMaxConcurrency(2));

        assertThat(refusal(() -> executor.setLimits("a", inAll(20))))
                .hasMessage(
                        "clusterMaxInFlight of 'a' must be set in the policy, since a limit over all instances can't be"
                                + " overridden on one of them, was 20");
        assertThat(refusal(() -> executor.updateLimits("a", limits -> limits.withClusterMaxInFlight(UNLIMITED))))
                .hasMessageContaining("set in the policy");
        assertThat(refusal(() -> executor.setLimits("a", inAll(0)))).hasMessageContaining("at least 1");
        assertThat(executor.overrideOf("a")).contains(GroupLimits.unset().withMaxConcurrency(2));
    }
}
