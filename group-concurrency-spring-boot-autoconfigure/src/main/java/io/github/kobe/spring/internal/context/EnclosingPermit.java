package io.github.kobe.spring.internal.context;

import io.github.kobe.Costs;
import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.RejectionReason;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A permit that the library holds, for a request for example, while code of the application works for that request. The
 * code runs inside the permit, so its own requests for permits share the global permit. A reactive chain that works
 * under such a permit has it in its context, as an object of this class, since the chain may continue on any thread.
 *
 * <p>The library knows which of these a thread has entered: perhaps no thread waits for what the code begins there, and
 * lends the permit, so that has to share it.
 */
public final class EnclosingPermit implements GroupPermit {

    private static final ThreadLocal<@Nullable Entered> ENTERED = new ThreadLocal<>();

    private final GroupExecutor executor;
    private final GroupPermit permit;
    private final @Nullable EnclosingPermit outer;

    /** How often threads have entered that have to leave first. */
    private final AtomicInteger awaited = new AtomicInteger();

    private final AtomicReference<@Nullable Runnable> whenLeft = new AtomicReference<>();

    /**
     * Encloses work with a held permit.
     *
     * @param executor the executor that it is of
     * @param permit the held permit
     * @param outer the permit that encloses this one; {@code null}: none
     */
    public EnclosingPermit(GroupExecutor executor, GroupPermit permit, @Nullable EnclosingPermit outer) {
        this.executor = executor;
        this.permit = permit;
        this.outer = outer;
    }

    /** What a thread has entered, and what it had entered before. */
    private static final class Entered {

        private final EnclosingPermit permit;
        private final @Nullable Entered before;
        private boolean awaited;

        Entered(EnclosingPermit permit, @Nullable Entered before) {
            this.permit = permit;
            this.before = before;
        }

        void await() {
            if (!awaited) {
                awaited = true;
                permit.awaited.getAndIncrement();
            }
        }

        void left() {
            if (awaited && permit.awaited.decrementAndGet() == 0) {
                permit.runWhenLeft();
            }
        }
    }

    /** {@return the permit that encloses this one; {@code null}: none} */
    public @Nullable EnclosingPermit outer() {
        return outer;
    }

    @Override
    public String groupKey() {
        return permit.groupKey();
    }

    @Override
    public <T> T call(Callable<T> task) throws Exception {
        return call(new Entered(this, ENTERED.get()), task);
    }

    private <T> T call(Entered entered, Callable<T> task) throws Exception {
        try {
            return permit.call(() -> {
                ENTERED.set(entered);
                try {
                    return task.call();
                } finally {
                    if (entered.before == null) {
                        ENTERED.remove();
                    } else {
                        ENTERED.set(entered.before);
                    }
                }
            });
        } finally {
            entered.left();
        }
    }

    @Override
    public CompletionStage<GroupPermit> acquireAsync(String groupKey) {
        return permit.acquireAsync(groupKey);
    }

    @Override
    public CompletionStage<GroupPermit> acquireAsync(String groupKey, String taskId, Duration maxWait) {
        return permit.acquireAsync(groupKey, taskId, maxWait);
    }

    @Override
    public CompletionStage<GroupPermit> acquireAsync(String groupKey, String taskId, Duration maxWait, Costs costs) {
        return permit.acquireAsync(groupKey, taskId, maxWait, costs);
    }

    @Override
    public void settle(String rate, long used) {
        permit.settle(rate, used);
    }

    @Override
    public void close() {
        permit.close();
    }

    @Override
    public void closeExceptionally(Throwable failure) {
        permit.closeExceptionally(failure);
    }

    /**
     * {@return what the current thread has entered: the innermost of a group, or else the innermost; {@code null}: nothing}
     *
     * @param executor of which executor
     * @param groupKey the preferred group
     */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    public static @Nullable EnclosingPermit entered(GroupExecutor executor, String groupKey) {
        EnclosingPermit innermost = null;
        for (Entered e = ENTERED.get(); e != null; e = e.before) {
            if (e.permit.executor == executor) {
                if (e.permit.groupKey().equals(groupKey)) {
                    return e.permit;
                }
                innermost = innermost == null ? e.permit : innermost;
            }
        }
        return innermost;
    }

    /**
     * Runs code inside this permit, or outside if the permit is closed or the thread is interrupted while the permit is
     * lent.
     *
     * @param code what runs, exactly once
     */
    public void enter(Runnable code) {
        enter(new Entered(this, ENTERED.get()), code);
    }

    /**
     * Runs code as {@link #enter}, and has {@link #whenLeft} wait for it.
     *
     * @param code what runs, exactly once
     */
    public void enterAwaited(Runnable code) {
        Entered awaited = new Entered(this, ENTERED.get());
        awaited.await();
        enter(awaited, code);
    }

    @SuppressWarnings("InterruptedExceptionSwallowed") // the flag is set again
    private void enter(Entered entered, Runnable code) {
        boolean[] begun = new boolean[1];
        try {
            call(entered, () -> {
                begun[0] = true;
                code.run();
                return null;
            });
            return;
        } catch (RuntimeException failure) {
            if (begun[0]) {
                throw failure;
            }
        } catch (Exception interrupted) {
            Thread.currentThread().interrupt();
        }
        code.run();
    }

    /** Has {@link #whenLeft} of all that the current thread is inside wait for it. */
    public static void awaitCurrentThread() {
        for (Entered e = ENTERED.get(); e != null; e = e.before) {
            e.await();
        }
    }

    /**
     * Runs code at the end of the work under this permit, once the permit isn't kept out by the current thread nor by one
     * that is awaited: at once, or on the thread that is the last of them to leave. It doesn't wait for what was left behind.
     *
     * @param code what runs, exactly once; it is the only such code of this permit
     */
    public void whenLeft(Runnable code) {
        awaitCurrentThread();
        whenLeft.set(code);
        if (awaited.get() == 0) {
            runWhenLeft();
        }
    }

