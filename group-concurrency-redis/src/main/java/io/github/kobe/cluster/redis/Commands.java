package io.github.kobe.cluster.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs scripts, each once, and gives up those that are not answered in time. */
final class Commands {

    /** After so many in a row without an answer the connection is given up: it may be one on which nothing comes. */
    private static final int MOST_TIMEOUTS = 2;

    private final Loop loop;
    private final Address address;
    private final byte[][] keys;
    private final Line<StatefulRedisConnection<byte[], byte[]>> line;

    /** Those not answered, in the order in which they are given up. */
    private final Queue<Call<?>> pending = new ConcurrentLinkedQueue<>();

    private final AtomicInteger timeouts = new AtomicInteger();

    /**
     * Makes it.
     *
     * @param key which the scripts read and write
     * @param dialling makes a new connection
     * @param connected is told that there is one, by the loop
     */
    Commands(
            Loop loop,
            Address address,
            byte[] key,
            Supplier<? extends CompletionStage<StatefulRedisConnection<byte[], byte[]>>> dialling,
            Runnable connected) {
        this.loop = loop;
        this.address = address;
        keys = new byte[][] {key};
        line = new Line<>(loop, address, dialling, made -> connected.run());
    }

    /** A script that runs. */
    private final class Call<T> {

        private final Script script;
        private final byte[][] arguments;
        private final StatefulRedisConnection<byte[], byte[]> connection;
        private final Function<List<Object>, T> reading;
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private final long overdueAt = System.nanoTime() + RedisClusterStore.TIMEOUT.toNanos();

        private Call(
                Script script,
                byte[][] arguments,
                StatefulRedisConnection<byte[], byte[]> connection,
                Function<List<Object>, T> reading) {
            this.script = script;
            this.arguments = arguments;
            this.connection = connection;
            this.reading = reading;
        }

        private void send(boolean whole) {
            RedisAsyncCommands<byte[], byte[]> async = connection.async();
            try {
                CompletionStage<List<Object>> reply = whole
                        ? async.eval(script.text(), ScriptOutputType.MULTI, keys, arguments)
                        : async.evalsha(script.digest(), ScriptOutputType.MULTI, keys, arguments);
                reply.whenComplete((parts, failure) -> answered(whole, parts, failure));
            } catch (RuntimeException failure) {
                answered(whole, null, failure);
            }
        }

        /** By a thread of the client. */
        private void answered(boolean whole, @Nullable List<Object> parts, @Nullable Throwable failure) {
            String error = failure == null ? null : Reasons.error(failure);
            if (failure == null || error != null) {
                timeouts.set(0);
            }
            if (error != null && error.startsWith("NOSCRIPT") && !whole) {
                loop.run(this::sendWhole);
                return;
            }
            pending.remove(this);
            if (parts != null) {
                line.works();
                complete(parts);
                return;
            }
            if (error != null && error.startsWith("READONLY")) {
                // What is the primary may have another address now.
                loop.run(() -> line.lost(connection, new RedisStoreException(error)));
            }
            fail(failure == null ? new RedisStoreException("Redis answered nothing") : Reasons.of(failure, address));
        }

        private void sendWhole() {
            if (!answer.isDone()) {
                send(true);
            }
        }

        private void complete(List<Object> parts) {
            try {
                answer.complete(reading.apply(parts));
            } catch (Throwable unreadable) { // or there is no memory for it: whoever waits has to know
                fail(Reasons.unwrapped(unreadable));
            }
        }

        private void fail(RedisStoreException why) {
            answer.completeExceptionally(why);
        }
    }

    /** {@return the connection, for any thread; {@code null}: there is none} */
    @Nullable
    StatefulRedisConnection<byte[], byte[]> connection() {
        return line.connection();
    }

    /** {@return whether the last attempts to connect have failed, or the connection was lost before it was of use; for any thread} */
    boolean fails() {
        return line.fails();
    }

    /**
     * {@return what the script returns} Sends it at once, or fails at once. For any thread that has stack enough.
     *
     * @param reading makes something of it, on a thread of the client
     */
    <T> CompletableFuture<T> run(Script script, byte[][] arguments, Function<List<Object>, T> reading) {
        StatefulRedisConnection<byte[], byte[]> connection = line.connection();
        if (connection == null) {
            return CompletableFuture.failedFuture(line.notConnected());
        }
        Call<T> call = new Call<>(script, arguments, connection, reading);
        pending.add(call);
        call.send(false);
        return call.answer;
    }

    /** Does what is due; by the loop, as what follows. */
    void tick(long now) {
        for (Call<?> call = pending.peek(); call != null && now - call.overdueAt > 0; call = pending.peek()) {
            pending.remove(call);
            call.fail(new RedisStoreException(
                    "no answer from " + address + " within " + RedisClusterStore.TIMEOUT.toSeconds() + " s"));
            if (timeouts.incrementAndGet() >= MOST_TIMEOUTS) {
                timeouts.set(0);
                line.lost(call.connection, Reasons.notConnected(address, "nothing was answered"));
            }
        }
        line.tick(now);
    }

    /** {@return as {@link Line#close}} */
    CompletableFuture<Void> close() {
        CompletableFuture<Void> attempted = line.close();
        for (Call<?> call = pending.poll(); call != null; call = pending.poll()) {
            call.fail(line.notConnected());
        }
        return attempted;
    }
}
