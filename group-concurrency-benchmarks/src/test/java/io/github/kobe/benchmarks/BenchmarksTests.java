package io.github.kobe.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Does every workload in its small form, with everybody who can take part; or with {@code -Dbenchmarks=all} the full
 * ones, and {@code -Dbenchmarks=B1,B8} picks some; {@code curves} and {@code jmh} are for themselves.
 */
@Tag("deep")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class BenchmarksTests {

    @TempDir
    Path folder;

    private static BenchmarksRun run;
    private static ChildProcess.Ended ended;

    /** Not within a test, whose time limit is shorter. */
    @BeforeAll
    @Timeout(value = 2, unit = TimeUnit.DAYS) // it has a limit of its own
    static void runBenchmarks() throws Exception {
        run = BenchmarksRun.asAsked(Path.of("target", "benchmarks"));
        ended = run.start();
    }

    @Test
    void theCommandWritesWhatItIsAskedFor() throws Exception {
        assertThat(ended.exitValue()).as(ended.output()).isZero();
        assertThat(Files.readString(run.result())).contains(run.ids());
    }

    @Test
    void theCurvesAreDrawn() throws Exception {
        Curves.run(folder, Size.SMALL, new Rounds(0, 1));
        assertThat(Files.readString(folder.resolve("curves.svg")))
                .contains("<polyline")
                .endsWith("</svg>\n");
        assertThat(folder.resolve("curves.csv")).isNotEmptyFile();
    }

    @Test
    void theBenchmarksOfJmhRun() throws Exception {
        Jmh.run(folder, Size.SMALL);
        assertThat(Files.readString(folder.resolve("jmh.json")))
                .contains("CallBenchmark", "PermitBenchmark", "SubmitBenchmark");
    }

    @ParameterizedTest
    @EnumSource(Entrant.class)
    void everyContestantKeepsItsLimitsAndLosesNothing(Entrant entrant) throws Exception {
        LimitCheck.of(entrant);
    }
}
