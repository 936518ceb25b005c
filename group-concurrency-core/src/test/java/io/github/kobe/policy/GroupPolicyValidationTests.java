package io.github.kobe.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.InvalidPolicyException;
import io.github.kobe.RejectionPolicy;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class GroupPolicyValidationTests {

    private static GroupPolicy.Builder builder() {
        return GroupPolicy.builder();
    }

    private static GroupLimits limits() {
        return GroupLimits.unset();
    }

    @Tag("E1")
    @Test
    void aPatternIsNoExactKey() {
        Map<String, Integer> values = Map.of("tenant:*", 3);

        assertThat(List.<ThrowingCallable>of(
                        () -> builder().group("tenant:*", limits()),
                        () -> builder().perGroupMaxConcurrency(values),
                        () -> builder().perGroupMaxInFlight(values),
                        () -> builder().perGroupQueueThreshold(values)))
                .allSatisfy(setter -> assertThatIllegalArgumentException()
                        .isThrownBy(setter)
                        .withMessage("'tenant:*' has a '*', so it is a pattern: set its limits with pattern(...)"));
    }

    @Tag("E1")
    @Test
    void anExactKeyIsNoPattern() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().pattern("vip\n", limits()))
                .withMessage("'vip_' has no '*', so it is a single group: set its limits with group(...)");
    }

    private static Arguments refused(
            GroupPolicy.Builder builder, String setting, String rule, Object value, String allowed) {
        return arguments(builder, setting, rule, String.valueOf(value), allowed);
    }

    static Stream<Arguments> settingsOutOfRange() {
        return Stream.of(
                refused(builder().globalMaxInFlight(0), "globalMaxInFlight", null, 0, "at least 1"),
                refused(builder().globalMaxInFlight(-3), "globalMaxInFlight", null, -3, "at least 1"),
                refused(builder().globalQueueThreshold(-1), "globalQueueThreshold", null, -1, "at least 0"),
                refused(
                        builder().globalQueueThreshold(0).pattern("t:*", limits().withClusterMaxInFlight(5)),
                        "globalQueueThreshold",
                        null,
                        0,
                        "at least 1 with clusterMaxInFlight 5 of 't:*', since work waits until this instance has leased"
                                + " a part of that"),
                refused(builder().defaultMaxConcurrencyPerGroup(0), "defaults.maxConcurrency", null, 0, "at least 1"),
                refused(builder().defaultMaxInFlightPerGroup(0), "defaults.maxInFlight", null, 0, "at least 1"),
                refused(builder().defaultQueueThresholdPerGroup(-1), "defaults.queueThreshold", null, -1, "at least 0"),
                refused(
                        builder().defaults(limits().withMaxConcurrency(-7)),
                        "defaults.maxConcurrency",
                        null,
                        -7,
                        "at least 1"),
                refused(
                        builder().defaults(limits().withQueueThreshold(-1)),
                        "defaults.queueThreshold",
                        null,
                        -1,
                        "at least 0"),
                refused(builder().defaults(limits().withWeight(0)), "defaults.weight", null, 0, "1 to 1000"),
                refused(
                        builder().defaults(limits().withGuaranteed(-1)),
                        "defaults.guaranteed",
                        null,
                        -1,
                        "0 to 1000000"),
                refused(
                        builder().group("a", limits().withGuaranteed(1_000_001)),
                        "guaranteed",
                        "a",
                        1_000_001,
                        "0 to 1000000"),
                refused(
                        builder().pattern("a*", limits().withMaxInFlight(2).withGuaranteed(3)),
                        "guaranteed",
                        "a*",
                        3,
                        "at most 2, as many as may be in flight"),
                refused(
                        builder()
                                .globalMaxInFlight(10)
                                .globalHeadroom(2)
                                .group("a", limits().withGuaranteed(5))
                                .group("b", limits().withGuaranteed(4)),
                        "guaranteed",
                        "b",
                        4,
                        "at most 3, since the guarantees of all exact keys must not add up to more than 8,"
                                + " globalMaxInFlight less globalHeadroom, and others have 5"),
                refused(
                        builder().group("a", limits().withClusterMaxInFlight(0)),
                        "clusterMaxInFlight",
                        "a",
                        0,
                        "at least 1"),
                refused(
                        builder().defaultClusterMaxInFlightPerGroup(-1),
                        "defaults.clusterMaxInFlight",
                        null,
                        -1,
                        "at least 1"),
                refused(builder().globalHeadroom(-1), "globalHeadroom", null, -1, "at least 0"),
                refused(
                        builder().globalMaxInFlight(3).globalHeadroom(3),
                        "globalHeadroom",
                        null,
                        3,
                        "less than globalMaxInFlight, 3"),
                refused(builder().queueTimeout(Duration.ZERO), "defaults.queueTimeout", null, "PT0S", "more than zero"),
                refused(
                        builder().queueTimeout(Duration.ofNanos(-1)),
                        "defaults.queueTimeout",
                        null,
                        Duration.ofNanos(-1),
                        "more than zero"),
                refused(builder().maxIdleGroups(-1), "maxIdleGroups", null, -1, "at least 0"),
                refused(builder().idleTimeout(Duration.ZERO), "idleTimeout", null, "PT0S", "more than zero"),
                refused(builder().idleTimeout(Duration.ofSeconds(-5)), "idleTimeout", null, "PT-5S", "more than zero"),
                refused(builder().group("a", limits().withMaxConcurrency(0)), "maxConcurrency", "a", 0, "at least 1"),
                refused(builder().group("a", limits().withMaxInFlight(0)), "maxInFlight", "a", 0, "at least 1"),
                refused(builder().group("a", limits().withQueueThreshold(-1)), "queueThreshold", "a", -1, "at least 0"),
                refused(
                        builder().group("a", limits().withQueueTimeout(Duration.ZERO)),
                        "queueTimeout",
                        "a",
                        "PT0S",
                        "more than zero"),
                refused(builder().group("a", limits().withWeight(0)), "weight", "a", 0, "1 to 1000"),
                refused(builder().group("a", limits().withWeight(1_001)), "weight", "a", 1_001, "1 to 1000"),
                refused(
                        builder().pattern("b*", limits().withMaxConcurrency(0)),
                        "maxConcurrency",
                        "b*",
                        0,
                        "at least 1"),
                refused(builder().pattern("b*", limits().withWeight(-1)), "weight", "b*", -1, "1 to 1000"),
                refused(
                        builder().perGroupMaxConcurrency(Collections.singletonMap("a", 0)),
                        "maxConcurrency",
                        "a",
                        0,
                        "at least 1"),
                refused(
                        builder().perGroupMaxConcurrency(Collections.singletonMap("a", null)),
                        "maxConcurrency",
                        "a",
                        null,
                        "at least 1"),
                refused(
                        builder().perGroupMaxInFlight(Collections.singletonMap("a", -2)),
                        "maxInFlight",
                        "a",
                        -2,
                        "at least 1"),
                refused(
                        builder().perGroupMaxInFlight(Collections.singletonMap("a", null)),
                        "maxInFlight",
                        "a",
                        null,
                        "at least 1"),
                refused(
                        builder().perGroupQueueThreshold(Collections.singletonMap("a", -1)),
                        "queueThreshold",
                        "a",
                        -1,
                        "at least 0"),
                refused(
                        builder().perGroupQueueThreshold(Collections.singletonMap("a", null)),
                        "queueThreshold",
                        "a",
                        null,
                        "at least 0"),
                refused(
                        builder().rejectionPolicy(null),
                        "rejectionPolicy",
                        null,
                        null,
                        "one of [ABORT, DISCARD, CALLER_RUNS]"));
    }

    @Tag("G9")
    @ParameterizedTest(name = "{1} of {2}: {3}")
    @MethodSource("settingsOutOfRange")
    void aSettingOutOfItsRangeIsRefusedByName(
            GroupPolicy.Builder builder, String setting, String rule, String value, String allowed) {
        InvalidPolicyException refusal = catchThrowableOfType(InvalidPolicyException.class, builder::build);

        assertThat(refusal)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(setting)
                .hasMessageContaining(rule == null ? "" : "'" + rule + "'")
                .hasMessageContaining(value)
                .hasMessageContaining(allowed);
        assertThat(refusal.setting()).isEqualTo(setting);
        assertThat(refusal.rule()).isEqualTo(rule);
        assertThat(refusal.value()).isEqualTo(value);
        assertThat(refusal.allowed()).isEqualTo(allowed);
    }

    static Stream<Arguments> settingsAtTheEdgeOfTheirRange() {
        return Stream.of(
                arguments(builder().globalMaxInFlight(1)),
                arguments(builder().globalQueueThreshold(0)),
                arguments(builder().defaultClusterMaxInFlightPerGroup(1)),
                arguments(builder()
                        .defaultClusterMaxInFlightPerGroup(Integer.MAX_VALUE)
                        .defaultQueueThresholdPerGroup(0)),
                arguments(builder().defaultMaxConcurrencyPerGroup(1)),
                arguments(builder().defaultMaxConcurrencyPerGroup(Integer.MAX_VALUE)),
                arguments(builder().defaultMaxInFlightPerGroup(1)),
                arguments(builder().defaultQueueThresholdPerGroup(0)),
                arguments(builder().queueTimeout(Duration.ofNanos(1))),
                arguments(builder().queueTimeout(GroupLimits.NO_TIMEOUT)),
                arguments(builder().maxIdleGroups(0)),
                arguments(builder().idleTimeout(Duration.ofNanos(1))),
                arguments(builder().group("a", limits().withWeight(1))),
                arguments(builder().group("a", limits().withWeight(1_000))),
                arguments(builder().group("\u00a0", limits().withQueueThreshold(0))));
    }

    @Tag("G9")
    @ParameterizedTest
    @MethodSource("settingsAtTheEdgeOfTheirRange")
    void theEdgesOfARangeAreAllowed(GroupPolicy.Builder builder) {
        assertThatCode(builder::build).doesNotThrowAnyException();
    }

    @Tag("G9")
    @Test
    void aRefusedSettingCanBeMendedOnTheSameBuilder() {
        GroupPolicy.Builder builder = builder()
                .rejectionPolicy(null)
                .perGroupMaxConcurrency(Collections.singletonMap("a", null))
                .globalMaxInFlight(0);
        assertThat(catchThrowableOfType(InvalidPolicyException.class, builder::build))
                .isNotNull();

        builder.rejectionPolicy(RejectionPolicy.DISCARD)
                .perGroupMaxConcurrency(Collections.singletonMap("a", 2))
                .globalMaxInFlight(1);

        assertThat(builder.build().explain("a").maxConcurrency().orElseThrow().value())
                .isEqualTo(2);
    }

    @Tag("G9")
    @Tag("K7")
    @Test
    void aRefusalShowsTheKeyWithoutControlCharacters() {
        GroupPolicy.Builder builder = builder().group("a\r\nFAKE", limits().withWeight(0));

        InvalidPolicyException refusal = catchThrowableOfType(InvalidPolicyException.class, builder::build);

        assertThat(refusal).hasMessageContaining("'a__FAKE'");
        assertThat(refusal.rule()).isEqualTo("a\r\nFAKE");
    }
}
