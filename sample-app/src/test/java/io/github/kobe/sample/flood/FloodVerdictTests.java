package io.github.kobe.sample.flood;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is said of a flood has to be so for nearly all reports of the neighbours, and not only for half of them. */
class FloodVerdictTests {

    private static final int REPORTS = 20;
    private static final int OK = 201;
    private static final int REFUSED = 429;

    /** {@return what two neighbours were answered: most reports after 300 ms, the slow ones of each after another time} */
    private static List<Answers> answers(int slow, int slowMillis) {
        return List.of(neighbour("hooli", slow, slowMillis), neighbour("initech", slow, slowMillis));
    }

    private static Answers neighbour(String tenant, int slow, int slowMillis) {
        Answers answers = new Answers(tenant);
        IntStream.range(0, REPORTS).forEach(i -> add(answers, i < slow ? slowMillis : 300, OK));
        return answers;
    }

    private static void add(Answers answers, int millis, int status) {
        answers.add(new Answers.Answer(0, Duration.ofMillis(millis).toNanos(), status));
    }

    private static String sentence(List<Answers> flooded) {
        return Flood.sentence(answers(0, 0), flooded);
    }

    @Test
    void neighboursOfWhomNearlyAllReportsAreAsFastNoticeNothing() {
        assertThat(sentence(answers(1, 4_000)))
                .isEqualTo(
                        "The neighbours noticed nothing: a report took them 0.30 s before, 0.30 s in the flood, and 95"
                                + " of 100 of the slowest neighbour's took at most 0.30 s before, 0.30 s in the flood."
                                + " acme was kept to its limits, and told so.");
    }

    @Test
    void ifSomeReportsOfOneNeighbourAreSlowItIsTold() {
        assertThat(sentence(List.of(neighbour("hooli", 0, 0), neighbour("initech", 2, 1_500))))
                .isEqualTo("Some reports of the neighbours were slower: a report took them 0.30 s before, 0.30 s in the"
                        + " flood, and 95 of 100 of the slowest neighbour's took at most 0.30 s before, 1.50 s in the"
                        + " flood. acme was kept to its limits, and told so.");
    }

    @Test
    void ifAllReportsAreALittleSlowerItIsTold() {
        assertThat(sentence(answers(REPORTS, 500))).startsWith("Some reports of the neighbours were slower: ");
    }

    @Test
    void ifReportsTakeTwiceAsLongTheNeighboursStarve() {
        assertThat(sentence(answers(REPORTS, 600)))
                .startsWith("The neighbours starved: a report took them 0.30 s before, 0.60 s in the flood")
                .endsWith("in the flood. acme had nearly all of the partner for itself.");
    }

    @Test
    void ifReportsAreRefusedOrNeverAnsweredTheNeighboursStarveHoweverFastTheRestIs() {
        Answers refused = neighbour("hooli", 0, 0);
        add(refused, 1, REFUSED);
        add(refused, 20_000, Answers.NOTHING);

        assertThat(sentence(List.of(refused)))
                .startsWith("The neighbours starved: ")
                .contains(". 2 never came. acme");
    }
}
