package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of pages for programs that read documentation, in the form of llmstxt.org, is made from the map. */
class LlmsTxtTests {

    private static final Markdown MAP = Markdown.page("docs/README.md");

    private static final List<String> SECTIONS = List.of("How to", "Reference", "How it is made");

    private static final Pattern LINK = Pattern.compile("\\[(?<text>[^]]+)]\\((?<target>[^)]+)\\)");

    @Test
    void itIsMadeFromTheMap() throws IOException {
        String made = Stream.concat(Stream.of(head()), SECTIONS.stream().map(LlmsTxtTests::section))
                .collect(Collectors.joining("\n"));
        Path copy = Files.writeString(Path.of("target", "llms.txt"), made);
        assertThat(Files.readString(Markdown.repository().resolve("docs/llms.txt")))
                .as("docs/llms.txt is out of date; copy %s", copy.toAbsolutePath())
                .isEqualTo(made);
    }

    @Test
    void everySectionOfTheMapThatListsPagesIsInIt() {
        assertThat(MAP.text().lines().filter(line -> line.startsWith("## ")).map(line -> line.substring(3)))
                .containsExactlyElementsOf(Stream.concat(Stream.of("Where to begin"), SECTIONS.stream())
                        .toList());
    }

    /** The name, and what it is for, by the first paragraph of the front page that isn't a link. */
    private static String head() {
        Markdown front = Markdown.page("README.md");
        List<String> paragraphs =
                front.text().lines().filter(line -> !line.isBlank()).toList();
        return paragraphs.get(0) + "\n\n> " + paragraphs.get(2) + "\n";
    }

    private static String section(String heading) {
        return "## " + heading + "\n\n"
                + MAP.section(heading)
                        .lines()
                        .filter(line -> line.startsWith("- "))
                        .flatMap(LlmsTxtTests::entries)
                        .collect(Collectors.joining("\n"))
                + "\n";
    }

    /** {@return a line for each link; what follows the only one of a line says what it is} */
    private static Stream<String> entries(String line) {
        List<MatchResult> links = LINK.matcher(line).results().toList();
        String rest = line.substring(links.getFirst().end()).replaceFirst("^[,:;]? *", "");
        return links.size() == 1 && !rest.isEmpty()
                ? Stream.of(entry(links.getFirst()) + ": " + rest)
                : links.stream().map(LlmsTxtTests::entry);
    }

    /** {@return a link to a page by the page's title, which says more than the map, where it is one of a group} */
    private static String entry(MatchResult link) {
        String target = link.group("target");
        String name = target.endsWith(".md") ? title(target) : link.group("text");
        return "- [" + name + "](" + target + ")";
    }

    private static String title(String target) {
        Path page = MAP.file().resolveSibling(target).normalize();
        return Markdown.page(Markdown.repository().relativize(page).toString())
                .text()
                .lines()
                .filter(line -> line.startsWith("# "))
                .findFirst()
                .orElseThrow()
                .substring(2);
    }
}
