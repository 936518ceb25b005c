package io.github.kobe.scope;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A block of code that forks tasks into groups, waits for them as one, and outlives them all.
 *
 * <pre>{@code
 * try (var scope = scopes.open()) {
 *     Subtask<User> user = scope.fork("users", () -> findUser(id));
 *     Subtask<Order> order = scope.fork("orders", () -> findOrder(id));
 *     scope.join(); // throws if one of them failed, and cancels the other
 *     return new Page(user.get(), order.get());
 * }
 * }</pre>
 *
 * <p>A group owns limits, a scope owns lifetimes. Each fork is a task of the group it is forked into: it waits for the
 * group's permits, runs on a fresh virtual thread that is made when it starts, and is counted in the group's statistics.
 * The scope's {@link Joiner} decides the outcome, and whether the end of one fork cancels the others.
 *
 * <h2>Owner</h2>
 *
 * The thread that opens a scope owns it: it alone may join, await and close. The owner and every thread of the scope's
 * <i>subtree</i> may fork, schedule, cancel and register clean-ups: the threads of its forks, and of the forks of scopes
 * that were opened inside those. Other threads get a {@link WrongThreadException}; they may use the {@link #token()}.
 * {@link #isCancelled()}, {@link #configuration()}, {@link #totals()} and {@link #snapshot()} are open to every thread.
 *
 * <h2>Life</h2>
 *
 * <ol>
 *   <li><i>Open</i>: tasks are forked, and run. The owner may wait for some of them with {@link #await(Collection)} and
 *       fork more.
 *   <li><i>Joined</i>: the owner has called {@link #join()}, which ends once. From its begin on the owner forks no more;
 *       what runs may still fork, and join waits for that too.
 *   <li><i>Closed</i>: no fork runs any more, all permits are back, and all clean-ups have run.
 * </ol>
 *
 * In any of them the scope may be <i>cancelled</i>: by its joiner, by {@link #cancel()}, by its token, by its time-out, by
 * an interrupt of the owner's wait, with the scope or the fork around it, and at last by {@link #close()}. Forks that are
 * queued leave their queues first, so that none starts in place of another; running forks are interrupted. The cancellation
 * reaches every scope that is open inside a fork. It can't be undone. A task that is forked afterwards never runs: it is
 * {@link Subtask.Phase#CANCELLED}.
 *
 * <h2>Scopes in scopes</h2>
 *
 * A scope that a thread opens while it has another open, or that a fork opens, is inside that one, whichever executors they
 * belong to. Inner scopes are closed first. If an outer one is closed first, it closes those inside it, and throws a {@link
 * ScopeStructureException}. A fork that leaves a scope open closes it and fails.
 *
 * <h2>Time-out</h2>
 *
 * A scope has a time-out of 30 seconds unless it is configured otherwise, since it holds permits that others wait for. It
 * runs from open, and covers everything: the owner's code, waits in queues, delays, retries. An inner scope's ends no later
 * than that of the scope around it. When it is up the scope is cancelled, and {@code join} gives what {@link
 * Joiner#timeout()} gives; but if something was forked and all of it had ended by itself before, what {@link
 * Joiner#result()} gives.
 *
 * <h2>Limits</h2>
 *
 * A scope never exceeds a limit, and never waits for its own permits: while an owner is blocked in {@code join}, {@code
 * await} or a bounded {@code fork}, each permit that its thread holds is lent to queued forks of this scope's subtree that
 * need it, one at a time. They are all back when the wait returns. Other waits of a task (for a latch, a future, a
 * handle), and siblings that wait for permits of each other's groups, can't be seen: the time-out ends them.
 *
 * <h2>Memory effects</h2>
 *
 * What the forking thread did before a fork happens-before the task; the task happens-before the {@code onComplete} of its
 * joiner and its listeners, and these happen-before the return of the join or await that waits for it.
 *
 * @param <T> what the values of the forks have in common
 * @param <R> what {@link #join()} gives
 * @param <X> what {@link #join()} throws when there is no result
 * @since 0.1.0
 */
public sealed interface GroupScope<T, R, X extends Throwable> extends AutoCloseable permits OpenScope {

    /**
     * Forks a task into the group that the scope is configured with.
     *
     * @param task what runs; its value may be {@code null}
     * @param <U> the type of its value
     * @return the subtask
     * @throws IllegalStateException as {@link #fork(ForkOptions, Callable)}, or if the scope has no group of its own
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     * @see Configuration#withGroup
     */
    <U extends T> Subtask<U> fork(Callable<? extends U> task);

    /**
     * Forks a task without a value into the group that the scope is configured with. It gives {@code null}.
     *
     * @param task what runs
     * @param <U> the type of a value, which is {@code null}
     * @return the subtask
     * @throws IllegalStateException as {@link #fork(ForkOptions, Callable)}, or if the scope has no group of its own
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    <U extends T> Subtask<U> fork(Runnable task);

    /**
     * Forks a task into a group.
     *
     * @param group the key of the group
     * @param task what runs; its value may be {@code null}
     * @param <U> the type of its value
     * @return the subtask
     * @throws IllegalStateException as {@link #fork(ForkOptions, Callable)}
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    <U extends T> Subtask<U> fork(String group, Callable<? extends U> task);

    /**
     * Forks a task without a value into a group. It gives {@code null}.
     *
     * @param group the key of the group
     * @param task what runs
     * @param <U> the type of a value, which is {@code null}
     * @return the subtask
     * @throws IllegalStateException as {@link #fork(ForkOptions, Callable)}
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    <U extends T> Subtask<U> fork(String group, Runnable task);

    /**
     * Forks a task with a name, a time-out, a delay or retries of its own.
     *
     * <p>The joiner's {@link Joiner#onFork} is asked first, on the calling thread; what it throws is thrown here, and the
     * task never runs. Then the task starts, or waits for its group's permits. A task that the group doesn't take (its
     * queue is full, the executor is shut down) is {@link Subtask.State#FAILED} with a {@link
     * io.github.kobe.RejectedTaskException}, as is one that waits longer than the group allows: the joiner hears of it as
     * of any other failure, and this method doesn't throw. In a cancelled scope the subtask is {@link
     * Subtask.Phase#CANCELLED} at once.
     *
     * <p>What the executor's decorators and tracers take from a thread, they take from the calling one, here: also for a
     * task that starts later or is tried again. So is the right to be admitted while the executor drains.
     *
     * <p>In a scope with {@linkplain Configuration#withMaxConcurrency a bound} the owner blocks here while as many forks
     * are unfinished; a thread of a fork never does. A cancellation, the time-out or an interrupt ends the wait, and the
     * subtask is then CANCELLED; an interrupt leaves the flag set, so that {@code join} throws.
     *
     * @param options the group and what is special about this fork
     * @param task what runs; its value may be {@code null}
     * @param <U> the type of its value
     * @return the subtask
     * @throws IllegalArgumentException if the group's key is longer than the policy's {@code maxKeyLength}
     * @throws IllegalStateException if the scope is closed, or if the owner has called {@link #join()} and this is the
     *     owner
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    <U extends T> Subtask<U> fork(ForkOptions options, Callable<? extends U> task);

    /**
     * Waits until all forks have ended, or the scope is cancelled, and gives what the joiner makes of it. It can be had
     * once.
     *
     * <p>It waits for what forks fork meanwhile, too. Scheduled forks don't count. While it waits it lends, as the class
     * comment says, and it returns when what was lent is back: a fork that ignores its interrupt and runs on such a permit
     * delays it. It doesn't wait for other forks of a cancelled scope; {@link #close()} does.
     *
     * @return what {@link Joiner#result()} gives, or after the time-out {@link Joiner#timeout()}; may be {@code null}
     * @throws X if the joiner throws it
     * @throws InterruptedException if the owner was or is interrupted, or is a fork that was cancelled. The scope is
     *     cancelled, and the flag is clear. Another join then gives what the joiner makes of the cancelled scope
     * @throws IllegalStateException if the scope is closed, a join has given its outcome, or the joiner's {@code
     *     onComplete} has thrown, which is then the cause
     * @throws WrongThreadException if the caller isn't the owner
     */
    R join() throws X, InterruptedException;

    /**
     * As {@link #join()}, with a time-out for the scope: at the given time it is cancelled. An earlier time-out stands.
     *
     * @param deadline when the time is up; in the past: at once
     * @return what {@link Joiner#result()} gives, or after the time-out {@link Joiner#timeout()}; may be {@code null}
     * @throws X if the joiner throws it
     * @throws InterruptedException as {@link #join()}
     * @throws IllegalStateException as {@link #join()}
     * @throws WrongThreadException if the caller isn't the owner
     */
    R joinUntil(Instant deadline) throws X, InterruptedException;

    /**
     * Waits until some of the forks have ended. The owner may fork more afterwards, and wait again: in rounds.
     *
     * <p>The value or the failure of each of them can be read then, as after {@link #join()}. If the scope is cancelled
     * before they have all ended, this ends as {@link #join()} does, as if it were one: it throws what the joiner throws,
     * and otherwise gives the outcome, with the rest as cancelled.
     *
     * @param some subtasks of this scope; none: the outcome is that of no forks
     * @return how those have ended
     * @throws X if the scope was cancelled and the joiner throws it
     * @throws InterruptedException as {@link #join()}
     * @throws IllegalArgumentException if one of them belongs to another scope
     * @throws IllegalStateException if the scope is closed
     * @throws WrongThreadException if the caller isn't the owner
     */
    Outcome await(Collection<? extends Subtask<?>> some) throws X, InterruptedException;

    /**
     * As {@link #await(Collection)}.
     *
     * @param some subtasks of this scope
     * @return how those have ended
     * @throws X if the scope was cancelled and the joiner throws it
     * @throws InterruptedException as {@link #join()}
     * @throws IllegalArgumentException if one of them belongs to another scope
     * @throws IllegalStateException if the scope is closed
     * @throws WrongThreadException if the caller isn't the owner
     */
    Outcome await(Subtask<?>... some) throws X, InterruptedException;

    /**
     * As {@link #await(Collection)}, and gives the values.
     *
     * @param some subtasks of this scope
     * @param <U> what their values have in common
     * @return their values in the order in which they are given, {@code null} for each that has none; it can't be modified
     * @throws X if the scope was cancelled and the joiner throws it
     * @throws InterruptedException as {@link #join()}
     * @throws IllegalArgumentException if one of them belongs to another scope
     * @throws IllegalStateException if the scope is closed
     * @throws WrongThreadException if the caller isn't the owner
     */
    <U> List<@Nullable U> awaitAll(Collection<? extends Subtask<? extends U>> some) throws X, InterruptedException;

    /**
     * Runs a task in a group after a delay, beside the forks: neither joiner nor {@link #join()} know of it. What it throws
     * is reported to the scope's listeners, or logged if there is none.
     *
     * @param group the key of the group
     * @param delay how long to wait before it is queued; zero or more
     * @param task what runs; its value is dropped
     * @return what it can be cancelled by
     * @throws IllegalArgumentException if {@code delay} is negative
     * @throws IllegalStateException if the scope is closed
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    ScheduledFork schedule(String group, Duration delay, Callable<?> task);

    /**
     * As {@link #schedule(String, Duration, Callable)}.
     *
     * @param group the key of the group
     * @param delay how long to wait before it is queued; zero or more
     * @param task what runs
     * @return what it can be cancelled by
     * @throws IllegalArgumentException if {@code delay} is negative
     * @throws IllegalStateException if the scope is closed
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    ScheduledFork schedule(String group, Duration delay, Runnable task);

    /**
     * Runs a task in a group again and again, beside the forks, at times that lie a period apart. Runs never overlap; those
     * whose time passes while one runs or waits are dropped. A run that throws is the last, and is told to the scope's
     * listeners, or logged where there is none.
     *
     * @param group the key of the group
     * @param initial how long to wait before the first run is queued; zero or more
     * @param period how far the times lie apart; more than zero
     * @param task what runs
     * @return what it can be cancelled by
     * @throws IllegalArgumentException if {@code initial} is negative, or {@code period} not more than zero
     * @throws IllegalStateException if the scope is closed
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    ScheduledFork scheduleAtFixedRate(String group, Duration initial, Duration period, Runnable task);

    /**
     * As {@link #scheduleAtFixedRate}, but each run is queued a delay after the one before it has ended.
     *
     * @param group the key of the group
     * @param initial how long to wait before the first run is queued; zero or more
     * @param delay how long to wait after each run; more than zero
     * @param task what runs
     * @return what it can be cancelled by
     * @throws IllegalArgumentException if {@code initial} is negative, or {@code delay} not more than zero
     * @throws IllegalStateException if the scope is closed
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    ScheduledFork scheduleWithFixedDelay(String group, Duration initial, Duration delay, Runnable task);

    /**
     * Cancels the scope, and every scope inside it. Forks that are queued leave, what runs is interrupted, the owner's wait
     * ends. It waits for nothing. Nothing happens if it is cancelled already.
     *
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     * @see #token()
     */
    void cancel();

    /** {@return true once the scope is cancelled, in whatever way; a closed scope is} */
    boolean isCancelled();

    /** {@return what any thread can cancel the scope by} */
    CancellationToken token();

    /**
     * Registers a clean-up. {@link #close()} runs them on the owner's thread, the last one first, when no fork runs any
     * more and all permits are back, whether or not the scope was cancelled; not interrupted.
     *
     * @param cleanUp what to run; what it throws is thrown by close, or suppressed by what close throws
     * @throws IllegalStateException if the scope is closed
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    void defer(Runnable cleanUp);

    /** {@return what the scope was opened with, defaults included} */
    Configuration configuration();

    /** {@return how its forks have fared so far; after close, at last} */
    ScopeTotals totals();

    /** {@return what goes on in the scope, with the scopes inside it; it blocks nobody} */
    ScopeSnapshot snapshot();

    /**
     * Cancels the scope, waits until no fork runs, each permit is back and each listener has heard, and runs the clean-ups.
     * An interrupt doesn't end the wait, and is kept. Forks that ignore theirs delay it. Closing a closed scope does
     * nothing.
     *
     * @throws IllegalStateException at the end, if something was forked that the owner has not joined or awaited since,
     *     other than by a join or await that threw
     * @throws ScopeStructureException at the end, if scopes were open inside it; those are closed too
     * @throws WrongThreadException if the caller isn't the owner
     */
    @Override
    void close();
}
