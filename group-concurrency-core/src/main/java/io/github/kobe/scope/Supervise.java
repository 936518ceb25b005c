package io.github.kobe.scope;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** Gives how the forks have ended. Keeps counts and the failures. */
final class Supervise<T> extends OneScopeJoiner<T, Outcome, RuntimeException> {

    private final boolean cancelsOthers;
    private final LongAdder forked = new LongAdder();
    private final LongAdder succeeded = new LongAdder();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    /** @param cancelsOthers whether a failure cancels the scope */
    Supervise(boolean cancelsOthers) {
        super(cancelsOthers ? "cancelOthers()" : "supervise()");
        this.cancelsOthers = cancelsOthers;
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
        failures.add(subtask.exception());
        return cancelsOthers;
    }

    /** Counts what has ended first, and then what was forked, which can't be less. */
    @Override
    public Outcome result() {
        int values = succeeded.intValue();
        List<Throwable> losses = List.copyOf(failures);
        int forks = forked.intValue();
        return new Outcome(forks, values, forks - values - losses.size(), losses);
    }
}
