package io.github.kobe.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.cluster.Statement.Kind;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The clock of a store. */
abstract class ClockCases {

    private final StoreScene scene;
    private final StoreNode a;
    private final StoreNode b;

    ClockCases(StoreScene.Maker maker) {
        scene = maker.thatKnows();
        a = scene.opened("a");
        b = scene.opened("b");
    }

    private long after(Runnable change) {
        b.exchange();
        a.exchange();
        long before = scene.log();
        change.run();
        return scene.log() - before;
    }

    @Test
    void itGoesOnAsTheServersDoes() {
        assertThat(after(() -> {
                    scene.pass(1_500);
                    a.exchange();
                    scene.pass(3_000);
                    b.exchange();
                }))
                .isEqualTo(4_500);
    }

    @Test
    void itStandsStillWhileTheServersIsSetBack() {
        assertThat(after(() -> {
                    scene.setClock(-3_600_000);
                    a.exchange();
                    scene.pass(1_000);
                    a.exchange();
                }))
                .isEqualTo(1_000);
    }

    @Test
    void aJumpAheadCountsAThirtiethOfALease() {
        assertThat(after(() -> {
                    scene.setClock(3_600_000);
                    a.exchange();
                }))
                .isEqualTo(500);
    }

    @Test
    void noSessionEndsByJumps() {
        for (int i = 0; i < 20; i++) {
            scene.setClock(i % 2 == 0 ? 3_600_000 : -7_200_000);
            a.exchange();
        }

        assertThat(b.exchange().kind()).isEqualTo(Answer.Kind.OK);
    }

    /** Otherwise a lone node whose exchanges are a little too far apart would stop the clock, and the dead lived on. */
    @Test
    void aLoneNodesOwnClockGoesOnInALongGap() {
        assertThat(after(() -> {
                    scene.pass(3_100);
                    a.exchange();
                    scene.pass(3_100);
                    a.exchange();
                }))
                .isEqualTo(6_200);
    }

    @Test
    void aGapCountsTwoFifthsOfALeaseAtMost() {
        assertThat(after(() -> {
                    scene.pass(9_000);
                    a.exchange();
                }))
                .isEqualTo(6_000);
    }

    @Test
    void aGapCountsNoMoreThanTheServersClockShows() {
        assertThat(after(() -> {
                    scene.pass(8_000);
                    scene.setClock(-4_500);
                    a.exchange();
                }))
                .isEqualTo(3_500);
    }

    /** Others may have spoken since, so what a node knows to have passed is not added to the log, but to where it left it. */
    @Test
    void whatOneNodeKnowsToHavePassedIsNotCountedTwice() {
        assertThat(after(() -> {
                    scene.pass(1_000);
                    b.exchange();
                    scene.pass(500);
                    b.exchange();
                    scene.setClock(3_600_000);
                    a.exchange();
                }))
                .isEqualTo(2_000);
    }

    @Test
    void aNodeThatMissedAnAnswerShowsNothingOfTheTimeSince() {
        assertThat(after(() -> {
                    a.lose(a.statement(Kind.EXCHANGE));
                    scene.pass(4_000);
                    a.exchange();
                }))
                .isEqualTo(500);
    }

    @Test
    void aSmallJumpCountsNoMoreThanANodeKnowsToHavePassed() {
        assertThat(after(() -> {
                    scene.pass(100);
                    scene.setClock(2_000);
                    a.exchange();
                }))
                .isEqualTo(2_100);
        assertThat(after(() -> {
                    scene.pass(100);
                    scene.setClock(2_001);
                    a.exchange();
                }))
                .isEqualTo(100);
    }

    @Test
    void theDeadAreReapedSoonAlsoIfOneNodeIsLeftThatIsSlow() {
        b.says(0, 1, 1);
        long passed = 0;
        while (a.says(0, 1, 1).counted() == 0) {
            scene.pass(3_100);
            passed += 3_100;
            assertThat(Duration.ofMillis(passed)).isLessThan(Duration.ofMillis(18_100));
        }
        assertThat(Duration.ofMillis(passed)).isGreaterThanOrEqualTo(Duration.ofSeconds(15));
    }
}
