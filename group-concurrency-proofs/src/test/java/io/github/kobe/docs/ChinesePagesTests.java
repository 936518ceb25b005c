package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Markdown;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What there is in Chinese says the same as in English, as far as anything but the words tells. */
class ChinesePagesTests {

    static Stream<Translation> pages() {
        return Stream.concat(Stream.of(Translation.ofReadme()), howtos());
    }

    static Stream<Translation> howtos() {
        return Translation.ofHowtos();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    void bothHaveTheSameHeadings(Translation page) {
        assertThat(page.chinese().headingLevels()).isEqualTo(page.english().headingLevels());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    void bothShowTheSameCodeApartFromComments(Translation page) {
        assertThat(Translation.code(page.chinese()))
                .isEqualTo(Translation.code(page.english()))
                .isNotEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    void bothLeadToTheSamePages(Translation page) {
        assertThat(Translation.links(page.chinese())).isEqualTo(Translation.links(page.english()));
        assertThat(page.chinese().externalLinks()).isEqualTo(page.english().externalLinks());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    void bothHaveTablesOfTheSameSizeAndListsOfTheSameLength(Translation page) {
        assertThat(Translation.lines(page.chinese(), "| ")).isEqualTo(Translation.lines(page.english(), "| "));
        assertThat(Translation.lines(page.chinese(), "- ")).isEqualTo(Translation.lines(page.english(), "- "));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("howtos")
    void aHowtoLeadsBackToTheMapWhichNamesItAndToTheEnglishPage(Translation page) {
        String name = page.english().file().getFileName().toString();
        assertThat(page.chinese().text()).startsWith("[文档](../../README.md) › 操作指南 · [English](../" + name + ")\n\n# ");
        assertThat(Markdown.page("docs/README.md").relativeLinks()).contains("howto/zh/" + name);
    }
}
