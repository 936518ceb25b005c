package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Grant;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.cluster.Statement;
import io.github.kobe.cluster.Statement.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WireTests {

    private static final Statement TWO_DEMANDS =
            statement(Duration.ofMillis(1_500), new Demand("g:a", 1, 2, 3, 4), new Demand("g:b", 5, 6, 7, 8));

    private static Statement statement(Duration quiet, Demand... demands) {
        return new Statement(
                Kind.EXCHANGE,
                "abc",
                16777217,
                12,
                11,
                quiet,
                "node",
                Duration.ofSeconds(15),
                1,
                true,
                List.of(demands));
    }

    private static List<Object> parts(String... texts) {
        return Stream.of(texts).<Object>map(Bytes::of).toList();
    }

    private static List<String> texts(byte[][] arguments) {
        return Stream.of(arguments).map(Bytes::text).toList();
    }

    @Test
    void aStatementIsItsNumbersAndThoseOfItsDemands() {
        assertThat(texts(Wire.arguments(TWO_DEMANDS)))
                .containsExactly(
                        "EXCHANGE",
                        "abc",
                        "16777217",
                        "12",
                        "11",
                        "1500",
                        "15000",
                        "1",
                        "1",
                        "node", //
                        "g:a",
                        "1",
                        "2",
                        "3",
                        "4",
                        "g:b",
                        "5",
                        "6",
                        "7",
                        "8");
    }

    @Test
    void aTimeIsNoLongerThanTheScriptCanAddUp() {
        Statement quiet = statement(Duration.ofSeconds(Long.MAX_VALUE));

        assertThat(texts(Wire.arguments(quiet)).get(5)).isEqualTo(Long.toString(1L << 50));
    }

    @Test
    void anAnswerHasAGrantForEachDemandAndTheHintsThatWereKept() {
        Wire.Reply reply = Wire.reply(TWO_DEMANDS, parts("OK", "33554433 0 3 0", "2 1 20 4 5 5 0 8", "g:c", "*"));

        assertThat(reply.denied()).isFalse();
        assertThat(reply.answer())
                .isEqualTo(new Answer(
                        Answer.Kind.OK,
                        33554433,
                        Duration.ZERO,
                        3,
                        List.of(new Grant(2, 1, Duration.ofMillis(20), 4), new Grant(5, 5, Duration.ZERO, 8)),
                        List.of("g:c", "*"),
                        null));
    }

    @Test
    void anAnswerTellsWhetherHintsCouldNotBeSent() {
        assertThat(Wire.reply(statement(Duration.ZERO), parts("OK", "1 0 0 1", ""))
                        .denied())
                .isTrue();
    }

    @Test
    void whatIsNoOkHasNoGrants() {
        assertThat(Wire.reply(TWO_DEMANDS, parts("GONE", "1 15000 0 0")).answer())
                .isEqualTo(new Answer(Answer.Kind.GONE, 1, Duration.ofSeconds(15), 0, List.of(), List.of(), null));
        assertThat(Wire.reply(TWO_DEMANDS, parts("STALE", "1 0 0 0")).answer().kind())
                .isEqualTo(Answer.Kind.STALE);
    }

    @Test
    void aRefusalHasAReason() {
        assertThat(Wire.reply(TWO_DEMANDS, parts("REFUSED", "1 0 0 0", "form 1, cluster has 2"))
                        .answer()
                        .reason())
                .isEqualTo("form 1, cluster has 2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1 1 0", "1 1 0 1", "1 1 0 1 1 1 0 x", "1 2 0 1 1 1 0 1", "1 1 0 1 1 1 0 1 1"})
    void anAnswerThatIsNoneIsRefused(String grants) {
        assertThatThrownBy(() -> Wire.reply(TWO_DEMANDS, parts("OK", "1 0 0 0", grants)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void partsThatAreNoTextsAreRefused() {
        assertThatThrownBy(() -> Wire.reply(TWO_DEMANDS, List.of(1L)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no text: 1");
    }

    @Test
    void aPageHasWhereToGoOnAndNodes() {
        Wire.Page page = Wire.page(parts("17", "abc", "node a", "3", "3000000000", "250"));

        assertThat(page.cursor()).isEqualTo("17");
        assertThat(page.shares())
                .containsExactly(new NodeShare("abc", "node a", 3, Integer.MAX_VALUE, Duration.ofMillis(250)));
    }

    @Test
    void nothingOrOneTextHindersStatements() {
        assertThat(Wire.hindrance(List.of())).isEmpty();
        assertThat(Wire.hindrance(parts("ERR not allowed"))).contains("ERR not allowed");
    }

    @Test
    void sumsEndAtTheLargestNumber() {
        NodeShare most = new NodeShare("a", "node", Integer.MAX_VALUE, 1, Duration.ZERO);

        assertThat(Wire.sum(most, most)).isEqualTo(new NodeShare("a", "node", Integer.MAX_VALUE, 2, Duration.ZERO));
    }

    @Test
    void aHintHasResourcesWithTheirLengths() {
        assertThat(Wire.resources("3:g:a1:*6:g:4:xy".getBytes(StandardCharsets.UTF_8)))
                .containsExactly("g:a", "*", "g:4:xy");
        assertThat(Wire.resources(new byte[0])).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"g:a", "3", "3:g:", "3:g:a4", "99999999999999999999:g:a", ":", "-1:g"})
    void aHintThatCannotBeReadIsNone(String message) {
        assertThat(Wire.resources(message.getBytes(StandardCharsets.UTF_8))).isEmpty();
    }
}
