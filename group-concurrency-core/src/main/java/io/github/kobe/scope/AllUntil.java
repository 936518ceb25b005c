package io.github.kobe.scope;

import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/** Gives all subtasks, in the order of the forks. Keeps them all. */
final class AllUntil<T> extends OneScopeJoiner<T, List<Subtask<T>>, RuntimeException> {

    private final Predicate<? super Subtask<T>> isDone;
    private final Queue<Subtask<T>> forked = new ConcurrentLinkedQueue<>();

    AllUntil(Predicate<? super Subtask<T>> isDone) {
        super("allUntil(…)");
        this.isDone = Objects.requireNonNull(isDone, "isDone");
    }

    @Override
    public boolean onFork(Subtask<T> subtask) {
        super.onFork(subtask);
        forked.add(subtask);
        return false;
    }

    @Override
    public boolean onComplete(Subtask<T> subtask) {
        super.onComplete(subtask);
        return isDone.test(subtask);
    }

    @Override
    public List<Subtask<T>> result() {
        return List.copyOf(forked);
    }

    @Override
    public List<Subtask<T>> timeout() {
        return result();
    }
}
