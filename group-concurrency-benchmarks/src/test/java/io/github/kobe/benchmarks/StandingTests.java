package io.github.kobe.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class StandingTests {

    private static final Workload TO_RAW =
            new Pipelined("B0", "a workload", Goal.atLeast(0.9, Entrant.RAW), 1, 1, 1, 10, Trait.LIMITS);

    @Test
    void theScoreIsTheMiddleOfTheRatiosOfEachRound() {
        Standing standing = new Standing(
                TO_RAW, Map.of(Entrant.OURS, new double[] {10, 60, 300}, Entrant.RAW, new double[] {20, 30, 100}));
        assertThat(standing.score(Entrant.OURS)).contains(new Spread(1.25, 2, 2.5));
    }

    @Test
    void aRoundThatOneDidNotTakePartInIsLeftOut() {
        Standing standing = new Standing(
                TO_RAW,
                Map.of(Entrant.OURS, new double[] {10, 60, Double.NaN}, Entrant.RAW, new double[] {20, 30, 100}));
        assertThat(standing.score(Entrant.OURS)).contains(new Spread(0.875, 1.25, 1.625));
        assertThat(standing.fewestRounds()).isEqualTo(2);
    }

    @Test
    void theGoalIsMetByTheMiddle() {
        assertThat(new Standing(TO_RAW, Map.of(Entrant.OURS, new double[] {9}, Entrant.RAW, new double[] {10})).isMet())
                .contains(true);
        assertThat(new Standing(TO_RAW, Map.of(Entrant.OURS, new double[] {8}, Entrant.RAW, new double[] {10})).isMet())
                .contains(false);
    }

    @Test
    void theReportSaysWhyWhoIsNotThere() {
        Report report = new Report();
        report.add(new Standing(
                TO_RAW, Map.of(Entrant.OURS, new double[] {900, 800}, Entrant.RAW, new double[] {1000, 1000})));
        assertThat(report.text())
                .contains("| B0 | a workload | ≥ 0.90 × raw virtual threads | **no** | 0.85 (0.83–0.88) | 1 | –")
                .contains("- B0 –: no limit per group (raw virtual threads)");
    }

    @Test
    void anOptionStandsBesideWhatItIsMeasuredAgainst() {
        Report report = new Report();
        report.add(new Standing(
                new Option("O0", TO_RAW, Entrant.LEASED_QUICK_START, Goal.atMost(1.1, Entrant.QUICK_START)),
                Map.of(Entrant.QUICK_START, new double[] {200}, Entrant.LEASED_QUICK_START, new double[] {210})));
        assertThat(report.text()).contains("| yes | 1.05 | 210 | 200 | tasks/ms |");
    }

    @Test
    void scopesHaveATableOfTheirOwn() {
        Report report = new Report();
        report.add(new Standing(
                SmallScopes.ofTenForks(1),
                Map.of(Entrant.SCOPE, new double[] {60}, Entrant.JDK_SCOPE, new double[] {80})));
        assertThat(report.text())
                .contains("| goal | met | a scope | the JDK's scope | raw virtual threads | submit + await |")
                .contains("| ≥ 0.75 × the JDK's scope | yes | 0.75 | 1 | – | – | – |");
    }

    @Test
    void withoutTheJdksScopeTheGoalIsOpenAndTheReportSaysWhoIsMissing() {
        Report report = new Report();
        report.add(new Standing(
                SmallScopes.empty(1), Map.of(Entrant.SCOPE, new double[] {500}))); // this JVM runs no preview
        assertThat(report.text())
                .contains("| ≤ 2.00 × the JDK's scope | – | – | – |")
                .contains("- C4 –: its preview is that of JDK 25 alone (the JDK's scope)");
    }
}
