package io.github.kobe.cluster.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Says why there is no answer, without what isn't anybody's business. */
final class Reasons {

    /** Whose messages are known to have no secret in them; those of a credentials provider are not, which throws any other. */
    private static final List<String> KNOWN = List.of(
            "java.net.",
            "java.nio.",
            "java.security.cert.",
            "java.util.concurrent.TimeoutException",
            "javax.net.ssl.",
            "sun.",
            "io.netty.",
            "io.lettuce.");

    private Reasons() {}

    /** {@return why a command has failed} */
    static RedisStoreException of(Throwable failure, Address address) {
        String error = error(failure);
        return error != null ? new RedisStoreException(error) : notConnected(address, text(failure));
    }

    static RedisStoreException notConnected(Address address, String reason) {
        return new RedisStoreException("not connected to " + address + ": " + reason);
    }

    static RedisStoreException closed() {
        return new RedisStoreException("the store is closed");
    }

    /** {@return why a stage has failed, which may wrap it} */
    static RedisStoreException unwrapped(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof RedisStoreException known
                ? known
                : new RedisStoreException("the answer can't be read: " + cause);
    }

    /** {@return what the server said; {@code null}: nothing} */
    static @Nullable String error(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof RedisCommandExecutionException && cause.getMessage() != null) {
                return cause.getMessage();
            }
        }
        return null;
    }

    /** {@return the innermost cause, in words} */
    static String text(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = cause.getMessage();
        String type = cause.getClass().getSimpleName();
        if (message == null || KNOWN.stream().noneMatch(cause.getClass().getName()::startsWith)) {
            return type;
        }
        return message.indexOf(' ') < 0 ? type + ": " + message : message;
    }
}
