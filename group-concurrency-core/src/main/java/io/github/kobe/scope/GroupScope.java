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
 * that were opened inside those. Other threads get a {@link WrongThreadException}; they may use the {@link #token()}, and
 * cancel a {@link Subtask} or a {@link ScheduledFork} that they hold.
 * {@link #isCancelled()}, {@link #settings()}, {@link #totals()} and {@link #snapshot()} are open to every thread.
 *
 * <h2>Life</h2>
 *
 * <ol>
 *   <li><i>Open</i>: tasks are forked, and run. The owner may wait for some of them with {@link #await(Collection)} and
 *       fork more.
 *   <li><i>Joined</i>: the owner has called {@link #join()}, which gives the outcome once. From then on the owner can't
 *       fork; running forks still may, and join waits for those forks too.
 *   <li><i>Closed</i>: no fork runs any more, all permits are back, and all clean-ups have run.
 * </ol>
 *
 * In any of these states the scope may be <i>cancelled</i>: by its joiner, by {@link #cancel()}, by its token, by its
 * time-out, by an interrupt of the owner's wait, together with the scope or the fork around it, and finally by
 * {@link #close()}. Queued forks leave their queues first, so that none starts in place of another; then running forks
 * are interrupted. The cancellation reaches every scope that is open inside a fork, or that a fork opens afterwards. It
 * can't be undone. A task that is forked afterwards never runs: it is {@link Subtask.Phase#CANCELLED}.
 *
 * <h2>Scopes in scopes</h2>
 *
 * If a thread opens a scope while it has another one open, the new scope is inside that one; a scope that a fork opens
 * is inside the fork's scope. The executors don't matter. Inner scopes are closed first. If an outer one is closed
 * first, it closes those inside it, and throws a {@link ScopeStructureException}. If a fork leaves a scope open, the
 * scope is closed and the fork fails.
 *
 * <h2>Time-out</h2>
 *
 * A scope has a time-out of 30 seconds unless it is opened otherwise, since it holds permits that others wait for.
 * It starts when the scope is opened, and covers everything: the owner's code, waits in queues, delays, retries. An
 * inner scope's time-out ends no later than that of the scope around it. When the time is up, the scope is cancelled,
 * and {@code join} returns what {@link Joiner#timeout()} returns. But if there were forks and all of them had already
 * ended by themselves, it returns what {@link Joiner#result()} returns.
 *
 * <h2>Limits</h2>
 *
 * A scope never exceeds a limit, and never waits for its own permits: while an owner is blocked in {@code join},
 * {@code await} or a bounded {@code fork}, each permit that its thread holds is lent to queued forks of this scope's
 * subtree that need it, one at a time. All are back when the wait returns. The scope can't see other waits of a task
 * (for a latch, a future, a handle), or siblings that wait for permits of each other's groups; the time-out ends these.
 *
 * <h2>Memory effects</h2>
 *
 * What the forking thread did before a fork happens-before the task; the task happens-before the {@code onComplete} of its
 * joiner and its listeners, and these happen-before the return of the join or await that waits for it.
 *
 * @param <T> what the values of the forks have in common
 * @param <R> what {@link #join()} returns
 * @param <X> what {@link #join()} throws if there is no result
 * @since 0.1.0
 */
public sealed interface GroupScope<T, R, X extends Throwable> extends AutoCloseable permits OpenScope {

    /**
     * Forks a task into the group that the scope was opened with.
     *
     * @param task what runs; its value may be {@code null}
     * @param <U> the type of its value
     * @return the subtask
     * @throws IllegalStateException as {@link #fork(ForkOptions, Callable)}, or if the scope has no group of its own
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     * @see ScopeSettings#withGroup
     */
    <U extends T> Subtask<U> fork(Callable<? extends U> task);

    /**
     * Forks a task without a value into the group that the scope was opened with. Its value is {@code null}.
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
     * Forks a task without a value into a group. Its value is {@code null}.
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
     * <p>The joiner's {@link Joiner#onFork} is called first, on the calling thread; what it throws is thrown here, and
     * the task never runs. Then the task starts, or waits for its group's permits. If the group rejects the task (its
     * queue is full, the executor is shut down), or the task waits longer than the group allows, the subtask is
     * {@link Subtask.State#FAILED} with a {@link io.github.kobe.RejectedTaskException}. The joiner is told of that as
     * of any other failure, and this method doesn't throw. In a cancelled scope the subtask is
     * {@link Subtask.Phase#CANCELLED} at once.
     *
     * <p>The executor's decorators and tracers capture their context here, from the calling thread, even for a task
     * that starts later or is retried. The right to be admitted while the executor drains is decided here too.
     *
     * <p>In a scope with {@linkplain ScopeSettings#withMaxUnfinished a bound} the owner blocks here while that many
     * forks are unfinished; a fork's thread never does, nor does a joiner or listener that is told how a fork of the
     * scope has ended. A cancellation, the time-out or an interrupt ends the wait, and the subtask is then CANCELLED;
     * an interrupt leaves the interrupt status set, so that {@code join} throws.
     *
     * @param options the group, and the options of this fork
     * @param task what runs; its value may be {@code null}
     * @param <U> the type of its value
     * @return the subtask
     * @throws IllegalArgumentException if the group's key is blank, or longer than the policy's {@code maxKeyLength}
     * @throws IllegalStateException if the scope is closed, if the owner has called {@link #join()} and this is the owner,
     *     or if neither the options nor the scope have a group
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    <U extends T> Subtask<U> fork(ForkOptions options, Callable<? extends U> task);

    /**
     * As {@link #fork(ForkOptions, Callable)}, for a task without a value. Its value is {@code null}.
     *
     * @param options the group, and the options of this fork
     * @param task what runs
     * @param <U> the type of a value, which is {@code null}
     * @return the subtask
     * @throws IllegalArgumentException as {@link #fork(ForkOptions, Callable)}
     * @throws IllegalStateException as {@link #fork(ForkOptions, Callable)}
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    <U extends T> Subtask<U> fork(ForkOptions options, Runnable task);

    /**
     * Waits until all forks have ended, or the scope is cancelled, and returns the joiner's outcome. The outcome is
     * available only once.
     *
     * <p>It also waits for what forks fork meanwhile. Scheduled forks don't count. While it waits it lends permits, as
     * the class comment says, and it returns when these are back: a fork that ignores its interrupt and runs on such a
     * permit delays it. It doesn't wait for other forks of a cancelled scope; {@link #close()} does.
     *
     * @return what {@link Joiner#result()} returns, or after the time-out {@link Joiner#timeout()}; may be {@code null}
     * @throws X if the joiner throws it
     * @throws InterruptedException if the owner was or is interrupted, or is a fork that was cancelled or whose own time
     *     is up. The scope is then cancelled, and the interrupt status is cleared. Another join returns the joiner's
     *     outcome of the cancelled scope
     * @throws IllegalStateException if the scope is closed, a join has given its outcome, or the joiner's {@code
     *     onComplete} has thrown, which is then the cause
     * @throws WrongThreadException if the caller isn't the owner
     */
    R join() throws X, InterruptedException;

    /**
     * As {@link #join()}, with a time-out for the scope, which is cancelled at the given time. An earlier time-out
     * stays in force.
     *
     * @param deadline when the time is up; if it is in the past, at once
     * @return what {@link Joiner#result()} returns, or after the time-out {@link Joiner#timeout()}; may be {@code null}
     * @throws X if the joiner throws it
     * @throws InterruptedException as {@link #join()}
     * @throws IllegalStateException as {@link #join()}
     * @throws WrongThreadException if the caller isn't the owner
     */
    R joinUntil(Instant deadline) throws X, InterruptedException;

    /**
     * Waits until some of the forks have ended. The owner may fork more afterwards and wait again, and so work in
     * rounds.
     *
     * <p>Then the value or the failure of each of them can be read, as after {@link #join()}. If the scope is cancelled
     * before they have all ended, or its joiner has cancelled it and one of them has failed, this method ends like {@link
     * #join()}: it throws what the joiner throws, and otherwise returns the outcome, with the rest counted as cancelled.
     *
     * @param some subtasks of this scope; none: the outcome is that of no forks
     * @return how they have ended
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
     * @return how they have ended
     * @throws X if the scope was cancelled and the joiner throws it
     * @throws InterruptedException as {@link #join()}
     * @throws IllegalArgumentException if one of them belongs to another scope
     * @throws IllegalStateException if the scope is closed
     * @throws WrongThreadException if the caller isn't the owner
     */
    Outcome await(Subtask<?>... some) throws X, InterruptedException;

    /**
     * As {@link #await(Collection)}, but returns the values.
     *
     * @param some subtasks of this scope
     * @param <U> what their values have in common
     * @return their values in the given order, {@code null} for each that has none, since it failed or was cancelled and
     *     the scope goes on, or its joiner takes that; unmodifiable
     * @throws X if the scope was cancelled and the joiner throws it
     * @throws InterruptedException as {@link #join()}
     * @throws IllegalArgumentException if one of them belongs to another scope
     * @throws IllegalStateException if the scope is closed
     * @throws WrongThreadException if the caller isn't the owner
     */
    <U> List<@Nullable U> valuesOf(Collection<? extends Subtask<? extends U>> some) throws X, InterruptedException;

    /**
     * Runs a task in a group after a delay, beside the forks: neither the joiner nor {@link #join()} knows of it. What
     * it throws is reported to the scope's listeners, or logged if there are none.
     *
     * <p>The task may fork into the scope only as long as the owner can't have joined, since join doesn't wait for it.
     * What it forks while join still waits is a fork like any other. What it forks later is refused with an
     * {@link IllegalStateException}, or, in the instant in which join returns, isn't part of the outcome and is cancelled
     * by {@link #close()}.
     *
     * <p>While the owner waits, the permits that its thread holds aren't lent to the task. But what the task calls or
     * forks may use them, and then the owner waits for that.
     *
     * @param group the key of the group
     * @param delay how long to wait before it is queued; zero or more
     * @param task what runs; its value is dropped
     * @return the scheduled task, which can be cancelled
     * @throws IllegalArgumentException if {@code delay} is negative
     * @throws IllegalStateException if the scope is closed
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    ScheduledFork schedule(String group, Duration delay, Callable<?> task);

    /**
     * As {@link #schedule(String, Duration, Callable)}, in the group that the scope was opened with.
     *
     * @param delay how long to wait before it is queued; zero or more
     * @param task what runs; its value is dropped
     * @return the scheduled task, which can be cancelled
     * @throws IllegalArgumentException if {@code delay} is negative
     * @throws IllegalStateException if the scope is closed, or has no group of its own
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     * @see ScopeSettings#withGroup
     */
    ScheduledFork schedule(Duration delay, Callable<?> task);

    /**
     * As {@link #schedule(String, Duration, Callable)}.
     *
     * @param group the key of the group
     * @param delay how long to wait before it is queued; zero or more
     * @param task what runs
     * @return the scheduled task, which can be cancelled
     * @throws IllegalArgumentException if {@code delay} is negative
     * @throws IllegalStateException if the scope is closed
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    ScheduledFork schedule(String group, Duration delay, Runnable task);

    /**
     * As {@link #schedule(String, Duration, Runnable)}, in the group that the scope was opened with.
     *
     * @param delay how long to wait before it is queued; zero or more
     * @param task what runs
     * @return the scheduled task, which can be cancelled
     * @throws IllegalArgumentException if {@code delay} is negative
     * @throws IllegalStateException if the scope is closed, or has no group of its own
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     * @see ScopeSettings#withGroup
     */
    ScheduledFork schedule(Duration delay, Runnable task);

    /**
     * Runs a task in a group again and again, beside the forks, at times that are a period apart. Runs never overlap;
     * those whose time passes while another runs or waits are dropped. A run that throws is the last one, and is
     * reported to the scope's listeners, or logged if there are none. What {@link #schedule(String, Duration, Callable)
     * schedule} says of forks holds for each run.
     *
     * @param group the key of the group
     * @param initial how long to wait before the first run is queued; zero or more
     * @param period the time from one run's due time to the next; more than zero
     * @param task what runs
     * @return the scheduled task, which can be cancelled
     * @throws IllegalArgumentException if {@code initial} is negative, or {@code period} not more than zero
     * @throws IllegalStateException if the scope is closed
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    ScheduledFork scheduleAtFixedRate(String group, Duration initial, Duration period, Runnable task);

    /**
     * As {@link #scheduleAtFixedRate(String, Duration, Duration, Runnable)}, in the group that the scope was opened with.
     *
     * @param initial how long to wait before the first run is queued; zero or more
     * @param period the time from one run's due time to the next; more than zero
     * @param task what runs
     * @return the scheduled task, which can be cancelled
     * @throws IllegalArgumentException if {@code initial} is negative, or {@code period} not more than zero
     * @throws IllegalStateException if the scope is closed, or has no group of its own
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     * @see ScopeSettings#withGroup
     */
    ScheduledFork scheduleAtFixedRate(Duration initial, Duration period, Runnable task);

    /**
     * As {@link #scheduleAtFixedRate(String, Duration, Duration, Runnable)}, but each run is queued a delay after the one before it has ended.
     *
     * @param group the key of the group
     * @param initial how long to wait before the first run is queued; zero or more
     * @param delay how long to wait after each run; more than zero
     * @param task what runs
     * @return the scheduled task, which can be cancelled
     * @throws IllegalArgumentException if {@code initial} is negative, or {@code delay} not more than zero
     * @throws IllegalStateException if the scope is closed
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    ScheduledFork scheduleWithFixedDelay(String group, Duration initial, Duration delay, Runnable task);

    /**
     * As {@link #scheduleWithFixedDelay(String, Duration, Duration, Runnable)}, in the group that the scope was opened with.
     *
     * @param initial how long to wait before the first run is queued; zero or more
     * @param delay how long to wait after each run; more than zero
     * @param task what runs
     * @return the scheduled task, which can be cancelled
     * @throws IllegalArgumentException if {@code initial} is negative, or {@code delay} not more than zero
     * @throws IllegalStateException if the scope is closed, or has no group of its own
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     * @see ScopeSettings#withGroup
     */
    ScheduledFork scheduleWithFixedDelay(Duration initial, Duration delay, Runnable task);

    /**
     * Cancels the scope, and every scope inside it. Queued forks leave their queues, running forks are interrupted, and
     * the owner's wait ends. Doesn't wait. Does nothing if the scope is already cancelled.
     *
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     * @see #token()
     */
    void cancel();

    /** {@return true once the scope is cancelled, in any way; a closed scope is cancelled too} */
    boolean isCancelled();

    /** {@return a token by which any thread can cancel the scope} */
    CancellationToken token();

    /**
     * Registers a clean-up. {@link #close()} runs the clean-ups on the owner's thread, the last one first, when no fork
     * runs any more and all permits are back, whether or not the scope was cancelled. The thread isn't interrupted
     * while they run.
     *
     * @param cleanUp what to run; what it throws is thrown by close, or suppressed by what close throws
     * @throws IllegalStateException if the scope is closed
     * @throws WrongThreadException if the caller is neither the owner nor a thread of the scope's subtree
     */
    void defer(Runnable cleanUp);

    /** {@return what the scope was opened with, defaults included} */
    ScopeSettings settings();

    /** {@return how its forks have ended so far; final after close} */
    ScopeTotals totals();

    /** {@return what happens in the scope now, with the scopes inside it; blocks no thread} */
    ScopeSnapshot snapshot();

    /**
     * Cancels the scope, waits until no fork runs, all permits are back and all listeners have been told, and then runs
     * the clean-ups. An interrupt doesn't end the wait; the interrupt status is kept. Forks that ignore their interrupt
     * delay it. Closing a closed scope does nothing.
     *
     * @throws IllegalStateException at the end, if something was forked since the owner last joined or awaited; a join
     *     or await that threw counts
     * @throws ScopeStructureException at the end, if scopes were open inside it; those are closed too
     * @throws WrongThreadException if the caller isn't the owner
     */
    @Override
    void close();
}
