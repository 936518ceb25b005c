package io.github.kobe.cluster;

import static io.github.kobe.cluster.StoreNode.KEY;
import static io.github.kobe.cluster.StoreNode.demand;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.cluster.Statement.Kind;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who comes first at a store, and what is left of those who want nothing any more. */
abstract class LineCases {

    private final StoreScene scene;
    private final StoreNode a;
    private final StoreNode b;
    private final StoreNode c;

    LineCases(StoreScene.Maker maker) {
        scene = maker.thatKnows();
        a = scene.opened("a");
        b = scene.opened("b");
        c = scene.opened("c");
    }

    /** The first in line wants nothing any more, another comes, and after that time the first waits again for what is free then. */
    private void waitsAgainAfter(long millis) {
        a.says(0, 1, 1);
        b.says(0, 1, 1);
        scene.pass(10);
        b.says(0, 0, 1);
        c.says(0, 1, 1);
        scene.pass(millis);
        b.says(0, 1, 1);
        a.says(0, 0, 1);
    }

    /** As {@link #waitsAgainAfter}, of one that has some and wants more. */
    private void waitsForMoreAgainAfter(long millis) {
        a.says(0, 3, 4);
        b.says(0, 1, 4);
        b.says(1, 2, 4);
        scene.pass(5);
        b.says(1, 1, 4);
        c.says(0, 1, 4);
        scene.pass(millis);
        b.says(1, 2, 4);
        a.says(2, 1, 4);
    }

    @Test
    void aUnitGoesToWhoeverHasWaitedLongest() {
        a.says(0, 1, 1);
        c.says(0, 1, 1);
        scene.pass(1);
        b.says(0, 1, 1);
        a.says(0, 0, 1);

        assertThat(b.says(0, 1, 1).counted()).isZero();
        assertThat(c.says(0, 1, 1).counted()).isEqualTo(1);
    }

    @Test
    void whoPassesHisTurnOnComesBehindThoseWhoWait() {
        a.says(0, 1, 1);
        scene.pass(30);
        b.says(0, 1, 1);
        scene.pass(1);

        assertThat(a.says(1, 2, 1).keep()).isZero();
        assertThat(a.says(0, 1, 1).counted()).isZero();
        assertThat(b.says(0, 1, 1)).isEqualTo(new Grant(1, 0, Duration.ofMillis(20), 1));
    }

    @Test
    void whoHasWaitedForMoreAndPassesHisTurnOnComesBehindToo() {
        a.says(0, 1, 1);
        a.says(1, 3, 1);
        scene.pass(30);
        b.says(0, 1, 1);
        scene.pass(1);
        a.says(0, 0, 1);
        scene.pass(1);

        assertThat(a.says(0, 2, 1).counted()).isZero();
        assertThat(b.says(0, 1, 1).counted()).isEqualTo(1);
    }

    @Test
    void aTurnBeginsWithTheGrant() {
        a.says(0, 1, 1);
        b.says(0, 1, 1);
        scene.pass(5);

        assertThat(a.says(1, 1, 1)).isEqualTo(new Grant(1, 0, Duration.ofMillis(15), 1));
        scene.pass(15);
        assertThat(a.says(1, 1, 1)).isEqualTo(new Grant(1, 0, Duration.ZERO, 1));
    }

    @Test
    void aNodeKeepsItsPlaceForASecondAfterItsNeedFell() {
        waitsAgainAfter(999);

        assertThat(c.says(0, 1, 1).counted()).isZero();
        assertThat(b.says(0, 1, 1).counted()).isEqualTo(1);
    }

    @Test
    void aNodeLosesItsPlaceASecondAfterItsNeedFell() {
        waitsAgainAfter(1_000);

        assertThat(b.says(0, 1, 1).counted()).isZero();
        assertThat(c.says(0, 1, 1).counted()).isEqualTo(1);
    }

    @Test
    void whoWasGrantedAllHasNoPlaceToKeep() {
        a.says(0, 2, 3);
        b.says(0, 1, 3);
        scene.pass(5);
        b.says(1, 1, 3);
        c.says(0, 1, 3);
        scene.pass(5);
        b.says(1, 2, 3);
        a.says(1, 0, 3);

        assertThat(b.says(1, 2, 3).counted()).isEqualTo(1);
        assertThat(c.says(0, 1, 3).counted()).isEqualTo(1);
    }

    @Test
    void aPlaceIsKeptThoughTheNodeAlsoHasSome() {
        waitsForMoreAgainAfter(5);

        assertThat(c.says(0, 1, 4).counted()).isZero();
        assertThat(b.says(1, 2, 4).counted()).isEqualTo(2);
    }

    @Test
    void aPlaceIsLostAfterASecondThoughTheNodeAlsoHasSome() {
        waitsForMoreAgainAfter(1_000);

        assertThat(b.says(1, 2, 4).counted()).isEqualTo(1);
        assertThat(c.says(0, 1, 4).counted()).isEqualTo(1);
    }

