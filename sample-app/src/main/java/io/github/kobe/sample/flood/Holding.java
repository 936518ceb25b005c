package io.github.kobe.sample.flood;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What an export held of the permits, looked up again and again, and how long it took. */
final class Holding {

    static final String HEAD = String.format(
            "%-22s %8s %13s %9s %9s", Sample.FLOODING + "'s export", "took", "held: median", "at most", "of");

    private final String when;
    private final List<Integer> held = new ArrayList<>();
    private Duration took = Duration.ZERO;

    Holding(String when) {
        this.when = when;
    }

    void held(int permits) {
        held.add(permits);
    }

    void took(Duration time) {
        took = time;
    }

    /** {@return whether there was anything to hold} Without limits there isn't. */
    boolean isKnown() {
        return !held.isEmpty();
    }

    int median() {
        return held.stream().sorted().toList().get(held.size() / 2);
    }

    int most() {
        return held.stream().mapToInt(permits -> permits).max().orElseThrow();
    }

    /** {@return all of it in one line of a table} */
    String line(int cap) {
        return String.format(
                Locale.ROOT,
                "%-22s %6.1f s %13s %9s %9s",
                when,
                took.toMillis() / 1e3,
                isKnown() ? median() : Answers.NONE,
                isKnown() ? most() : Answers.NONE,
                isKnown() ? cap : Answers.NONE);
    }
}
