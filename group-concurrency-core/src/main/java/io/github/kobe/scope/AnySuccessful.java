package io.github.kobe.scope;

import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Gives the first value, or the first failure. Keeps one subtask and one failure. */
final class AnySuccessful<T, X extends Throwable> extends ThrowingJoiner<T, T, X> {

    private final AtomicReference<@Nullable Subtask<T>> winner = new AtomicReference<>();
    private volatile boolean forked;

    AnySuccessful(Function<Throwable, X> toException) {
        super("anySuccessfulOrThrow()", toException);
    }

    @Override
    public boolean onFork(Subtask<T> subtask) {
        super.onFork(subtask);
        if (!forked) {
            forked = true;
        }
        return false;
    }

    @Override
    public boolean onComplete(Subtask<T> subtask) {
        if (failed(subtask)) {
            isFirstFailure(subtask);
            return false;
        }
        return winner.get() == null && winner.compareAndSet(null, subtask);
    }

    @Override
    public T result() throws X {
        Subtask<T> won = winner.get();
        if (won != null) {
            return won.get();
        }
        Throwable failure = firstFailure();
        if (failure != null) {
            throw exception(failure);
        }
        throw exception(forked ? cancelled() : new NoSuchElementException("Nothing was forked"));
    }
}
