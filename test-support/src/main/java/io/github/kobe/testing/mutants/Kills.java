package io.github.kobe.testing.mutants;

import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The mutants of a module that were killed, as they were then. A file of the module has a line for each, with a digest
 * of the mutant, the source that it changes, and its test: once the code of one of them changes, the line stands for
 * nothing. Comments and indentation don't count.
 */
final class Kills {

    /** From the folder of the module. */
    static final Path RECORD = Path.of("src/test/mutants/killed.txt");

    private static final Pattern LITERAL_OR_COMMENT = Pattern.compile("""
        (?<literal>\"{3}(?s:.*?)\"{3}|"(?:\\\\.|[^"\\\\])*"|'(?:\\\\.|[^'\\\\])*')|//.*|/\\*(?s:.*?)\\*/\
        """);

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
        MessageDigest digest = sha256();
        for (String part : List.of(
                mutant.before(),
                mutant.after(),
                mutant.test(),
                String.join(" ", mutant.options()),
                code(mutant.original(changed)),
                code(testOf(mutant)))) {
            digest.update(part.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) '\n');
        }
        return HexFormat.of().formatHex(digest.digest(), 0, 8) + " " + mutant;
    }

    /** {@return a source without its comments, on one line} */
    private static String code(String source) {
        String literals = LITERAL_OR_COMMENT
                .matcher(source)
                .replaceAll(found -> Matcher.quoteReplacement(Objects.requireNonNullElse(found.group("literal"), " ")));
        return literals.replaceAll("\\s+", " ").strip();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) { // every Java platform has it
            throw new IllegalStateException(impossible);
        }
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
