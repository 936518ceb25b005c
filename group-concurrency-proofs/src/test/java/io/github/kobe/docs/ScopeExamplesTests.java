package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Markdown;
import io.github.kobe.testing.Markdown.Block;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples of scopes, which DocsTests compiles and runs, are there and are short. */
class ScopeExamplesTests {

    private static final Markdown PAGE = Markdown.page("docs/howto/scopes.md");

    private static final int MOST_LINES = 20;

    static Stream<Block> examples() {
        return PAGE.blocks().stream().filter(block -> block.mark().equals("java"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void anExampleHasTwentyLinesAtMost(Block example) {
        assertThat(example.code().lines().filter(line -> !line.isBlank())).hasSizeLessThanOrEqualTo(MOST_LINES);
    }

    /** What the JEP shows by joiners of one's own, each by what is particular to it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "subtask.state() == Subtask.State.SUCCESS",
                "List<Future<Report>> futures",
                "tasks.forEach(task -> scope.fork(\"reports\", task))",
                "scope.joinUntil(Instant.now().plusSeconds(2))",
                "scope.token(); // for whoever ends the server"
            })
    void eachExampleOfTheJepIsThere(String line) {
        assertThat(examples()).anySatisfy(example -> assertThat(example.code()).contains(line));
    }
}
