package io.github.kobe.scope;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.internal.doors.ScopeBridge;
import java.time.Duration;
import java.util.ArrayList;
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
 * try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow(), configuration -> configuration.withName("offers"))) {
 *     scope.fork("partner:a", () -> ask("a"));
 *     scope.fork("partner:b", () -> ask("b"));
 *     List<String> offers = scope.join();
 * }
 * }</pre>
 *
 * <p>A scope has a time-out of 30 seconds from its opening, unless its configuration says otherwise, because a scope
 * that nobody ends would hold permits that others wait for. Immutable, and safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class Scopes {

    private final ScopeBridge bridge;
    private final ScopeConfiguration defaults;

    private Scopes(ScopeBridge bridge, ScopeConfiguration defaults) {
        this.bridge = bridge;
        this.defaults = defaults;
    }

    /**
     * Makes scopes over an executor, with a time-out of 30 seconds and nothing else configured.
     *
     * <p>From now on a thread that waits in a scope, of this or of another executor, also lends what it holds in this one.
     * So call it for each executor whose permits your threads hold while they wait in scopes.
     *
     * @param executor the executor that runs their forks
     * @return an object that opens such scopes
     */
    public static Scopes of(GroupExecutor executor) {
        return new Scopes(ScopeBridge.of(Objects.requireNonNull(executor, "executor")), ScopeConfiguration.DEFAULT);
    }

    /**
     * Changes the defaults of scopes, which each {@code open} may then change further.
     *
     * @param change makes the new defaults from the present ones
     * @return an object that opens scopes with the new defaults; this one is unchanged
     * @throws NullPointerException if {@code change} returns {@code null}
     */
    public Scopes withDefaults(UnaryOperator<Configuration> change) {
        return new Scopes(bridge, configured(Objects.requireNonNull(change, "defaults")));
    }

    private ScopeConfiguration configured(UnaryOperator<Configuration> change) {
        return (ScopeConfiguration) Objects.requireNonNull(change.apply(defaults), "The configuration is null");
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
     * As {@link #open()}, with a configuration.
     *
     * @param configuration makes the scope's configuration from the defaults
     * @param <T> what the forks' values have in common
     * @return a scope that the current thread owns and has to close
     * @throws ExecutorShutdownException after a shutdown of the executor
     */
    public <T> GroupScope<T, Void, ExecutionException> open(UnaryOperator<Configuration> configuration) {
        return open(Joiner.awaitAllSuccessfulOrThrow(), configuration);
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
     * As {@link #open(Joiner)}, with a configuration.
     *
     * @param joiner used for this scope alone
     * @param configuration makes the scope's configuration from the defaults
     * @param <T> what the forks' values have in common
     * @param <R> what {@code join} returns
     * @param <X> what {@code join} throws
     * @return a scope that the current thread owns and has to close
     * @throws ExecutorShutdownException after a shutdown of the executor
     * @throws IllegalStateException if the joiner has served another scope
     */
    public <T, R, X extends Throwable> GroupScope<T, R, X> open(
            Joiner<? super T, ? extends R, X> joiner, UnaryOperator<Configuration> configuration) {
        Objects.requireNonNull(joiner, "joiner");
        ScopeConfiguration configured = configured(Objects.requireNonNull(configuration, "configuration"));
        return OpenScope.open(bridge, configured, joiner);
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
