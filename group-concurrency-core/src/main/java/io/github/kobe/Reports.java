package io.github.kobe;

import io.github.kobe.internal.KeyText;
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

    /** A task has ended, as {@link Task#tellEnd} has it. */
    void ended(Task<?> task, @Nullable Object end) {
        TaskLifecycleListener listener = listener();
        if (listener != null) {
            try {
                listener.onCompleted(task.groupKey(), task.taskId(), task.told(end));
            } catch (Throwable failure) {
                logOnce("onCompleted", task.groupKey(), failure);
            }
        }
    }

    /** What ran on a caller's thread has ended, or failed to begin. */
    void ended(String key, String id, @Nullable Object value, @Nullable Throwable failure, long start, long end) {
        TaskLifecycleListener listener = listener();
        if (listener != null) {
            try {
                listener.onCompleted(key, id, GroupResult.of(key, id, value, failure, start, end));
            } catch (Throwable thrown) {
                logOnce("onCompleted", key, thrown);
            }
        }
    }

    /** There was no memory for what was submitted. */
    void failed(String key, String id, Throwable lack) {
        ended(key, id, null, lack, 0, 0);
    }

    /** A wait was given up by its caller, for {@code cause}; {@code null}: for no reason known. */
    void cancelled(String key, String id, @Nullable Throwable cause) {
        TaskLifecycleListener listener = listener();
        if (listener != null) {
            try {
                Throwable why = cause != null ? cause : new CancellationException("The wait was given up");
                listener.onCompleted(key, id, GroupResult.cancelled(key, id, why, 0, 0));
            } catch (Throwable thrown) {
                logOnce("onCompleted", key, thrown);
            }
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
        try {
            if (logged.add(method)) {
                Log.write(
                        Level.WARNING,
                        () -> "The listener's " + method + " failed for group '" + KeyText.printable(key)
                                + "'. Nothing changes by it; later failures of this method are not logged.",
                        failure);
            }
        } catch (Throwable lack) {
            // There is no memory or stack to tell of it; what is under way has to go on.
        }
    }

    /** A future failed when it was told of its end. */
    void untold(String key, Throwable failure) {
        if (logged.add("future")) {
            Log.write(
                    Level.WARNING,
                    () -> "A future of group '" + KeyText.printable(key)
                            + "' failed when it was told of its end. Nothing changes by it; later ones are not logged.",
                    failure);
        }
    }

    /** A stage can't be cancelled. */
    void uncancellable(String key, Throwable failure) {
        if (logged.add("cancel")) {
            Log.write(
                    Level.WARNING,
                    () -> "A stage of group '" + KeyText.printable(key)
                            + "' can't be cancelled; its permits come back when it completes. Later ones are not"
                            + " logged.",
                    failure);
        }
    }
}
