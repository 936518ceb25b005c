package io.github.kobe.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a store shows people. */
abstract class LookCases {

    private final StoreScene scene;

    LookCases(StoreScene.Maker maker) {
        scene = maker.thatKnows();
    }

    @Test
    void showsWhoHasAndWantsHowMuch() {
        StoreNode b = scene.opened("b");
        StoreNode a = scene.opened("a");
        scene.opened("c");
        b.says(0, 3, 4);
        scene.pass(700);
        a.says(0, 2, 4);

        assertThat(scene.look("g:a"))
                .containsExactly(
                        new NodeShare("a", "node-a", 1, 2, Duration.ZERO),
                        new NodeShare("b", "node-b", 3, 3, Duration.ofMillis(700)));
        assertThat(scene.look("g:other")).isEmpty();
    }

    @Test
    void showsAllNodesWithTheSumsOfWhatTheyHave() {
        StoreNode a = scene.opened("a");
        scene.opened("b");
        a.exchange(new Demand("g:x", 0, 2, 0, 4), new Demand("g:y", 0, 3, 0, 1));

        assertThat(scene.look(null))
                .containsExactly(
                        new NodeShare("a", "node-a", 3, 5, Duration.ZERO),
                        new NodeShare("b", "node-b", 0, 0, Duration.ZERO));
    }

    @Test
    void showsSumsAboveTheLargestNumberAsThat() {
        StoreNode a = scene.opened("a");
        int most = Integer.MAX_VALUE;
        a.exchange(new Demand("g:x", most, most, 0, 4), new Demand("g:y", 3, most, 0, 1));

        assertThat(scene.look(null)).containsExactly(new NodeShare("a", "node-a", most, most, Duration.ZERO));
    }

    @Test
    void showsNobodyWhoIsOverOrHasAndWantsNothing() {
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");
        a.says(0, 1, 4);
        b.says(0, 1, 4);
        b.says(0, 0, 4);
        assertThat(scene.look("g:a")).extracting(NodeShare::session).containsExactly("a");

        scene.live(15_000, b);
        assertThat(scene.look("g:a")).isEmpty();
        assertThat(scene.look(null)).extracting(NodeShare::session).containsExactly("b");
    }

    @Test
    void showsNobodyBeforeTheFirstStatement() {
        assertThat(scene.look(null)).isEmpty();
    }
}
