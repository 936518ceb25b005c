package io.github.kobe.spring.jdbc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One connection of the pool that is out: whose turn it is part of, and which thread it is with. It ends once, whoever closes
 * it, and with it its part of the turn.
 *
 * <p>It is weak, so that a thread that has lost a connection hasn't got it any more: the permit of that stays out, as the
 * connection does, but the thread takes a permit for its next one.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Lease extends WeakReference<GroupConnection> {

    private static final VarHandle THREAD;
    private static final VarHandle CLOSED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            THREAD = lookup.findVarHandle(Lease.class, "thread", Thread.class);
            CLOSED = lookup.findVarHandle(Lease.class, "closed", boolean.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    final Turn turn;

    private final ThreadConnections known;

    /** The pool's; {@code null} until that has given it, when nobody has this. */
    private @Nullable Connection pooled;

    /** The one that it is with; {@code null}: it has ended. */
    private volatile @Nullable Thread thread;

    private volatile boolean closed;

    Lease(GroupConnection connection, Turn turn, ThreadConnections known, Thread thread) {
        super(connection);
        this.turn = turn;
        this.known = known;
        THREAD.set(this, thread);
    }

    void got(Connection ofThePool) {
        pooled = Objects.requireNonNull(ofThePool, "The pool has given null");
    }

    /** {@return the pool's connection, to be looked at} */
    Connection pooled() {
        return Objects.requireNonNull(pooled);
    }

    /** {@return the pool's connection, for the current thread to use; from now on it is with that} */
    Connection used() {
        Thread current = Thread.currentThread();
        if (thread != current) {
            moveTo(current);
        }
        return pooled();
    }

    private void moveTo(Thread current) {
        Thread before = thread;
        if (before != null && THREAD.compareAndSet(this, before, current)) {
            known.add(this, current);
        }
    }

    /**
     * {@return whether it is with a thread, the current one} If the pool has it back, and this wasn't told, it ends here: that
     * is how it goes with one that has died, or was closed by way of a statement.
     */
    boolean isWith(Thread current) {
        if (thread != current) {
            return false;
        }
        if (isBackInThePool()) {
            finish(null);
            return false;
        }
        return !refersTo(null);
    }

    private boolean isBackInThePool() {
        try {
            return pooled != null && pooled.isClosed();
        } catch (SQLException unknown) {
            return false;
        }
    }

    boolean isClosed() throws SQLException {
        return closed || pooled().isClosed();
    }

    /** The pool has it back before the turn ends: who gets that finds it free. */
    void close() throws SQLException {
        if (CLOSED.compareAndSet(this, false, true)) {
            try {
                pooled().close();
            } finally {
                end(null);
            }
        }
    }

    /** Who has it has to close it nevertheless, for many a pool is told of its end by that alone. */
    void abort(Executor executor) throws SQLException {
        pooled().abort(executor);
        end(null);
    }

    /**
     * Ends it, if it hasn't ended.
     *
     * @param failure why the pool has given none; {@code null}: it has
     */
    void end(@Nullable Throwable failure) {
        Thread last = finish(failure);
        if (last == Thread.currentThread()) {
            known.forgetEnded(last);
        }
    }

    /** {@return the thread that it was with; {@code null}: it has ended before} */
    private @Nullable Thread finish(@Nullable Throwable failure) {
        Thread last = (Thread) THREAD.getAndSet(this, null);
        if (last != null) {
            turn.leave(failure);
        }
        return last;
    }
}
