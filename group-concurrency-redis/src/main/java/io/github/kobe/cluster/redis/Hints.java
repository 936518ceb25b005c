package io.github.kobe.cluster.redis;

import io.github.kobe.cluster.Hint;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Hears hints for the sessions that speak through a store, on a connection of its own, and passes them on. */
final class Hints {

    private static final System.Logger LOG = System.getLogger(RedisClusterStore.class.getName());

    private static final long PING_AFTER = Duration.ofSeconds(5).toNanos();

    /** Who has said nothing for so long speaks no more; the longest lease is half of it. */
    private static final long FORGOTTEN_AFTER = Duration.ofMinutes(2).toNanos();

    private final Loop loop;
    private final Address address;
    private final String prefix;
    private final Consumer<Boolean> onDenied;
    private final Line<StatefulRedisPubSubConnection<byte[], byte[]>> line;
    private final List<Consumer<Hint>> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean listenerFailed = new AtomicBoolean();

    /** When each session last spoke. */
    private final Map<String, Long> sessions = new ConcurrentHashMap<>();

    /** Completes once nobody listens; {@code null}: nobody has asked for that. Used by the loop. */
    private @Nullable CompletableFuture<Void> unheard;

    private volatile long heardAt;
    private volatile boolean denied;

    private long pingedAt;
    private boolean wasConnected;
    private boolean renewed;

    /**
     * Makes it.
     *
     * @param prefix what the name of a session's channel begins with
     * @param dialling makes a new connection
     * @param onDenied told whether the server doesn't let them be heard
     */
    Hints(
            Loop loop,
            Address address,
            String prefix,
            Supplier<? extends CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>>> dialling,
            Consumer<Boolean> onDenied) {
        this.loop = loop;
        this.address = address;
        this.onDenied = onDenied;
        this.prefix = prefix;
        line = new Line<>(loop, address, dialling, this::connected);
    }

    /**
     * Has it told from now on. For any thread.
     *
     * @return what ends that
     */
    Runnable tell(Consumer<Hint> listener) {
        listeners.add(listener);
        return () -> {
            listeners.remove(listener);
            boolean unused = loop.run(this::tellIfUnheard); // or all is closed
        };
    }

    /** A session speaks, for which hints are heard from now on. For any thread. */
    void speaks(String session) {
        if (sessions.put(session, System.nanoTime()) == null) {
            loop.run(() -> {
                StatefulRedisPubSubConnection<byte[], byte[]> connection = line.connection();
                if (connection != null) {
                    subscribe(connection, List.of(session), false);
                }
            });
        }
    }

    /** A session speaks no more. For any thread. */
    void left(String session) {
        if (sessions.remove(session) != null) {
            loop.run(() -> {
                StatefulRedisPubSubConnection<byte[], byte[]> connection = line.connection();
                if (connection != null) {
                    CompletionStage<Void> unused = connection.async().unsubscribe(Bytes.of(prefix + session));
                }
            });
        }
    }

    /** Does what is due; by the loop, as what follows. */
    void tick(long now) {
        line.tick(now);
        StatefulRedisPubSubConnection<byte[], byte[]> connection = line.connection();
        if (connection == null) {
            return;
        }
        if (now - heardAt > PING_AFTER + 2 * RedisClusterStore.TIMEOUT.toNanos()) {
            line.lost(connection, Reasons.notConnected(address, "nothing was answered"));
        } else if (now - Math.max(heardAt, pingedAt) > PING_AFTER) {
            pingedAt = now;
            connection.async().ping().thenAccept(pong -> heard());
        }
    }

    /** The server may be another one: unless this is the first connection, there is to be another one for hints too. */
    void renew() {
        StatefulRedisPubSubConnection<byte[], byte[]> connection = line.connection();
        if (renewed && connection != null) {
            line.lost(connection, Reasons.notConnected(address, "there is a new connection for statements"));
        }
        renewed = true;
    }

    /** Looks again at what can have changed: who speaks, and whether it is allowed. */
    void check(long now) {
        sessions.forEach((session, at) -> {
            if (now - at > FORGOTTEN_AFTER) {
                left(session);
            }
        });
        StatefulRedisPubSubConnection<byte[], byte[]> connection = line.connection();
        if (denied && connection != null) {
            subscribe(connection, List.copyOf(sessions.keySet()), false);
        }
    }

    /** {@return completes once nobody listens, so nobody uses the store any more} */
    CompletableFuture<Void> unheard() {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        unheard = asked;
        tellIfUnheard();
        return asked;
    }

    private void tellIfUnheard() {
        CompletableFuture<Void> asked = unheard;
        if (asked != null && listeners.isEmpty()) {
            asked.complete(null);
        }
    }

    /** {@return as {@link Line#close}} */
    CompletableFuture<Void> close() {
        return line.close();
    }

    private void connected(StatefulRedisPubSubConnection<byte[], byte[]> connection) {
        heard();
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(byte[] channel, byte[] message) {
                heard();
                hinted(Bytes.text(channel), message);
            }
        });
        subscribe(connection, List.copyOf(sessions.keySet()), wasConnected);
        wasConnected = true;
    }

    private void subscribe(
            StatefulRedisPubSubConnection<byte[], byte[]> connection, Collection<String> some, boolean again) {
        if (some.isEmpty()) {
            return;
        }
        byte[][] channels =
                some.stream().map(session -> Bytes.of(prefix + session)).toArray(byte[][]::new);
        connection.async().subscribe(channels).whenComplete((done, failure) -> {
            if (failure == null || Reasons.error(failure) != null) {
                denied = failure != null;
                onDenied.accept(denied);
            }
            if (failure == null) {
                line.works();
                if (again) { // what was said meanwhile was not heard
                    loop.run(() -> some.forEach(session -> pass(new Hint(session, List.of(Hint.UNMET)))));
                }
            }
        });
    }

    private void heard() {
        heardAt = System.nanoTime();
    }

    private void hinted(String channel, byte[] message) {
        String session = channel.substring(Math.min(prefix.length(), channel.length()));
        if (!sessions.containsKey(session)) {
            return;
        }
        Hint hint;
        try {
            hint = new Hint(session, Wire.resources(message));
        } catch (IllegalArgumentException noHint) {
            return; // somebody else has written to the channel
        }
        pass(hint);
    }

    private void pass(Hint hint) {
        for (Consumer<Hint> listener : listeners) {
            try {
                listener.accept(hint);
            } catch (Throwable failure) { // by whomever it is, the others are told too
                if (listenerFailed.compareAndSet(false, true)) {
                    LOG.log(
                            Level.WARNING,
                            "A listener for hints of a cluster store failed. This has no other effect; later failures"
                                    + " are not logged.",
                            failure);
                }
            }
        }
    }
}
