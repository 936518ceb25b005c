package io.github.kobe.scope;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What was deferred in a scope, to be run by its owner when it closes. */
@SuppressWarnings("ReferenceEquality") // a throwable must not suppress itself
final class CleanUps {

    private final ReentrantLock lock = new ReentrantLock();
    /** The last first. Guarded by the lock. */
    private final Deque<Runnable> deferred = new ArrayDeque<>();
    /** Whether none is taken any more. Guarded by the lock. */
    private boolean closed;

    private boolean interrupted;

    /** {@return false if the scope is closed} */
    boolean add(Runnable cleanUp) {
        lock.lock();
        try {
            if (!closed) {
                deferred.push(cleanUp);
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs all, with the interrupt flag clear.
     *
     * @param failure what the close throws anyway
     * @return what it throws, with what these threw
     */
    @Nullable
    Throwable run(@Nullable Throwable failure) {
        Throwable thrown = failure;
        for (Runnable cleanUp = next(); cleanUp != null; cleanUp = next()) {
            interrupted |= Thread.interrupted();
            try {
                cleanUp.run();
            } catch (Throwable next) {
                if (thrown == null) {
                    thrown = next;
                } else if (thrown != next) {
                    thrown.addSuppressed(next);
                }
            }
        }
        return thrown;
    }

    private @Nullable Runnable next() {
        lock.lock();
        try {
            closed = true;
            return deferred.poll();
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether the flag was cleared} */
    boolean wasInterrupted() {
        return interrupted;
    }
}
