package io.github.kobe.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.cluster.Statement.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a node and a store say to each other is checked where it is made. */
class ClusterRecordsTests {

    private static final Demand DEMAND = new Demand("g:a", 1, 2, 3, 4);
    private static final Duration LEASE = Duration.ofSeconds(15);

    private static void assertRefused(String message, ThrowingCallable making) {
        assertThatThrownBy(making).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    private static Statement statement(String session, long epoch, long sequence, long after) {
        return new Statement(
                Kind.OPEN, session, epoch, sequence, after, Duration.ZERO, "node", LEASE, 1, false, List.of());
    }

    private static Statement statement(Duration quiet, String node, Duration lease, int form) {
        return new Statement(Kind.EXCHANGE, "s", 0, 1, 0, quiet, node, lease, form, false, List.of());
    }

    private static Statement statement(Kind kind, List<Demand> demands) {
        return new Statement(kind, "s", 0, 1, 0, Duration.ZERO, "node", LEASE, 1, true, demands);
    }

    @Test
    void aSessionIsLettersAndDigits() {
        assertThat(statement("aZ09", 0, 1, 0).session()).isEqualTo("aZ09");
        assertThat(statement("x".repeat(32), 0, 1, 0).session()).hasSize(32);
        assertRefused("session must be 1 to 32 letters and digits, was ''", () -> statement("", 0, 1, 0));
        assertRefused("session must be 1 to 32 letters and digits, was 'a b'", () -> statement("a b", 0, 1, 0));
        assertRefused("session must be 1 to 32 letters and digits, was 'é'", () -> statement("é", 0, 1, 0));
        assertRefused(
                "session must be 1 to 32 letters and digits, was '" + "x".repeat(33) + "'",
                () -> statement("x".repeat(33), 0, 1, 0));
        assertThatThrownBy(() -> new Hint("a:b", List.of("g:a"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new NodeShare("", "node", 0, 0, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void epochsAndSequencesAreExactInDoubles() {
        long most = 9_007_199_254_740_991L;
        assertThat(statement("s", most, most, most - 1).after()).isEqualTo(most - 1);
        assertRefused("epoch must be 0 to " + most + ", was -1", () -> statement("s", -1, 1, 0));
        assertRefused("epoch must be 0 to " + most + ", was " + (most + 1), () -> statement("s", most + 1, 1, 0));
        assertRefused("sequence must be 1 to " + most + ", was 0", () -> statement("s", 0, 0, 0));
        assertRefused("sequence must be 1 to " + most + ", was " + (most + 1), () -> statement("s", 0, most + 1, 0));
    }

    @Test
    void whatAStatementComesAfterIsBeforeIt() {
        assertRefused("after must be 0 to 4, was 5", () -> statement("s", 0, 5, 5));
        assertRefused("after must be 0 to 4, was -1", () -> statement("s", 0, 5, -1));
    }

    @Test
    void aStatementSaysForHowLongItWasQuietAndWhoSpeaks() {
        assertThat(statement(Duration.ZERO, "n".repeat(255), LEASE, 1).node()).hasSize(255);
        assertRefused("quiet must be zero or more, was PT-1S", () -> statement(Duration.ofSeconds(-1), "n", LEASE, 1));
        assertRefused(
                "node must be a text of 1 to 255 characters, was ' '", () -> statement(Duration.ZERO, " ", LEASE, 1));
        assertThatThrownBy(() -> statement(Duration.ZERO, "n".repeat(256), LEASE, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertRefused("form must be at least 1, was 0", () -> statement(Duration.ZERO, "n", LEASE, 0));
    }

    @Test
    void aLeaseIsFiveToSixtySeconds() {
        assertThat(statement(Duration.ZERO, "n", Duration.ofSeconds(5), 1).lease())
                .isEqualTo(Duration.ofSeconds(5));
        assertThat(statement(Duration.ZERO, "n", Duration.ofSeconds(60), 1).lease())
                .isEqualTo(Duration.ofSeconds(60));
        assertRefused(
                "lease must be PT5S to PT1M, was PT4.999S",
                () -> statement(Duration.ZERO, "n", Duration.ofMillis(4_999), 1));
        assertRefused(
                "lease must be PT5S to PT1M, was PT1M0.001S",
                () -> statement(Duration.ZERO, "n", Duration.ofMillis(60_001), 1));
    }

    @Test
    void onlyAnExchangeHasDemandsAndOneForEachResource() {
        assertThat(statement(Kind.EXCHANGE, List.of(DEMAND)).demands()).containsExactly(DEMAND);
        assertRefused("demands must be empty for OPEN, was 1 of them", () -> statement(Kind.OPEN, List.of(DEMAND)));
        assertRefused("demands must be empty for CLOSE, was 1 of them", () -> statement(Kind.CLOSE, List.of(DEMAND)));
        assertRefused(
                "demands must be each for another resource, was twice for 'g:a'",
                () -> statement(Kind.EXCHANGE, List.of(DEMAND, DEMAND)));
    }

    @Test
    void aStatementHasAHundredDemandsAtMost() {
        List<Demand> many = IntStream.range(0, 101)
                .mapToObj(i -> new Demand("g:" + i, 0, 1, 0, 1))
                .toList();
        assertThat(statement(Kind.EXCHANGE, many.subList(0, 100)).demands()).hasSize(100);
        assertRefused("demands must be at most 100, was 101 of them", () -> statement(Kind.EXCHANGE, many));
    }

    @Test
    void aDemandIsForAGroupAndNotNegative() {
        assertRefused("resource must be 'g:' and the key of a group, was 'a'", () -> new Demand("a", 0, 0, 0, 1));
        assertRefused("resource must be 'g:' and the key of a group, was 'g:'", () -> new Demand("g:", 0, 0, 0, 1));
        assertRefused("resource must be 'g:' and the key of a group, was 'x_y'", () -> new Demand("x\ny", 0, 0, 0, 1));
        assertRefused("has must be at least 0, was -1", () -> new Demand("g:a", -1, 0, 0, 1));
        assertRefused("want must be at least 0, was -1", () -> new Demand("g:a", 0, -1, 0, 1));
        assertRefused("spare must be at least 0, was -1", () -> new Demand("g:a", 0, 0, -1, 1));
        assertRefused("limit must be at least 1, was 0", () -> new Demand("g:a", 0, 0, 0, 0));
    }

    @Test
    void aGrantIsNotNegativeAndNoMoreIsKeptThanIsCounted() {
        assertRefused("counted must be at least 0, was -1", () -> new Grant(-1, 0, Duration.ZERO, 1));
        assertRefused("keep must be 0 to 2, was 3", () -> new Grant(2, 3, Duration.ZERO, 1));
        assertRefused("keep must be 0 to 2, was -1", () -> new Grant(2, -1, Duration.ZERO, 1));
        assertRefused("turn must be zero or more, was PT-1S", () -> new Grant(2, 1, Duration.ofSeconds(-1), 1));
        assertRefused("limit must be at least 1, was 0", () -> new Grant(2, 1, Duration.ZERO, 0));
    }

    @Test
    void onlyAnAnswerThatIsOkHasGrantsAndOnlyARefusalAReason() {
        Grant grant = new Grant(0, 0, Duration.ZERO, 1);
        assertRefused(
                "grants and hints must be empty for GONE, was 1 and 0 of them",
                () -> new Answer(Answer.Kind.GONE, 0, Duration.ZERO, 0, List.of(grant), List.of(), null));
        assertRefused(
                "grants and hints must be empty for STALE, was 0 and 1 of them",
                () -> new Answer(Answer.Kind.STALE, 0, Duration.ZERO, 0, List.of(), List.of("g:a"), null));
        assertRefused(
                "reason must be given for REFUSED alone, was null for REFUSED",
                () -> new Answer(Answer.Kind.REFUSED, 0, Duration.ZERO, 0, List.of(), List.of(), null));
        assertRefused(
                "reason must be given for REFUSED alone, was why for OK",
                () -> new Answer(Answer.Kind.OK, 0, Duration.ZERO, 0, List.of(), List.of(), "why"));
    }

    @Test
    void theNumbersOfAnAnswerAreNotNegative() {
        assertRefused("epoch must be 0 to " + Long.MAX_VALUE + ", was -1", () -> ok(-1, Duration.ZERO, 0));
        assertRefused("learning must be zero or more, was PT-1S", () -> ok(0, Duration.ofSeconds(-1), 0));
        assertRefused("nodes must be at least 0, was -1", () -> ok(0, Duration.ZERO, -1));
    }

    private static Answer ok(long epoch, Duration learning, int nodes) {
        return new Answer(Answer.Kind.OK, epoch, learning, nodes, List.of(), List.of(), null);
    }

    @Test
    void aHintIsAtGroupsOrAtAllThatIsUnmet() {
        assertThat(new Hint("s", List.of("g:a", Hint.UNMET)).resources()).containsExactly("g:a", "*");
        assertRefused("resources must be one at least, was empty", () -> new Hint("s", List.of()));
        assertRefused("resource must be 'g:' and the key of a group, was 'a'", () -> new Hint("s", List.of("a")));
    }

    @Test
    void whatANodeHasAndWantsIsNotNegative() {
        assertRefused("has must be at least 0, was -1", () -> new NodeShare("s", "n", -1, 0, Duration.ZERO));
        assertRefused("wants must be at least 0, was -1", () -> new NodeShare("s", "n", 0, -1, Duration.ZERO));
        assertRefused(
                "silentFor must be zero or more, was PT-1S",
                () -> new NodeShare("s", "n", 0, 0, Duration.ofSeconds(-1)));
    }

    @Test
    void whatIsSaidDoesNotChangeAfterwards() {
        List<Demand> demands = new ArrayList<>(List.of(DEMAND));
        Statement statement = statement(Kind.EXCHANGE, demands);
        demands.clear();

        assertThat(statement.demands()).containsExactly(DEMAND);
    }

    @Test
    void nullIsNamed() {
        assertThatThrownBy(() -> statement((Kind) null, List.of()))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("kind");
        assertThatThrownBy(() -> statement((Duration) null, "n", LEASE, 1))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("quiet");
    }
}
