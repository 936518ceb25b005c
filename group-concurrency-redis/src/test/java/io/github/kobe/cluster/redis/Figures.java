package io.github.kobe.cluster.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What was measured over all rounds of the tests of a class. Each line that it prints begins with REAL CLUSTER. */
final class Figures {

    private final Map<String, List<Long>> times = new TreeMap<>();

    /** Something took so long. */
    void add(String what, Duration time) {
        times.computeIfAbsent(what, none -> new ArrayList<>()).add(time.toNanos());
    }

    void say(String what, Object... values) {
        System.out.printf("REAL CLUSTER " + what + "%n", values);
    }

    void report() {
        times.forEach((what, all) -> {
            List<Long> sorted = all.stream().sorted().toList();
            say(
                    "%s: p50 %s s, p99 %s s, max %s s, of %d",
                    what,
                    seconds(sorted.get(sorted.size() / 2)),
                    seconds(sorted.get(sorted.size() * 99 / 100)),
                    seconds(sorted.getLast()),
                    sorted.size());
        });
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e9);
    }
}
