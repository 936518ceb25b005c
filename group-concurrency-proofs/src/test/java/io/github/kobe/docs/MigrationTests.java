package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Code that is written for the JDK's scope is code for ours, once its imports and the lines that open a scope are changed.
 * The JDK's half is compiled where the build's JDK is the one whose preview it is written for; ours is compiled by any.
 */
@Tag("deep")
class MigrationTests {

    /** The JDK whose preview the snippets are written for. */
    private static final int JDK = 25;

    private static final Path SNIPPETS = Path.of("src/test/migration/Snippets.java");

    private static final Markdown PAGE = Markdown.page("docs/howto/migrate-from-structured-task-scope.md");

    private static final String GIVEN = """
        abstract class Given {
        %s
            String user() {
                return "user";
            }

            Integer order() {
                return 1;
            }
        }
        """;

    private static final String SCOPES = """
            final io.github.kobe.scope.Scopes scopes;

            Given(io.github.kobe.scope.Scopes scopes) {
                this.scopes = scopes.withDefaults(configuration -> configuration.withGroup("group"));
            }
        """;

    @TempDir
    Path folder;

    private static String moved(String code) {
        return code.lines().map(MigrationTests::movedLine).collect(Collectors.joining("\n"));
    }

    private static String movedLine(String line) {
        if (line.startsWith("import ")) {
            return line.replace(
                            "import java.util.concurrent.StructuredTaskScope;", "import io.github.kobe.scope.Scopes;")
                    .replace("java.util.concurrent.StructuredTaskScope.", "io.github.kobe.scope.");
        }
        return line.replace("StructuredTaskScope.open(", "scopes.open(");
    }

    @Test
    void whatIsWrittenForTheJdksScopeIsCompiledByIt() throws IOException {
        if (Runtime.version().feature() == JDK) {
            String snippets = Files.readString(SNIPPETS);
            assertThat(findings(snippets, GIVEN.formatted(""), "--enable-preview", "--release", "" + JDK))
                    .isEmpty();
        }
        assertThat(PAGE.text()).contains("where that is JDK " + JDK); // it says what happens elsewhere
    }

    @Test
    void onceImportsAndOpeningLinesAreChangedItIsCodeForOurs() throws IOException {
        String snippets = moved(Files.readString(SNIPPETS)).replace("final class Snippets extends Given {", """
            final class Snippets extends Given {
                Snippets(Scopes scopes) {
                    super(scopes);
                }
            """);
        assertThat(snippets).contains("scopes.open(").doesNotContain("StructuredTaskScope");
        assertThat(findings(snippets, GIVEN.formatted(SCOPES), "--release", "21"))
                .isEmpty();
    }

    /** And the code before is compiled by the JDK too; that after it by all docs' test. */
    @Test
    void thePagesCodeChangesInNothingElse() throws IOException {
        String before = PAGE.blocks("text").getFirst();
        String after = PAGE.blocks("java").getFirst();

        assertThat(body(moved(before))).isEqualTo(body(after).replaceFirst("settings -> .*\"\\)\\)\\)", "))"));
        if (Runtime.version().feature() == JDK) {
            String imports = before.lines().filter(MigrationTests::isImport).collect(Collectors.joining("\n"));
            String code = imports + """

                final class Before extends io.github.kobe.docs.Snippet {
                    @Override
                    public void run() throws Exception {
                %s
                    }
                }
                """.formatted(body(before));
            assertThat(findings(code, GIVEN.formatted(""), "--enable-preview", "--release", "" + JDK))
                    .isEmpty();
        }
    }

    private static boolean isImport(String line) {
        return line.startsWith("import ");
    }

    private static String body(String code) {
        return code.lines()
                .filter(line -> !isImport(line))
                .collect(Collectors.joining("\n"))
                .strip();
    }

    /** {@return what the compiler has to say of the code} */
    private String findings(String code, String given, String... options) throws IOException {
        String name = code.contains("class Before ") ? "Before.java" : "Snippets.java";
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(List.of("-classpath", System.getProperty("java.class.path"), "-proc:none"));
        // Of a preview the compiler warns, and of every scope that its close may be interrupted.
        arguments.addAll(List.of("-Xlint:all,-preview,-try,-path", "-XDsuppressNotes", "-d", folder.toString()));
        arguments.add(Files.writeString(folder.resolve(name), code).toString());
        arguments.add(Files.writeString(folder.resolve("Given.java"), given).toString());
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        ToolProvider.findFirst("javac").orElseThrow().run(out, out, arguments.toArray(String[]::new));
        return text.toString();
    }
}
