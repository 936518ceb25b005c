/**
 * Structured scopes: a block forks tasks into groups, waits for them as one, and outlives them all. Groups own limits,
 * scopes own lifetimes.
 *
 * <pre>{@code
 * Scopes scopes = Scopes.of(executor);
 *
 * Page load(String id) throws ExecutionException, InterruptedException {
 *     try (var scope = scopes.open(settings -> settings.withTimeout(Duration.ofSeconds(2)))) {
 *         Subtask<User> user = scope.fork("users", () -> findUser(id));
 *         Subtask<Order> order = scope.fork("orders", () -> findOrder(id));
 *
 *         scope.join(); // both, or the first failure, which cancels the other
 *
 *         return new Page(user.get(), order.get());
 *     } // here none of it runs any more, and every permit is back
 * }
 * }</pre>
 *
 * <ul>
 *   <li>{@link io.github.kobe.scope.Scopes} is where to begin: it opens a {@link io.github.kobe.scope.GroupScope} on a
 *       {@link io.github.kobe.GroupExecutor}, with {@link io.github.kobe.scope.ScopeSettings}, or does the whole for a list by its {@code map}.
 *   <li>{@link io.github.kobe.scope.Subtask} is one fork. {@link io.github.kobe.scope.ForkOptions} and
 *       {@link io.github.kobe.scope.RetryPolicy} are its settings; a {@link io.github.kobe.scope.ScheduledFork} runs
 *       beside the others.
 *   <li>{@link io.github.kobe.scope.Joiner} decides what the outcome of a scope is, and makes the usual ones.
 *       {@link io.github.kobe.scope.Outcome} counts.
 *   <li>{@link io.github.kobe.scope.CancellationToken} ends a scope from outside.
 *   <li>{@link io.github.kobe.scope.CancelledByTimeoutException}, {@link io.github.kobe.scope.ForksFailedException} and
 *       {@link io.github.kobe.scope.ScopeStructureException} say what went wrong.
 *   <li>{@link io.github.kobe.scope.ScopeListener} is told of scopes and forks, as
 *       {@link io.github.kobe.scope.ScopeInfo} and {@link io.github.kobe.scope.ForkInfo};
 *       {@link io.github.kobe.scope.ScopeTotals} and {@link io.github.kobe.scope.ScopeSnapshot} show how a scope is
 *       doing.
 * </ul>
 *
 * <p>The names and their meaning are those of the JDK's {@code StructuredTaskScope}, so to move code over, change its
 * imports and the line that opens the scope.
 *
 * <p>Unless {@code @Nullable} says otherwise, no argument may be {@code null}: a method that is given {@code null} throws a
 * {@link java.lang.NullPointerException}. The value of a fork may be {@code null}.
 */
@NullMarked
package io.github.kobe.scope;

import org.jspecify.annotations.NullMarked;
