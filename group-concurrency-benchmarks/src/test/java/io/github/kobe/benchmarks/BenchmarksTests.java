package io.github.kobe.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Does every workload in its small form, with everybody who can take part; or with {@code -Dbenchmarks=all} the full
 * ones, and {@code -Dbenchmarks=B1,B8} picks some.
 */
class BenchmarksTests {

    private static BenchmarksRun run;
    private static int exitValue;

    /** Not within a test, since that would have a time limit. */
    @BeforeAll
    static void runBenchmarks() throws Exception {
        run = BenchmarksRun.asAsked(Path.of("target", "benchmarks"));
        exitValue = run.start();
    }

    @Test
    void theCommandWritesATableOfItsWorkloads() throws Exception {
        assertThat(exitValue).isZero();
        assertThat(Files.readString(run.folder().resolve("table.md"))).contains(run.ids());
        assertThat(run.folder().resolve("rounds.csv")).isNotEmptyFile();
    }

    @ParameterizedTest
    @EnumSource(Entrant.class)
    void everyContestantKeepsItsLimitsAndLosesNothing(Entrant entrant) throws Exception {
        LimitCheck.of(entrant);
    }
}