    private void runWhenLeft() {
        Runnable code = whenLeft.getAndSet(null);
        if (code != null) {
            code.run();
        }
    }

    /**
     * Asks for a permit of a group from inside the permits that enclose the caller, and those that the current thread
     * is inside. It prefers a permit of that group, which is then shared; then any permit of the executor, whose global
     * permit is then shared; otherwise the request stands alone. Closed permits are skipped.
     *
     * @param executor the executor of the group
     * @param innermost the innermost permit that encloses the caller; {@code null}: none
     * @param groupKey the group
     * @param taskId names the purpose of the permit
     * @param maxWait how long to wait
     * @param costs what it costs of the group's rates
     * @return as {@link GroupExecutor#acquireAsync(String, String, Duration)}; after a shutdown it fails with a rejection
     */
    public static CompletableFuture<GroupPermit> acquireAsync(
            GroupExecutor executor,
            @Nullable EnclosingPermit innermost,
            String groupKey,
            String taskId,
            Duration maxWait,
            Costs costs) {
        try {
            CompletableFuture<GroupPermit> shared = share(executor, innermost, groupKey);
            return shared == null ? acquire(executor, innermost, groupKey, taskId, maxWait, costs) : shared;
        } catch (ExecutorShutdownException shutDown) {
            return CompletableFuture.failedFuture(
                    BlockingTurn.rejection(groupKey, taskId, RejectionReason.SHUTDOWN, shutDown));
        }
    }

    private static CompletableFuture<GroupPermit> acquire(
            GroupExecutor executor,
            @Nullable EnclosingPermit innermost,
            String groupKey,
            String taskId,
            Duration maxWait,
            Costs costs) {
        Function<GroupPermit, CompletableFuture<GroupPermit>> ask =
                permit -> permit.acquireAsync(groupKey, taskId, maxWait, costs).toCompletableFuture();
        CompletableFuture<GroupPermit> under = askUnder(executor, innermost, permit -> true, ask);
        if (under != null) {
            return under;
        }
        GroupPermit current = executor.enclosingPermit(groupKey).orElse(null);
        if (current == null) {
            return executor.acquireAsync(groupKey, taskId, maxWait, costs).toCompletableFuture();
        }
        try (current) {
            return ask.apply(current);
        }
    }

    /**
     * Shares a permit of a group that encloses the caller, or that the current thread is inside.
     *
     * @param executor the executor of the group
     * @param innermost the innermost permit that encloses the caller; {@code null}: none
     * @param groupKey the group
     * @return a future that has a permit; {@code null}: there is none of that group that is open
     */
    public static @Nullable CompletableFuture<GroupPermit> share(
            GroupExecutor executor, @Nullable EnclosingPermit innermost, String groupKey) {
        CompletableFuture<GroupPermit> ofGroup = askUnder(
                executor,
                innermost,
                permit -> permit.groupKey().equals(groupKey),
                permit -> permit.acquireAsync(groupKey).toCompletableFuture());
        if (ofGroup != null) {
            return ofGroup;
        }
        GroupPermit current = executor.enclosingPermit(groupKey).orElse(null);
        if (current == null || current.groupKey().equals(groupKey)) {
            return current == null ? null : CompletableFuture.completedFuture(current);
        }
        current.close();
        return null;
    }

    /**
     * {@return the key of the group whose permit the current thread is inside: of the given one, or else of another; empty: it
     * is inside none}
     *
     * @param executor of which executor
     * @param groupKey the preferred group
     */
    public static Optional<String> keyOfCurrent(GroupExecutor executor, String groupKey) {
        return executor.enclosingPermit(groupKey).map(enclosing -> {
            try (enclosing) {
                return enclosing.groupKey();
            }
        });
    }

    /** {@return what the innermost wanted one gives that is open; {@code null}: there is none} */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    private static @Nullable CompletableFuture<GroupPermit> askUnder(
            GroupExecutor executor,
            @Nullable EnclosingPermit innermost,
            Predicate<GroupPermit> wanted,
            Function<GroupPermit, CompletableFuture<GroupPermit>> ask) {
        for (EnclosingPermit e = innermost; e != null; e = e.outer) {
            if (e.executor == executor && wanted.test(e.permit)) {
                CompletableFuture<GroupPermit> asked = ask.apply(e.permit);
                if (!isClosed(asked)) {
                    return asked;
                }
            }
        }
        return null;
    }

    /**
     * {@return whether a permit was closed when it was asked for another}
     *
     * @param asked what it returned
     */
    public static boolean isClosed(CompletableFuture<GroupPermit> asked) {
        return asked.state() == CompletableFuture.State.FAILED && asked.exceptionNow() instanceof IllegalStateException;
    }

    /**
     * Leaves the queue, or closes the permit. It may be called any number of times; the first close decides how the
     * work ended.
     *
     * @param asked the future that the request returned
     * @param why why the work under it counts as failed or cancelled; {@code null}: it succeeded
     */
    public static void giveBack(CompletableFuture<GroupPermit> asked, @Nullable Throwable why) {
        if (!asked.cancel(false) && asked.state() == CompletableFuture.State.SUCCESS) {
            close(asked.resultNow(), why);
        }
    }

    /**
     * Closes a permit.
     *
     * @param permit the permit to close
     * @param why why the work under it counts as failed or cancelled; {@code null}: it succeeded
     */
    public static void close(GroupPermit permit, @Nullable Throwable why) {
        if (why == null) {
            permit.close();
        } else {
            permit.closeExceptionally(why);
        }
    }
}
