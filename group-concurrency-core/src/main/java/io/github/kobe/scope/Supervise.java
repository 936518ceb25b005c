package io.github.kobe.scope;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** Gives how the forks have ended. Keeps counts, and the failures if the outcome lists them. */
final class Supervise<T> extends OneScopeJoiner<T, Outcome, RuntimeException> {

    /** What a failure does. */
    enum OnFailure {
        NAME,
        NAME_AND_CANCEL,
        COUNT
    }

    private final OnFailure onFailure;
    private final LongAdder forked = new LongAdder();
    private final LongAdder succeeded = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    Supervise(OnFailure onFailure) {
        this.onFailure = onFailure;
    }

    @Override
    public boolean onFork(Subtask<T> subtask) {
        super.onFork(subtask);
        forked.increment();
        return false;
    }

    @Override
    public boolean onComplete(Subtask<T> subtask) {
        if (!failed(subtask)) {
            succeeded.increment();
            return false;
        }
        failed.increment();
        if (onFailure != OnFailure.COUNT) {
            failures.add(subtask.exception());
        }
        return onFailure == OnFailure.NAME_AND_CANCEL;
    }

    /** Counts what has ended first, and then what was forked, which can't be less. */
    @Override
    public Outcome result() {
        int values = succeeded.intValue();
        int losses = failed.intValue();
        int forks = forked.intValue();
        return new Outcome(forks, values, forks - values - losses, List.copyOf(failures));
    }
}
