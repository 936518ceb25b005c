package io.github.kobe.testing.mutants;

import io.github.kobe.testing.Markdown;
import io.github.kobe.testing.SourceDigest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The mutants of a module that were killed, as they were then. A file of the module has a line for each, with a digest
 * of the mutant, the source that it changes, and its test: once the code of one of them changes, the line stands for
 * nothing. Comments and indentation don't count.
 */
final class Kills {

    /** From the folder of the module. */
    static final Path RECORD = Path.of("src/test/mutants/killed.txt");

    private final Path changed;
    private final Set<String> lines = ConcurrentHashMap.newKeySet();

    /**
     * @param record the file, which need not be there
     * @param changed the folder of the module whose sources the mutants change
     */
    Kills(Path record, Path changed) throws IOException {
        this.changed = changed;
        if (Files.exists(record)) {
            lines.addAll(Files.readAllLines(record));
        }
    }

    void add(Mutant mutant) throws IOException {
        lines.add(line(mutant));
    }

    /** {@return whether the mutant was killed as it is now} */
    boolean contain(Mutant mutant) throws IOException {
        return lines.contains(line(mutant));
    }

    /** Writes the lines of those of the mutants that were killed. */
    void write(Path record, List<Mutant> mutants) throws IOException {
        StringBuilder text = new StringBuilder();
        for (Mutant mutant : mutants) {
            if (contain(mutant)) {
                text.append(line(mutant)).append('\n');
            }
        }
        Files.writeString(record, text);
    }

    private String line(Mutant mutant) throws IOException {
        String digest = SourceDigest.of(List.of(
                mutant.before(),
                mutant.after(),
                mutant.test(),
                String.join(" ", mutant.options()),
                SourceDigest.code(mutant.original(changed)),
                SourceDigest.code(testOf(mutant))));
        return digest + " " + mutant;
    }

    private static String testOf(Mutant mutant) throws IOException {
        List<Path> modules;
        try (Stream<Path> folders = Files.list(Markdown.repository())) {
            modules = folders.sorted().toList();
        }
        for (Path module : modules) {
            Path test = module.resolve("src/test/java").resolve(mutant.testPath());
            if (Files.exists(test)) {
                return Files.readString(test);
            }
        }
        throw new IOException("no module has " + mutant.testPath());
    }
}
