package io.github.kobe.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupLimits;
import io.github.kobe.Rate;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class GroupLimitsTests {

    @Tag("E1")
    @Test
    void nothingIsSetAtFirst() {
        GroupLimits limits = GroupLimits.unset();

        assertThat(limits.maxConcurrency()).isEmpty();
        assertThat(limits.maxInFlight()).isEmpty();
        assertThat(limits.queueThreshold()).isEmpty();
        assertThat(limits.queueTimeout()).isEmpty();
        assertThat(limits.weight()).isEmpty();
        assertThat(limits.guaranteed()).isEmpty();
        assertThat(limits.clusterMaxInFlight()).isEmpty();
    }

    @Tag("E1")
    @Test
    void eachNumberIsKept() {
        GroupLimits limits = GroupLimits.unset()
                .withClusterMaxInFlight(7)
                .withGuaranteed(6)
                .withWeight(5)
                .withQueueTimeout(Duration.ofSeconds(4))
                .withQueueThreshold(3)
                .withMaxInFlight(2)
                .withMaxConcurrency(1);

        assertThat(limits.maxConcurrency()).hasValue(1);
        assertThat(limits.maxInFlight()).hasValue(2);
        assertThat(limits.queueThreshold()).hasValue(3);
        assertThat(limits.queueTimeout()).hasValue(Duration.ofSeconds(4));
        assertThat(limits.weight()).hasValue(5);
        assertThat(limits.guaranteed()).hasValue(6);
        assertThat(limits.clusterMaxInFlight()).hasValue(7);
    }

    @Tag("E1")
    @Test
    void limitsDoNotChange() {
        GroupLimits limits = GroupLimits.unset().withMaxConcurrency(1);

        limits.withMaxConcurrency(2).withWeight(3);

        assertThat(limits).isEqualTo(GroupLimits.unset().withMaxConcurrency(1));
    }

    @Test
    void equalNumbersMakeEqualLimits() {
        GroupLimits limits = GroupLimits.unset().withMaxConcurrency(1).withWeight(2);

        assertThat(limits)
                .isEqualTo(GroupLimits.unset().withWeight(2).withMaxConcurrency(1))
                .hasSameHashCodeAs(GroupLimits.unset().withWeight(2).withMaxConcurrency(1))
                .isNotEqualTo(limits.withWeight(3))
                .isNotEqualTo(limits.withGuaranteed(3))
                .isNotEqualTo(limits.withClusterMaxInFlight(3))
                .isNotEqualTo(limits.withMaxConcurrency(3))
                .isNotEqualTo(limits.withMaxInFlight(3))
                .isNotEqualTo(limits.withQueueThreshold(3))
                .isNotEqualTo(limits.withQueueTimeout(Duration.ofSeconds(3)))
                .isNotEqualTo(limits.withRate(Rate.UNLIMITED))
                .isNotEqualTo("limits");
    }

    @Test
    void theTextShowsEveryNumber() {
        assertThat(GroupLimits.unset().withMaxConcurrency(7).withWeight(9))
                .hasToString("GroupLimits[maxConcurrency=7, maxInFlight=null, queueThreshold=null, queueTimeout=null,"
                        + " weight=9, guaranteed=null, clusterMaxInFlight=null, rates=null]");
    }

    @Test
    void aTimeOutIsNotNull() {
        assertThatNullPointerException().isThrownBy(() -> GroupLimits.unset().withQueueTimeout(null));
        assertThatNullPointerException().isThrownBy(() -> GroupLimits.unset().withRate(null));
    }
}
