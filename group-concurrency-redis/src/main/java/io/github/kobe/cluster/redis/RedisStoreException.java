package io.github.kobe.cluster.redis;

/**
 * Redis gave no answer. The message is for people, and begins with the first word of Redis's error, such as {@code READONLY},
 * {@code LOADING}, {@code OOM}, {@code NOREPLICAS}, {@code NOPERM} or {@code WRONGPASS}, or with {@code NOINFO} where scripts
 * may not call {@code INFO}, or it is a sentence, such as {@code not connected to redis:6379: Connection refused}. It has no
 * password in it.
 *
 * @since 0.1.0
 */
public final class RedisStoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    RedisStoreException(String message) {
        super(message);
    }

    RedisStoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
