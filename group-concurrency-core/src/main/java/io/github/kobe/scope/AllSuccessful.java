package io.github.kobe.scope;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/** Gives all values, in the order of the forks, or the first failure. Keeps the subtasks until one fails. */
final class AllSuccessful<T, X extends Throwable> extends ThrowingJoiner<T, List<T>, X> {

    private final Queue<Subtask<T>> forked = new ConcurrentLinkedQueue<>();

    AllSuccessful(Function<Throwable, X> toException) {
        super("allSuccessfulOrThrow()", toException);
    }

    @Override
    public boolean onFork(Subtask<T> subtask) {
        super.onFork(subtask);
        if (firstFailure() == null) {
            forked.add(subtask);
        }
        return false;
    }

    @Override
    public boolean onComplete(Subtask<T> subtask) {
        if (failed(subtask) && isFirstFailure(subtask)) {
            forked.clear();
            return true;
        }
        return false;
    }

    @Override
    public List<T> result() throws X {
        Throwable failure = firstFailure();
        if (failure != null) {
            throw exception(failure);
        }
        List<T> values = new ArrayList<>();
        for (Subtask<T> subtask : forked) {
            if (subtask.state() != Subtask.State.SUCCESS) {
                throw exception(cancelled());
            }
            values.add(subtask.get());
        }
        return Collections.unmodifiableList(values);
    }
}
