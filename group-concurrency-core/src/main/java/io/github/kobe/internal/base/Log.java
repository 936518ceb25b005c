package io.github.kobe.internal.base;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.Supplier;

/**
 * Logs failures that nobody else can catch, and what an operator should know. Logging is user code too: it formats an exception that a user has written,
 * and passes it to a back end that a user has chosen. What it throws must not get into the engine.
 */
public final class Log {

    private static final Logger LOGGER = System.getLogger("io.github.kobe.GroupExecutor");

    private Log() {}

    /** Logs {@code text} with {@code failure}; without it, if that can't be shown; nothing, if that fails too. */
    public static void write(Level level, Supplier<String> text, Throwable failure) {
        try {
            LOGGER.log(level, text, failure);
        } catch (Throwable unshowable) {
            try {
                LOGGER.log(
                        level,
                        () -> text.get() + " The failure, a "
                                + failure.getClass().getName() + ", can't be shown.");
            } catch (Throwable broken) {
                // There is nowhere left to tell it.
            }
        }
    }

    /** Logs what is no failure of anybody's. */
    public static void write(Level level, Supplier<String> text) {
        try {
            LOGGER.log(level, text);
        } catch (Throwable broken) {
            // There is nowhere left to tell it.
        }
    }

    /** Logs what has failed, unless there is no memory or stack for that. */
    public static void failed(Throwable failure) {
        try {
            write(Level.ERROR, () -> "The group executor could not complete all that it had begun.", failure);
        } catch (Throwable unloggable) {
            // There is no memory or stack for that either.
        }
    }
}
