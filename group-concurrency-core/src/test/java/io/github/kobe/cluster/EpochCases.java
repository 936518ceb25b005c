package io.github.kobe.cluster;

import static io.github.kobe.cluster.StoreNode.demand;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.cluster.Statement.Kind;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How a store notices that it has forgotten, or that another was the store, and learns. */
abstract class EpochCases {

    private static final Grant NOTHING = new Grant(0, 0, Duration.ZERO, 3);

    private final StoreScene.Maker maker;
    private final StoreScene scene;

    EpochCases(StoreScene.Maker maker) {
        this.maker = maker;
        scene = maker.thatLearns();
    }

    /** {@return a node whose epoch's learning is over} */
    private StoreNode settled(String session) {
        StoreNode node = scene.opened(session);
        scene.live(StoreScene.LEASE, node);
        assertThat(node.heartbeat().learning()).isEqualTo(Duration.ZERO);
        return node;
    }

    private static long counter(StoreNode node) {
        return StoreNode.counter(node.epoch());
    }

    @Test
    void aStoreThatKnowsNothingGrantsNothingForALease() {
        StoreNode a = scene.node("a");

        assertThat(a.open().learning()).isEqualTo(Duration.ofSeconds(15));
        scene.live(14_999, a);
        assertThat(a.heartbeat().learning()).isEqualTo(Duration.ofMillis(1));
        assertThat(a.says(0, 3, 3)).isEqualTo(NOTHING);
        scene.pass(1);
        assertThat(a.says(0, 3, 3).counted()).isEqualTo(3);
    }

    @Test
    void whatANodeHasItKeepsWhileTheStoreLearns() {
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");
        b.says(0, 1, 3);

        assertThat(a.says(3, 3, 3)).isEqualTo(new Grant(3, 3, Duration.ZERO, 3));
        assertThat(a.says(2, 3, 3)).isEqualTo(new Grant(2, 2, Duration.ZERO, 3));
        assertThat(scene.hints()).isEmpty();
    }

    @Test
    void anEpochIsACounterAndWhatTellsTwoOfTheSameApart() {
        StoreNode a = scene.opened("a");
        StoreNode b = maker.thatLearns().opened("b");

        assertThat(counter(a)).isEqualTo(1);
        assertThat(counter(b)).isEqualTo(1);
        assertThat(a.epoch()).isNotEqualTo(b.epoch());
        // printf '%s' 'run-1 replication-1 1700000000000 a 1' | sha1sum
        assertThat(a.epoch() & 0xffffff).isEqualTo(0x2e7918);
    }

    @Test
    void theStoreForgetsEverythingAndItsNodesBringTheirEpoch() {
        StoreNode a = settled("a");
        a.says(0, 3, 3);
        scene.forgetEverything();

        Answer gone = a.exchange(demand(3, 3, 3));

        assertThat(gone.kind()).isEqualTo(Answer.Kind.GONE);
        assertThat(StoreNode.counter(gone.epoch())).isEqualTo(2);
        assertThat(gone.learning()).isEqualTo(Duration.ofSeconds(15));
        assertThat(scene.opened("b").says(0, 3, 3)).isEqualTo(NOTHING);
    }

    @Test
    void anotherRunBeginsAnEpochAndLearns() {
        StoreNode a = settled("a");
        StoreNode b = scene.opened("b");
        scene.becomes("run-2", "replication-1");

        assertThat(b.says(0, 3, 3)).isEqualTo(NOTHING);
        assertThat(counter(b)).isEqualTo(2);
        a.heartbeat();
        assertThat(a.epoch()).isEqualTo(b.epoch());
    }

    @Test
    void aServerThatReturnsToAnOlderCopyWithTheSameRunLearnsByItsReplicationId() {
        StoreNode a = settled("a");
        StoreNode b = scene.opened("b");
        Object copy = scene.remembered();
        assertThat(a.says(0, 3, 3).counted()).isEqualTo(3);
        scene.goBackTo(copy);
        scene.becomes("run-1", "replication-2");

        assertThat(b.says(0, 3, 3)).isEqualTo(NOTHING);
        assertThat(counter(b)).isEqualTo(2);
    }

    @Test
    void anEarlierStateCanBeReturnedToAgain() {
        StoreNode a = settled("a");
        Object copy = scene.remembered();
        for (int i = 0; i < 2; i++) {
            assertThat(a.says(0, 3, 3).counted()).isEqualTo(3);
            scene.goBackTo(copy);
        }
        assertThat(scene.look(StoreNode.KEY)).isEmpty();
    }

    @Test
    void anEarlierStateIsWhatItWasWhateverCameLater() {
        StoreNode a = settled("a");
        StoreNode b = scene.opened("b");
        a.says(0, 1, 1);
        b.says(0, 1, 1);
        Object copy = scene.remembered();
        a.says(1, 1, 1);
        b.says(0, 0, 1);
        scene.goBackTo(copy);

        assertThat(scene.look(StoreNode.KEY)).extracting(NodeShare::wants).containsExactly(1, 1);
        assertThat(a.exchange().hints()).containsExactly(StoreNode.KEY);
    }

