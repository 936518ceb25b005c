package io.github.kobe.internal.cluster;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.Statement;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What has arrived for a node and was not looked at yet. By any thread; it blocks nobody. It knows neither the node nor its
 * engine, so a store that keeps it keeps neither alive.
 */
final class Inbox {

    /** Something that has arrived. */
    sealed interface Arrived {}

    /**
     * A statement was answered, or is known not to be.
     *
     * @param session in which session it was made
     * @param sequence its number
     * @param answer {@code null}: there is none
     * @param failure why there is none
     * @param at when it came, by the clock that the inbox was given
     */
    record Heard(
            String session,
            long sequence,
            @Nullable Answer answer,
            @Nullable Throwable failure,
            long at) implements Arrived {

        boolean isTo(Statement statement) {
            return sequence == statement.sequence() && session.equals(statement.session());
        }
    }

    /** Somebody says that there is something to speak of. */
    record Hinted(Hint hint) implements Arrived {}

    /** No session is called that. */
    private static final String NOBODY = "";

    private final LongSupplier nanoTime;
    private final Queue<Arrived> arrived = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Thread reader;

    /** For whom hints are; others are told by the same store. */
    private volatile String session = NOBODY;

    /** Has the store forget it. */
    private Runnable hearNoMore = () -> {};

    Inbox(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void heard(Statement statement, @Nullable Answer answer, @Nullable Throwable failure) {
        add(new Heard(statement.session(), statement.sequence(), answer, failure, nanoTime.getAsLong()));
    }

    void hinted(Hint hint) {
        if (hint.session().equals(session)) {
            add(new Hinted(hint));
        }
    }

    /** Hints for that session are kept from now on. */
    void keepHintsFor(String id) {
        session = id;
    }

    /** Hints come from that store, until it is closed; before somebody reads it. */
    void hearFrom(ClusterStore store) {
        hearNoMore = store.onHint(this::hinted);
    }

    /** Nobody reads it any more; by who did. */
    void close() {
        session = NOBODY;
        arrived.clear();
        hearNoMore.run();
    }

    private void add(Arrived some) {
        arrived.add(some);
        wake();
    }

    @Nullable
    Arrived poll() {
        return arrived.poll();
    }

    boolean isEmpty() {
        return arrived.isEmpty();
    }

    /** That thread waits for what arrives, from now on. */
    void readBy(Thread thread) {
        reader = thread;
    }

    /** There is something to look at; it needs no memory. */
    void wake() {
        LockSupport.unpark(reader);
    }
}
