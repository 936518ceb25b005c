package io.github.kobe.spring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.GroupHolder;
import io.github.kobe.GroupWaiter;
import io.github.kobe.LimitSource;
import io.github.kobe.RejectionReason;
import io.github.kobe.WaitReason;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.scope.ScopeSnapshot;
import io.github.kobe.scope.Subtask;
import io.github.kobe.spring.docs.Translation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Looks at the page's files as texts. */
@Tag("once")
class PageTextsTests {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Names that the page puts together: with what, and what may follow. */
    private static final Map<String, Class<?>[]> CONSTANTS = Map.of(
            "source", new Class<?>[] {LimitSource.class},
            "reason", new Class<?>[] {RejectionReason.class},
            "waits", new Class<?>[] {WaitReason.class},
            "kind", new Class<?>[] {GroupHolder.Kind.class, GroupWaiter.Kind.class},
            "owner", new Class<?>[] {ScopeSnapshot.Owner.class},
            "status", new Class<?>[] {PlanStatus.class, TaskStatus.class});

    private static Map<String, String> texts(String language) throws IOException {
        return JSON.readValue(PageFile.inJar("text." + language + ".json").content(), new TypeReference<>() {});
    }

    private static String file(String name) {
        return new String(PageFile.inJar(name).content(), StandardCharsets.UTF_8);
    }

    private static Stream<String> ours() {
        return DashboardPage.FILES.stream().filter(name -> !name.startsWith("uPlot") && !name.endsWith(".json"));
    }

    @Test
    void allFilesOfTheFolderAreServed() throws Exception {
        Path folder = Path.of(DashboardPage.class.getResource("page").toURI());
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(DashboardPage.FILES);
        }
    }

    @Test
    void bothLanguagesHaveTheSameTextsWithTheSameValues() throws IOException {
        Translation.assertThatBothHaveTheSameTexts(texts("en"), texts("zh"));
    }

    @Test
    void everyTextIsUsedAndEveryTextThatIsUsedIsThere() throws IOException {
        Set<String> names = new TreeSet<>(texts("en").keySet());
        Set<String> unused = new TreeSet<>(names);
        Pattern whole = Pattern.compile("text\\('([\\w.]+)'|data-(?:text|label)=\"([\\w.]+)\"");
        Pattern begun = Pattern.compile("(?:text\\(`|constant\\(')([\\w]+)");
        Pattern word = Pattern.compile("'([\\w.]+)'");
        for (String name : ours().toList()) {
            String source = file(name);
            for (MatchResult found : whole.matcher(source).results().toList()) {
                String used = found.group(1) == null ? found.group(2) : found.group(1);
                assertThat(names).as(name).contains(used);
                unused.remove(used);
            }
            for (MatchResult found : begun.matcher(source).results().toList()) {
                assertThat(names).as(name).anyMatch(text -> text.startsWith(found.group(1)));
                unused.removeIf(text -> text.startsWith(found.group(1) + "."));
            }
            word.matcher(source).results().forEach(found -> unused.remove(found.group(1)));
        }
        assertThat(unused).isEmpty();
    }

    @Test
    void everyConstantHasAText() throws IOException {
        Map<String, Set<String>> expected = new TreeMap<>();
        CONSTANTS.forEach((kind, types) -> expected.put(
                kind,
                Stream.of(types)
                        .flatMap(type -> Stream.of(type.getEnumConstants()))
                        .map(Object::toString)
                        .collect(Collectors.toCollection(TreeSet::new))));
        expected.put(
                "phase",
                Stream.of(Subtask.Phase.DELAYED, Subtask.Phase.QUEUED, Subtask.Phase.RUNNING)
                        .map(Enum::name)
                        .collect(Collectors.toCollection(TreeSet::new)));
        Set<String> names = texts("en").keySet();

        assertThat(expected)
                .allSatisfy((kind, constants) -> assertThat(names.stream()
                                .filter(name -> name.startsWith(kind + "."))
                                .map(name -> name.substring(kind.length() + 1)))
                        .as(kind)
                        .containsExactlyInAnyOrderElementsOf(constants));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<script>",
                "<style",
                " style=",
                "javascript:",
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "new Function",
                "'style'",
                "@import",
                "url("
            })
    void nothingStandsInlineAndNoTextBecomesCode(String forbidden) {
        assertThat(ours()).allSatisfy(name -> assertThat(file(name)).as(name).doesNotContain(forbidden));
    }

    @Test
    void nothingComesFromAnotherPlace() {
        Pattern foreign = Pattern.compile("(?:https?:)?//[a-z]\\S*|\\bon\\w+=\"");
        assertThat(ours())
                .allSatisfy(name -> assertThat(file(name)
                                .replace("http://www.w3.org/2000/svg", "")
                                .lines()
                                .filter(line -> !line.stripLeading().startsWith("//"))
                                .flatMap(line -> foreign.matcher(line).results().map(MatchResult::group)))
                        .as(name)
                        .isEmpty());
    }

    @Test
    void filesAreShort() {
        List<String> longOnes =
                ours().filter(name -> file(name).lines().count() > 400).toList();
        assertThat(longOnes).isEmpty();
    }
}
