package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each behaviour of the engine has an id; the tests that show it carry the id as a tag. */
class BehaviourIdsTests {

    private static Stream<String> ids(String letter, int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(number -> letter + number);
    }

    private static List<String> behaviours() {
        return Stream.of(
                        ids("G", 1, 6),
                        ids("G", 9, 22),
                        ids("G", 27, 31),
                        ids("G", 33, 37),
                        ids("G", 39, 45),
                        ids("G", 47, 50),
                        ids("E", 1, 14))
                .flatMap(each -> each)
                .toList();
    }

    private static Set<String> tags() throws IOException, URISyntaxException, ClassNotFoundException {
        URL here = BehaviourIdsTests.class.getProtectionDomain().getCodeSource().getLocation();
        Path root = Path.of(here.toURI());
        List<Path> classFiles;
        try (Stream<Path> files = Files.walk(root)) {
            classFiles = files.filter(file -> file.toString().endsWith("Tests.class"))
                    .toList();
        }
        Set<String> tags = new TreeSet<>();
        for (Path file : classFiles) {
            String path = root.relativize(file).toString();
            String name = path.substring(0, path.length() - ".class".length())
                    .replace(file.getFileSystem().getSeparator(), ".");
            Class<?> type = Class.forName(name, false, BehaviourIdsTests.class.getClassLoader());
            add(type.getAnnotationsByType(Tag.class), tags);
            Stream.of(type.getDeclaredMethods()).forEach(method -> add(method.getAnnotationsByType(Tag.class), tags));
        }
        return tags;
    }

    private static void add(Tag[] found, Set<String> tags) {
        Stream.of(found).map(Tag::value).forEach(tags::add);
    }

    @Test
    void everyBehaviourIsNamedByATest() throws Exception {
        List<String> missing = new ArrayList<>(behaviours());

        missing.removeAll(tags());

        assertThat(missing).isEmpty();
    }
}
