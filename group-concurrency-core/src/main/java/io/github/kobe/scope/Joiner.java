package io.github.kobe.scope;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Decides the outcome of a scope. It is called for each fork and for the end of each fork, may cancel the scope, and
 * makes the outcome of {@link GroupScope#join()}.
 *
 * <p>The first seven factory methods make the joiners of the JDK's {@code StructuredTaskScope}, with the same names and
 * meaning; the others are this library's. A joiner of your own needs {@link #result()} and {@link #timeout()}, and the
 * other methods as required:
 *
 * <pre>{@code
 * final class Cheapest implements Joiner<Offer, Offer, NoOfferException> {
 *     private final AtomicReference<Offer> best = new AtomicReference<>();
 *
 *     public boolean onComplete(Subtask<Offer> subtask) {
 *         if (subtask.state() == Subtask.State.SUCCESS) {
 *             best.accumulateAndGet(subtask.get(), Offer::cheaperOf);
 *         }
 *         return false; // wait for the others
 *     }
 *
 *     public Offer result() throws NoOfferException { ... }
 *
 *     public Offer timeout() throws NoOfferException {
 *         return result(); // the best one so far
 *     }
 * }
 * }</pre>
 *
 * <p><b>One scope.</b> A joiner can be used for one scope only. Using one of this library's joiners for a second scope
 * throws an {@link IllegalStateException}; don't share your own either.
 *
 * <p><b>Threads.</b> {@link #onFork} runs on the thread that forks, the owner's or that of a fork; {@link #onComplete} on
 * the thread of the fork that has ended, or, if it never ran, on the thread that ended it. Both run concurrently and must be
 * thread-safe; they never run under a lock of the engine. {@link #result()} and {@link #timeout()} run on the owner's thread,
 * one of them, once, after all calls of {@code onComplete}; in a cancelled scope a fork may still fork at the same time.
 *
 * <p><b>Order.</b> A fork's {@code onFork} happens-before its {@code onComplete}, which happens-before the outcome.
 * {@code onComplete} runs <i>before the fork's permits return</i>: in a group of limit 1 no sibling starts after the
 * end that decided. Keep it short: others wait for it, including {@code join}, even when the scope is cancelled.
 *
 * <p><b>Subtasks.</b> {@code onComplete} may read the value or failure of its subtask; {@code result} and
 * {@code timeout} may read those of all forks that have ended.
 *
 * @param <T> what the values of the forks have in common
 * @param <R> the outcome
 * @param <X> what is thrown if there is no outcome
 * @since 0.1.0
 */
public interface Joiner<T, R, X extends Throwable> {

    /**
     * A task is being forked; it has not begun. Also called in a scope that is cancelled, where it will never run.
     *
     * @param subtask the fork, {@link Subtask.State#UNAVAILABLE}
     * @return true to cancel the scope, and this fork with it; false by default
     * @throws NullPointerException if {@code subtask} is {@code null}
     * @throws IllegalArgumentException if it isn't UNAVAILABLE. What this throws is thrown by {@code fork}, and nothing
     *     runs
     */
    default boolean onFork(Subtask<T> subtask) {
        if (subtask.state() != Subtask.State.UNAVAILABLE) {
            throw new IllegalArgumentException("A subtask that is forked must be UNAVAILABLE, was " + subtask.state());
        }
        return false;
    }

    /**
     * A fork has ended with a value or a failure, before the scope was cancelled. This isn't called for a fork that was
     * cancelled, nor for one that ends after the scope was cancelled.
     *
     * @param subtask the fork, {@link Subtask.State#SUCCESS} or {@link Subtask.State#FAILED}
     * @return true to cancel the scope, and so the other forks; false by default
     * @throws NullPointerException if {@code subtask} is {@code null}
     * @throws IllegalArgumentException if it is UNAVAILABLE. What this throws cancels the scope, and is the cause of an
     *     {@link IllegalStateException} from {@code join}
     */
    default boolean onComplete(Subtask<T> subtask) {
        if (subtask.state() == Subtask.State.UNAVAILABLE) {
            throw new IllegalArgumentException("A subtask that completes must be SUCCESS or FAILED, was UNAVAILABLE");
        }
        return false;
    }

    /**
     * Makes the outcome once all forks have ended, or the scope is cancelled other than by its time-out.
     *
     * @return what {@code join} returns; may be {@code null}
     * @throws X what {@code join} throws
     */
    R result() throws X;

    /**
     * Makes the outcome once the scope's time is up, if forks were unfinished then, or there were none at all.
     *
     * @return what {@code join} returns; may be {@code null}
     * @throws X what {@code join} throws
     */
    R timeout() throws X;

    /**
     * Returns a joiner that gives all values, or the first failure, which cancels the scope. It is for forks of one
     * type that are all needed.
     *
     * <p>The outcome is an unmodifiable list of the values in the order of the forks, which may contain {@code null}.
     * Otherwise an {@link ExecutionException} is thrown. Its cause is the failure that came first in time; if there is
     * none, it is a {@link CancelledByTimeoutException} after the time-out, and a
     * {@link java.util.concurrent.CancellationException} if the scope or one of the forks was cancelled.
     *
     * <p>The joiner keeps all subtasks.
     *
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    static <T> Joiner<T, List<T>, ExecutionException> allSuccessfulOrThrow() {
        return allSuccessfulOrThrow(ExecutionException::new);
    }

    /**
     * As {@link #allSuccessfulOrThrow()}, but throws what a function makes of the cause.
     *
     * @param toException makes the exception to throw, on the owner's thread; may return the cause itself. If it
     *     returns {@code null}, a {@link NullPointerException} is thrown
     * @param <T> what the values of the forks have in common
     * @param <X> what is thrown
     * @return a new joiner
     */
    static <T, X extends Throwable> Joiner<T, List<T>, X> allSuccessfulOrThrow(Function<Throwable, X> toException) {
        return new AllSuccessful<>(toException);
    }

    /**
     * Returns a joiner that gives the first value, which cancels the scope. It is for forks that can replace each
     * other.
     *
     * <p>The outcome is the value that came first in time; it may be {@code null}. Otherwise an
     * {@link ExecutionException} is thrown. Its cause is the failure that came first; if there is none, it is a
     * {@link java.util.concurrent.CancellationException} if all forks were cancelled, and a
     * {@link java.util.NoSuchElementException} if nothing was forked. After the time-out the cause is always a
     * {@link CancelledByTimeoutException}, even if forks have failed.
     *
     * <p>The joiner keeps one subtask and one failure.
     *
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    static <T> Joiner<T, T, ExecutionException> anySuccessfulOrThrow() {
        return anySuccessfulOrThrow(ExecutionException::new);
    }

    /**
     * As {@link #anySuccessfulOrThrow()}, but throws what a function makes of the cause.
     *
     * @param toException makes the exception to throw, on the owner's thread; may return the cause itself. If it
     *     returns {@code null}, a {@link NullPointerException} is thrown
     * @param <T> what the values of the forks have in common
     * @param <X> what is thrown
     * @return a new joiner
     */
    static <T, X extends Throwable> Joiner<T, T, X> anySuccessfulOrThrow(Function<Throwable, X> toException) {
        return new AnySuccessful<>(toException);
    }

    /**
     * Returns a joiner that gives no value, or the first failure, which cancels the scope. It is for forks of several
     * types that are all needed, whose values are read from the subtasks. {@link Scopes#open()} uses it.
     *
     * <p>The outcome is {@code null}. Otherwise an {@link ExecutionException} is thrown, with the same causes as with
     * {@link #allSuccessfulOrThrow()}.
     *
     * <p>The joiner keeps one failure.
     *
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    static <T> Joiner<T, Void, ExecutionException> awaitAllSuccessfulOrThrow() {
        return awaitAllSuccessfulOrThrow(ExecutionException::new);
    }

    /**
     * As {@link #awaitAllSuccessfulOrThrow()}, but throws what a function makes of the cause.
     *
     * @param toException makes the exception to throw, on the owner's thread; may return the cause itself. If it
     *     returns {@code null}, a {@link NullPointerException} is thrown
     * @param <T> what the values of the forks have in common
     * @param <X> what is thrown
     * @return a new joiner
     */
    static <T, X extends Throwable> Joiner<T, Void, X> awaitAllSuccessfulOrThrow(Function<Throwable, X> toException) {
        return new AwaitSuccessful<>(toException);
    }

    /**
     * Returns a joiner that gives all subtasks, and waits until a condition is met. The outcome is an unmodifiable list
     * of the subtasks in the order of the forks. That is also the outcome after the time-out or a cancellation, when
     * some of them are {@link Subtask.State#UNAVAILABLE}. With {@code s -> false} it waits for all, however they end.
     *
     * <p>The joiner keeps all subtasks.
     *
     * @param isDone called for each fork that has ended, as {@link #onComplete} is, by many threads at once; true
     *     cancels the scope. An exception also cancels it, and is the cause of an {@link IllegalStateException} from
     *     {@code join}
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    static <T> Joiner<T, List<Subtask<T>>, RuntimeException> allUntil(Predicate<? super Subtask<T>> isDone) {
        return new AllUntil<>(isDone);
    }

    // ---- beyond the JDK's; these throw unchecked exceptions alone

    /**
     * Returns a joiner that waits for all forks, however they end, and gives {@code null}, even if the scope is cancelled.
     * It keeps nothing, so it suits servers that fork for as long as they run, and forks that handle their own failures;
     * {@link GroupScope#totals()} counts these. After the time-out a {@link CancelledByTimeoutException} is thrown.
     *
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    static <T> Joiner<T, Void, RuntimeException> awaitAll() {
        return new AwaitAll<>();
    }

    /**
     * Returns a joiner that waits for all forks, and gives all values or all failures. A failure doesn't end other forks.
     *
     * <p>The outcome is an unmodifiable list of the values in the order of the forks, which may contain {@code null}.
     * If a fork has failed, a {@link ForksFailedException} with all failures in that order is thrown. If none has, a
     * {@link java.util.concurrent.CancellationException} is thrown if the scope or one of the forks was cancelled. After the
     * time-out a {@link CancelledByTimeoutException} is thrown. The joiner keeps all subtasks.
     *
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    static <T> Joiner<T, List<T>, ForksFailedException> collectAll() {
        return new CollectAll<>();
    }

    /**
     * Returns a joiner that waits for all forks, and gives an {@link Outcome} with the failures in the order in which they
     * came, even if the scope is cancelled. A failure doesn't end other forks. After the time-out a
     * {@link CancelledByTimeoutException} is thrown. The joiner keeps all failures.
     *
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    static <T> Joiner<T, Outcome, RuntimeException> supervise() {
        return new Supervise<>(false);
    }

    /**
     * As {@link #supervise()}, but the first failure cancels the scope, and so the other forks.
     *
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    static <T> Joiner<T, Outcome, RuntimeException> cancelOthers() {
        return new Supervise<>(true);
    }

    /**
     * Returns a joiner that gives the first values, as many as needed; the last of them cancels the scope. It is for votes,
     * and for reads from a majority of copies.
     *
     * <p>The outcome is an unmodifiable list of that many values in the order in which they came, which may contain
     * {@code null}. If all forks have ended and there are fewer values, a {@link ForksFailedException} with all
     * failures is thrown. If there are no failures, a {@link java.util.concurrent.CancellationException} is thrown if
     * the scope or one of the forks was cancelled. After the time-out a {@link CancelledByTimeoutException} is thrown. The
     * joiner keeps those subtasks and all failures.
     *
     * @param successes how many values are needed, at least 1
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     * @throws IllegalArgumentException if {@code successes} is less than 1
     */
    static <T> Joiner<T, List<T>, ForksFailedException> quorum(int successes) {
        return new Quorum<>(successes);
    }
}
