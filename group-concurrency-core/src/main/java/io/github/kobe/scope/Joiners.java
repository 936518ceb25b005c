package io.github.kobe.scope;

import java.util.List;

/**
 * Joiners beyond those of {@link Joiner}. What they throw is unchecked.
 *
 * <p>After the time-out each of them throws a {@link CancelledByTimeoutException}. Each serves one scope.
 *
 * @since 0.1.0
 */
public final class Joiners {

    private Joiners() {}

    /**
     * Waits for all forks, whatever becomes of them, and gives {@code null}; also once the scope is cancelled. It keeps
     * nothing: for servers that fork for as long as they run, and for forks that look after themselves.
     *
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    public static <T> Joiner<T, Void, RuntimeException> awaitAll() {
        return new AwaitAll<>();
    }

    /**
     * All values, or all failures. It waits for all forks; a failure ends no other.
     *
     * <p>The outcome is a list of the values in the order of the forks, which can't be modified and may hold {@code null}.
     * If one has failed, a {@link ForksFailedException} with all failures in that order is thrown; with none, a {@link
     * java.util.concurrent.CancellationException} if the scope or one of the forks was cancelled. It keeps all subtasks.
     *
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    public static <T> Joiner<T, List<T>, ForksFailedException> collectAll() {
        return new CollectAll<>();
    }

    /**
     * Waits for all forks, and gives how they have ended, with the failures in the order in which they came; also once the
     * scope is cancelled. A failure ends no other. It keeps all failures.
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
     * As {@link #supervise()}, but the outcome counts the failures and names none. It keeps nothing.
     *
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     */
    public static <T> Joiner<T, Outcome, RuntimeException> ignoreFailures() {
        return new Supervise<>(Supervise.OnFailure.COUNT);
    }

    /**
     * The first so many values; the last of them cancels the scope. For votes, and for reads of a majority of copies.
     *
     * <p>The outcome is a list of so many values in the order in which they came, which can't be modified and may hold
     * {@code null}. If all forks have ended and there are fewer, a {@link ForksFailedException} with all failures is
     * thrown; with none, a {@link java.util.concurrent.CancellationException} if the scope or one of the forks was
     * cancelled. It keeps those subtasks and all failures.
     *
     * @param successes how many values, at least 1
     * @param <T> what the values of the forks have in common
     * @return a new joiner
     * @throws IllegalArgumentException if {@code successes} is less than 1
     */
    public static <T> Joiner<T, List<T>, ForksFailedException> quorum(int successes) {
        return new Quorum<>(successes);
    }
}
