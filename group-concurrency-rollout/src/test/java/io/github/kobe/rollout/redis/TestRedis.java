package io.github.kobe.rollout.redis;

import io.lettuce.core.ClientOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.time.Duration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import redis.embedded.RedisServer;

/** A Redis of a test's own, which the test may take away and bring back. */
public final class TestRedis implements AutoCloseable {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);

    private final int port;
    private final RedisServer server;
    private final LettuceConnectionFactory connections;
    private final StringRedisTemplate template;

    private TestRedis() throws IOException {
        port = freePort();
        server = RedisServer.newRedisServer()
                .port(port)
                .bind("127.0.0.1")
                .setting("save \"\"")
                .build();
        server.start();
        connections = connections(port);
        template = new StringRedisTemplate(connections);
    }

    private static LettuceConnectionFactory connections(int port) {
        LettuceConnectionFactory connections = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", port),
                LettuceClientConfiguration.builder()
                        .commandTimeout(COMMAND_TIMEOUT)
                        .shutdownTimeout(Duration.ZERO)
                        .clientOptions(ClientOptions.builder()
                                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                                .build())
                        .build());
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }

    /** For another process, until that ends. */
    public static StringRedisTemplate template(int port) {
        return new StringRedisTemplate(connections(port));
    }

    public int port() {
        return port;
    }

    public static TestRedis open() {
        try {
            return new TestRedis();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    public StringRedisTemplate template() {
        return template;
    }

    void stop() {
        try {
            server.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void startAgain() {
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        connections.destroy();
        stop();
    }
}
