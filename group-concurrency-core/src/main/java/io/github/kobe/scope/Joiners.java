package io.github.kobe.scope;

import java.util.List;

/**
 * More joiners, beyond those of {@link Joiner}. They throw only unchecked exceptions.
 *
 * <p>After the time-out each of them throws a {@link CancelledByTimeoutException}. Each serves one scope.
 *
 * @since 0.1.0
 */
public final class Joiners {

    private Joiners() {}

    /**
     * Waits for all forks, however they end, and gives {@code null}, even if the scope is cancelled. It keeps nothing,
     * so it suits servers that fork for as long as they run, and forks that handle their own failures.
     *
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    public static <T> Joiner<T, Void, RuntimeException> awaitAll() {
        return new AwaitAll<>();
    }

    /**
     * Waits for all forks, and gives all values or all failures. A failure doesn't end other forks.
     *
     * <p>The outcome is an unmodifiable list of the values in the order of the forks, which may contain {@code null}.
     * If a fork has failed, a {@link ForksFailedException} with all failures in that order is thrown. If none has, a
     * {@link java.util.concurrent.CancellationException} is thrown if the scope or one of the forks was cancelled. The
     * joiner keeps all subtasks.
     *
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    public static <T> Joiner<T, List<T>, ForksFailedException> collectAll() {
        return new CollectAll<>();
    }

    /**
     * Waits for all forks, and gives an {@link Outcome} with the failures in the order in which they came, even if the
     * scope is cancelled. A failure doesn't end other forks. The joiner keeps all failures.
     *
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    public static <T> Joiner<T, Outcome, RuntimeException> supervise() {
        return new Supervise<>(Supervise.OnFailure.NAME);
    }

    /**
     * As {@link #supervise()}, but the first failure cancels the scope, and so the other forks.
     *
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    public static <T> Joiner<T, Outcome, RuntimeException> cancelOthers() {
        return new Supervise<>(Supervise.OnFailure.NAME_AND_CANCEL);
    }

    /**
     * As {@link #supervise()}, but the outcome only counts the failures. The joiner keeps nothing.
     *
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    public static <T> Joiner<T, Outcome, RuntimeException> ignoreFailures() {
        return new Supervise<>(Supervise.OnFailure.COUNT);
    }

    /**
     * Gives the first values, as many as needed; the last of them cancels the scope. It is for votes, and for reads
     * from a majority of copies.
     *
     * <p>The outcome is an unmodifiable list of that many values in the order in which they came, which may contain
     * {@code null}. If all forks have ended and there are fewer values, a {@link ForksFailedException} with all
     * failures is thrown. If there are no failures, a {@link java.util.concurrent.CancellationException} is thrown if
     * the scope or one of the forks was cancelled. The joiner keeps those subtasks and all failures.
     *
     * @param successes how many values are needed, at least 1
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     * @throws IllegalArgumentException if {@code successes} is less than 1
     */
    public static <T> Joiner<T, List<T>, ForksFailedException> quorum(int successes) {
        return new Quorum<>(successes);
    }
}
