package io.github.kobe.internal.doors;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** In the models of Lincheck's scenarios: the tasks that each thread has started and not run yet. */
final class Started {

    private final List<Deque<String>> byThread = new ArrayList<>();

    Started() {
        for (int i = 0; i < FakeThreads.ACTORS; i++) {
            byThread.add(new ArrayDeque<>());
        }
    }

    /** Notes that {@code thread} has started a task; returns the event. */
    String add(int thread, String id) {
        byThread.get(thread).add(id);
        return "starts " + id;
    }

    /** Takes the eldest of {@code thread}; null: it has none. */
    String next(int thread) {
        return byThread.get(thread).poll();
    }
}
