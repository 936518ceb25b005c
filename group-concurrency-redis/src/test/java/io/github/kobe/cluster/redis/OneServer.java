package io.github.kobe.cluster.redis;

import io.github.kobe.testing.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A server for all tests of a class, with a connection to it. */
final class OneServer implements BeforeAllCallback, AfterAllCallback {

    private static @Nullable RedisServer server;
    private static @Nullable RedisClient client;
    private static @Nullable StatefulRedisConnection<byte[], byte[]> connection;

    static StatefulRedisConnection<byte[], byte[]> connection() {
        return Objects.requireNonNull(connection);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (server == null) {
            server = RedisServer.start();
            RedisURI uri = RedisURI.create("localhost", server.port());
            uri.setTimeout(Duration.ofSeconds(20));
            client = RedisClient.create(uri);
            connection = client.connect(ByteArrayCodec.INSTANCE);
        }
    }

    /** Of the outermost class only, whose nested classes use the same one. */
    @Override
    public void afterAll(ExtensionContext context) {
        if (server != null && context.getRequiredTestClass().getEnclosingClass() == null) {
            Objects.requireNonNull(client).shutdown(Duration.ZERO, Duration.ofSeconds(2));
            server.close();
            server = null;
        }
    }
}
