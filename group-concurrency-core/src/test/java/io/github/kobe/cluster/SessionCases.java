package io.github.kobe.cluster;

import static io.github.kobe.cluster.StoreNode.demand;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.cluster.Statement.Kind;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Sessions, sequences and leases of a store. */
abstract class SessionCases {

    private final StoreScene scene;

    SessionCases(StoreScene.Maker maker) {
        scene = maker.thatKnows();
    }

    @Test
    void anOpenedSessionIsGrantedWhatItWants() {
        StoreNode node = scene.opened("a");

        assertThat(node.says(0, 3, 5)).isEqualTo(new Grant(3, 3, Duration.ZERO, 5));
    }

    @Test
    void whatIsGrantedIsWithinTheLimit() {
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");

        assertThat(a.says(0, 3, 5).counted()).isEqualTo(3);
        assertThat(b.says(0, 3, 5).counted()).isEqualTo(2);
    }

    @Test
    void whatANodeSaysItHasIsTrueEvenAboveTheLimit() {
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");

        assertThat(a.says(7, 7, 5)).isEqualTo(new Grant(7, 5, Duration.ZERO, 5));
        assertThat(b.says(0, 1, 5).counted()).isZero();
    }

    @Test
    void anAnswerThatWasLostIsMadeGoodByTheNextStatement() {
        StoreNode a = scene.opened("a");
        a.lose(a.statement(Kind.EXCHANGE, demand(0, 3, 5)));

        assertThat(a.says(0, 3, 5).counted()).isEqualTo(3);
    }

    @Test
    void noOtherSessionLivesThanThoseThatWereOpened() {
        Answer answer = scene.node("a").exchange(demand(0, 1, 5));

        assertThat(answer.kind()).isEqualTo(Answer.Kind.GONE);
        assertThat(answer.grants()).isEmpty();
    }

    @Test
    void anEqualOrLowerSequenceChangesNothing() {
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");
        Statement first = a.statement(Kind.EXCHANGE, demand(0, 1, 5));
        Statement second = a.statement(Kind.EXCHANGE, demand(4, 4, 5));
        a.send(second);

        assertThat(a.lose(first).kind()).isEqualTo(Answer.Kind.STALE);
        assertThat(a.lose(second).kind()).isEqualTo(Answer.Kind.STALE);
        assertThat(b.says(0, 5, 5).counted()).isEqualTo(1);
    }

    @Test
    void aDoubledOpenOfALivingSessionChangesNothing() {
        StoreNode a = scene.node("a");
        Statement open = a.statement(Kind.OPEN);
        a.send(open);
        a.says(0, 4, 5);

        assertThat(a.lose(open).kind()).isEqualTo(Answer.Kind.STALE);
        assertThat(scene.opened("b").says(0, 5, 5).counted()).isEqualTo(1);
        assertThat(a.says(4, 5, 5).counted()).isEqualTo(4);
    }

    @Test
    void anOpenWhoseAnswerWasLostCanBeMadeAgain() {
        StoreNode a = scene.node("a");
        a.lose(a.statement(Kind.OPEN));

        assertThat(a.open().kind()).isEqualTo(Answer.Kind.OK);
        assertThat(a.says(0, 1, 5).counted()).isEqualTo(1);
    }

    @Test
    void aLateOpenHoldsNoCapacity() {
        StoreNode a = scene.node("a");
        Statement open = a.statement(Kind.OPEN);
        a.send(open);
        a.says(0, 5, 5);
        a.close();

        assertThat(a.lose(open).kind()).isEqualTo(Answer.Kind.OK);
        assertThat(scene.opened("b").says(0, 5, 5).counted()).isEqualTo(5);
    }

    @Test
    void aSessionThatIsSilentForALeaseIsOverAndNeverLivesAgain() {
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");
        a.says(0, 5, 5);
        scene.live(14_999, b);

        assertThat(b.says(0, 5, 5).counted()).isZero();
        scene.pass(1);
        assertThat(b.says(0, 5, 5).counted()).isEqualTo(5);
        assertThat(a.lose(a.statement(Kind.EXCHANGE, demand(5, 5, 5))).kind()).isEqualTo(Answer.Kind.GONE);
        assertThat(a.lose(a.statement(Kind.OPEN)).kind()).isEqualTo(Answer.Kind.GONE);
    }

    @Test
    void everyExchangeRenewsTheSession() {
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");
        a.says(0, 5, 5);
        scene.live(14_000, b);
        a.exchange();
        scene.live(14_999, b);

        assertThat(b.says(0, 5, 5).counted()).isZero();
    }

    @Test
    void aStaleStatementDoesNotRenewTheSession() {
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");
        Statement said = a.statement(Kind.EXCHANGE, demand(0, 5, 5));
        a.send(said);
        scene.live(14_000, b);
        a.lose(said);
        scene.live(1_000, b);

        assertThat(b.says(0, 5, 5).counted()).isEqualTo(5);
    }

    @Test
    void aRequestThatIsCarriedOutLateChangesNothing() {
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");
        Statement late = a.statement(Kind.EXCHANGE, demand(0, 5, 5));
        scene.live(30_000, b);

        assertThat(a.lose(late).kind()).isEqualTo(Answer.Kind.GONE);
        assertThat(b.says(0, 5, 5).counted()).isEqualTo(5);
    }

