package io.github.kobe.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupLimits;
import java.time.Duration;
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
}