    @Test
    void whoGotSomeOfWhatHeNeedsComesBehindThoseWhoWaitForTheRest() {
        a.says(0, 4, 4);
        b.says(0, 2, 4);
        scene.pass(5);
        c.says(0, 1, 4);
        scene.pass(5);
        a.says(3, 1, 4);
        assertThat(b.says(0, 2, 4).counted()).isEqualTo(1);
        a.says(2, 1, 4);

        assertThat(b.says(1, 2, 4).counted()).isEqualTo(1);
        assertThat(c.says(0, 1, 4).counted()).isEqualTo(1);
    }

    @Test
    void aNodeThatIsSilentForFourSecondsWaitsForNothingAnyMore() {
        a.says(0, 1, 1);
        b.says(0, 1, 1);
        scene.pass(1);
        c.says(0, 1, 1);
        a.says(0, 0, 1);
        scene.pass(2_000);
        c.says(0, 1, 1);
        scene.pass(1_998);

        assertThat(c.says(0, 1, 1).counted()).isZero();
        scene.pass(1);
        assertThat(c.says(0, 1, 1).counted()).isEqualTo(1);
    }

    @Test
    void whatASilentNodeHasStillCounts() {
        a.says(0, 1, 2);
        scene.live(14_000, b);

        assertThat(b.says(0, 2, 2).counted()).isEqualTo(1);
    }

    @Test
    void aSilentNodeNeedsNoMoreThanItWants() {
        a.says(2, 0, 4);
        scene.live(6_000, b);

        assertThat(b.says(3, 4, 4).keep()).isEqualTo(3);
    }

    @Test
    @Tag("CL43")
    void whatNobodyHasOrWantsAnyMoreHasNoField() {
        for (int i = 0; i < 3; i++) {
            a.exchange(hundred(100 * i, 1));
            assertThat(scene.resources()).hasSize(100);
            a.exchange(hundred(100 * i, 0));
            assertThat(scene.resources()).isEmpty();
        }
    }

    private static Demand[] hundred(int first, int want) {
        return IntStream.range(first, first + 100)
                .mapToObj(i -> new Demand("g:" + i, 0, want, 0, 1))
                .toArray(Demand[]::new);
    }

    @Test
    @Tag("CL43")
    void whatSomebodyHasCeasedToWaitForHasNoFieldOnceNobodyHasAny() {
        a.says(0, 1, 1);
        b.says(0, 1, 1);
        b.says(0, 0, 1);
        assertThat(scene.resources()).containsExactly(KEY);

        a.says(0, 0, 1);
        assertThat(scene.resources()).isEmpty();
    }

    @Test
    void whoSaysAgainThatHeWantsNothingKeepsHisPlaceNoLonger() {
        a.says(0, 1, 1);
        b.says(0, 1, 1);
        b.says(0, 0, 1);
        c.says(0, 1, 1);
        scene.pass(600);
        b.says(0, 0, 1);
        scene.pass(400);
        b.says(0, 1, 1);
        a.says(0, 0, 1);

        assertThat(b.says(0, 1, 1).counted()).isZero();
        assertThat(c.says(0, 1, 1).counted()).isEqualTo(1);
    }

    @Test
    void whatOnlyADeadNodeHadIsSwept() {
        a.says(0, 1, 1);
        b.says(0, 1, 1);
        b.says(0, 0, 1);
        a.close();
        scene.pass(1_000);
        c.heartbeat();

        assertThat(scene.resources()).isEmpty();
    }

    @Test
    void whoSaysThatHeHasNothingMakesNoField() {
        a.says(0, 0, 1);

        assertThat(scene.resources()).isEmpty();
    }

    @Test
    void anEntryThatHasAndWantsNothingIsNoNodeOfTheGroup() {
        b.says(0, 1, 1);
        b.says(0, 0, 1);
        c.exchange(demand(0, 1, 9));

        assertThat(a.exchange(new Demand(KEY, 0, 1, 100, 9)).grants().getFirst())
                .isEqualTo(new Grant(6, 6, Duration.ZERO, 9));
    }

    @Test
    void whatIsInUseDoesNotKeepTheSweepFromTheRest() {
        for (int i = 0; i < 39; i++) {
            a.exchange(new Demand("g:" + i, 0, 1, 0, 1));
        }
        c.exchange(new Demand("g:39", 0, 1, 0, 1));
        a.exchange(new Demand("g:39", 0, 1, 0, 1));
        a.exchange(new Demand("g:39", 0, 0, 0, 1));
        c.close();
        scene.pass(1_000);
        b.heartbeat();
        b.heartbeat();

        assertThat(scene.resources()).hasSize(39);
    }

    @Test
    void aNodeThatIsStatedToHaveMoreThanIsCountedBeginsATurn() {
        b.lose(b.statement(Kind.EXCHANGE, demand(0, 1, 1)));
        scene.pass(60);
        a.says(1, 1, 1);

        assertThat(b.says(1, 1, 1).keep()).isZero();
        assertThat(a.says(1, 1, 1).keep()).isEqualTo(1);
    }
}
