package io.github.kobe.internal.cluster;

import static io.github.kobe.internal.cluster.Nodes.LONG_AGO;
import static io.github.kobe.internal.cluster.Nodes.NOW;
import static io.github.kobe.internal.cluster.Nodes.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Depth;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DivisionTests {

    private static final int CASES = Depth.pick(40_000, 400_000, 10_000_000);

    private static Share ask(int limit, Claim... claims) {
        return new Nodes(limit, List.of(claims)).ask(0);
    }

    @Test
    void whoeverAsksGetsWhatAPlainOracleGivesHim() {
        Random random = new Random(Depth.seed());
        for (int i = 0; i < CASES; i++) {
            Nodes nodes = Nodes.any(random);
            int me = random.nextInt(nodes.size());
            Share share = nodes.ask(me);
            int expected = nodes.get(me).has() + PlainOracle.granted(nodes.claims(), me, nodes.limit(), NOW);
            if (share.counted() != expected) {
                assertThat(share.counted()).as("%s in %s", nodes.get(me), nodes).isEqualTo(expected);
            }
        }
    }

    @Test
    void whatIsCountedIsNeverAboveTheLimitOrWhatAllHave() {
        Random random = new Random(Depth.seed());
        for (int i = 0; i < CASES; i++) {
            Nodes nodes = Nodes.any(random);
            int me = random.nextInt(nodes.size());
            Share share = nodes.ask(me, random.nextInt(10));
            long sum = nodes.had() - nodes.get(me).has() + share.counted();
            boolean right = share.counted() >= nodes.get(me).has()
                    && sum <= Math.max(nodes.limit(), nodes.had())
                    && share.keep() >= 0
                    && share.keep() <= share.counted()
                    && share.turn() >= 0
                    && share.turn() <= 20;
            assertThat(right).as("%s of %s in %s", share, nodes.get(me), nodes).isTrue();
        }
    }

    @Test
    void theOrderInWhichNodesAreKnownMakesNoDifference() {
        Random random = new Random(Depth.seed());
        for (int i = 0; i < CASES / 10; i++) {
            Nodes nodes = Nodes.any(random);
            Nodes shuffled = nodes.shuffled(random);
            int me = random.nextInt(nodes.size());
            int again = shuffled.claims().indexOf(nodes.get(me));
            Share one = nodes.ask(me, 2);
            Share other = shuffled.ask(again, 2);
            assertThat(other).usingRecursiveComparison().ignoringFields("hints").isEqualTo(one);
            assertThat(other.hints()).containsExactlyInAnyOrderElementsOf(one.hints());
        }
    }

    @Test
    void everybodyGetsAllHeNeedsIfThatIsEnoughForAll() {
        Random random = new Random(Depth.seed());
        for (int i = 0; i < CASES / 5; i++) {
            Nodes nodes = Nodes.anyWithinTheirNeeds(random);
            if (nodes.needed() <= nodes.limit()) {
                settle(nodes, random);
                assertThat(nodes.claims()).as(nodes::toString).allMatch(claim -> claim.has() == claim.need());
            }
        }
    }

    @Test
    void theShareIsMaxMinFairIfItIsNotEnough() {
        Random random = new Random(Depth.seed());
        for (int i = 0; i < CASES / 5; i++) {
            Nodes nodes = Nodes.any(random);
            if (nodes.needed() > nodes.limit()) {
                settle(nodes, random);
                int[] has =
                        nodes.claims().stream().mapToInt(Claim::has).sorted().toArray();
                int[] fair = Arrays.stream(PlainOracle.shares(nodes.claims(), nodes.limit(), NOW))
                        .sorted()
                        .toArray();
                assertThat(has).as(nodes::toString).isEqualTo(fair);
            }
        }
    }

    /** All ask, again and again in any order, and give back what they are not to keep, until nothing changes. */
    private static void settle(Nodes nodes, Random random) {
        boolean changes = true;
        for (int round = 0; changes; round++) {
            assertThat(round).as(nodes::toString).isLessThan(200);
            changes = false;
            int first = random.nextInt(nodes.size());
            for (int i = 0; i < nodes.size(); i++) {
                int me = (first + i) % nodes.size();
                boolean gives = nodes.had() > nodes.limit() || nodes.get(me).has() > fair(nodes, me);
                changes |= nodes.take(me) || (gives && nodes.give(me));
            }
        }
    }

    private static int fair(Nodes nodes, int me) {
        return PlainOracle.shares(nodes.claims(), nodes.limit(), NOW)[me];
    }

    @Test
    void whatIsFreeForTheFirstInLineIsNotGivenToALaterOne() {
        Claim first = node("b", 0, 1, NOW - 50, LONG_AGO);
        Claim later = node("a", 0, 1, NOW - 40, LONG_AGO);

        assertThat(ask(1, later, first).counted()).isZero();
        assertThat(ask(1, first, later).counted()).isEqualTo(1);
    }

    @Test
    void noBargingEvenIfThereIsEnoughForAllOnceAnotherGivesBack() {
        Claim surplus = node("c", 2, 1);
        Claim first = node("b", 0, 1, NOW - 50, LONG_AGO);
        Claim later = node("a", 0, 1, NOW - 40, LONG_AGO);

        assertThat(ask(3, later, first, surplus).counted()).isZero();
        assertThat(ask(3, first, later, surplus).counted()).isEqualTo(1);
    }

    @Test
    void whoeverHasLeastWaitsBehindThoseWhoHaveWaitedLonger() {
        Claim first = node("z", 1, 3, NOW - 50, LONG_AGO);
        Claim later = node("a", 0, 3, NOW - 40, LONG_AGO);

        assertThat(ask(4, later, first, node("m", 2, 0)).counted()).isZero();
        assertThat(ask(4, first, later, node("m", 2, 0)).counted()).isEqualTo(2);
    }

    @Test
    void ofThoseWhoWaitAsLongTheSessionDecides() {
        Claim a = node("a", 0, 1);
        Claim b = node("b", 0, 1);

        assertThat(ask(1, b, a).counted()).isZero();
        assertThat(ask(1, a, b).counted()).isEqualTo(1);
    }

    @Test
    void nothingIsAskedOfAnybodyWhileNobodyLacksAny() {
        Share share = ask(10, node("a", 5, 2), node("b", 4, 4));

        assertThat(share).isEqualTo(new Share(5, 5, 0, List.of()));
    }

    @Test
    void nothingIsGrantedWhereNothingIsNeeded() {
        assertThat(ask(10, node("a", 0, 0), node("b", 0, 0))).isEqualTo(new Share(0, 0, 0, List.of()));
    }

    @Test
    void whatIsNotNeededGoesBackOnceAnotherLacksSome() {
        Share share = ask(5, node("a", 4, 2), node("b", 1, 3));

        assertThat(share).isEqualTo(new Share(4, 2, 0, List.of()));
    }

    @Test
    void whatIsAboveALoweredLimitGoesBackAlthoughNobodyLacksAny() {
        assertThat(ask(3, node("a", 4, 2), node("b", 1, 1)).keep()).isEqualTo(2);
        assertThat(ask(5, node("a", 4, 2), node("b", 1, 1)).keep()).isEqualTo(4);
    }

    @Test
    void whoSpeaksWithTheLastUnitPassesItOnAfterItsTurn() {
        Claim waits = node("b", 0, 1, NOW - 3, LONG_AGO);

        assertThat(ask(1, node("a", 1, 1, NOW, NOW - 5), waits)).isEqualTo(new Share(1, 0, 15, List.of()));
        assertThat(ask(1, node("a", 1, 1, NOW, NOW - 19), waits)).isEqualTo(new Share(1, 0, 1, List.of()));
        assertThat(ask(1, node("a", 1, 1, NOW, NOW - 20), waits)).isEqualTo(new Share(1, 0, 0, List.of()));
        assertThat(ask(1, node("a", 1, 1, NOW, NOW - 5))).isEqualTo(new Share(1, 1, 0, List.of()));
    }

    @Test
    void whoIsGrantedTheLastUnitHasAWholeTurn() {
        assertThat(ask(1, node("a", 0, 1, NOW - 9, LONG_AGO), node("b", 0, 1, NOW - 3, LONG_AGO)))
                .isEqualTo(new Share(1, 0, 20, List.of()));
    }

    @Test
    void ofTheRestTheOneGoesOnThatHasStayedLongest() {
        Claim eldest = node("a", 1, 2, NOW, NOW - 90);
        Claim middle = node("b", 1, 2, NOW, NOW - 60);
        Claim waits = node("c", 0, 2, NOW - 3, LONG_AGO);

        assertThat(ask(2, eldest, middle, waits).keep()).isZero();
        assertThat(ask(2, middle, eldest, waits).keep()).isEqualTo(1);
    }

    @Test
    void theRestAboveALevelGoesRoundToo() {
        Claim has = node("a", 2, 5, NOW, NOW - 90);
        Claim waits = node("b", 1, 5, NOW - 3, LONG_AGO);

        assertThat(ask(3, has, waits)).isEqualTo(new Share(2, 1, 0, List.of()));
    }

    @Test
    void whileTheStoreLearnsNobodyGetsAnyNorIsAskedForAny() {
        Random random = new Random(Depth.seed());
        for (int i = 0; i < CASES / 10; i++) {
            Nodes nodes = Nodes.any(random);
            int me = random.nextInt(nodes.size());
            int has = nodes.get(me).has();
            assertThat(Division.divide(nodes.claims(), me, 3, nodes.limit(), Nodes.PAUSE, NOW, true))
                    .isEqualTo(new Share(has, has, 0, List.of()));
        }
    }

    @Test
    void spareIsWhatNobodyNeedsOrHasButForOneForEachNode() {
        Nodes nodes = new Nodes(20, List.of(node("a", 0, 4), node("b", 3, 1), node("c", 2, 2)));

        assertThat(nodes.ask(0, 2).counted()).isEqualTo(6);
        assertThat(nodes.ask(0, 100).counted()).isEqualTo(4 + 20 - 4 - 3 - 2 - 3);
    }

    @Test
    void spareIsNotGivenOnTopOfWhatIsSpareAlready() {
        assertThat(new Nodes(20, List.of(node("a", 6, 4))).ask(0, 2).counted()).isEqualTo(6);
        assertThat(new Nodes(20, List.of(node("a", 5, 4))).ask(0, 2).counted()).isEqualTo(6);
        assertThat(new Nodes(20, List.of(node("a", 9, 4))).ask(0, 2).counted()).isEqualTo(9);
    }

    @Test
    void nothingIsSpareWhileSomebodyLacksSome() {
        Nodes nodes = new Nodes(20, List.of(node("a", 1, 1), node("b", 0, 1), node("c", 2, 2)));

        assertThat(nodes.ask(0, 2).counted()).isEqualTo(1);
    }

    @Test
    void theLargestNumbersThatThereAreDoNotOverflow() {
        int most = Integer.MAX_VALUE;
        Nodes nodes = new Nodes(most, List.of(node("a", most, most), node("b", most, most), node("c", 0, most)));

        assertThat(nodes.ask(2, most).counted()).isZero();
        assertThat(nodes.ask(0, most).keep()).isEqualTo(most / 3);
        assertThat(new Nodes(most, List.of(node("a", 0, most))).ask(0, most).counted())
                .isEqualTo(most);
    }

    @Test
    void aUnitGoesRoundAmongAllInTheOrderOfTheirWaits() {
        List<Claim> all = IntStream.range(0, 5)
                .mapToObj(i -> node("s" + i, 0, 1, NOW - 50 + i, LONG_AGO))
                .toList();
        for (int i = 0; i < 5; i++) {
            int me = i;
            List<Claim> left = all.subList(i, 5);
            assertThat(IntStream.range(0, left.size())
                            .filter(at -> new Nodes(1, left).ask(at).counted() == 1)
                            .mapToObj(at -> left.get(at).session()))
                    .containsExactly("s" + me);
        }
    }
}
