package io.github.kobe.scope;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Gives the first values, as many as needed, in the order in which they came, or all failures. Keeps both. */
final class Quorum<T> extends OneScopeJoiner<T, List<T>, ForksFailedException> {

    private final int successes;
    private final LongAdder forked = new LongAdder();
    private final AtomicInteger succeeded = new AtomicInteger();
    private final Queue<Subtask<T>> winners = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    Quorum(int successes) {
        super("quorum(" + successes + ")");
        this.successes = Range.atLeast(1, successes, "successes");
    }

    @Override
    public boolean onFork(Subtask<T> subtask) {
        super.onFork(subtask);
        forked.increment();
        return false;
    }

    /** The last place among the winners is given away before all have sat down: who sits down last cancels. */
    @Override
    public boolean onComplete(Subtask<T> subtask) {
        if (failed(subtask)) {
            failures.add(subtask.exception());
            return false;
        }
        winners.add(subtask);
        return succeeded.incrementAndGet() == successes;
    }

    @Override
    public List<T> result() {
        int values = succeeded.get();
        if (values >= successes) {
            List<T> first = new ArrayList<>(successes);
            winners.stream().limit(successes).forEach(subtask -> first.add(subtask.get()));
            return Collections.unmodifiableList(first);
        }
        List<Throwable> reasons = List.copyOf(failures);
        long forks = forked.sum();
        if (reasons.isEmpty() && values < forks) {
            throw cancelled();
        }
        throw new ForksFailedException(
                successes + " forks had to succeed, " + values + " of " + forks + " did", reasons);
    }
}
