package io.github.kobe.scope;

import io.github.kobe.GroupExecutor;
import io.github.kobe.internal.ScopeBridge;
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
 * <p>A scope has 30 seconds from its opening, unless its configuration says otherwise: a scope that nobody ends would hold
 * permits that others wait for. Immutable, and safe for use by many threads.
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
     * @param executor where their forks run
     * @return what opens them
     */
    public static Scopes of(GroupExecutor executor) {
        return new Scopes(ScopeBridge.of(Objects.requireNonNull(executor, "executor")), ScopeConfiguration.DEFAULT);
    }

    /**
     * Changes what scopes are configured with before each {@code open} has its say.
     *
     * @param change makes the new defaults of these
     * @return what opens scopes with them; this stays as it is
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
     * @throws IllegalStateException after a shutdown of the executor
     */
    public <T> GroupScope<T, Void, ExecutionException> open() {
        return open(UnaryOperator.identity());
    }

    /**
     * As {@link #open()}, configured.
     *
     * @param configuration makes the scope's configuration of the defaults
     * @param <T> what the forks' values have in common
     * @return a scope that the current thread owns and has to close
     * @throws IllegalStateException after a shutdown of the executor
     */
    public <T> GroupScope<T, Void, ExecutionException> open(UnaryOperator<Configuration> configuration) {
        return open(Joiner.awaitAllSuccessfulOrThrow(), configuration);
    }

    /**
     * Opens a scope that ends as its joiner has it.
     *
     * @param joiner serves this scope alone
     * @param <T> what the forks' values have in common
     * @param <R> what {@code join} gives
     * @param <X> what {@code join} throws
     * @return a scope that the current thread owns and has to close
     * @throws IllegalStateException after a shutdown of the executor, or if the joiner has served another scope
     */
    public <T, R, X extends Throwable> GroupScope<T, R, X> open(Joiner<? super T, ? extends R, X> joiner) {
        return open(joiner, UnaryOperator.identity());
    }

    /**
     * As {@link #open(Joiner)}, configured.
     *
     * @param joiner serves this scope alone
     * @param configuration makes the scope's configuration of the defaults
     * @param <T> what the forks' values have in common
     * @param <R> what {@code join} gives
     * @param <X> what {@code join} throws
     * @return a scope that the current thread owns and has to close
     * @throws IllegalStateException after a shutdown of the executor, or if the joiner has served another scope
     */
    public <T, R, X extends Throwable> GroupScope<T, R, X> open(
            Joiner<? super T, ? extends R, X> joiner, UnaryOperator<Configuration> configuration) {
        Objects.requireNonNull(joiner, "joiner");
        ScopeConfiguration configured = configured(Objects.requireNonNull(configuration, "configuration"));
        return OpenScope.open(bridge, configured, joiner);
    }

    /**
     * Shows the scopes of the executor that are open, with those inside them. It blocks nothing, and what it shows may have
     * changed before it returns.
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

    /** {@return the time-out of scopes that are not configured otherwise, for what is shown of these} */
    @Override
    public String toString() {
        return "Scopes[timeout=" + defaults.timeout().map(Duration::toString).orElse("none") + "]";
    }
}
