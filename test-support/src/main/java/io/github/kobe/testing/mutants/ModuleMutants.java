package io.github.kobe.testing.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.github.kobe.testing.Depth;
import io.github.kobe.testing.mutants.NamedTests.Ending;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What holds for the mutants of each module. In a deep build those run that weren't killed as they are now, in a long one
 * all; {@code -Dmutants=P1,W3} runs those of some rows. A run leaves {@code target/killed.txt}, the record to keep.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ModuleMutants {

    private final Path here = Path.of("").toAbsolutePath();
    private final Path changed;
    private final List<Mutant> mutants;
    private final Kills kills;
    private final ExecutorService bench =
            Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());

    /** @param changed the folder of the module whose sources are changed, from that in which the tests run */
    protected ModuleMutants(String changed) throws IOException {
        this.changed = here.resolve(changed).normalize();
        mutants = Mutant.of(here);
        kills = new Kills(here.resolve(Kills.RECORD), this.changed);
    }

    @AfterAll
    void stop() throws IOException {
        bench.shutdownNow();
        kills.write(here.resolve("target/killed.txt"), mutants);
    }

    @Test
    void theTextToReplaceStandsInTheSourceOnce() {
        assertThat(mutants).isNotEmpty().allSatisfy(mutant -> {
            assertThat(mutant.before()).isNotEmpty().isNotEqualTo(mutant.after());
            assertThat(mutant.places(changed))
                    .as("places of%n%s", mutant.before())
                    .isEqualTo(1);
        });
    }

    @Test
    void theTestIsThereAndCarriesTheRowAsATag() {
        assertThat(mutants).allSatisfy(mutant -> {
            List<Method> methods = mutant.testMethods();
            assertThat(methods).as(mutant.test()).hasSize(1);
            Stream<AnnotatedElement> tagged =
                    Stream.of(methods.getFirst(), methods.getFirst().getDeclaringClass());
            assertThat(tagged.flatMap(element -> Stream.of(element.getAnnotationsByType(Tag.class))))
                    .extracting(Tag::value)
                    .as(mutant.test())
                    .contains(mutant.row());
        });
    }

    @TestFactory
    @Tag("deep")
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    Stream<DynamicTest> underItsMutantEachTestTurnsRed(@TempDir Path output, TestReporter reporter) throws Exception {
        List<Mutant> chosen = chosen();
        reporter.publishEntry("mutants", chosen.size() + " of " + mutants.size());
        if (chosen.isEmpty()) {
            return Stream.empty();
        }
        Bench tester = new Bench(changed, output, Bench.HANGS);
        tester.requireGreen(chosen);
        record Trial(Mutant mutant, Future<Ending> end) {}
        List<Trial> trials = chosen.stream()
                .map(mutant -> new Trial(mutant, bench.submit(() -> tester.requireNoticed(mutant))))
                .toList();
        return trials.stream()
                .map(trial -> dynamicTest(trial.mutant().toString(), () -> {
                    Ending ending = trial.end().get();
                    kills.add(trial.mutant());
                    System.out.println(ending + " " + trial.mutant());
                }));
    }

    private List<Mutant> chosen() throws IOException {
        String asked = System.getProperty("mutants");
        if (asked != null) {
            List<String> rows = List.of(asked.split(","));
            return mutants.stream()
                    .filter(mutant -> rows.contains(mutant.row()))
                    .toList();
        }
        if (Depth.current() == Depth.LONG) {
            return mutants;
        }
        List<Mutant> changedSince = new ArrayList<>();
        for (Mutant mutant : mutants) {
            if (!kills.contain(mutant)) {
                changedSince.add(mutant);
            }
        }
        return changedSince;
    }
}
