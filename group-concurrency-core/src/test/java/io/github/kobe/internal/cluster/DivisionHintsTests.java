package io.github.kobe.internal.cluster;

import static io.github.kobe.internal.cluster.Nodes.LONG_AGO;
import static io.github.kobe.internal.cluster.Nodes.NOW;
import static io.github.kobe.internal.cluster.Nodes.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Depth;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DivisionHintsTests {

    private static List<String> hints(int limit, Claim... claims) {
        return new Nodes(limit, List.of(claims)).ask(0).hints();
    }

    private static Claim spoke(String session, int has, int need, long ago, long hintedAgo) {
        return new Claim(session, has, need, LONG_AGO, LONG_AGO, NOW - ago, NOW - hintedAgo, has);
    }

    @Test
    void whoHasGivenBackHintsTheFirstInLine() {
        assertThat(hints(1, node("a", 0, 1), node("c", 0, 1, 5, 0), node("b", 0, 1, 6, 0)))
                .containsExactly("c");
    }

    @Test
    void thereIsOneHintForEachFreeUnitAndNotForEachWhoWaits() {
        Claim[] claims = {
            node("a", 0, 0), node("b", 0, 2, 5, 0), node("c", 0, 2, 6, 0), node("d", 0, 2, 7, 0), node("e", 3, 0)
        };

        assertThat(hints(6, claims)).containsExactly("b", "c", "e");
    }

    @Test
    void whoWaitsHintsThoseWhoAreToKeepLessThanTheyKnow() {
        Claim inItsTurn = node("b", 1, 1, NOW, NOW - 3);
        Claim told = new Claim("b", 1, 1, NOW, NOW - 3, NOW, Times.NEVER, 0);

        assertThat(hints(1, node("a", 0, 1), inItsTurn)).containsExactly("b");
        assertThat(hints(1, node("a", 0, 1), told)).isEmpty();
    }

    @Test
    void whoLacksSomeHintsHoldersThatHaveNotSpokenForHalfASecond() {
        assertThat(hints(1, node("a", 0, 1), told(spoke("b", 1, 1, 500, 5_000))))
                .containsExactly("b");
        assertThat(hints(1, node("a", 0, 1), told(spoke("b", 1, 1, 499, 5_000))))
                .isEmpty();
        assertThat(hints(1, node("a", 0, 1), told(spoke("b", 1, 1, 900, 499)))).isEmpty();
        assertThat(hints(1, node("a", 0, 0), told(spoke("b", 1, 1, 900, 5_000))))
                .isEmpty();
    }

    /** A holder speaks of it with each heartbeat, a tenth of a lease after another, so it has to be asked in between. */
    @Test
    void thePauseIsShorterThanAHeartbeatAndNeverLong() {
        for (int lease = 5_000; lease <= 60_000; lease += 500) {
            assertThat(new Times(lease).pause())
                    .isLessThan(new Times(lease).heartbeat())
                    .isBetween(100L, 500L);
        }
    }

    private static Claim told(Claim claim) {
        return new Claim(
                claim.session(),
                claim.has(),
                claim.need(),
                claim.since(),
                claim.granted(),
                claim.spoke(),
                claim.hinted(),
                0);
    }

    @Test
    void whoHasNothingIsNotAskedWhatHeNeeds() {
        assertThat(hints(1, node("a", 0, 1), told(spoke("b", 1, 1, 0, 5_000)), spoke("c", 0, 1, 900, 5_000)))
                .isEmpty();
    }

    @Test
    void nobodyIsHintedTwiceInHalfASecondUnlessHeSpeaks() {
        assertThat(hints(2, node("a", 1, 0), spoke("b", 1, 2, 900, 499))).isEmpty();
        assertThat(hints(2, node("a", 0, 0), spoke("b", 1, 2, 900, 500))).containsExactly("b");
        assertThat(hints(2, node("a", 0, 2), spoke("b", 2, 2, 900, 499))).isEmpty();
    }

    @Test
    void nobodyIsHintedTwiceAtOnceOrByHimself() {
        Random random = new Random(Depth.seed());
        for (int i = 0; i < 20_000; i++) {
            Nodes nodes = Nodes.any(random);
            int me = random.nextInt(nodes.size());
            assertThat(nodes.ask(me, 1).hints())
                    .as(nodes::toString)
                    .doesNotHaveDuplicates()
                    .doesNotContain(nodes.get(me).session());
        }
    }

    @Test
    void ifThereIsEnoughForAllAndNobodyHasTooMuchNobodyIsHinted() {
        assertThat(hints(9, node("a", 2, 4), node("b", 2, 2), node("c", 3, 3))).isEmpty();
    }
}
