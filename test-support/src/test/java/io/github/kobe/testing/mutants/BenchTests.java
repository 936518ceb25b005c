package io.github.kobe.testing.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.mutants.NamedTests.Ending;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bench itself: what it makes of the end of a mutant's test. */
@Tag("deep") // each starts a virtual machine
class BenchTests {

    /** Long enough for a virtual machine to get to its test. */
    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    private Path module;

    @TempDir
    private Path output;

    /** What the bench runs: how it ends is the mutant's choice. */
    static class Samples {
        @Test
        void test() throws Exception {
            end();
        }

        private static void end() throws Exception {
            Object sample = Class.forName("io.github.kobe.testing.mutants.Sample")
                    .getDeclaredConstructor()
                    .newInstance();
            switch (Ending.valueOf(sample.toString())) {
                case RED -> throw new AssertionError("as meant");
                case BROKEN -> throw new IllegalStateException("as meant");
                case HUNG -> new CountDownLatch(1).await();
                default -> {}
            }
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void cases(int number) throws Exception {
            if (number == 2) {
                new CountDownLatch(1).await();
            }
            end();
        }
    }

    @BeforeEach
    void writeTheSource() throws Exception {
        Path source = module.resolve("src/main/java/io/github/kobe/testing/mutants/Sample.java");
        Files.createDirectories(source.getParent());
        Files.writeString(source, """
            package io.github.kobe.testing.mutants;

            class Sample {
                @Override
                public String toString() {
                    return "GREEN";
                }
            }
            """);
    }

    private static Mutant mutantThatEnds(String ending) {
        return mutantThatEnds(ending, "test");
    }

    private static Mutant mutantThatEnds(String ending, String test) {
        return new Mutant(
                "X1",
                "it ends " + ending,
                "testing.mutants.BenchTests$Samples#" + test,
                "testing/mutants/Sample.java",
                List.of(),
                "return \"GREEN\";",
                "return \"" + ending + "\";");
    }

    private Bench bench(Duration hangs) {
        return new Bench(module, output, hangs);
    }

    @Test
    void aMutantUnderWhichAnAssertionFailsIsNoticed() throws Exception {
        Mutant mutant = mutantThatEnds("RED");
        bench(Bench.HANGS).requireGreen(List.of(mutant));

        assertThat(bench(Bench.HANGS).requireNoticed(mutant)).isEqualTo(Ending.RED);
    }

    @Test
    void aTestEndsWithItsFirstCaseThatIsRed() throws Exception {
        assertThat(bench(SOON).requireNoticed(mutantThatEnds("RED", "cases"))).isEqualTo(Ending.RED);
    }

    @Test
    void aMutantUnderWhichTheTestHangsIsNoticed() throws Exception {
        assertThat(bench(Duration.ofSeconds(15)).requireNoticed(mutantThatEnds("HUNG")))
                .isEqualTo(Ending.HUNG);
    }

    @Test
    void aMutantUnderWhichTheTestPassesOrBreaksDownIsNotNoticed() {
        assertThatThrownBy(() -> bench(Bench.HANGS).requireNoticed(mutantThatEnds("ABSENT")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("[GREEN]");
        assertThatThrownBy(() -> bench(Bench.HANGS).requireNoticed(mutantThatEnds("BROKEN")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("[BROKEN]");
    }

    @Test
    void whatDoesNotGetToItsTestDoesNotHangInIt() {
        assertThatThrownBy(() -> bench(Duration.ofMillis(1)).requireNoticed(mutantThatEnds("HUNG")))
                .isInstanceOf(ChildProcess.Overdue.class);
    }
}
