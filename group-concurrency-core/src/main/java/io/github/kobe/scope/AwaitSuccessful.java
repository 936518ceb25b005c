package io.github.kobe.scope;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/** Gives no value, or the first failure. Keeps only that failure. */
final class AwaitSuccessful<T, X extends Throwable> extends ThrowingJoiner<T, Void, X> {

    /** How many were forked and haven't completed, if no scope counts them for it: in a joiner of a user's. */
    private final LongAdder unfinished = new LongAdder();

    AwaitSuccessful(Function<Throwable, X> toException) {
        super("awaitAllSuccessfulOrThrow()", toException);
    }

    @Override
    public boolean onFork(Subtask<T> subtask) {
        super.onFork(subtask);
        if (!isTaken()) {
            unfinished.increment();
        }
        return false;
    }

    @Override
    public boolean onComplete(Subtask<T> subtask) {
        boolean failed = failed(subtask);
        if (!isTaken()) {
            unfinished.decrement();
        }
        return failed && isFirstFailure(subtask);
    }

    @Override
    public Void result() throws X {
        Throwable failure = firstFailure();
        if (failure != null) {
            throw exception(failure);
        }
        if (isTaken() ? isAnyLost() : unfinished.sum() > 0) {
            throw exception(cancelled());
        }
        return null;
    }
}
