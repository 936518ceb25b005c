package io.github.kobe.scope;

import io.github.kobe.internal.doors.ScopeBridge;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Calls a scope's listeners; what they throw has no effect but a log entry, once for each method. */
final class Audience {

    private final ScopeBridge bridge;
    private final List<ScopeListener> listeners;

    Audience(ScopeBridge bridge, List<ScopeListener> listeners) {
        this.bridge = bridge;
        this.listeners = listeners;
    }

    boolean isEmpty() {
        return listeners.isEmpty();
    }

    void opened(OpenScope<?, ?, ?> scope) {
        if (!isEmpty()) {
            ScopeInfo info = scope.info();
            tell("onOpened", scope.name(), listener -> listener.onOpened(info));
        }
    }

    void closed(OpenScope<?, ?, ?> scope) {
        if (!isEmpty()) {
            ScopeInfo info = scope.info();
            ScopeTotals totals = scope.totals();
            tell("onClosed", scope.name(), listener -> listener.onClosed(info, totals));
        }
    }

    void started(ForkedSubtask<?> fork) {
        if (!isEmpty()) {
            ForkInfo info = fork.info();
            tell("onStart", fork.group(), listener -> listener.onStart(info));
        }
    }

    void ended(ForkedSubtask<?> fork, int phase, @Nullable Object result, Duration ran) {
        if (isEmpty()) {
            return;
        }
        ScopeBridge.beginTelling(fork); // its permits are back, and its scope waits for this
        try {
            tellEnded(fork, phase, result, ran);
        } finally {
            ScopeBridge.endTelling(fork);
        }
    }

    private void tellEnded(ForkedSubtask<?> fork, int phase, @Nullable Object result, Duration ran) {
        ForkInfo info = fork.info();
        if (phase == ForkedSubtask.SUCCESS) {
            tell("onSuccess", fork.group(), listener -> listener.onSuccess(info, ran));
        } else if (phase == ForkedSubtask.FAILED && result instanceof Throwable failure) {
            tell("onFailure", fork.group(), listener -> listener.onFailure(info, failure, ran));
        } else {
            tell("onCancel", fork.group(), listener -> listener.onCancel(info, ran));
        }
    }

    private void tell(String method, String where, Consumer<ScopeListener> event) {
        for (ScopeListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable thrown) {
                bridge.methodFailed("scope listener's " + method, where, thrown);
            }
        }
    }
}
