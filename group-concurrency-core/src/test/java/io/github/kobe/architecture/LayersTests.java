package io.github.kobe.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import io.github.kobe.testing.HouseRules;
import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The packages of the engine have an order: a class uses those of its own package and of those below. Inside a package only
 * a few classes may need each other in a circle. A nested class counts as its outermost one.
 */
class LayersTests {

    private static final String API = "io.github.kobe";
    private static final String CLUSTER = API + ".cluster";
    private static final String ENGINE = API + ".internal.";

    /** From below to above. */
    private static final List<String> PACKAGES =
            List.of("jfr", "base", "permits", "lending", "work", "doors", "cluster");

    private static final int MOST_LINES = 500;

    /** As many as can be read together. */
    private static final int LARGEST_CIRCLE = 12;

    /** The types of the API that are more than values and what users implement. */
    private static final Set<String> EXECUTORS = Set.of("GroupExecutor");

    private static final JavaClasses MAIN = HouseRules.mainClassesBeside(LayersTests.class);

    /** The outermost types of the engine, each with those that it uses; by package and name. */
    private static final Map<String, Set<String>> USES = uses();

    private static Map<String, Set<String>> uses() {
        Map<String, Set<String>> uses = new TreeMap<>();
        MAIN.stream().filter(LayersTests::isInTheEngine).forEach(type -> {
            Set<String> used = uses.computeIfAbsent(nameOf(type), name -> new TreeSet<>());
            usedBy(type)
                    .filter(LayersTests::isInTheEngine)
                    .map(LayersTests::nameOf)
                    .forEach(used::add);
        });
        uses.forEach((type, used) -> used.remove(type));
        return uses;
    }

    private static Stream<JavaClass> usedBy(JavaClass type) {
        return type.getDirectDependenciesFromSelf().stream()
                .map(Dependency::getTargetClass)
                .map(JavaClass::getBaseComponentType);
    }

    private static boolean isInTheEngine(JavaClass type) {
        return type.getName().startsWith(ENGINE) && !type.getSimpleName().equals("package-info");
    }

    private static String nameOf(JavaClass type) {
        return type.getName().substring(ENGINE.length()).replaceFirst("\\$.*", "");
    }

    private static int layerOf(String type) {
        return PACKAGES.indexOf(type.substring(0, type.lastIndexOf('.')));
    }

    @Test
    void everyClassIsInOneOfThePackages() {
        assertThat(USES.keySet())
                .isNotEmpty()
                .allSatisfy(type -> assertThat(layerOf(type)).isNotNegative());
    }

    @Test
    void noClassUsesOneOfAPackageAboveItsOwn() {
        assertThat(USES)
                .allSatisfy((type, used) ->
                        assertThat(used).filteredOn(isAbove(type)).isEmpty());
    }

    private static Predicate<String> isAbove(String type) {
        return used -> layerOf(used) > layerOf(type);
    }

    @Test
    void noMoreThanAFewClassesNeedEachOther() {
        Map<String, Set<String>> reached =
                USES.keySet().stream().collect(Collectors.toMap(type -> type, LayersTests::reachedFrom));

        assertThat(reached)
                .allSatisfy((type, others) -> assertThat(others)
                        .filteredOn(other -> reached.get(other).contains(type))
                        .hasSizeLessThanOrEqualTo(LARGEST_CIRCLE));
    }

    private static Set<String> reachedFrom(String type) {
        Set<String> reached = new HashSet<>();
        for (Set<String> next = Set.of(type); !next.isEmpty(); ) {
            next = next.stream()
                    .flatMap(from -> USES.get(from).stream())
                    .filter(reached::add)
                    .collect(Collectors.toSet());
        }
        return reached;
    }

    /** An engine is used by an executor, and must not know which: a forgotten one is to be collected. */
    @Test
    void theEngineKnowsValuesOfTheApiAndWhatUsersImplementButNoExecutor() {
        assertThat(MAIN.stream().filter(LayersTests::isInTheEngine).flatMap(LayersTests::usedBy))
                .filteredOn(used -> used.getPackageName().startsWith(API) && !isInTheEngine(used))
                .isNotEmpty()
                .allSatisfy(used -> {
                    assertThat(used.getPackageName()).isIn(API, CLUSTER);
                    assertThat(EXECUTORS).doesNotContain(used.getSimpleName());
                });
    }

    @Test
    void everyClassOfTheEngineFitsInAHead() throws IOException {
        Path sources = Markdown.repository()
                .resolve("group-concurrency-core/src/main/java")
                .resolve(ENGINE.replace('.', '/'));
        try (Stream<Path> files = Files.walk(sources)) {
            assertThat(files.filter(Files::isRegularFile))
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(Files.readAllLines(file)).hasSizeLessThanOrEqualTo(MOST_LINES));
        }
    }
}
