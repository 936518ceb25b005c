package io.github.kobe.cluster.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.lang.System.Logger.Level;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Says why there is no answer, without what isn't anybody's business. */
final class Reasons {

    private static final System.Logger LOG = System.getLogger(RedisClusterStore.class.getName());

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
        if (error != null) {
            return new RedisStoreException(error);
        }
        LOG.log(Level.DEBUG, () -> address + ": " + kinds(failure));
        return notConnected(address, text(failure));
    }

    static RedisStoreException notConnected(Address address, String reason) {
        return new RedisStoreException("not connected to " + address + ": " + reason);
    }

    /** {@return that statements can't be carried out there, whenever they come} */
    static RedisStoreException unfit(Address address, String hindrance) {
        return new RedisStoreException("NOINFO " + address
                + " can't be where instances share limits, since scripts there"
                + " don't learn from INFO which server it is: " + hindrance + ". Give the user of the store the right"
                + " +info. A service that doesn't allow INFO in scripts, such as Redis Enterprise, Redis Cloud or Azure"
                + " Managed Redis, can't be used.");
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
                : new RedisStoreException("the answer can't be read", cause);
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
        if (KNOWN.stream().noneMatch(cause.getClass().getName()::startsWith)) {
            return "its reason isn't shown, since that may hold a secret; the log has its kind, at level DEBUG";
        }
        String message = cause.getMessage();
        if (message != null) {
            boolean isName = cause instanceof UnknownHostException && message.indexOf(' ') < 0;
            return isName ? "there is no host " + message : message;
        }
        if (cause instanceof ClosedChannelException) {
            return "the connection was closed";
        }
        return cause instanceof TimeoutException ? "it took too long" : "the client gives no reason";
    }

    /** {@return of what classes a failure and its causes are} */
    private static String kinds(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .map(cause -> cause.getClass().getName())
                .collect(Collectors.joining(", "));
    }
}
