package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every link and picture of the documentation leads somewhere, and every page is on a path through it. */
class LinksTests {

    private static final Pattern PAGE_FOR_USERS = Pattern.compile("docs/(howto|reference)/[^/]*\\.md");

    private static final Pattern LAST_LINE =
            Pattern.compile("(?s).*\\n\\nNext: \\[(?<title>[^]]+)]\\((?<page>[^)#]+)\\)\\n");

    /** What stands here is not public yet. */
    private static final String OWN = "https://github.com/kobe/group-concurrency/";

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @Test
    void everyRelativeLinkLeadsSomewhere() {
        List<String> broken = Markdown.pages().stream()
                .flatMap(page -> page.relativeLinks().stream()
                        .filter(link -> !leadsSomewhere(page, link))
                        .map(link -> page.name() + ": " + link))
                .toList();
        assertThat(broken).isEmpty();
    }

    private static boolean leadsSomewhere(Markdown from, String link) {
        String path = link.replaceFirst("#.*", "");
        Path target =
                path.isEmpty() ? from.file() : from.file().resolveSibling(path).normalize();
        if (!Files.exists(target)) {
            return false;
        }
        String name = Markdown.repository().relativize(target).toString();
        return !link.contains("#") || Markdown.page(name).hasAnchor(link.substring(link.indexOf('#') + 1));
    }

    static Stream<String> externalLinks() {
        return Markdown.pages().stream()
                .flatMap(page -> page.externalLinks().stream())
                .filter(link -> !link.startsWith(OWN))
                .distinct();
    }

    /** A site that doesn't answer programs has the page, as far as can be known. */
    @ParameterizedTest
    @Tag("long")
    @MethodSource("externalLinks")
    void everyExternalLinkLeadsSomewhere(String link) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(link))
                .timeout(TIMEOUT)
                .header("User-Agent", "Mozilla/5.0")
                .build();
        HttpClient client = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .connectTimeout(TIMEOUT)
                .build();
        int status =
                client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        assertThat(status)
                .satisfiesAnyOf(
                        answer -> assertThat(answer).isLessThan(400),
                        answer -> assertThat(answer).isIn(403, 429));
    }

    @Test
    void everyPageIsReachedFromTheReadme() {
        Set<String> reached = new TreeSet<>();
        Deque<Markdown> ahead = new ArrayDeque<>(List.of(Markdown.page("README.md")));
        while (!ahead.isEmpty()) {
            Markdown page = ahead.pop();
            if (reached.add(page.name())) {
                page.linkedPages().forEach(ahead::push);
            }
        }
        assertThat(reached)
                .containsAll(Markdown.pages().stream().map(Markdown::name).toList());
    }

    @Test
    void theMapNamesEveryPageForUsers() {
        List<String> named = Markdown.page("docs/README.md").linkedPages().stream()
                .map(Markdown::name)
                .toList();
        assertThat(named)
                .containsAll(Markdown.pages().stream()
                        .map(Markdown::name)
                        .filter(name -> name.matches("docs/((howto|reference|internals)/)?[^/]*\\.md"))
                        .filter(name -> !name.equals("docs/README.md"))
                        .toList());
    }

    static Stream<Markdown> pagesForUsers() {
        return Markdown.pages().stream()
                .filter(page -> PAGE_FOR_USERS.matcher(page.name()).matches());
    }

    @ParameterizedTest
    @MethodSource("pagesForUsers")
    void everyPageForUsersLeadsBackToTheMapAndOnToAnother(Markdown page) {
        String section = page.name().startsWith("docs/howto") ? "How to" : "Reference";
        assertThat(page.text()).startsWith("[Documentation](../README.md) › " + section + "\n\n# ");

        Matcher end = LAST_LINE.matcher(page.text());
        assertThat(end.matches())
                .as("it ends with a line Next: [Title](page.md)")
                .isTrue();
        Path next = page.file().resolveSibling(end.group("page")).normalize();
        assertThat(next).isNotEqualTo(page.file()).exists();
        assertThat(title(next)).isEqualTo(end.group("title"));
    }

    private static String title(Path page) {
        String name = Markdown.repository().relativize(page).toString();
        return Markdown.page(name)
                .text()
                .lines()
                .filter(line -> line.startsWith("# "))
                .findFirst()
                .orElseThrow()
                .substring(2);
    }

    /** Who reads page after page, always the next one, misses none. */
    @Test
    void everyPageForUsersIsTheNextOfAnother() {
        Set<Path> next = pagesForUsers()
                .map(page -> {
                    Matcher end = LAST_LINE.matcher(page.text());
                    assertThat(end.matches()).as(page.name()).isTrue();
                    return page.file().resolveSibling(end.group("page")).normalize();
                })
                .collect(Collectors.toSet());
        assertThat(next)
                .containsAll(pagesForUsers()
                        .map(Markdown::file)
                        .filter(file -> !file.endsWith("quick-start.md"))
                        .toList());
    }

    static Stream<Path> drawings() throws IOException {
        try (Stream<Path> files = Files.list(Markdown.repository().resolve("docs/images"))) {
            return files.filter(file -> file.toString().endsWith(".svg")).toList().stream();
        }
    }

    /** For those who hear a page, and for those whose screen is dark. */
    @ParameterizedTest
    @MethodSource("drawings")
    void everyDrawingTellsInWordsWhatItShowsAndFitsLightAndDark(Path drawing) throws IOException {
        assertThat(Files.readString(drawing))
                .containsPattern("<svg [^>]*role=\"img\" aria-labelledby=\"title desc\"")
                .containsPattern("<title id=\"title\">[^<]{10,}</title>")
                .containsPattern("(?s)<desc id=\"desc\">[^<]{40,}</desc>")
                .contains("@media (prefers-color-scheme: dark)");
    }

    @ParameterizedTest
    @MethodSource("drawings")
    void everyDrawingIsOnAPage(Path drawing) {
        assertThat(Markdown.pages())
                .anySatisfy(page -> assertThat(page.relativeLinks().stream()
                                .map(link -> page.file().resolveSibling(link).normalize()))
                        .contains(drawing));
    }
}
