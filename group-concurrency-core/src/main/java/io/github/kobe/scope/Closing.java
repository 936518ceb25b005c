package io.github.kobe.scope;

import io.github.kobe.internal.doors.ScopeBridge;
import org.jspecify.annotations.Nullable;

/**
 * The end of a scope, on its owner's thread: by its own close, by that of an outer scope, or by the end of a fork that
 * opened the scope and left it open.
 */
@SuppressWarnings("ReferenceEquality") // scopes have identity
final class Closing {

    private final OpenScope<?, ?, ?> scope;
    private final CleanUps cleanUps = new CleanUps();

    private volatile boolean done;
    private boolean byOuter;

    Closing(OpenScope<?, ?, ?> scope) {
        this.scope = scope;
    }

    /** {@return whether the scope is closed} */
    boolean isDone() {
        return done;
    }

    /** {@return as {@link #isDone}} One that an outer scope's close has closed is cancelled for its owner, not closed. */
    boolean isDoneByOwner() {
        return done && !byOuter; // in this order, as they are written the other way round
    }

    /** {@return false if the scope is closed} */
    boolean defer(Runnable cleanUp) {
        return cleanUps.add(cleanUp);
    }

    void close() {
        if (done) {
            return;
        }
        ScopeBridge.requireStack();
        Throwable failure = closeInner();
        if (failure == null && scope.isUnjoined()) {
            failure = new IllegalStateException(scope + " was closed before its owner had joined all its forks");
        }
        failure = end(failure);
        if (failure != null) {
            Closing.<RuntimeException>throwUnchecked(failure);
        }
    }

    /** {@return what the close throws, if scopes inside it were open still} */
    private @Nullable Throwable closeInner() {
        Throwable failure = null;
        for (OpenScope<?, ?, ?> inner = ScopeTree.innermost(scope.owner);
                inner != null && inner != scope;
                inner = ScopeTree.innermost(scope.owner)) {
            if (failure == null) {
                failure = new ScopeStructureException(scope + " was closed before " + inner + ", which is inside it");
            }
            inner.closing.byOuter = true;
            inner.closing.end(failure);
        }
        return failure;
    }

    @SuppressWarnings("unchecked") // what a clean-up throws goes on as it is
    private static <E extends Throwable> void throwUnchecked(Throwable failure) throws E {
        throw (E) failure;
    }

    /**
     * Closes what the current thread, which has run a fork, has left open.
     *
     * @return why the fork fails: its own failure before that
     */
    static @Nullable Throwable closeLeftOpen(@Nullable Throwable failure) {
        Throwable thrown = failure;
        Thread thread = Thread.currentThread();
        for (OpenScope<?, ?, ?> left = ScopeTree.innermost(thread); left != null; left = ScopeTree.innermost(thread)) {
            Throwable structure = left.closing.end(new ScopeStructureException("A fork ended without closing " + left));
            if (thrown == null) {
                thrown = structure;
            } else if (structure != null) {
                thrown.addSuppressed(structure);
            }
        }
        return thrown;
    }

    /**
     * Closes it, with no other scope open inside it.
     *
     * @param failure what its close throws anyway
     * @return what its close throws, with what clean-ups threw
     */
    private @Nullable Throwable end(@Nullable Throwable failure) {
        scope.cancel(Cause.CLOSED);
        boolean interrupted = scope.ownerWait.awaitQuiet();
        scope.schedules.forEach(ForkSchedule::close);
        ScopeTree.closed(scope);
        scope.forks.stack.clear();
        done = true; // before these run: they can't fork, and those that close it again find that done
        scope.time.end();
        Throwable thrown = cleanUps.run(failure);
        scope.audience.closed(scope);
        if (interrupted || cleanUps.wasInterrupted()) {
            scope.owner.interrupt();
        }
        return thrown;
    }
}
