package io.github.kobe.cluster;

import io.github.kobe.cluster.Statement.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** Speaks to a store as a node does: with sequences, and with what it last heard and when. */
public final class StoreNode {

    public static final String KEY = "g:a";

    private final StoreScene scene;
    private final String session;
    private long epoch;
    private long sequence;
    private long after;
    private long heard;
    private long lease = StoreScene.LEASE;
    private int form = Statement.FORM;

    StoreNode(StoreScene scene, String session) {
        this.scene = scene;
        this.session = session;
    }

    public StoreNode withLease(long millis) {
        lease = millis;
        return this;
    }

    public StoreNode withForm(int other) {
        form = other;
        return this;
    }

    public StoreNode withEpoch(long other) {
        epoch = other;
        return this;
    }

    public Answer open() {
        return send(statement(Kind.OPEN));
    }

    public Answer exchange(Demand... demands) {
        return send(statement(Kind.EXCHANGE, demands));
    }

    public Answer heartbeat(Demand... demands) {
        return send(statement(Kind.EXCHANGE, true, demands));
    }

    public Answer close() {
        return send(statement(Kind.CLOSE));
    }

    /** Speaks of one resource, of which there are {@code limit}. */
    public Grant says(int has, int want, int limit) {
        return exchange(demand(has, want, limit)).grants().getFirst();
    }

    public static Demand demand(int has, int want, int limit) {
        return new Demand(KEY, has, want, 0, limit);
    }

    /** {@return the next statement, not sent yet} */
    public Statement statement(Kind kind, Demand... demands) {
        return statement(kind, false, demands);
    }

    private Statement statement(Kind kind, boolean heartbeat, Demand... demands) {
        sequence++;
        return new Statement(
                kind,
                session,
                epoch,
                sequence,
                after,
                after == 0 ? Duration.ZERO : Duration.ofMillis(now() - heard),
                "node-" + session,
                Duration.ofMillis(lease),
                form,
                heartbeat,
                List.of(demands));
    }

    /** Sends a statement, and hears the answer. */
    public Answer send(Statement statement) {
        Answer answer = lose(statement);
        if (answer.kind() == Answer.Kind.OK) {
            after = statement.sequence();
            heard = now();
        }
        epoch = answer.epoch();
        return answer;
    }

    /** Sends a statement; the answer doesn't arrive. {@return it nevertheless} */
    public Answer lose(Statement statement) {
        try {
            return scene.store()
                    .exchange(statement)
                    .toCompletableFuture()
                    .orTimeout(10, TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException failed) {
            throw new IllegalStateException(failed.getCause());
        }
    }

    private long now() {
        return scene.monotonic().getAsLong();
    }

    public String session() {
        return session;
    }

    public long epoch() {
        return epoch;
    }

    /** {@return the number of an epoch among those that the store has had} */
    static long counter(long epoch) {
        return epoch >> 24;
    }
}
