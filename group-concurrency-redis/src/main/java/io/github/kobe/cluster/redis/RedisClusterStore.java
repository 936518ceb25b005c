package io.github.kobe.cluster.redis;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.cluster.Statement;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store in Redis: executors of all instances that name the same server and {@linkplain Builder#namespace namespace} share
 * their limits.
 *
 * <pre>{@code
 * try (ClusterStore store = RedisClusterStore.builder(RedisURI.create("redis://localhost"))
 *                 .namespace("reports")
 *                 .build();
 *         GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy, ClusterSettings.of(store))) {
 *     String report = executor.call("tenant:a", () -> build("a"));
 * }
 * }</pre>
 *
 * <p>Needs Redis 7.0 or newer, or Valkey 7.2 or newer: one server, one that Sentinels watch, or the address of a primary that
 * somebody else manages. Not supported are Redis Cluster, and services that don't allow {@code INFO} in scripts, such as Redis
 * Enterprise: to build a store there fails. Redis needs neither persistence nor replication: whatever it forgets, is noticed, and instances say again what
 * they have.
 *
 * <p>The store has a Redis client of its own, and connects by itself, again and again until it is closed: after 0.1 to 1
 * second, each time anew, with the address looked up and the credentials asked for again. Meanwhile each stage fails at once,
 * with a {@link RedisStoreException} that says why. No command is sent twice.
 *
 * <p>Thread-safe. No method blocks but {@link #close}, and {@link Builder#build}, which waits for the first attempt to connect.
 *
 * @since 0.1.0
 */
public final class RedisClusterStore implements ClusterStore {

    /** So long it takes at most to connect to one server, and a command to be answered. */
    static final Duration TIMEOUT = Duration.ofSeconds(2);

    private static final Duration TICK = Duration.ofMillis(100);
    private static final Duration CHECK = Duration.ofMinutes(1);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    private final Address address;
    private final String shown;
    private final RedisClient client;
    private final Loop loop = new Loop();
    private final Commands commands;
    private final Hints hints;
    private final Setup setup;

    /** Once there was a first attempt: what hinders statements on that server; empty: nothing, or it could not be asked. */
    private final CompletableFuture<Optional<String>> hindrance = new CompletableFuture<>();

    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);

    private RedisClusterStore(Builder builder, String namespace) {
        address = builder.address;
        String key = builder.keyPrefix + "{" + namespace + "}";
        shown = address + "/" + key;
        client = builder.client();
        setup = new Setup(loop);
        hints = new Hints(
                loop,
                address,
                key + ":",
                () -> client.connectPubSubAsync(ByteArrayCodec.INSTANCE, address.uri()),
                setup::heard);
        commands = new Commands(
                loop,
                address,
                Bytes.of(key),
                () -> client.connectAsync(ByteArrayCodec.INSTANCE, address.uri()),
                this::connected);
        loop.every(TICK, this::tick);
        loop.every(CHECK, this::check);
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
        hints.speaks(statement.session());
        return commands.run(Script.EXCHANGE, Wire.arguments(statement), parts -> heard(statement, parts));
    }

    private Answer heard(Statement statement, List<Object> parts) {
        Wire.Reply reply = Wire.reply(statement, parts);
        setup.sent(reply.denied());
        if (statement.kind() == Statement.Kind.CLOSE || reply.answer().kind() == Answer.Kind.GONE) {
            hints.left(statement.session());
        }
        return reply.answer();
    }

    @Override
    public Runnable onHint(Consumer<Hint> listener) {
        return hints.tell(Objects.requireNonNull(listener, "listener"));
    }

    @Override
    public CompletionStage<List<NodeShare>> look(@Nullable String resource) {
        CompletableFuture<List<NodeShare>> all = new CompletableFuture<>();
        CompletionStage<List<NodeShare>> pages = CompletableFuture.completedStage("0")
                .thenComposeAsync(first -> look(resource == null ? "" : resource, first, new TreeMap<>()), loop);
        pages.whenComplete((shares, failure) -> {
            if (failure == null) {
                all.complete(shares);
            } else {
                all.completeExceptionally(Reasons.unwrapped(failure));
            }
        });
        return all;
    }

    private CompletionStage<List<NodeShare>> look(String resource, String cursor, Map<String, NodeShare> found) {
        return commands.run(Script.LOOK, Wire.arguments(resource, cursor), Wire::page)
                .thenComposeAsync(
                        page -> {
                            page.shares().forEach(share -> found.merge(share.session(), share, Wire::sum));
                            return page.cursor().equals("0")
                                    ? CompletableFuture.completedFuture(byName(found))
                                    : look(resource, page.cursor(), found);
                        },
                        loop);
    }

    private static List<NodeShare> byName(Map<String, NodeShare> found) {
        return found.values().stream()
                .sorted(Comparator.comparing(NodeShare::node).thenComparing(NodeShare::session))
                .toList();
    }

    private void tick() {
        long now = System.nanoTime();
        commands.tick(now);
        if (commands.fails()) {
            hindrance.complete(Optional.empty());
        }
        if (isFit()) {
            hints.tick(now);
        }
    }

    /** {@return whether it is known that nothing hinders statements, or can't be for now} Until then nobody needs hints. */
    private boolean isFit() {
        return hindrance.isDone() && hindrance.join().isEmpty();
    }

    /** The server may be another one than that of the connection for hints. */
    private void connected() {
        hints.renew();
        check();
        if (!hindrance.isDone()) {
            var unused = commands.run(Script.CHECK, Wire.arguments(), Wire::hindrance)
                    .whenComplete((found, failure) -> hindrance.complete(failure == null ? found : Optional.empty()));
        }
    }

    /** Waits until it is known whether the server can't carry out statements, or is away. */
    private void requireFit() {
        hindrance
                .completeOnTimeout(Optional.empty(), LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS)
                .join()
                .ifPresent(found -> {
                    close();
                    throw Reasons.unfit(address, found);
                });
    }

    private void check() {
        hints.check(System.nanoTime());
        StatefulRedisConnection<byte[], byte[]> connection = commands.connection();
        if (connection != null) {
            setup.check(connection);
        }
    }

    /**
     * Tells what endangers the limit, or makes it slow, in how Redis is set up: keys that may be evicted, replicas without
     * {@code min-replicas-to-write}, hints that the user of the store may not send or hear. It is looked at when the store
     * connects, and once a minute. Each is logged as well, the first time.
     *
     * @return a sentence for each, for people; empty if there is nothing, or if the store has not connected yet
     */
    public List<String> warnings() {
        return setup.warnings();
    }

    /**
     * Closes all connections, and waits for that, for 5 seconds at most. What the nodes have said stays in Redis. Idempotent.
     *
     * <p>Executors that have been closed just before have yet to say that they end, so that others get at once what they had. The
     * connections stay for that, for 2 seconds at most. If somebody uses the store still, that takes the 2 seconds.
     */
    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            loop.run(this::closeOnceUnused);
        }
        try {
            boolean unused = closed.await(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it is closed nevertheless
        }
    }

    private void closeOnceUnused() {
        var unused = hints.unheard()
                .completeOnTimeout(null, TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .thenRunAsync(this::closeAll, loop);
    }

    private void closeAll() {
        var unused = CompletableFuture.allOf(commands.close(), hints.close())
                .completeOnTimeout(null, TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .thenRunAsync(this::closeClient, loop);
    }

    private void closeClient() {
        CompletionStage<Void> end = client.shutdownAsync(0, 1, TimeUnit.SECONDS);
        end.whenComplete((done, failure) -> {
            loop.end();
            closed.countDown();
        });
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
         * Builds the store, which connects on a thread of its own. Waits for the first attempt, for 5 seconds at most: a Redis
         * that is away, or answers nothing yet, is tried again later.
         *
         * @return the store, to be closed by the caller
         * @throws IllegalStateException if there is no namespace
         * @throws RedisStoreException if Redis answers, and doesn't allow {@code INFO} in scripts: then nothing could be granted
         */
        public RedisClusterStore build() {
            if (namespace == null) {
                throw new IllegalStateException(
                        "namespace is not set; it must be a text that all who share have in common");
            }
            RedisClusterStore store = new RedisClusterStore(this, namespace);
            store.requireFit();
            return store;
        }

        private RedisClient client() {
            RedisClient client = clientResources == null ? RedisClient.create() : RedisClient.create(clientResources);
            ClientOptions.Builder options = ClientOptions.builder()
                    .autoReconnect(false)
                    .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                    .pingBeforeActivateConnection(true)
                    .timeoutOptions(
                            TimeoutOptions.builder().timeoutCommands(false).build()) // as Commands does it
                    .socketOptions(SocketOptions.builder()
                            .connectTimeout(TIMEOUT)
                            .keepAlive(true)
                            .build());
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
