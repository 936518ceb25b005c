package io.github.kobe.scope;

import io.github.kobe.internal.doors.ScopeBridge;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Calls a scope's listeners; what they throw has no effect but a log entry, once for each method. */
final class Audience {

    /** Whether listeners of a class have any method about forks that does something. */
    private static final ClassValue<Boolean> OF_FORKS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return Stream.of(ScopeListener.class.getMethods())
                    .filter(method -> method.getParameterTypes()[0] == ForkInfo.class)
                    .anyMatch(method -> isOverridden(method, type));
        }
    };

    private final ScopeBridge bridge;
    private final List<ScopeListener> listeners;
    private final List<ScopeListener> ofForks;

    Audience(ScopeBridge bridge, List<ScopeListener> listeners) {
        this.bridge = bridge;
        this.listeners = listeners;
        this.ofForks = listeners.isEmpty() || listeners.stream().allMatch(Audience::hearsOfForks)
                ? listeners
                : listeners.stream().filter(Audience::hearsOfForks).toList();
    }

    private static boolean hearsOfForks(ScopeListener listener) {
        return OF_FORKS.get(listener.getClass());
    }

    private static boolean isOverridden(Method method, Class<?> type) {
        try {
            return type.getMethod(method.getName(), method.getParameterTypes()).getDeclaringClass()
                    != ScopeListener.class;
        } catch (NoSuchMethodException | LinkageError unknown) {
            return true; // as in a native image: then it is called in vain
        }
    }

    /** {@return whether somebody hears of each fork} */
    boolean hearsOfForks() {
        return !ofForks.isEmpty();
    }

    void opened(OpenScope<?, ?, ?> scope) {
        if (!listeners.isEmpty()) {
            ScopeInfo info = scope.info();
            tell(listeners, "onOpened", scope.name(), listener -> listener.onOpened(info, scope.forks.tally));
        }
    }

    void closed(OpenScope<?, ?, ?> scope) {
        if (!listeners.isEmpty()) {
            ScopeInfo info = scope.info();
            ScopeTotals totals = scope.totals();
            tell(listeners, "onClosed", scope.name(), listener -> listener.onClosed(info, totals));
        }
    }

    void started(ForkedSubtask<?> fork) {
        if (hearsOfForks()) {
            ForkInfo info = fork.info();
            tell(ofForks, "onStart", fork.group(), listener -> listener.onStart(info));
        }
    }

    void ended(ForkedSubtask<?> fork, int phase, @Nullable Object result, Duration ran) {
        if (!hearsOfForks()) {
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
            tell(ofForks, "onSuccess", fork.group(), listener -> listener.onSuccess(info, ran));
        } else if (phase == ForkedSubtask.FAILED && result instanceof Throwable failure) {
            tell(ofForks, "onFailure", fork.group(), listener -> listener.onFailure(info, failure, ran));
        } else {
            tell(ofForks, "onCancel", fork.group(), listener -> listener.onCancel(info, ran));
        }
    }

    private void tell(List<ScopeListener> told, String method, String where, Consumer<ScopeListener> event) {
        for (ScopeListener listener : told) {
            try {
                event.accept(listener);
            } catch (Throwable thrown) {
                bridge.methodFailed("scope listener's " + method, where, thrown);
            }
        }
    }
}
