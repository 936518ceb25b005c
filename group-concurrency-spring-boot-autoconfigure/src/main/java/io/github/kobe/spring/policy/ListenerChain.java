package io.github.kobe.spring.policy;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskLifecycleListener;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Several listeners as one. All of them hear of everything, also when one throws; the engine logs the first error. */
final class ListenerChain implements TaskLifecycleListener {

    private final List<TaskLifecycleListener> listeners;

    private ListenerChain(List<TaskLifecycleListener> listeners) {
        this.listeners = listeners;
    }

    static @Nullable TaskLifecycleListener of(List<TaskLifecycleListener> listeners) {
        return switch (listeners.size()) {
            case 0 -> null;
            case 1 -> listeners.getFirst();
            default -> new ListenerChain(List.copyOf(listeners));
        };
    }

    @Override
    public void onSubmitted(String groupKey, String taskId) {
        tellAll(listeners, listener -> listener.onSubmitted(groupKey, taskId));
    }

    @Override
    public void onStarted(String groupKey, String taskId, long queuedNanos) {
        tellAll(listeners, listener -> listener.onStarted(groupKey, taskId, queuedNanos));
    }

    @Override
    public void onRejected(String groupKey, String taskId, RejectionReason reason) {
        tellAll(listeners, listener -> listener.onRejected(groupKey, taskId, reason));
    }

    @Override
    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
        tellAll(listeners, listener -> listener.onCompleted(groupKey, taskId, result));
    }

    @Override
    public void onGroupRemoved(String groupKey) {
        tellAll(listeners, listener -> listener.onGroupRemoved(groupKey));
    }

    /** Tells each, then throws what the first of them has thrown, if any. */
    static <L> void tellAll(List<L> listeners, Consumer<L> event) {
        Throwable first = null;
        for (L listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable failure) {
                if (first == null) {
                    first = failure;
                } else if (!first.equals(failure)) {
                    first.addSuppressed(failure);
                }
            }
        }
        // No listener method declares a checked exception.
        if (first instanceof Error error) {
            throw error;
        }
        if (first instanceof RuntimeException exception) {
            throw exception;
        }
    }
}