    @Test
    void aNodeThatHasSeenALaterEpochBeginsAnotherOne() {
        StoreNode a = settled("a");
        StoreNode b = scene.opened("b").withEpoch(7 << 24);

        b.exchange();

        assertThat(counter(b)).isEqualTo(8);
        assertThat(a.says(0, 3, 3)).isEqualTo(NOTHING);
    }

    @Test
    void aNodeThatHasSeenAnotherEpochOfTheSameCounterBeginsOne() {
        StoreNode a = settled("a");
        StoreNode b = scene.opened("b");
        b.withEpoch(b.epoch() ^ 1).exchange();

        assertThat(counter(b)).isEqualTo(2);
        assertThat(a.says(0, 3, 3)).isEqualTo(NOTHING);
    }

    @Test
    void aNodeThatHasSeenAnEarlierEpochOnlyBeginsNone() {
        StoreNode a = settled("a");
        scene.becomes("run-2", "replication-1");
        a.heartbeat();
        StoreNode b = scene.node("b").withEpoch(1 << 24);

        b.open();

        assertThat(b.epoch()).isEqualTo(a.epoch());
        assertThat(counter(b)).isEqualTo(2);
    }

    @Test
    void nobodyWasThereForTwoThirdsOfALeaseSoAnotherMayHaveBeenTheStore() {
        StoreNode a = settled("a");
        scene.pass(9_999);
        a.heartbeat();
        assertThat(counter(a)).isEqualTo(1);

        scene.pass(10_000);
        assertThat(a.says(0, 3, 3)).isEqualTo(NOTHING);
        assertThat(counter(a)).isEqualTo(2);
    }

    @Test
    void aNodeThatWasSilentForLongBeginsNoEpochIfOthersWereThere() {
        StoreNode a = settled("a");
        StoreNode b = scene.opened("b");
        b.exchange();
        scene.live(12_000, a);

        assertThat(b.exchange().kind()).isEqualTo(Answer.Kind.OK);
        assertThat(counter(b)).isEqualTo(1);
    }

    /** It may have been carried out while another server was the store. */
    @Test
    void aLateRequestProvesNothingAboutTheTimeInBetween() {
        StoreNode a = settled("a");
        Statement late = a.statement(Kind.EXCHANGE);
        scene.pass(6_000);
        a.lose(late);
        scene.pass(6_000);

        assertThat(counter(scene.opened("b"))).isEqualTo(2);
    }

    @Test
    void aNodeThatWasAnsweredProvesItByItsNextStatement() {
        StoreNode a = settled("a");
        StoreNode b = scene.opened("b");
        b.exchange();
        scene.pass(6_000);
        a.exchange();
        scene.pass(100);
        a.exchange();
        scene.pass(5_900);

        b.exchange();
        assertThat(counter(b)).isEqualTo(1);
    }

    /** A to B and back to A without a word between them; the first to come is one who never saw B. */
    @Test
    void aNodeShowsByItsOwnClockThatAnotherWasTheStoreThoughThisOnesWasSetBack() {
        StoreNode a = settled("a");
        StoreNode b = scene.opened("b");
        b.exchange();
        Object first = scene.remembered();
        scene.forgetEverything();
        StoreNode there = scene.opened("c");
        scene.live(12_000, there);
        scene.goBackTo(first);
        scene.setClock(-11_000);

        assertThat(b.says(0, 3, 3)).isEqualTo(NOTHING);
        assertThat(counter(b)).isEqualTo(2);
        assertThat(a.heartbeat().learning()).isPositive();
    }

    @Test
    void aClockThatWasSetBackShowsTheNextGap() {
        StoreNode a = settled("a");
        scene.setClock(-3_600_000);
        a.exchange();
        scene.pass(12_000);

        assertThat(counter(scene.opened("b"))).isEqualTo(2);
    }

    @Test
    void aDoubledStatementShowsNothingByItsOwnClock() {
        StoreNode a = settled("a");
        scene.pass(10_000);
        Statement said = a.statement(Kind.EXCHANGE);
        a.send(said);
        a.exchange();

        assertThat(counter(a)).isEqualTo(2);
        assertThat(a.lose(said).epoch()).isEqualTo(a.epoch());
    }

    @Test
    void anotherEpochBeginsTheTimeOfLearningAnew() {
        StoreNode a = scene.opened("a");
        scene.live(14_000, a);
        scene.becomes("run-2", "replication-1");
        a.heartbeat();
        scene.live(14_000, a);

        assertThat(a.says(0, 3, 3)).isEqualTo(NOTHING);
    }
}
