package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Why there is no answer, in words. */
class ReasonsTests {

    private static final Address ADDRESS = Address.of(RedisURI.create("redis://redis"), Duration.ofSeconds(2));

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
                .isEqualTo("not connected to redis:6379: UnknownHostException: redis");
        assertThat(of(new RedisException((String) null))).isEqualTo("not connected to redis:6379: RedisException");
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
                .isEqualTo("not connected to redis:6379: VaultException");
        assertThat(of(new IllegalStateException("token s3cr3t has expired")))
                .isEqualTo("not connected to redis:6379: IllegalStateException");
        assertThat(of(new RedisConnectionException("Unable", new IOException("no file s3cr3t"))))
                .isEqualTo("not connected to redis:6379: IOException");
    }

    @Test
    void whatCannotBeReadIsNoAnswer() {
        assertThat(Reasons.unwrapped(new NumberFormatException("For input string: \"x\"")))
                .hasMessage("the answer can't be read: java.lang.NumberFormatException: For input string: \"x\"");
        RedisStoreException known = new RedisStoreException("known");
        assertThat(Reasons.unwrapped(new CompletionException(known))).isSameAs(known);
    }
}
