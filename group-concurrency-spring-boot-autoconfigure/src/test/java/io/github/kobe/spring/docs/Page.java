package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A page of the documentation. */
record Page(String name, String text) {

    private static final Pattern FENCE = Pattern.compile("(?m)^( *)```(.*)\\n((?s:.*?))^\\1```$");

    /** {@return the page, by its path from the top folder of the repository} */
    static Page of(String name) {
        return read(repository().resolve(name));
    }

    /** {@return the README and all pages under docs} */
    static List<Page> all() {
        try (Stream<Path> docs = Files.walk(repository().resolve("docs"))) {
            Path readme = repository().resolve("README.md");
            return Stream.concat(
                            Stream.of(readme),
                            docs.filter(path -> path.toString().endsWith(".md")))
                    .map(Page::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Page read(Path file) {
        try {
            return new Page(repository().relativize(file).toString(), Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the top folder of the repository} */
    static Path repository() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("mvnw"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    /** {@return the fenced blocks with a mark, without the indentation of their place} */
    List<String> blocks(String mark) {
        return FENCE.matcher(text)
                .results()
                .filter(block -> block.group(2).strip().equals(mark))
                .map(Page::code)
                .toList();
    }

    private static String code(MatchResult block) {
        return block.group(3).replaceAll("(?m)^" + block.group(1), "");
    }

    /** {@return the rows of the table that has these headings, as the texts of their cells} */
    List<List<String>> table(String... headings) {
        String head = "| " + String.join(" | ", headings) + " |\n";
        int start = text.indexOf(head);
        assertThat(start).as(name + " has a table " + head.strip()).isNotNegative();
        return text.substring(start + head.length())
                .lines()
                .skip(1)
                .takeWhile(line -> line.startsWith("|"))
                .map(Page::cells)
                .toList();
    }

    private static List<String> cells(String row) {
        return Arrays.stream(row.substring(1, row.length() - 1).split(" \\|(?= |$)"))
                .map(String::strip)
                .toList();
    }
}
