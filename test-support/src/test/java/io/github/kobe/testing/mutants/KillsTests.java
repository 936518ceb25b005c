package io.github.kobe.testing.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KillsTests {

    @TempDir
    private Path module;

    private Path source;
    private Path record;

    @BeforeEach
    void writeTheSource() throws Exception {
        source = module.resolve("src/main/java/io/github/kobe/testing/Sample.java");
        record = module.resolve("killed.txt");
        Files.createDirectories(source.getParent());
        Files.writeString(source, "class Sample {}");
    }

    private static Mutant mutant(String after) {
        return new Mutant(
                "X1",
                "no body",
                "testing.mutants.KillsTests#aKillCountsAsLongAsNothingChanges",
                "testing/Sample.java",
                List.of(),
                "{}",
                after);
    }

    @Test
    void aKillCountsAsLongAsNothingChanges() throws Exception {
        Kills kills = new Kills(record, module);
        assertThat(kills.contain(mutant(";"))).isFalse();

        kills.add(mutant(";"));
        kills.write(record, List.of(mutant(";"), mutant("never killed")));

        assertThat(record).content().hasLineCount(1).endsWith(" X1 Sample: no body\n");
        assertThat(new Kills(record, module).contain(mutant(";"))).isTrue();
    }

    @Test
    void aKillCountsNoMoreOnceTheMutantOrItsSourceIsAnother() throws Exception {
        Kills kills = new Kills(record, module);
        kills.add(mutant(";"));

        assertThat(kills.contain(mutant("another text"))).isFalse();

        Files.writeString(source, "final class Sample {}");
        assertThat(kills.contain(mutant(";"))).isFalse();
    }

    @Test
    void onlyTheCodeOfTheSourceCounts() throws Exception {
        Files.writeString(source, "class Sample {\n  String a = \"/* \\\"\"; // why\n  char b = '\"'; /* a\nb */ }");
        Kills kills = new Kills(record, module);
        kills.add(mutant(";"));

        Files.writeString(source, "/** What. */ class Sample {\n String a = \"/* \\\"\";\n\n char b = '\"'; }");
        assertThat(kills.contain(mutant(";"))).isTrue();

        Files.writeString(source, "class Sample { String a = \"/* \\\" // \"; char b = '\"'; }");
        assertThat(kills.contain(mutant(";"))).isFalse();
    }
}
