package io.github.kobe.testing.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A small change to a main source under which a test must turn red. A module keeps its mutants in files under
 * {@code src/test/mutants}:
 *
 * <pre>
 * P2 a cancelled task keeps its place in the queue
 * test behaviour.FailureModeTests#tasksCancelledBeforeTheyRanHoldNoPermit
 * source Task.java
 * -                group.withdraw(this, null);
 * </pre>
 *
 * <p>The lines with {@code -} are replaced by those with {@code +}; white space doesn't matter. Names are relative to
 * {@code io.github.kobe}. A line as {@code option -Xss1m} is for the test's virtual machine. An empty line ends a mutant, and
 * {@code //} begins a comment.
 *
 * @param row the row that the test is for
 * @param change what is changed, in words
 * @param test class and method, as {@code SomeTests#someMethod}
 * @param source the changed file
 * @param options for the test's virtual machine
 * @param before the text that is replaced, which stands in the file once
 * @param after the text in its place
 */
public record Mutant(
        String row, String change, String test, String source, List<String> options, String before, String after) {

    private static final String BASE = "io.github.kobe.";

    /** {@return the mutants of the module in {@code module}} */
    public static List<Mutant> of(Path module) {
        Path folder = module.resolve("src/test/mutants");
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".mutants"))
                    .sorted()
                    .flatMap(file -> read(file).stream())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Mutant> read(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return read(lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the mutants in the lines of a file} */
    static List<Mutant> read(Stream<String> file) {
        List<Mutant> mutants = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        Stream.concat(file.filter(line -> !line.startsWith("//")), Stream.of(""))
                .forEach(line -> {
                    if (!line.isBlank()) {
                        lines.add(line);
                    } else if (!lines.isEmpty()) {
                        mutants.add(parse(lines));
                        lines.clear();
                    }
                });
        return mutants;
    }

    private static Mutant parse(List<String> lines) {
        String[] title = lines.getFirst().split(" ", 2);
        return new Mutant(
                title[0],
                title[1].strip(),
                after("test ", lines).collect(Collectors.joining()),
                after("source ", lines).collect(Collectors.joining()),
                after("option ", lines).toList(),
                after("-", lines).collect(Collectors.joining("\n")).strip(),
                after("+", lines).collect(Collectors.joining("\n")).strip());
    }

    private static Stream<String> after(String mark, List<String> lines) {
        return lines.stream().skip(1).filter(line -> line.startsWith(mark)).map(line -> line.substring(mark.length()));
    }

    private Matcher findIn(String text) {
        String pattern = Arrays.stream(before.split("\\s+")).map(Pattern::quote).collect(Collectors.joining("\\s+"));
        return Pattern.compile(pattern).matcher(text);
    }

    /** {@return the source as it is} */
    String original(Path module) {
        try {
            return Files.readString(module.resolve("src/main/java").resolve(path()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the source with the change} */
    String mutated(Path module) {
        return findIn(original(module)).replaceFirst(Matcher.quoteReplacement(after));
    }

    /** {@return how often the text to replace stands in the source} */
    long places(Path module) {
        return findIn(original(module)).results().count();
    }

    /** {@return the file's name, as the compiler wants it} */
    String path() {
        return BASE.replace('.', '/') + source;
    }

    /** {@return the file of its test, as the compiler wants its name} */
    String testPath() {
        return (BASE + test.substring(0, test.indexOf('#'))).replace('.', '/') + ".java";
    }

    /** {@return the methods of that name} */
    List<Method> testMethods() {
        return testMethods(test);
    }

    static List<Method> testMethods(String test) {
        String[] parts = test.split("#", 2);
        try {
            Class<?> type = Class.forName(BASE + parts[0], false, Mutant.class.getClassLoader());
            return Stream.of(type.getDeclaredMethods())
                    .filter(method -> method.getName().equals(parts[1]) && !method.isSynthetic())
                    .toList();
        } catch (ClassNotFoundException e) {
            return List.of();
        }
    }

    /** {@return the changed class, as the page on verification names it} */
    public String type() {
        return source.substring(source.lastIndexOf('/') + 1).replace(".java", "");
    }

    @Override
    public String toString() {
        return row + " " + type() + ": " + change;
    }
}
