package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.util.JavacTask;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.github.kobe.GroupExecutor;
import io.github.kobe.testing.HouseRules;
import io.github.kobe.testing.Markdown;
import io.github.kobe.testing.Markdown.Block;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.JavaFileObject.Kind;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Keeps the documentation true. Blocks marked {@code java} are compiled and run. {@code java application} ones are whole
 * files, those of plain Java for {@link ProgramsTests}; all others are the starter's tests' business.
 */
class DocsTests {

    private static final String IMPORTS = """
        import io.github.kobe.*;
        import io.github.kobe.cluster.*;
        import io.github.kobe.scope.*;
        import java.time.Duration;
        import java.util.*;
        import java.util.concurrent.*;
        """;

    private static final Pattern FIRST_CELL = Pattern.compile("\\| *`[^|]*");
    private static final Pattern FIELD = Pattern.compile("`(\\w+\\.\\w+)`");

    private static final Pattern SAMPLE_IN_JAVADOC =
            Pattern.compile("<pre>\\{@code\\R(.*?)\\R *\\* }</pre>", Pattern.DOTALL);
    private static final List<String> PLACES_OF_SAMPLES = List.of(
            "class X { %s\n}",
            "class X { void x() { %s\n} }", "class X { Object x = %s\n; }", "class X { Object x = x%s\n; }");

    private static final Duration DEADLINE = Duration.ofSeconds(30);

    @TempDir
    static Path output;

    private static final JavaClasses ENGINE = HouseRules.classesBeside(GroupExecutor.class);

    private static String findings;

    static Stream<Block> plainJava() {
        return documentedJava().filter(block -> block.mark().equals("java"));
    }

    /** The sample's page shows commands; its code is the sample's own. */
    private static Stream<Block> documentedJava() {
        return Markdown.pages().stream()
                .filter(page -> !page.name().startsWith("sample-app"))
                .flatMap(page -> page.blocks().stream())
                .filter(block -> block.mark().startsWith("java"));
    }

    /** Compiles all blocks in one go, which takes a tenth of the time. */
    @BeforeAll
    static void compile() throws IOException {
        List<String> sources = new ArrayList<>();
        for (Block block : plainJava().toList()) {
            Path source = output.resolve(block.className() + ".java");
            sources.add(Files.writeString(source, wrapped(block)).toString());
        }
        findings = findings(sources);
    }

    @Test
    void codeInTheDocsCompilesWithoutAWarning() {
        assertThat(findings).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("plainJava")
    void codeInTheDocsRuns(Block block) throws Exception {
        try (URLClassLoader loader =
                        new URLClassLoader(new URL[] {output.toUri().toURL()}, DocsTests.class.getClassLoader());
                Snippet code = (Snippet) loader.loadClass(block.className())
                        .getDeclaredConstructor()
                        .newInstance();
                ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> end = thread.submit(() -> {
                code.run();
                return null;
            });
            assertThat(end).succeedsWithin(DEADLINE);
        }
    }

    private static String wrapped(Block block) {
        String code = block.code();
        String imports = code.lines().filter(DocsTests::isImport).collect(Collectors.joining("\n"));
        String body = code.lines().filter(line -> !isImport(line)).collect(Collectors.joining("\n"));
        return IMPORTS + imports + """

            public final class %s extends io.github.kobe.docs.Snippet {
                @Override
                public void run() throws Exception {
            %s
                }
            }
            """.formatted(block.className(), body);
    }

    private static boolean isImport(String line) {
        return line.startsWith("import ");
    }

    /** {@return what the compiler has to say} */
    private static String findings(List<String> sources) {
        List<String> arguments = new ArrayList<>(
                List.of("-classpath", System.getProperty("java.class.path"), "--release", "21", "-proc:none"));
        arguments.addAll(List.of("-Xlint:all,-try,-path", "-d", output.toString()));
        arguments.addAll(sources);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        ToolProvider.getSystemJavaCompiler().run(null, text, text, arguments.toArray(String[]::new));
        return text.toString(StandardCharsets.UTF_8);
    }

    @Test
    void everyJavaBlockHasAMarkThatATestKnows() {
        assertThat(documentedJava())
                .isNotEmpty()
                .allSatisfy(
                        block -> assertThat(block.mark()).isIn("java", "java spring", "java application", "java part"));
    }

    /** Most are parts of a program, so they are only parsed. */
    @Test
    void samplesInTheJavadocAreJava() throws IOException {
        List<String> samples = new ArrayList<>();
        for (Path source : sources()) {
            SAMPLE_IN_JAVADOC
                    .matcher(Files.readString(source))
                    .results()
                    .forEach(sample -> samples.add(
                            sample.group(1).replaceAll("(?m)^ *\\* ?", "").replaceAll("\\.\\.\\.|…", "")));
        }

        assertThat(samples)
                .hasSizeGreaterThan(50)
                .allSatisfy(sample -> assertThat(PLACES_OF_SAMPLES).anyMatch(place -> isJava(place.formatted(sample))));
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Markdown.repository())) {
            for (Path module : modules.map(module -> module.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(module)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
                }
            }
        }
        return sources;
    }

    private static boolean isJava(String text) {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        JavaFileObject source = new SimpleJavaFileObject(URI.create("string:///X.java"), Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignored) {
                return text;
            }
        };
        JavacTask compiler = (JavacTask)
                ToolProvider.getSystemJavaCompiler().getTask(null, null, found, null, null, List.of(source));
        try {
            compiler.parse();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return found.getDiagnostics().isEmpty();
    }

    @Test
    void thePageOfFieldsNamesEveryOneThatCanChange() {
        Set<String> fields = ENGINE.stream()
                .filter(type -> !type.isRecord() && !type.isEnum())
                .filter(type -> !type.getName().contains("$Builder"))
                .flatMap(type -> type.getFields().stream())
                .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                .filter(field -> !field.getModifiers().contains(JavaModifier.FINAL))
                .map(field -> field.getOwner().getSimpleName() + "." + field.getName())
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(fieldsInTables()).containsAll(fields);
    }

    @Test
    void thePageOfFieldsNamesNoneThatIsGone() {
        Set<String> fields = ENGINE.stream()
                .flatMap(type -> type.getFields().stream())
                .map(field -> field.getOwner().getSimpleName() + "." + field.getName())
                .collect(Collectors.toSet());

        assertThat(fields).isNotEmpty().containsAll(fieldsInTables());
    }

    private static Set<String> fieldsInTables() {
        return Markdown.page("docs/internals/fields.md")
                .text()
                .lines()
                .takeWhile(line -> !line.equals("## Readings"))
                .map(FIRST_CELL::matcher)
                .filter(Matcher::lookingAt)
                .flatMap(cell -> FIELD.matcher(cell.group()).results())
                .map(field -> field.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
