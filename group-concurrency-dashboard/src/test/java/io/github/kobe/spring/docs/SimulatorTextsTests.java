package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Looks at the simulator's files as texts. */
@Tag("once")
class SimulatorTextsTests {

    static final Path FOLDER = Markdown.repository().resolve("docs/simulator");

    private static final ObjectMapper JSON = new ObjectMapper();

    static Map<String, String> texts(String language) throws IOException {
        String file = Files.readString(FOLDER.resolve("texts.js"));
        Map<String, Map<String, String>> all =
                JSON.readValue(file.substring(file.indexOf('{'), file.lastIndexOf('}') + 1), new TypeReference<>() {});
        return all.get(language);
    }

    /** {@return what the files other than the texts say, by their names} */
    private static Map<String, String> files() throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> paths = Files.list(FOLDER)) {
            for (Path path : paths.toList()) {
                files.put(path.getFileName().toString(), Files.readString(path));
            }
        }
        files.remove("texts.js");
        return files;
    }

    @Test
    void bothLanguagesHaveTheSameTextsWithTheSameValues() throws IOException {
        Translation.assertThatBothHaveTheSameTexts(texts("en"), texts("zh"));
    }

    @Test
    void everyTextIsUsedAndEveryTextThatIsUsedIsThere() throws IOException {
        Set<String> names = texts("en").keySet();
        Set<String> unused = new TreeSet<>(names);
        Pattern used = Pattern.compile("\\btext\\('([\\w.]+)'|data-text=\"([\\w.]+)\"|why: '([\\w.]+)'");
        Pattern begun = Pattern.compile("\\btext\\(`(\\w+\\.)");
        Pattern word = Pattern.compile("(?m)'([\\w.]+)'|^  (\\w+): \\{ least");
        for (String source : files().values()) {
            assertThat(groups(used, source))
                    .allSatisfy(name -> assertThat(names).contains(name));
            Stream.of(used, word).flatMap(pattern -> groups(pattern, source)).forEach(unused::remove);
            for (String start : groups(begun, source).toList()) {
                assertThat(names).anyMatch(name -> name.startsWith(start));
                unused.removeIf(name -> name.startsWith(start));
            }
        }
        assertThat(unused).isEmpty();
    }

    private static Stream<String> groups(Pattern pattern, String text) {
        return pattern.matcher(text).results().flatMap(SimulatorTextsTests::groups);
    }

    private static Stream<String> groups(MatchResult found) {
        return Stream.iterate(1, group -> group <= found.groupCount(), group -> group + 1)
                .flatMap(group -> Stream.ofNullable(found.group(group)));
    }

    /** A browser loads no module from a file, and the page is to work without a network. */
    @Test
    void itNeedsNothingButItsFolder() throws IOException {
        Pattern foreign = Pattern.compile("(?:https?:)?//[a-z]\\S*|type=\"module\"|(?m)^import |\\bfetch\\(");
        assertThat(files())
                .allSatisfy((name, source) -> assertThat(
                                foreign.matcher(source).results().map(MatchResult::group))
                        .as(name)
                        .isEmpty());
    }

    @Test
    void noTextBecomesCode() throws IOException {
        assertThat(files())
                .allSatisfy((name, source) -> assertThat(source)
                        .as(name)
                        .doesNotContain(
                                "innerHTML",
                                "outerHTML",
                                "insertAdjacentHTML",
                                "document.write",
                                "eval(",
                                "Function("));
    }

    @Test
    void filesAreShort() throws IOException {
        assertThat(files())
                .allSatisfy(
                        (name, source) -> assertThat(source.lines()).as(name).hasSizeLessThanOrEqualTo(400));
    }
}
