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
 * One connection of the pool that is out: whose turn it is part of, and which thread it is with. It leaves the turn once,
 * whatever comes first: that it is closed or aborted, that the pool has none, or that the pool is seen to have it back.
 *
 * <p>It is weak, so that a thread that has lost a connection hasn't got it any more: the permit of that stays out as long as the
 * connection does, but the thread takes a permit for its next one.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Lease extends WeakReference<GroupConnection> {

    /** In place of a thread: its thread went on to something else, and none has used it since. */
    private static final Object NOBODY = new Object();

    /** In place of a thread: it has left its turn, and nobody has closed it. */
    private static final Object LEFT = new Object();

    private static final VarHandle USER;

    static {
        try {
            USER = MethodHandles.lookup().findVarHandle(Lease.class, "user", Object.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    final Turn turn;

    private final ThreadConnections known;

    /** The pool's; {@code null} until that has given it, when nobody has this. */
    private @Nullable Connection pooled;

    /** The thread that it is with, or {@link #NOBODY}, until it is {@link #LEFT}, or {@code null} for good: closed. */
    private volatile @Nullable Object user;

    Lease(GroupConnection connection, Turn turn, ThreadConnections known, Thread thread) {
        super(connection);
        this.turn = turn;
        this.known = known;
        USER.set(this, thread); // plainly: nobody else knows it yet
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
        if (user != current) {
            moveTo(current);
        }
        return pooled();
    }

    private void moveTo(Thread current) {
        Object before = user;
        if (before != null && before != LEFT && USER.compareAndSet(this, before, current)) {
            known.add(this, current);
        }
    }

    /** If it is with a thread, the current one, it is with none until one uses it. */
    void leaveThread(Thread current) {
        if (!isLost()) {
            boolean unused = USER.compareAndSet(this, current, NOBODY);
        }
    }

    /**
     * {@return whether it is with a thread, the current one, or was when that lost it} If the pool has it back, and this wasn't
     * told, it leaves its turn here: that is how it goes with one that has died, or was closed by way of a statement.
     */
    boolean isWith(Thread current) {
        if (user != current) {
            return false;
        }
        if (isBackInThePool()) {
            if (USER.compareAndSet(this, current, LEFT)) {
                known.giveBack(turn, null);
            }
            return false;
        }
        return true;
    }

    /** {@return whether nothing refers to the connection any more} */
    boolean isLost() {
        return refersTo(null);
    }

    private boolean isBackInThePool() {
        try {
            return pooled != null && pooled.isClosed();
        } catch (SQLException unknown) {
            return false;
        }
    }

    boolean isClosed() throws SQLException {
        return user == null || pooled().isClosed();
    }

    /** Of several threads one closes it. The pool has it back before it leaves the turn: who gets that finds it free. */
    void close() throws SQLException {
        Object before = USER.getAndSet(this, null);
        if (before != null) {
            try {
                pooled().close();
            } finally {
                if (before != LEFT) {
                    left(before, null);
                }
            }
        }
    }

    /** Who has it has to close it nevertheless, for many a pool is told of its end by that alone. */
    void abort(Executor executor) throws SQLException {
        pooled().abort(executor);
        leave(null);
    }

    /** Leaves its turn, if it hasn't left that, since the pool has given none. */
    void fail(Throwable failure) {
        leave(failure);
    }

    private void leave(@Nullable Throwable failure) {
        Object before = user;
        while (before != null && before != LEFT) {
            if (USER.compareAndSet(this, before, LEFT)) {
                left(before, failure);
                return;
            }
            before = user;
        }
    }

    private void left(Object before, @Nullable Throwable failure) {
        if (before == Thread.currentThread()) {
            known.giveBack(turn, failure);
            known.forget(this);
        } else {
            turn.leave(failure); // there may be no memory for what this thread would have of its own
        }
    }
}
