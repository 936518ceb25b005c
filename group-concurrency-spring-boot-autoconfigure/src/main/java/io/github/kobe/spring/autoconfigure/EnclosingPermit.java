package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A permit that the library holds for somebody, such as a request, while code of the application works for that: the code
 * runs inside of it, so that what it asks for shares the permit's place among all that is in flight. A reactive chain that
 * works under one has it in its context, by this class, since it may go on on any thread.
 *
 * @param executor who gave it
 * @param permit what is held; it belongs to no thread
 * @param outer what encloses this one; {@code null}: nothing
 */
public record EnclosingPermit(
        GroupExecutor executor,
        GroupPermit permit,
        @Nullable EnclosingPermit outer) {

    /**
     * Runs code inside a permit; outside, if that is closed, or the thread is interrupted while it is lent.
     *
     * @param permit what is held
     * @param code what runs, exactly once
     */
    @SuppressWarnings("InterruptedExceptionSwallowed") // the flag is set again
    public static void enter(GroupPermit permit, Runnable code) {
        boolean[] entered = new boolean[1];
        try {
            permit.call(() -> {
                entered[0] = true;
                code.run();
                return null;
            });
            return;
        } catch (RuntimeException failure) {
            if (entered[0]) {
                throw failure;
            }
        } catch (Exception interrupted) {
            Thread.currentThread().interrupt();
        }
        code.run();
    }

    /**
     * Asks for a permit of a group from inside of what encloses the asker, and of what the current thread is inside of:
     * first of a permit of that group, which is shared; then of any of the executor, so that the global permit is; else by
     * itself. What is closed by now is passed over.
     *
     * @param executor has the group
     * @param innermost what encloses the asker; {@code null}: nothing
     * @param groupKey the group
     * @param taskId names what the permit is for
     * @param maxWait how long to wait
     * @return as {@link GroupExecutor#acquireAsync(String, String, Duration)}
     * @throws IllegalStateException after a shutdown
     */
    public static CompletableFuture<GroupPermit> acquireAsync(
            GroupExecutor executor,
            @Nullable EnclosingPermit innermost,
            String groupKey,
            String taskId,
            Duration maxWait) {
        Function<GroupPermit, CompletableFuture<GroupPermit>> ask =
                permit -> permit.acquireAsync(groupKey, taskId, maxWait).toCompletableFuture();
        CompletableFuture<GroupPermit> ofGroup =
                askUnder(executor, innermost, permit -> permit.groupKey().equals(groupKey), ask);
        if (ofGroup != null) {
            return ofGroup;
        }
        GroupPermit current = executor.currentPermit(groupKey).orElse(null);
        if (current != null && current.groupKey().equals(groupKey)) {
            return CompletableFuture.completedFuture(current);
        }
        try {
            CompletableFuture<GroupPermit> under = askUnder(executor, innermost, permit -> true, ask);
            if (under != null) {
                return under;
            }
            return current == null
                    ? executor.acquireAsync(groupKey, taskId, maxWait).toCompletableFuture()
                    : ask.apply(current);
        } finally {
            if (current != null) {
                current.close();
            }
        }
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
                boolean closed = asked.state() == CompletableFuture.State.FAILED
                        && asked.exceptionNow() instanceof IllegalStateException;
                if (!closed) {
                    return asked;
                }
            }
        }
        return null;
    }

    /**
     * Leaves the queue, or closes the permit; as often as one likes. The first to close it says how it ended.
     *
     * @param asked what asking for it gave
     * @param why why what was done under it counts as failed or cancelled; {@code null}: it succeeded
     */
    public static void giveBack(CompletableFuture<GroupPermit> asked, @Nullable Throwable why) {
        if (!asked.cancel(false) && asked.state() == CompletableFuture.State.SUCCESS) {
            close(asked.resultNow(), why);
        }
    }

    /**
     * Closes a permit.
     *
     * @param permit what is closed
     * @param why why what was done under it counts as failed or cancelled; {@code null}: it succeeded
     */
    public static void close(GroupPermit permit, @Nullable Throwable why) {
        if (why == null) {
            permit.close();
        } else {
            permit.closeExceptionally(why);
        }
    }
}
