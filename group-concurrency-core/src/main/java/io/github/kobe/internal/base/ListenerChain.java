package io.github.kobe.internal.base;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskLifecycleListener;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Combines several listeners: each event is reported to all of them, in their order. */
final class ListenerChain implements TaskLifecycleListener {

    private final List<Member<TaskLifecycleListener>> listeners;

    private ListenerChain(List<TaskLifecycleListener> listeners) {
        this.listeners = Member.all(listeners);
    }

    /** {@return all of them as one; {@code null} if there is none} */
    static @Nullable TaskLifecycleListener of(List<TaskLifecycleListener> listeners) {
        return switch (listeners.size()) {
            case 0 -> null;
            case 1 -> listeners.getFirst();
            default -> new ListenerChain(listeners);
        };
    }

    @Override
    public void onSubmitted(String groupKey, String taskId) {
        tellAll("onSubmitted", groupKey, listener -> listener.onSubmitted(groupKey, taskId));
    }

    @Override
    public void onStarted(String groupKey, String taskId) {
        tellAll("onStarted", groupKey, listener -> listener.onStarted(groupKey, taskId));
    }

    @Override
    public void onRejected(String groupKey, String taskId, RejectionReason reason) {
        tellAll("onRejected", groupKey, listener -> listener.onRejected(groupKey, taskId, reason));
    }

    @Override
    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
        tellAll("onCompleted", groupKey, listener -> listener.onCompleted(groupKey, taskId, result));
    }

    @Override
    public void onGroupRemoved(String groupKey) {
        tellAll("onGroupRemoved", groupKey, listener -> listener.onGroupRemoved(groupKey));
    }

    private void tellAll(String method, String key, Consumer<TaskLifecycleListener> event) {
        for (Member<TaskLifecycleListener> listener : listeners) {
            listener.tell("listener's " + method, key, event);
        }
    }
}