    @Test
    void aReapedSessionLeavesNothingForAGhostOfIt() {
        StoreNode a = scene.node("a");
        Statement open = a.statement(Kind.OPEN);
        StoreNode b = scene.opened("b");
        a.send(open);
        a.says(0, 5, 5);
        scene.live(16_500, b);

        assertThat(a.lose(open).kind()).isEqualTo(Answer.Kind.OK);
        assertThat(b.says(0, 5, 5).counted()).isEqualTo(5);
    }

    @Test
    void aClosedSessionHasNothingAnyMore() {
        StoreNode a = scene.opened("a");
        a.says(0, 5, 5);

        assertThat(a.close().kind()).isEqualTo(Answer.Kind.OK);
        assertThat(scene.opened("b").says(0, 5, 5).counted()).isEqualTo(5);
        assertThat(a.close().kind()).isEqualTo(Answer.Kind.GONE);
    }

    @Test
    void aStaleCloseClosesNothing() {
        StoreNode a = scene.opened("a");
        Statement close = a.statement(Kind.CLOSE);
        a.says(0, 5, 5);

        assertThat(a.lose(close).kind()).isEqualTo(Answer.Kind.STALE);
        assertThat(scene.opened("b").says(0, 5, 5).counted()).isZero();
    }

    @Test
    void anotherLeaseThanThatOfTheOthersIsRefused() {
        scene.opened("a");
        StoreNode other = scene.node("b").withLease(5_000);

        Answer answer = other.open();

        assertThat(answer.kind()).isEqualTo(Answer.Kind.REFUSED);
        assertThat(answer.reason()).isEqualTo("lease 5s, cluster has 15s");
        assertThat(other.exchange(demand(0, 1, 5)).kind()).isEqualTo(Answer.Kind.REFUSED);
        assertThat(scene.look(null)).hasSize(1);
    }

    @Test
    void anotherLeaseIsInForceOnceNobodyLivesWhoHasTheOldOne() {
        StoreNode old = scene.opened("a");
        StoreNode other = scene.node("b").withLease(5_500);
        for (int i = 0; i < 7; i++) {
            scene.pass(2_000);
            assertThat(other.open().reason()).isEqualTo("lease 5500ms, cluster has 15s");
        }
        scene.pass(1_000);

        assertThat(other.open().kind()).isEqualTo(Answer.Kind.OK);
        assertThat(old.exchange().reason()).isEqualTo("lease 15s, cluster has 5500ms");
    }

    @Test
    void anotherLeaseBeginsAnEpoch() {
        StoreNode old = scene.opened("a");
        old.close();
        StoreNode other = scene.node("b").withLease(5_000);

        assertThat(other.open().kind()).isEqualTo(Answer.Kind.OK);
        assertThat(StoreNode.counter(other.epoch())).isEqualTo(StoreNode.counter(old.epoch()) + 1);
    }

    @Test
    void anOlderFormIsRefusedAndChangesNothing() {
        StoreNode old = scene.opened("a");
        old.says(0, 1, 5);
        scene.node("b").withForm(2).open();
        scene.pass(2_000);
        long log = scene.log();

        Answer answer = old.exchange(demand(0, 1, 5));

        assertThat(answer.kind()).isEqualTo(Answer.Kind.REFUSED);
        assertThat(answer.reason()).isEqualTo("form 1, cluster has 2");
        assertThat(scene.log()).isEqualTo(log);
    }

    @Test
    void aNewerFormThatIsRefusedForItsLeaseChangesNothing() {
        StoreNode old = scene.opened("a");
        old.says(0, 1, 5);

        assertThat(scene.node("b").withForm(2).withLease(5_000).open().reason()).isEqualTo("lease 5s, cluster has 15s");
        assertThat(old.says(1, 2, 5).counted()).isEqualTo(2);
    }

    @Test
    void theSmallestLimitOfThoseWhoHaveOrWantSomeIsInForce() {
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");
        a.says(0, 1, 20);

        assertThat(b.says(0, 30, 30).limit()).isEqualTo(20);
        assertThat(scene.opened("c").says(0, 0, 10).limit()).isEqualTo(20);
        assertThat(a.says(0, 0, 20).limit()).isEqualTo(30);
        assertThat(b.says(19, 30, 30)).isEqualTo(new Grant(30, 30, Duration.ZERO, 30));
        assertThat(a.says(0, 1, 20)).isEqualTo(new Grant(0, 0, Duration.ZERO, 20));
    }

    @Test
    void whoAsksForNothingIsToldItsOwnLimitIfNobodyHasAny() {
        assertThat(scene.opened("a").says(0, 0, 7).limit()).isEqualTo(7);
    }

    @Test
    void resourcesHaveNothingToDoWithEachOther() {
        StoreNode a = scene.opened("a");

        Answer answer = a.exchange(new Demand("g:x", 0, 2, 0, 2), new Demand("g:y", 0, 3, 0, 4));

        assertThat(answer.grants()).extracting(Grant::counted).containsExactly(2, 3);
        assertThat(answer.grants()).extracting(Grant::limit).containsExactly(2, 4);
    }

    @Test
    void heartbeatsCountTheNodes() {
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");

        assertThat(a.exchange().nodes()).isZero();
        assertThat(a.heartbeat().nodes()).isEqualTo(2);
        b.close();
        assertThat(a.heartbeat().nodes()).isEqualTo(1);
    }
}
