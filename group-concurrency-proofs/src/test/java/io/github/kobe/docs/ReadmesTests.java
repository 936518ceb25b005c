package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Markdown;
import io.github.kobe.testing.Markdown.Block;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The front page is short and says what others say: the quick start, the picture, the sample's page. */
class ReadmesTests {

    private static final Markdown ENGLISH = Markdown.page("README.md");

    /** None of its requests was turned away; those of the flooding tenant may have been, so that isn't looked for. */
    private static final Pattern NEIGHBOUR =
            Pattern.compile("(?m)^(?<tenant>hooli|initech|vip-[a-z]+) +[0-9]+ +0 +0 +(?<median>[0-9.]+) s");

    /** What a reader takes in before the first heading, without the alternative text of the picture. */
    private static final int WORDS = 200;

    @Test
    void theSettingsAreThoseOfTheQuickStart() {
        assertThat(ENGLISH.blocks("yaml").getFirst())
                .isEqualTo(Markdown.page("docs/howto/quick-start.md")
                        .blocks("yaml")
                        .getFirst());
    }

    @Test
    void whatItIsForWhomAndWhyNotAnotherStandsBeforeAnyCodeAndIsShort() {
        String beginning = ENGLISH.text().substring(0, ENGLISH.text().indexOf("\n## "));
        assertThat(ENGLISH.blocks())
                .map(Block::code)
                .allSatisfy(code -> assertThat(beginning).doesNotContain(code));
        assertThat(beginning)
                .contains("For whom?", "Why not")
                .containsSubsequence("![", "](docs/images/flood.svg)")
                .satisfies(text -> assertThat(text.replaceAll("!\\[[^]]*]|]\\([^)]*\\)", "")
                                .strip()
                                .split("\\s+"))
                        .hasSizeLessThanOrEqualTo(WORDS));
    }

    @ParameterizedTest
    @CsvSource({"README.md, docs/images/flood.svg", "README.zh-CN.md, docs/images/flood.zh-CN.svg"})
    void whatIsSaidOfThePictureIsWhatItShows(String page, String picture) throws IOException {
        Matcher text = Pattern.compile("!\\[([^]]+)]\\(" + Pattern.quote(picture) + "\\)")
                .matcher(Markdown.page(page).text());
        assertThat(text.find()).isTrue();
        String drawing = Files.readString(Markdown.repository().resolve(picture));
        assertThat(Pattern.compile("\\d+(\\.\\d+)?").matcher(text.group(1)).results())
                .isNotEmpty()
                .allSatisfy(number -> assertThat(drawing).contains(number.group()));
    }

    /**
     * Many requests and long ones, each with limits and without; not those of a rate. How the neighbours fare alone is drawn from the runs with
     * limits.
     */
    @ParameterizedTest
    @ValueSource(strings = {"docs/images/flood.svg", "docs/images/flood.zh-CN.svg"})
    void thePictureHasTheNumbersOfTheSamplesPage(String picture) throws IOException {
        String drawing = Files.readString(Markdown.repository().resolve(picture));
        List<String> floods = Markdown.page("sample-app/README.md").blocks("console").stream()
                .filter(run -> run.startsWith("$ ./sample-app/flood.sh") && !run.contains(" --rate"))
                .toList();
        assertThat(floods).hasSize(4);
        assertThat(floods).allSatisfy(run -> {
            boolean limited = !run.contains("starved") && !run.contains("waited for the export");
            List<MatchResult> neighbours = NEIGHBOUR
                    .matcher(limited ? run : run.substring(run.indexOf("While ")))
                    .results()
                    .toList();
            assertThat(neighbours)
                    .hasSize(limited ? 8 : 4)
                    .allSatisfy(row -> assertThat(drawing)
                            .containsPattern(">" + row.group("tenant") + "</text>")
                            .contains(">" + row.group("median") + " s</text>"));
        });
    }
}
