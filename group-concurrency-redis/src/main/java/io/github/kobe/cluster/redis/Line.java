package io.github.kobe.cluster.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is made anew whenever it is lost. The client's own way to do so would send again what was sent, and keeps for
 * minutes a connection on which nothing comes.
 *
 * <p>What isn't said to be for any thread is done by the loop alone.
 */
final class Line<C extends StatefulConnection<byte[], byte[]>> {

    private static final long LEAST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MOST_JITTER = TimeUnit.MILLISECONDS.toNanos(900);

    private final Loop loop;
    private final Address address;
    private final Supplier<? extends CompletionStage<C>> dialling;
    private final Consumer<C> connected;

    private volatile @Nullable C connection;
    private volatile RedisStoreException reason;

    /** How many there have been without success since the connection was last of use; for any thread. */
    private volatile int failures;

    /** The number of the attempt that is made; 0: none. */
    private int attempt;

    /** Completes once what the last attempt has come to was handed to the loop. */
    private CompletableFuture<Void> attempted = CompletableFuture.completedFuture(null);

    private int attempts;
    private long overdueAt;
    private long notBefore = System.nanoTime();
    private boolean closed;

    /**
     * Makes a line that isn't connected.
     *
     * @param dialling makes a new connection
     * @param connected told of each one
     */
    Line(Loop loop, Address address, Supplier<? extends CompletionStage<C>> dialling, Consumer<C> connected) {
        this.loop = loop;
        this.address = address;
        this.dialling = dialling;
        this.connected = connected;
        reason = Reasons.notConnected(address, "it has not been tried yet");
    }

    /** {@return the connection, for any thread; {@code null}: there is none} */
    @Nullable
    C connection() {
        return connection;
    }

    /** {@return that there is no connection, and why; for any thread} */
    RedisStoreException notConnected() {
        return new RedisStoreException(Objects.requireNonNull(reason.getMessage()));
    }

    /** Does what is due. */
    void tick(long now) {
        if (closed || connection != null) {
            return;
        }
        if (attempt != 0 && now - overdueAt > 0) {
            failed(Reasons.notConnected(address, "connecting takes too long"));
        } else if (attempt == 0 && now - notBefore >= 0) {
            dial(now);
        }
    }

    private void dial(long now) {
        attempts++;
        attempt = attempts;
        overdueAt = now + (address.hops() + 1) * RedisClusterStore.TIMEOUT.toNanos();
        int mine = attempt;
        try {
            attempted = dialling.get()
                    .<Void>handle((made, failure) -> {
                        if (!loop.run(() -> dialled(mine, made, failure)) && made != null) {
                            discard(made); // the store was closed meanwhile, and its client may be somebody else's
                        }
                        return null;
                    })
                    .toCompletableFuture();
        } catch (RuntimeException failure) {
            failed(Reasons.of(failure, address));
        }
    }

    private void dialled(int mine, @Nullable C made, @Nullable Throwable failure) {
        boolean late = closed || attempt != mine;
        if (made == null) {
            if (!late) {
                failed(failure == null ? Reasons.notConnected(address, "no connection") : Reasons.of(failure, address));
            }
            return;
        }
        if (late) {
            discard(made);
            return;
        }
        attempt = 0;
        connection = made;
        made.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                boolean unused = loop.run(() ->
                        lost(made, Reasons.notConnected(address, "the connection was closed"))); // or all is closed
            }
        });
        if (made.isOpen()) {
            connected.accept(made);
        } else {
            lost(made, Reasons.notConnected(address, "the connection was closed at once"));
        }
    }

    /** This connection is of no use any more: another one is made. */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    void lost(StatefulConnection<byte[], byte[]> which, RedisStoreException why) {
        if (connection == which) {
            connection = null;
            failed(why);
            discard(which);
        }
    }

    private void failed(RedisStoreException why) {
        attempt = 0;
        reason = why;
        int before = failures;
        failures = before + 1;
        long jitter = Math.min(MOST_JITTER, LEAST_PAUSE << Math.min(before, 10));
        notBefore =
                System.nanoTime() + LEAST_PAUSE + ThreadLocalRandom.current().nextLong(jitter);
    }

    /** The connection is of use: when it is lost, the next one is made soon. For any thread. */
    void works() {
        failures = 0;
    }

    /** {@return whether there has been no success since the connection was last of use, or ever; for any thread} */
    boolean fails() {
        return failures > 0;
    }

    /**
     * There is no other connection from now on; who closes the client closes the last one. Not before the attempt that is being made
     * is over: a client that is closed meanwhile may leave its connection open.
     *
     * @return completes when none is being made, and what it has come to was handed to the loop
     */
    CompletableFuture<Void> close() {
        closed = true;
        reason = Reasons.closed();
        connection = null;
        return attempted;
    }

    private static void discard(StatefulConnection<byte[], byte[]> which) {
        which.closeAsync().exceptionally(failure -> null); // there is nothing to be done about it
    }
}
