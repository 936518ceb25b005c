package io.github.kobe.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Markdown;
import io.github.kobe.testing.mutants.ModuleMutants;
import io.github.kobe.testing.mutants.Mutant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MutantsTests extends ModuleMutants {

    MutantsTests() throws IOException {
        super("../group-concurrency-core");
    }

    /** {@return each row, and what must hold or what goes wrong} */
    private static Map<String, String> rows() throws IOException {
        Map<String, String> rows = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Path.of("src/test/mutants/rows.txt"))) {
            String[] parts = line.split(" ", 2);
            rows.put(parts[0], parts[1].strip());
        }
        return rows;
    }

    private static List<Mutant> ofAllModules() throws IOException {
        try (Stream<Path> folders = Files.list(Markdown.repository())) {
            return folders.sorted()
                    .flatMap(module -> Mutant.of(module).stream())
                    .toList();
        }
    }

    @Test
    void everyRowHasAMutantAndEveryMutantARow() throws IOException {
        assertThat(ofAllModules()).extracting(Mutant::row).containsAll(rows().keySet());
        assertThat(rows()).containsKeys(ofAllModules().stream().map(Mutant::row).toArray(String[]::new));
    }

    @Test
    void thePageShowsTheRowsAndTheirMutants() throws IOException {
        List<String> expected = new ArrayList<>();
        for (Map.Entry<String, String> row : rows().entrySet()) {
            String text = row.getValue();
            for (Mutant mutant : ofAllModules()) {
                if (mutant.row().equals(row.getKey())) {
                    expected.add("| " + mutant.row() + " | " + text + " | `" + mutant.test() + "` | `" + mutant.type()
                            + "`: " + mutant.change() + " |");
                    text = "";
                }
            }
        }

        List<String> shown = Markdown.page("docs/internals/verification/rows-and-mutants.md")
                .section("The table")
                .lines()
                .filter(line -> line.matches("\\| [A-Z]+\\d+ .*"))
                .toList();

        assertThat(shown).as(String.join("\n", expected)).isEqualTo(expected);
    }
}
