package io.github.kobe.scope;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.internal.doors.ScopeBridge;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;

/**
 * Opens structured scopes over a {@link GroupExecutor}: groups own limits, scopes own lifetimes.
 *
 * <pre>{@code
 * Scopes scopes = Scopes.of(executor);
 *
 * try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow(), settings -> settings.withName("offers"))) {
 *     scope.fork("partner:a", () -> ask("a"));
 *     scope.fork("partner:b", () -> ask("b"));
 *     List<String> offers = scope.join();
 * }
 * }</pre>
 *
 * <p>A scope has a time-out of 30 seconds from its opening, unless its settings say otherwise, because a scope
 * that nobody ends would hold permits that others wait for. Immutable, and safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class Scopes {

    private final ScopeBridge bridge;
    private final GivenSettings defaults;

    private Scopes(ScopeBridge bridge, GivenSettings defaults) {
        this.bridge = bridge;
        this.defaults = defaults;
    }

    /**
     * Makes scopes over an executor, with a time-out of 30 seconds and no other settings.
     *
     * @param executor the executor that runs their forks
     * @return an object that opens such scopes
     */
    public static Scopes of(GroupExecutor executor) {
        return new Scopes(ScopeBridge.of(Objects.requireNonNull(executor, "executor")), GivenSettings.DEFAULT);
    }

    /**
     * Changes the defaults of scopes, which each {@code open} may then change further.
     *
     * @param change makes the new defaults from the present ones
     * @return an object that opens scopes with the new defaults; this one is unchanged
     * @throws NullPointerException if {@code change} returns {@code null}
     */
    public Scopes withDefaults(UnaryOperator<ScopeSettings> change) {
        return new Scopes(bridge, configured(Objects.requireNonNull(change, "defaults")));
    }

    private GivenSettings configured(UnaryOperator<ScopeSettings> change) {
        return (GivenSettings) Objects.requireNonNull(change.apply(defaults), "settings returned null");
    }

    /**
     * Opens a scope whose {@code join} waits until all forks have succeeded or one has failed.
     *
     * @param <T> what the forks' values have in common
     * @return a scope that the current thread owns and has to close
     * @throws ExecutorShutdownException after a shutdown of the executor
     */
    public <T> GroupScope<T, Void, ExecutionException> open() {
        return open(UnaryOperator.identity());
    }

    /**
     * As {@link #open()}, with settings.
     *
     * @param settings makes the scope's settings from the defaults
     * @param <T> what the forks' values have in common
     * @return a scope that the current thread owns and has to close
     * @throws ExecutorShutdownException after a shutdown of the executor
     */
    public <T> GroupScope<T, Void, ExecutionException> open(UnaryOperator<ScopeSettings> settings) {
        return open(Joiner.awaitAllSuccessfulOrThrow(), settings);
    }

    /**
     * Opens a scope whose outcome the joiner decides.
     *
     * @param joiner used for this scope alone
     * @param <T> what the forks' values have in common
     * @param <R> what {@code join} returns
     * @param <X> what {@code join} throws
     * @return a scope that the current thread owns and has to close
     * @throws ExecutorShutdownException after a shutdown of the executor
     * @throws IllegalStateException if the joiner has served another scope
     */
    public <T, R, X extends Throwable> GroupScope<T, R, X> open(Joiner<? super T, ? extends R, X> joiner) {
        return open(joiner, UnaryOperator.identity());
    }

    /**
     * As {@link #open(Joiner)}, with settings.
     *
     * @param joiner used for this scope alone
     * @param settings makes the scope's settings from the defaults
     * @param <T> what the forks' values have in common
     * @param <R> what {@code join} returns
     * @param <X> what {@code join} throws
     * @return a scope that the current thread owns and has to close
     * @throws ExecutorShutdownException after a shutdown of the executor
     * @throws IllegalStateException if the joiner has served another scope
     */
    public <T, R, X extends Throwable> GroupScope<T, R, X> open(
            Joiner<? super T, ? extends R, X> joiner, UnaryOperator<ScopeSettings> settings) {
        Objects.requireNonNull(joiner, "joiner");
        GivenSettings configured = configured(Objects.requireNonNull(settings, "settings"));
        return OpenScope.open(bridge, configured, joiner);
    }

    /**
     * What {@link #map} does with an item.
     *
     * @param <I> the type of the items
     * @param <V> what the values have in common
     * @since 0.1.0
     */
    @FunctionalInterface
    public interface Mapping<I, V> {

        /**
         * Makes a value.
         *
         * @param item the item
         * @return its value; may be {@code null}
         * @throws Exception why there is none
         */
        V apply(I item) throws Exception;
    }

    /**
     * Runs a function for each item in a group, and returns the values in the order of the items. It opens one scope for
     * that: the first failure cancels the rest, and when this method returns or throws, nothing of it runs any more.
     *
     * <pre>{@code
     * List<Quote> quotes = scopes.map("partner:quotes", currencies, currency -> quoteOf(currency));
     * }</pre>
     *
     * <p>The limits of the group say how many run at once. The defaults of these scopes apply, the time-out among them.
     *
     * @param group the key of the group
     * @param items what to run the function for
     * @param function called once for each item, on a thread of its own
     * @param <I> the type of the items
     * @param <V> what the values have in common
     * @return the values, which may be {@code null}; unmodifiable
     * @throws ExecutionException as with {@link Joiner#allSuccessfulOrThrow()}: its cause is the first failure, a {@link
     *     CancelledByTimeoutException}, or a {@link java.util.concurrent.CancellationException}
     * @throws InterruptedException if the current thread was or is interrupted, or is a fork that was cancelled or whose own
     *     time is up
     * @throws IllegalArgumentException if the group's key is blank, or longer than the policy's {@code maxKeyLength}
     * @throws ExecutorShutdownException after a shutdown of the executor
     */
    public <I, V> List<V> map(String group, Collection<? extends I> items, Mapping<? super I, ? extends V> function)
            throws ExecutionException, InterruptedException {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(items, "items");
        Objects.requireNonNull(function, "function");
        try (GroupScope<V, List<V>, ExecutionException> scope = open(Joiner.<V>allSuccessfulOrThrow())) {
            for (I item : items) {
                scope.fork(group, () -> function.apply(item));
            }
            return scope.join();
        }
    }

    /**
     * Returns the open scopes of the executor, with those inside them. Blocks no thread. The scopes may have changed by
     * the time this returns.
     *
     * @return one snapshot for each scope that isn't inside another one of this executor, the oldest first
     */
    public List<ScopeSnapshot> live() {
        List<OpenScope<?, ?, ?>> roots = new ArrayList<>();
        for (OpenScope<?, ?, ?> scope : ScopeTree.open(bridge)) {
            if (!scope.isInsideAnotherOfItsExecutor()) {
                roots.add(scope);
            }
        }
        roots.sort(Comparator.comparingLong(OpenScope::id));
        return roots.stream().map(OpenScope::snapshot).toList();
    }

    /** {@return a text with the default time-out of scopes} */
    @Override
    public String toString() {
        return "Scopes[timeout=" + defaults.timeout().map(Duration::toString).orElse("none") + "]";
    }
}
