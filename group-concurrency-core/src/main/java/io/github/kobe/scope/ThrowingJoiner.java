package io.github.kobe.scope;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A joiner that throws what a function makes from the first failure, the time-out or a cancellation. */
abstract class ThrowingJoiner<T, R, X extends Throwable> extends OneScopeJoiner<T, R, X> {

    private final Function<Throwable, X> toException;
    private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();

    ThrowingJoiner(String call, Function<Throwable, X> toException) {
        super(call);
        this.toException = Objects.requireNonNull(toException, "toException");
    }

    final @Nullable Throwable firstFailure() {
        return firstFailure.get();
    }

    /** {@return true if no other was first} */
    final boolean isFirstFailure(Subtask<T> failed) {
        return firstFailure.get() == null && firstFailure.compareAndSet(null, failed.exception());
    }

    final X exception(Throwable cause) {
        return Objects.requireNonNull(toException.apply(cause), "toException returned null");
    }

    @Override
    public final R timeout() throws X {
        throw exception(timedOut());
    }
}
