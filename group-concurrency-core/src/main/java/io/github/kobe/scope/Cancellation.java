package io.github.kobe.scope;

import io.github.kobe.internal.ScopeBridge;
import java.util.ArrayList;
import java.util.List;

/**
 * One cancel of a scope and of all that is inside it; by any thread.
 *
 * <p>Goes over the subtree four times: all scopes are marked from above to below, so that nothing begins any more, and their
 * owners woken; what waits leaves its queue, the newest first; what runs is interrupted, its permits thus free for nobody of
 * the subtree; user code is told, which is left to the caller. Who finds a fork in an instant in between sees the mark: it
 * begins no code.
 */
final class Cancellation {

    private final Cause cause;
    /** Those that it has marked: others are cancelled already. From above to below. */
    private final List<OpenScope<?, ?, ?>> scopes = new ArrayList<>(1);

    private Cancellation(Cause cause) {
        this.cause = cause;
    }

    /** {@return what has left its queue, to be told by {@link ForkedSubtask#tellLeft}} */
    static List<Object> of(OpenScope<?, ?, ?> scope, Cause cause) {
        if (scope.isCancelled()) {
            return List.of();
        }
        ScopeBridge.requireStack();
        Cancellation cancellation = new Cancellation(cause);
        cancellation.mark(scope);
        List<Object> left = cancellation.haveLeave();
        cancellation.stop();
        return left;
    }

    private void mark(OpenScope<?, ?, ?> scope) {
        if (scope.forks.cancelAll(cause)) {
            scope.ownerWait.wake(); // needs no memory
            scopes.add(scope);
            scope.children.forEach(this::mark);
        }
    }

    private List<Object> haveLeave() {
        List<Object> left = new ArrayList<>();
        for (int i = scopes.size(); --i >= 0; ) {
            scopes.get(i).forks.stack.haveLeave(left);
        }
        return left;
    }

    private void stop() {
        for (int i = scopes.size(); --i >= 0; ) {
            scopes.get(i).forks.stack.haveStop();
        }
    }
}
