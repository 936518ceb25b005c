package io.github.kobe.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupLimits;
import io.github.kobe.LimitSource;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class EffectiveLimitsTests {

    @Test
    void aTimeOutTooLongForNanosecondsNeverRunsOut() {
        assertThat(EffectiveLimits.saturatedNanos(GroupLimits.NO_TIMEOUT)).isEqualTo(Long.MAX_VALUE);
        assertThat(EffectiveLimits.saturatedNanos(Duration.ofDays(40_000))).isEqualTo(Long.MAX_VALUE);
        assertThat(EffectiveLimits.saturatedNanos(GroupLimits.NO_TIMEOUT.negated()))
                .isZero();
        assertThat(EffectiveLimits.saturatedNanos(Duration.ofSeconds(1))).isEqualTo(1_000_000_000L);
    }

    private static EffectiveLimit<Integer> number(int value) {
        return new EffectiveLimit<>(value, LimitSource.PATTERN);
    }

    private static EffectiveLimits limits(
            EffectiveLimit<Integer> concurrency, EffectiveLimit<Integer> inFlight, EffectiveLimit<Integer> cluster) {
        return new EffectiveLimits(
                concurrency,
                inFlight,
                number(9),
                new EffectiveLimit<>(GroupLimits.NO_TIMEOUT, LimitSource.DEFAULT),
                number(1),
                number(0),
                cluster,
                null,
                null);
    }

    @Tag("CL2")
    @Test
    void theNumberOverAllInstancesStandsForAConcurrencyThatNobodyHasSet() {
        EffectiveLimits limits = limits(null, null, number(20));

        assertThat(limits.hasOwnConcurrency()).isFalse();
        assertThat(limits.maxConcurrency()).isEqualTo(number(20));
        assertThat(limits.maxInFlight()).isEqualTo(number(20));
        assertThat(limits(number(4), null, number(20)).maxConcurrency()).isEqualTo(number(4));
        assertThat(limits(number(4), null, number(20)).hasOwnConcurrency()).isTrue();
        assertThat(limits(null, null, null).maxConcurrency()).isEqualTo(new EffectiveLimit<>(1, LimitSource.DEFAULT));
        assertThat(limits(null, null, null).hasOwnConcurrency()).isTrue();
    }

    @Tag("CL2")
    @Test
    void anOverrideIsANumberOfTheInstance() {
        EffectiveLimits overridden =
                limits(null, null, number(20)).overriddenBy(GroupLimits.unset().withMaxConcurrency(3));

        assertThat(overridden.hasOwnConcurrency()).isTrue();
        assertThat(overridden.maxConcurrency()).isEqualTo(new EffectiveLimit<>(3, LimitSource.OVERRIDDEN));
        assertThat(overridden.clusterMaxInFlight()).isEqualTo(number(20));
    }

    @Tag("CL42")
    @Test
    void whatIsLeasedIsTakenOverWhileTheLimitIsShared() {
        EffectiveLimits shared = limits(number(9), null, number(20));
        EffectiveLimits alone = limits(number(9), null, null);

        assertThat(shared.leased()).isZero();
        assertThat(alone.leased()).isEqualTo(EffectiveLimits.NOT_LEASED);
        assertThat(limits(number(9), null, number(5))
                        .leasedAs(shared.withLeased(4))
                        .leased())
                .isEqualTo(4);
        assertThat(shared.leasedAs(alone).leased()).isZero();
        assertThat(alone.leasedAs(shared.withLeased(4)).leased()).isEqualTo(EffectiveLimits.NOT_LEASED);
    }

    @Tag("CL2")
    @Test
    void ofWhatIsLeasedNoMoreCountsThanTheLimitUnlessItsOwnNumbersDo() {
        EffectiveLimits shared = limits(number(30), null, number(20));

        assertThat(shared.withLeased(25).inFlightInForce()).isEqualTo(20);
        assertThat(limits(number(30), null, number(5))
                        .leasedAs(shared.withLeased(20))
                        .inFlightInForce())
                .isEqualTo(5);
        EffectiveLimits alone = shared.withLeased(EffectiveLimits.ALONE);
        assertThat(alone.inFlightInForce()).isEqualTo(30);
        assertThat(limits(number(30), null, number(5)).leasedAs(alone).inFlightInForce())
                .isEqualTo(30);
    }

    @Tag("CL38")
    @Test
    void theLimitsOfTheInstanceAreThoseThatAreSetForIt() {
        EffectiveLimits own = limits(number(4), null, number(20)).withLeased(2);
        assertThat(own.isReached(2, 2)).isTrue();
        assertThat(own.isReachedHere(3, 3)).isFalse();
        assertThat(own.isReachedHere(4, 3)).isTrue();
        assertThat(own.isReachedHere(3, 4)).isTrue();

        EffectiveLimits standIn = limits(null, null, number(20)).withLeased(20);
        assertThat(standIn.isReached(20, 20)).isTrue();
        assertThat(standIn.isReachedHere(20, 20)).isFalse();

        EffectiveLimits inFlight = limits(null, number(3), number(20)).withLeased(20);
        assertThat(inFlight.isReachedHere(2, 3)).isTrue();
        assertThat(inFlight.isReachedHere(20, 2)).isFalse();
    }
}
