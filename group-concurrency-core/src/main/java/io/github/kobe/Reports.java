package io.github.kobe;

import io.github.kobe.internal.KeyText;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tells the listener of the policy. What it throws is logged once for each method and changes nothing. Never called
 * under a lock.
 */
final class Reports {

    private static final Logger LOGGER = System.getLogger(GroupExecutor.class.getName());

    private final Engine engine;
    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    Reports(Engine engine) {
        this.engine = engine;
    }

    private @Nullable TaskLifecycleListener listener() {
        return engine.policy.listenerOrNull();
    }

    /** {@return whether anyone listens: if not, nothing has to be made for him} */
    boolean isHeard() {
        return listener() != null;
    }

    void submitted(String key, String id) {
        TaskLifecycleListener listener = listener();
        if (listener != null) {
            try {
                listener.onSubmitted(key, id);
            } catch (Throwable failure) {
                logOnce("onSubmitted", key, failure);
            }
        }
    }

    void started(String key, String id, long queuedNanos) {
        TaskLifecycleListener listener = listener();
        if (listener != null) {
            try {
                listener.onStarted(key, id, queuedNanos);
            } catch (Throwable failure) {
                logOnce("onStarted", key, failure);
            }
        }
    }

    void rejected(String key, String id, RejectionReason reason) {
        TaskLifecycleListener listener = listener();
        if (listener != null) {
            try {
                listener.onRejected(key, id, reason);
            } catch (Throwable failure) {
                logOnce("onRejected", key, failure);
            }
        }
    }

    void completed(String key, String id, GroupResult<?> result) {
        TaskLifecycleListener listener = listener();
        if (listener != null) {
            try {
                listener.onCompleted(key, id, result);
            } catch (Throwable failure) {
                logOnce("onCompleted", key, failure);
            }
        }
    }

    /** A task has ended with {@code result}; {@code null}: it was cancelled while it ran. */
    void ended(Task<?> task, @Nullable GroupResult<?> result) {
        if (isHeard()) {
            completed(task.groupKey(), task.taskId(), result != null ? result : task.cancelledResult());
        }
    }

    /** A wait was given up by its caller. */
    void cancelled(String key, String id) {
        if (isHeard()) {
            cancelled(key, id, new CancellationException("The wait was given up"));
        }
    }

    /** A wait was given up by its caller, for {@code cause}. */
    void cancelled(String key, String id, Throwable cause) {
        if (isHeard()) {
            completed(key, id, GroupResult.cancelled(key, id, cause, 0, 0));
        }
    }

    void groupRemoved(String key) {
        TaskLifecycleListener listener = listener();
        if (listener != null) {
            try {
                listener.onGroupRemoved(key);
            } catch (Throwable failure) {
                logOnce("onGroupRemoved", key, failure);
            }
        }
    }

    private void logOnce(String method, String key, Throwable failure) {
        if (logged.add(method)) {
            LOGGER.log(
                    Level.WARNING,
                    () -> "The listener's " + method + " failed for group '" + KeyText.printable(key)
                            + "'. Nothing changes by it; later failures of this method are not logged.",
                    failure);
        }
    }

    /** A stage can't be cancelled. */
    void uncancellable(String key, Throwable failure) {
        if (logged.add("cancel")) {
            LOGGER.log(
                    Level.WARNING,
                    () -> "A stage of group '" + KeyText.printable(key)
                            + "' can't be cancelled; its permits come back when it completes. Later ones are not"
                            + " logged.",
                    failure);
        }
    }
}
