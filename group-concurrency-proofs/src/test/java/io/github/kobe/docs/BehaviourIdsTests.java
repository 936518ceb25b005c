package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Each behaviour that users can rely on has an id in docs/reference/behaviours.md, or rollout-behaviours.md, which the tests
 * that show it carry as a tag.
 */
class BehaviourIdsTests {

    private static final Pattern ON_THE_PAGE = Pattern.compile("(?m)^\\| ([GESTLRJ]\\d+) \\|");
    private static final Pattern AS_A_TAG = Pattern.compile("@Tag\\(\"([GEJ]\\d+)\"\\)");

    /** Elsewhere these letters stand for failures that others have had. */
    private static final Pattern AS_A_TAG_OF_SCOPES = Pattern.compile("@Tag\\(\"([STL]\\d+)\"\\)");

    private static final Path SCOPES = Path.of("io/github/kobe/scope");

    /** Elsewhere this letter stands for rows of the proofs. */
    private static final Pattern AS_A_TAG_OF_ROLLOUTS = Pattern.compile("@Tag\\(\"(R\\d+)\"\\)");

    private static final Pattern ROLLOUTS = Pattern.compile("io/github/kobe/(rollout|spring)/");

    private static final List<String> PAGES =
            List.of("docs/reference/behaviours.md", "docs/reference/rollout-behaviours.md");

    /** Of all modules, and from the sources: no test sees the classes of all the others. */
    private static Set<String> idsOfTests() throws IOException {
        Set<String> ids = new TreeSet<>();
        try (Stream<Path> modules = Files.list(Markdown.repository())) {
            for (Path sources :
                    modules.map(module -> module.resolve("src/test/java")).toList()) {
                if (Files.isDirectory(sources)) {
                    addIds(sources, ids);
                }
            }
        }
        return ids;
    }

    private static void addIds(Path sources, Set<String> ids) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                String text = Files.readString(file);
                ids.addAll(ids(AS_A_TAG, text));
                if (file.getParent().endsWith(SCOPES)) {
                    ids.addAll(ids(AS_A_TAG_OF_SCOPES, text));
                }
                if (ROLLOUTS.matcher(file.toString().replace('\\', '/')).find()) {
                    ids.addAll(ids(AS_A_TAG_OF_ROLLOUTS, text));
                }
            }
        }
    }

    private static Set<String> ids(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> found.group(1)).collect(Collectors.toSet());
    }

    @Test
    void everyBehaviourHasATestAndEveryIdOfATestIsExplained() throws IOException {
        String pages = PAGES.stream().map(page -> Markdown.page(page).text()).collect(Collectors.joining("\n"));
        assertThat(idsOfTests()).isNotEmpty().containsExactlyInAnyOrderElementsOf(ids(ON_THE_PAGE, pages));
    }
}
