package io.github.kobe.benchmarks;

import java.util.List;
import java.util.stream.IntStream;

/** Names of groups, made before anything is measured. */
final class Keys {

    private Keys() {}

    static List<String> of(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }
}
