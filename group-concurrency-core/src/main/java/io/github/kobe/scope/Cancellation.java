package io.github.kobe.scope;

import io.github.kobe.internal.doors.ScopeBridge;
import java.util.ArrayList;
import java.util.List;

/**
 * One cancel of a scope and of everything inside it; used by any thread.
 *
 * <p>It goes over the subtree four times. First it marks all scopes, from the outermost inwards, so that nothing begins
 * any more, and wakes their owners. Then waiting forks leave their queues, the newest first. Then running forks are
 * interrupted, when nothing of the subtree is left that could take their permits. Finally user code is called, which is
 * left to the caller. A thread that begins a fork in between sees the mark, and begins no code.
 */
final class Cancellation {

    /** Those that it has marked: others are cancelled already. From above to below. */
    private final List<OpenScope<?, ?, ?>> scopes = new ArrayList<>(1);

    private Cancellation() {}

    /** {@return what has left its queue, to be told by {@link #tellAll}} */
    static List<Object> of(OpenScope<?, ?, ?> scope, Cause cause) {
        if (scope.isCancelled()) {
            return List.of();
        }
        ScopeBridge.requireStack();
        Cancellation cancellation = new Cancellation();
        List<Object> left = new ArrayList<>();
        cancellation.mark(scope, cause);
        cancellation.haveLeave(left);
        cancellation.stop();
        return left;
    }

    /** Marks them all; those that there is no memory for end by the interrupt of their owners. */
    private void mark(OpenScope<?, ?, ?> outermost, Cause cause) {
        try {
            ScopeTree.addSubtree(scopes, outermost, scope -> {
                scope.noteCutOff(outermost, cause);
                boolean marked = scope.forks.cancelAll(cause);
                if (marked) {
                    scope.ownerWait.wake();
                }
                return marked;
            });
        } catch (OutOfMemoryError oom) {
            if (scopes.isEmpty()) {
                throw oom;
            }
            ScopeBridge.logged(oom); // those that are marked have to end
        }
    }

    private void haveLeave(List<Object> left) {
        for (int i = scopes.size(); --i >= 0; ) {
            scopes.get(i).forks.stack.haveLeave(left);
        }
    }

    private void stop() {
        for (int i = scopes.size(); --i >= 0; ) {
            scopes.get(i).forks.stack.haveStop();
        }
    }

    // ---- what is left to be told

    /** Has {@link #tellAll} tell of a fork that waits no longer, or of its task. */
    static void tellLater(Object task, List<Object> left) {
        try {
            left.add(task);
        } catch (OutOfMemoryError oom) {
            tell(task); // now, rather than never
        }
    }

    /** Tells of all that has left. */
    static void tellAll(List<Object> left) {
        for (Object task : left) {
            try {
                tell(task);
            } catch (Throwable failure) {
                ScopeBridge.logged(failure); // the others are told of all the same
            }
        }
    }

    static void tell(Object left) {
        if (left instanceof ForkedSubtask<?> fork) {
            fork.finish();
        } else {
            ScopeBridge.tellLeft(left);
        }
    }
}
