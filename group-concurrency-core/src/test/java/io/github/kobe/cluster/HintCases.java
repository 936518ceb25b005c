package io.github.kobe.cluster;

import static io.github.kobe.cluster.StoreNode.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.cluster.Statement.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Hints of a store, told at once and kept. */
abstract class HintCases {

    private final StoreScene scene;
    private final StoreNode a;
    private final StoreNode b;
    private final StoreNode c;

    HintCases(StoreScene.Maker maker) {
        scene = maker.thatKnows();
        a = scene.opened("a");
        b = scene.opened("b");
        c = scene.opened("c");
    }

    @Test
    void whoeverWaitsHasTheHolderHinted() {
        a.says(0, 1, 1);
        b.says(0, 1, 1);

        assertThat(scene.hints()).containsExactly(new Hint("a", List.of(KEY)));
    }

    @Test
    void aHolderThatKnowsIsNotHintedAgainBeforeHalfASecond() {
        a.says(0, 1, 1);
        b.says(0, 1, 1);
        a.says(1, 1, 1);
        scene.hints();
        scene.pass(499);
        b.says(0, 1, 1);
        assertThat(scene.hints()).isEmpty();

        scene.pass(1);
        b.says(0, 1, 1);
        assertThat(scene.hinted()).containsExactly("a");
    }

    @Test
    void aHintThatIsNotHeardIsRepeatedAfterHalfASecond() {
        a.says(0, 1, 1);
        b.says(0, 1, 1);
        scene.hints();
        scene.pass(499);
        b.says(0, 1, 1);
        assertThat(scene.hints()).isEmpty();

        scene.pass(1);
        c.says(0, 1, 1);
        assertThat(scene.hinted()).containsExactly("a");
    }

    @Test
    void whoeverSpeaksCanBeHintedAtOnce() {
        a.says(0, 1, 1);
        b.says(0, 1, 1);
        a.says(1, 1, 1);
        b.says(0, 0, 1);
        a.says(1, 1, 1);
        scene.hints();
        c.says(0, 1, 1);

        assertThat(scene.hinted()).containsExactly("a");
    }

    @Test
    void whatIsGivenBackIsHintedToTheFirstInLine() {
        a.says(0, 1, 1);
        c.says(0, 1, 1);
        scene.pass(1);
        b.says(0, 1, 1);
        scene.hints();
        a.says(0, 1, 1);

        assertThat(scene.hints()).containsExactly(new Hint("c", List.of(KEY)));
    }

    @Test
    void hintsOfOneStatementComeTogether() {
        a.exchange(new Demand("g:x", 0, 1, 0, 1), new Demand("g:y", 0, 1, 0, 1));
        b.exchange(new Demand("g:x", 0, 1, 0, 1), new Demand("g:y", 0, 1, 0, 1));

        assertThat(scene.hints()).containsExactly(new Hint("a", List.of("g:x", "g:y")));
    }

    @Test
    void hintsGoWithTheNextAnswerTooOnce() {
        a.says(0, 1, 1);
        b.says(0, 1, 1);

        assertThat(a.exchange().hints()).containsExactly(KEY);
        assertThat(a.exchange().hints()).isEmpty();
    }

    @Test
    void whatAStatementNamesIsNotHintedByItsAnswer() {
        a.exchange(new Demand("g:x", 0, 1, 0, 1), new Demand("g:y", 0, 1, 0, 1));
        b.exchange(new Demand("g:x", 0, 1, 0, 1), new Demand("g:y", 0, 1, 0, 1));

        assertThat(a.exchange(new Demand("g:x", 1, 1, 0, 1)).hints()).containsExactly("g:y");
        assertThat(a.exchange().hints()).isEmpty();
    }

    @Test
    void atMostAHundredHintsAreKept() {
        for (int i = 0; i < 101; i++) {
            a.exchange(new Demand("g:" + i, 0, 1, 0, 1));
        }
        for (int i = 0; i < 101; i++) {
            b.exchange(new Demand("g:" + i, 0, 1, 0, 1));
        }

        assertThat(scene.hints()).hasSize(101);
        assertThat(a.exchange().hints()).hasSize(100).contains("g:0", "g:99");
    }

    @Test
    void aStaleStatementTakesNoHints() {
        Statement said = a.statement(Kind.EXCHANGE, StoreNode.demand(0, 1, 1));
        a.send(said);
        b.says(0, 1, 1);
        a.lose(said);

        assertThat(a.exchange().hints()).containsExactly(KEY);
    }

    @Test
    void whoeverIsThereIsToldWhenASessionIsReaped() {
        a.says(0, 1, 1);
        scene.live(14_999, b, c);
        scene.hints();
        scene.pass(1);
        assertThat(b.exchange().hints()).isEmpty();

        assertThat(b.heartbeat().hints()).containsExactly(Hint.UNMET);
        assertThat(scene.hints()).containsExactly(new Hint("c", List.of(Hint.UNMET)));
        assertThat(c.exchange().hints()).containsExactly(Hint.UNMET);
        assertThat(b.heartbeat().hints()).isEmpty();
    }

    @Test
    void whoeverIsThereIsToldWhenASessionIsClosed() {
        b.says(0, 1, 1);
        a.close();

        assertThat(scene.hinted()).containsExactlyInAnyOrder("b", "c");
    }

    @Test
    void theHintsOfASessionGoWithIt() {
        StoreNode late = scene.node("d");
        Statement open = late.statement(Kind.OPEN);
        late.send(open);
        late.says(0, 1, 1);
        b.says(0, 1, 1);
        scene.live(15_000, b);

        assertThat(late.lose(open).hints()).isEmpty();
    }

    @Test
    void whoHasTheWholeLimitLacksNothingWhateverHeWants() {
        a.says(1, 1, 20);
        scene.pass(600);
        b.says(20, 30, 20);

        assertThat(scene.hints()).isEmpty();
    }

    /** Ten nodes, all of which want more than there is for them: nothing moves, so nobody needs to speak. */
    @Test
    void nodesThatHaveTheirSharesAskEachOtherTwiceASecondAtMost() {
        StoreNode[] nodes = new StoreNode[10];
        for (int i = 0; i < 10; i++) {
            nodes[i] = scene.opened("n" + i);
            nodes[i].says(10, 20, 100);
        }
        scene.pass(1);
        for (StoreNode node : nodes) {
            node.says(10, 20, 100);
        }
        scene.hints();
        int hints = 0;
        for (int i = 0; i < 100; i++) {
            scene.pass(10);
            nodes[i % 10].says(10, 20, 100);
            List<String> hinted = scene.hinted();
            for (StoreNode node : nodes) {
                if (hinted.contains(node.session())) {
                    node.says(10, 20, 100);
                }
            }
            hints += hinted.size();
        }

        assertThat(hints).isLessThanOrEqualTo(20);
    }
}
