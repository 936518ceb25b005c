package io.github.kobe.spring.method;

import io.github.kobe.spring.internal.settings.PrintableText;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns of a thread that keeps a permit while it waits for a method that waits for a permit of the same group: once for
 * each annotated method that is waited for. It can't be told from outside what a thread waits for, only that it does.
 */
final class OwnGroupWait {

    private static final Log LOGGER = LogFactory.getLog(OwnGroupWait.class);

    private static final String OUR_PACKAGE = "io.github.kobe.";

    private final String method;
    private final AtomicBoolean told = new AtomicBoolean();

    /** @param method the method that is waited for, as messages call it */
    OwnGroupWait(String method) {
        this.method = method;
    }

    /**
     * Looks in a second whether the current thread waits for {@code future} in a way that lends nothing.
     *
     * @param future of a call of the method, made inside its own group
     */
    void lookLater(String groupKey, DispatchedFuture future) {
        if (!told.get() && future.waitsForItsTurn()) {
            Thread caller = Thread.currentThread();
            CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS).execute(() -> look(groupKey, future, caller));
        }
    }

    private void look(String groupKey, DispatchedFuture future, Thread caller) {
        // Whoever waits for a future, or for what was made of it, depends on it.
        if (!future.waitsForItsTurn() || future.getNumberOfDependents() == 0 || lends(caller)) {
            return;
        }
        StackTraceElement[] stack = caller.getStackTrace();
        boolean inside =
                Arrays.stream(stack).anyMatch(frame -> frame.getClassName().startsWith(OUR_PACKAGE));
        if (caller.getState() == Thread.State.WAITING && inside && told.compareAndSet(false, true)) {
            Throwable where = new Throwable("Where the thread waits");
            where.setStackTrace(stack);
            LOGGER.warn(
                    "A thread inside the group '" + PrintableText.ofKey(groupKey) + "' waits, and " + method
                            + ", which it has called, waits for a permit of that same group. If the thread waits for"
                            + " that call, by CompletableFuture.allOf, a latch or the like, it lends no permit, and"
                            + " both may wait for ever. Have it wait for the futures of annotated methods themselves,"
                            + " or for GroupFutures.allOf of them, or give " + method + " another group.",
                    where);
        }
    }

    /** {@return whether a thread waits for something of this library's own} */
    private static boolean lends(Thread thread) {
        Object blocker = LockSupport.getBlocker(thread);
        return blocker != null && blocker.getClass().getName().startsWith(OUR_PACKAGE);
    }
}
