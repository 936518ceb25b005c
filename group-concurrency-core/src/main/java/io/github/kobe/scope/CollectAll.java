package io.github.kobe.scope;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Gives all values, in the order of the forks, or all failures in that order. Keeps the subtasks. */
final class CollectAll<T> extends OneScopeJoiner<T, List<T>, ForksFailedException> {

    private final Queue<Subtask<T>> forked = new ConcurrentLinkedQueue<>();

    CollectAll() {
        super("collectAll()");
    }

    @Override
    public boolean onFork(Subtask<T> subtask) {
        super.onFork(subtask);
        forked.add(subtask);
        return false;
    }

    @Override
    public List<T> result() {
        List<T> values = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        int forks = 0;
        for (Subtask<T> subtask : forked) {
            forks++;
            switch (subtask.state()) {
                case SUCCESS -> values.add(subtask.get());
                case FAILED -> failures.add(subtask.exception());
                case UNAVAILABLE -> {}
            }
        }
        if (!failures.isEmpty()) {
            throw ForksFailedException.of(failures.size(), forks, failures);
        }
        if (values.size() < forks) {
            throw cancelled();
        }
        return Collections.unmodifiableList(values);
    }
}
