package io.github.kobe.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.model.Explored.Exploration;
import io.github.kobe.model.Explored.Question;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The record of what was explored; it needs no Spin. */
class ExploredTests {

    private static final Exploration EXPLORATION = new Exploration(Question.SAFE, "admission TASKS=3");

    @TempDir
    private Path models;

    private Path record;

    @BeforeEach
    void explore() throws Exception {
        Files.writeString(
                models.resolve("admission.pml"), "#include \"engine.pml\"\nbyte tasks = TASKS; /* how many */");
        Files.writeString(models.resolve("engine.pml"), "byte free;");
        record = models.resolve("explored.txt");
        Explored explored = known("Spin 1");
        assertThat(explored.contains(EXPLORATION)).isFalse();

        explored.add(EXPLORATION, 1234);
        explored.write(record, Stream.of(EXPLORATION));
    }

    private Explored known(String spin) {
        return new Explored(record, models, spin);
    }

    @Test
    void theRecordOfTheModelHasNothingThatNobodyAsks() {
        List<String> asked = ModelTests.all().map(Exploration::toString).toList();

        assertThat(new Explored(Explored.RECORD, Spin.MODELS, "Spin 1").names())
                .isNotEmpty()
                .doesNotHaveDuplicates()
                .isSubsetOf(asked);
    }

    @Test
    void whatWasExploredIsRememberedWithItsStates() {
        assertThat(record).content().hasLineCount(1).endsWith(" safe admission TASKS=3: 1234 states\n");
        assertThat(known("Spin 1").contains(EXPLORATION)).isTrue();
    }

    @Test
    void anotherSpinQuestionOrConfigurationIsUnknown() {
        assertThat(known("Spin 2").contains(EXPLORATION)).isFalse();
        assertThat(known("Spin 1").contains(new Exploration(Question.LIVE, EXPLORATION.configuration())))
                .isFalse();
        assertThat(known("Spin 1").contains(new Exploration(Question.SAFE, "admission TASKS=4")))
                .isFalse();
    }

    @Test
    void aModelIsUnknownOnceItsCodeHasChanged() throws Exception {
        Files.writeString(models.resolve("admission.pml"), "#include \"engine.pml\"\nbyte tasks = TASKS;");
        assertThat(known("Spin 1").contains(EXPLORATION)).isTrue();

        Files.writeString(models.resolve("admission.pml"), "#include \"engine.pml\"\nbyte tasks = TASKS + 1;");
        assertThat(known("Spin 1").contains(EXPLORATION)).isFalse();
    }

    @Test
    void aModelIsUnknownOnceWhatItIncludesHasChanged() throws Exception {
        Files.writeString(models.resolve("engine.pml"), "int free;");

        assertThat(known("Spin 1").contains(EXPLORATION)).isFalse();
    }
}
