package io.github.kobe.model;

import io.github.kobe.testing.SourceDigest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What was explored, as it was then, and how many states it had. A file beside the models has a line for each, with a
 * digest of all that the answer depends on: the question, the configuration, the model with what it includes, Spin, and
 * how it is called. Once one of them changes, the line stands for nothing. Comments and indentation don't count.
 */
final class Explored {

    static final Path RECORD = Spin.MODELS.resolve("explored.txt");

    private static final Path CALLS = Path.of("src/test/java/io/github/kobe/model/Spin.java");
    private static final Pattern LINE = Pattern.compile("(?<key>\\p{XDigit}+ .+): (?<states>\\d+) states");
    private static final Pattern INCLUDED = Pattern.compile("(?m)^#include \"(.+)\"");

    /** What is asked about a configuration. */
    enum Question {
        /** No reachable state breaks an invariant, or leaves anybody waiting. */
        SAFE,
        /** Every task ends in each fair run. */
        LIVE,
        /** The bug that a macro seeds is found. */
        SEEDED
    }

    record Exploration(Question question, String configuration) {

        /** {@return the name of its file} */
        String model() {
            return parts().getFirst();
        }

        List<String> defines() {
            return parts().subList(1, parts().size());
        }

        private List<String> parts() {
            return Arrays.asList(configuration.split(" ", -1));
        }

        @Override
        public String toString() {
            return question.name().toLowerCase(Locale.ROOT) + " " + configuration;
        }
    }

    private final Path models;
    private final String spin;
    private final Map<String, String> states = new ConcurrentHashMap<>();

    /**
     * @param record the file, which need not be there
     * @param models their folder
     * @param spin its version
     */
    Explored(Path record, Path models, String spin) {
        this.models = models;
        this.spin = spin;
        if (Files.exists(record)) {
            LINE.matcher(read(record)).results().forEach(line -> states.put(line.group("key"), line.group("states")));
        }
    }

    /** {@return the names of what the file has, whether or not it is still so} */
    List<String> names() {
        return states.keySet().stream()
                .map(key -> key.substring(key.indexOf(' ') + 1))
                .toList();
    }

    boolean contains(Exploration exploration) {
        return states.containsKey(key(exploration));
    }

    void add(Exploration exploration, long count) {
        states.put(key(exploration), Long.toString(count));
    }

    /** Writes the lines of those that were explored as they are now. */
    void write(Path record, Stream<Exploration> explorations) {
        StringBuilder text = new StringBuilder();
        explorations.filter(this::contains).forEach(exploration -> {
            String key = key(exploration);
            text.append(key).append(": ").append(states.get(key)).append(" states\n");
        });
        try {
            Files.writeString(record, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String key(Exploration exploration) {
        List<String> parts = new ArrayList<>(List.of(exploration.toString(), spin, SourceDigest.code(read(CALLS))));
        addModel(exploration.model() + ".pml", parts);
        return SourceDigest.of(parts) + " " + exploration;
    }

    private void addModel(String file, List<String> parts) {
        String text = read(models.resolve(file));
        parts.add(SourceDigest.code(text));
        INCLUDED.matcher(text).results().forEach(include -> addModel(include.group(1), parts));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
