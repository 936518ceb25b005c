package io.github.kobe.internal.base;

import java.lang.System.Logger.Level;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Logs failures, mostly of user code, the first of each kind. It never fails itself. */
final class FailureLog {

    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    /** A method of the user's failed, which changes nothing. */
    void methodFailed(String method, String key, Throwable failure) {
        once(
                method,
                "The %1$s failed for group '%2$s'. This has no other effect; later failures of this method are not"
                        + " logged.",
                key,
                failure);
    }

    /**
     * Logs the first failure of its kind.
     *
     * @param kind what tells it from others
     * @param text a format, for the kind and the key
     */
    void once(String kind, String text, String key, Throwable failure) {
        once(Level.WARNING, kind, text, key, failure);
    }

    /** As that, at a level. */
    void once(Level level, String kind, String text, String key, Throwable failure) {
        try {
            if (logged.add(kind)) {
                Log.write(level, () -> String.format(Locale.ROOT, text, kind, KeyText.printable(key)), failure);
            }
        } catch (Throwable unloggable) {
            // There is no memory or stack to tell of it; what is under way has to go on.
        }
    }
}
