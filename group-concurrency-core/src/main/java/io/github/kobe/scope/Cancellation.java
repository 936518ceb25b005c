package io.github.kobe.scope;

import io.github.kobe.internal.ScopeBridge;
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
