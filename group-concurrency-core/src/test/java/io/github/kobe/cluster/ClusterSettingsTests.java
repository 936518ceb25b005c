package io.github.kobe.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClusterSettingsTests {

    private final ClusterStore store = ClusterStore.inMemory();
    private final ClusterSettings settings = ClusterSettings.of(store);

    @Test
    void allButTheStoreHasADefault() {
        assertThat(settings.store()).isSameAs(store);
        assertThat(settings.nodeName()).isNotBlank();
        assertThat(settings.lease()).isEqualTo(Duration.ofSeconds(15));
        assertThat(settings.onStoreLoss()).isEqualTo(OnStoreLoss.CLOSED);
        assertThat(settings.idleReturn()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void eachSettingIsKeptAndNoneChanges() {
        ClusterSettings others = settings.withNodeName("node-1")
                .withLease(Duration.ofSeconds(20))
                .withOnStoreLoss(OnStoreLoss.LOCAL)
                .withIdleReturn(Duration.ofSeconds(2));

        assertThat(others.store()).isSameAs(store);
        assertThat(others.nodeName()).isEqualTo("node-1");
        assertThat(others.lease()).isEqualTo(Duration.ofSeconds(20));
        assertThat(others.onStoreLoss()).isEqualTo(OnStoreLoss.LOCAL);
        assertThat(others.idleReturn()).isEqualTo(Duration.ofSeconds(2));
        assertThat(settings).isEqualTo(ClusterSettings.of(store));
    }

    @Test
    void equalValuesMakeEqualSettings() {
        assertThat(settings)
                .isEqualTo(settings.withLease(Duration.ofSeconds(15)))
                .hasSameHashCodeAs(ClusterSettings.of(store))
                .isNotEqualTo(ClusterSettings.of(ClusterStore.inMemory()))
                .isNotEqualTo(settings.withNodeName("another"))
                .isNotEqualTo(settings.withLease(Duration.ofSeconds(16)))
                .isNotEqualTo(settings.withOnStoreLoss(OnStoreLoss.LOCAL))
                .isNotEqualTo(settings.withIdleReturn(Duration.ofSeconds(6)))
                .isNotEqualTo("settings");
    }

    @Test
    void aValueOutOfItsRangeIsRefusedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings.withNodeName(" "))
                .withMessage("nodeName must be a text of 1 to 255 characters, was ' '");
        assertThatIllegalArgumentException().isThrownBy(() -> settings.withNodeName("n".repeat(256)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings.withLease(Duration.ofMillis(4_999)))
                .withMessage("lease must be PT5S to PT1M, was PT4.999S");
        assertThatIllegalArgumentException().isThrownBy(() -> settings.withLease(Duration.ofMillis(60_001)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings.withIdleReturn(Duration.ZERO))
                .withMessage("idleReturn must be more than zero, at most PT1H, was PT0S");
        assertThatIllegalArgumentException().isThrownBy(() -> settings.withIdleReturn(Duration.ofMillis(3_600_001)));
    }

    @Test
    void theEdgesOfARangeAreAllowed() {
        assertThat(settings.withNodeName("n".repeat(255)).nodeName()).hasSize(255);
        assertThat(settings.withLease(Duration.ofSeconds(5)).lease()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.withLease(Duration.ofMinutes(1)).lease()).isEqualTo(Duration.ofMinutes(1));
        assertThat(settings.withIdleReturn(Duration.ofNanos(1)).idleReturn()).isEqualTo(Duration.ofNanos(1));
        assertThat(settings.withIdleReturn(Duration.ofHours(1)).idleReturn()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void nothingIsNull() {
        assertThatNullPointerException()
                .isThrownBy(() -> ClusterSettings.of(null))
                .withMessage("store");
        assertThatNullPointerException()
                .isThrownBy(() -> settings.withNodeName(null))
                .withMessage("nodeName");
        assertThatNullPointerException()
                .isThrownBy(() -> settings.withLease(null))
                .withMessage("lease");
        assertThatNullPointerException()
                .isThrownBy(() -> settings.withOnStoreLoss(null))
                .withMessage("onStoreLoss");
        assertThatNullPointerException()
                .isThrownBy(() -> settings.withIdleReturn(null))
                .withMessage("idleReturn");
    }

    @Test
    void theTextShowsAllButWhatTheStoreKnows() {
        assertThat(settings.withNodeName("node-1"))
                .hasToString("ClusterSettings[store=InMemoryStore, nodeName=node-1, lease=PT15S, onStoreLoss=CLOSED,"
                        + " idleReturn=PT5S]");
    }

    @Test
    void anInstanceIsNamedAfterItsHost() {
        assertThat(ClusterSettings.defaultName("pod-7", 12)).isEqualTo("pod-7");
        for (String unusable : new String[] {null, " ", "n".repeat(256)}) {
            assertThat(ClusterSettings.defaultName(unusable, 12))
                    .endsWith(":12")
                    .hasSizeBetween(4, 255);
        }
    }
}
