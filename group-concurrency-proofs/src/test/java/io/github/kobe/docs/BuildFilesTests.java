package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import groovy.lang.Closure;
import groovy.lang.GroovyObjectSupport;
import groovy.lang.GroovyShell;
import groovy.util.DelegatingScript;
import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.codehaus.groovy.control.CompilerConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/**
 * The build files that pages show name what this build makes, in each form the same. Gradle isn't here: those in Groovy are run
 * by Groovy, on an object that notes what they call, and those in Kotlin are compiled in the starter's deep form.
 */
class BuildFilesTests {

    private static final String PLAIN = "docs/howto/plain-java.md";
    private static final String QUICK_START = "docs/howto/quick-start.md";
    private static final String KOTLIN = "docs/howto/kotlin.md";

    private static final Pattern IMPLEMENTATION = Pattern.compile("implementation\\(\"([^\"]+)\"\\)");

    /** What a file in Groovy calls and sets, by the way to it. */
    private static final class Calls extends GroovyObjectSupport {

        private final String way;
        private final List<String> calls;

        private Calls(String way, List<String> calls) {
            this.way = way;
            this.calls = calls;
        }

        @Override
        public Object invokeMethod(String name, Object arguments) {
            Object[] given = (Object[]) arguments;
            if (given.length == 1 && given[0] instanceof Closure<?> block) {
                block.setDelegate(new Calls(way + name + " ", calls));
                block.setResolveStrategy(Closure.DELEGATE_ONLY);
                block.call();
            } else {
                calls.add(way + name + Arrays.toString(given));
            }
            return this;
        }

        @Override
        public Object getProperty(String name) {
            return new Calls(way + name + " ", calls);
        }

        @Override
        public void setProperty(String name, Object value) {
            calls.add(way + name + " = " + value);
        }
    }

    private static List<String> callsOf(String script) {
        CompilerConfiguration configuration = new CompilerConfiguration();
        configuration.setScriptBaseClass(DelegatingScript.class.getName());
        DelegatingScript compiled = (DelegatingScript) new GroovyShell(configuration).parse(script);
        List<String> calls = new ArrayList<>();
        compiled.setDelegate(new Calls("", calls));
        compiled.run();
        return calls;
    }

    /** {@return the dependencies of the POM of a page; those of the parent have no version} */
    private static List<String> dependencies(String page) throws Exception {
        NodeList found = pom(page).getElementsByTagName("dependency");
        return IntStream.range(0, found.getLength())
                .mapToObj(i -> (Element) found.item(i))
                .map(dependency -> Stream.of("groupId", "artifactId", "version")
                        .flatMap(name -> texts(dependency, name))
                        .reduce((one, next) -> one + ":" + next)
                        .orElseThrow())
                .toList();
    }

    private static Document pom(String page) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(
                        new StringReader(Markdown.page(page).blocks("xml").getFirst())));
    }

    private static Stream<String> texts(Element parent, String name) {
        NodeList found = parent.getElementsByTagName(name);
        return IntStream.range(0, found.getLength()).mapToObj(i -> found.item(i).getTextContent());
    }

    @ParameterizedTest
    @ValueSource(strings = {PLAIN, QUICK_START})
    void aBuildInGroovyHasTheDependenciesOfThePom(String page) throws Exception {
        List<String> calls = callsOf(Markdown.page(page).blocks("groovy").getFirst());
        assertThat(calls)
                .contains("repositories mavenLocal[]", "repositories mavenCentral[]")
                .filteredOn(call -> call.startsWith("dependencies "))
                .containsExactlyElementsOf(dependencies(page).stream()
                        .map(dependency -> "dependencies implementation[" + dependency + "]")
                        .toList());
    }

    @Test
    void theOneInPlainJavaStartsTheClassThatThePomNames() throws Exception {
        String main = texts(pom(PLAIN).getDocumentElement(), "exec.mainClass")
                .findFirst()
                .orElseThrow();
        assertThat(callsOf(Markdown.page(PLAIN).blocks("groovy").getFirst()))
                .contains("plugins id[application]", "application mainClass = " + main);
        assertThat(inKotlin(PLAIN)).contains("mainClass = \"" + main + "\"");
    }

    @Test
    void theOneInKotlinHasTheDependenciesOfThePom() throws Exception {
        assertThat(implementations(PLAIN)).isEqualTo(dependencies(PLAIN));
        assertThat(implementations(KOTLIN))
                .containsAll(dependencies(QUICK_START))
                .contains("org.jetbrains.kotlin:kotlin-reflect", "org.jetbrains.kotlinx:kotlinx-coroutines-reactor");
    }

    private static List<String> implementations(String page) {
        return IMPLEMENTATION
                .matcher(inKotlin(page))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private static String inKotlin(String page) {
        return Markdown.page(page).blocks("kotlin").getFirst();
    }

    @Test
    void theyNameTheVersionsOfThisBuild() throws Exception {
        String parent = Files.readString(Markdown.repository().resolve("pom.xml"));
        String own = first("<version>([^<]+)</version>", parent);
        assertThat(dependencies(PLAIN)).containsExactly("io.github.kobe:group-concurrency-core:" + own);
        assertThat(Markdown.page(PLAIN).blocks("xml").getFirst())
                .contains(first("<artifactId>maven-compiler-plugin</artifactId>\\s+<version>([^<]+)<", parent) + "<")
                .contains(first("<exec-plugin.version>([^<]+)<", parent) + "<");
        String kotlin = first("<kotlin.version>([^<]+)<", parent);
        assertThat(inKotlin(KOTLIN))
                .contains("kotlin(\"jvm\") version \"" + kotlin + "\"")
                .contains("kotlin(\"plugin.spring\") version \"" + kotlin + "\"")
                .contains("id(\"org.springframework.boot\") version \""
                        + first("<spring-boot4.version>([^<]+)<", parent) + "\"")
                .contains(callsOf(Markdown.page(QUICK_START).blocks("groovy").getFirst()).stream()
                        .filter(call -> call.startsWith("plugins version"))
                        .map(call -> call.replaceAll(".*\\[|]", ""))
                        .toList());
    }

    private static String first(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(pattern).isTrue();
        return matcher.group(1);
    }

    /** So that whoever copies a page in Kotlin copies what is compiled, and the deep form runs. */
    @ParameterizedTest
    @ValueSource(strings = {PLAIN, KOTLIN})
    void codeInKotlinStandsInASourceThatIsCompiled(String page) throws IOException {
        List<String> sources = new ArrayList<>();
        try (Stream<Path> files = Files.list(Markdown.repository()
                .resolve("group-concurrency-spring-boot-autoconfigure/src/test/kotlin/io/github/kobe/spring/kotlin"))) {
            for (Path file : files.toList()) {
                sources.add(stripped(Files.readString(file)));
            }
        }
        assertThat(Markdown.page(page).blocks("kotlin"))
                .isNotEmpty()
                .allSatisfy(code -> assertThat(sources)
                        .anySatisfy(source -> assertThat(source).contains(stripped(code))));
    }

    private static String stripped(String code) {
        return String.join("\n", code.lines().map(String::strip).toList());
    }
}
