package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.CapturedLog;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Why there is no answer, in words. */
class ReasonsTests {

    private static final Address ADDRESS = Address.of(RedisURI.create("redis://redis"), Duration.ofSeconds(2));

    private static final String OTHER =
            "its reason isn't shown, since that may hold a secret; the log has its kind, at" + " level DEBUG";

    private static String of(Throwable failure) {
        return Reasons.of(failure, ADDRESS).getMessage();
    }

    @Test
    void whatRedisSaysIsToldAsItIs() {
        RedisCommandExecutionException error = new RedisCommandExecutionException("OOM command not allowed");

        assertThat(of(error)).isEqualTo("OOM command not allowed");
        assertThat(of(new CompletionException(new RedisConnectionException("Unable", error))))
                .isEqualTo("OOM command not allowed");
    }

    @Test
    void anythingElseIsNoConnection() {
        assertThat(of(new RedisException("Connection closed")))
                .isEqualTo("not connected to redis:6379: Connection closed");
        assertThat(of(new RedisConnectionException("Unable", new ConnectException("Connection refused"))))
                .isEqualTo("not connected to redis:6379: Connection refused");
        assertThat(of(new UnknownHostException("redis")))
                .isEqualTo("not connected to redis:6379: there is no host redis");
        assertThat(of(new UnknownHostException("redis: Name or service not known")))
                .isEqualTo("not connected to redis:6379: redis: Name or service not known");
        assertThat(of(new ClosedChannelException()))
                .isEqualTo("not connected to redis:6379: the connection was closed");
        assertThat(of(new RedisException(new TimeoutException())))
                .isEqualTo("not connected to redis:6379: it took too long");
        assertThat(of(new RedisException((String) null)))
                .isEqualTo("not connected to redis:6379: the client gives no reason");
    }

    @Test
    void theLogHasTheKindOfWhatHasFailedWithoutItsText() {
        Logger logger = Logger.getLogger(RedisClusterStore.class.getName());
        logger.setLevel(Level.FINE);
        try (CapturedLog log = CapturedLog.open()) {
            assertThat(of(new RedisConnectionException("Unable", new IOException("no file s3cr3t"))))
                    .endsWith(OTHER);

            assertThat(log.all())
                    .containsExactly("redis:6379: io.lettuce.core.RedisConnectionException, java.io.IOException");
        } finally {
            logger.setLevel(null);
        }
    }

    /** As a provider of credentials may throw. */
    @Test
    void whatOthersSayIsNotShown() {
        class VaultException extends RuntimeException {
            private static final long serialVersionUID = 1L;

            VaultException() {
                super("token s3cr3t is no good");
            }
        }

        assertThat(of(new RedisConnectionException("Unable", new VaultException())))
                .isEqualTo("not connected to redis:6379: " + OTHER);
        assertThat(of(new IllegalStateException("token s3cr3t has expired")))
                .isEqualTo("not connected to redis:6379: " + OTHER);
        assertThat(of(new RedisConnectionException("Unable", new IOException("no file s3cr3t"))))
                .isEqualTo("not connected to redis:6379: " + OTHER);
    }

    @Test
    void whatCannotBeReadIsNoAnswer() {
        NumberFormatException unreadable = new NumberFormatException("For input string: \"x\"");
        assertThat(Reasons.unwrapped(unreadable))
                .hasMessage("the answer can't be read")
                .hasCause(unreadable);
        RedisStoreException known = new RedisStoreException("known");
        assertThat(Reasons.unwrapped(new CompletionException(known))).isSameAs(known);
    }
}
