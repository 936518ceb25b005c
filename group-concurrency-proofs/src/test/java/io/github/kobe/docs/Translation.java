package io.github.kobe.docs;

import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A page in English, and the one that says the same in Chinese. */
record Translation(Markdown english, Markdown chinese) {

    private static final String FOLDER = "docs/howto/zh/";

    private static final Pattern COMMENT = Pattern.compile("(?m) *(//|(?<= )#) .*$");

    /** What tells the language of a page or a picture. */
    private static final Pattern LANGUAGE = Pattern.compile("(?<=docs/howto/)zh/|\\.zh-CN(?=\\.(md|svg|png)$)");

    static Translation ofReadme() {
        return new Translation(Markdown.page("README.md"), Markdown.page("README.zh-CN.md"));
    }

    static Stream<Translation> ofHowtos() {
        try (Stream<Path> files = Files.list(Markdown.repository().resolve(FOLDER))) {
            return files
                    .map(file -> file.getFileName().toString())
                    .sorted()
                    .map(name -> new Translation(Markdown.page("docs/howto/" + name), Markdown.page(FOLDER + name)))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<String> code(Markdown page) {
        return page.blocks().stream()
                .map(block ->
                        block.mark() + "\n" + COMMENT.matcher(block.code()).replaceAll(""))
                .toList();
    }

    /** {@return what a page leads to, by what it is called in English, but for itself in the other language} */
    static List<String> links(Markdown page) {
        return page.relativeLinks().stream()
                .map(link -> link.startsWith("#") ? "here" : target(page, link))
                .filter(target -> !target.equals(inEnglish(page.name())))
                .sorted()
                .toList();
    }

    private static String target(Markdown page, String link) {
        Path file = page.file().resolveSibling(link.replaceFirst("#.*", "")).normalize();
        return inEnglish(Markdown.repository().relativize(file).toString());
    }

    private static String inEnglish(String name) {
        return LANGUAGE.matcher(name).replaceAll("");
    }

    static long lines(Markdown page, String start) {
        return page.text()
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith(start))
                .count();
    }

    @Override
    public String toString() {
        return chinese.name();
    }
}
