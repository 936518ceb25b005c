package io.github.kobe.internal.cluster;

import io.github.kobe.cluster.Hint;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** A store in memory, on a server whose clock and identity a test sets, and nodes that speak to it. */
final class Scene implements Server {

    static final long LEASE = 15_000;

    /** The largest spacing between the words of a node that lives. */
    static final long HEARTBEAT = LEASE / 10;

    private long passed;
    private long set = 1_700_000_000_000L;
    private Identity identity = new Identity("run-1", "replication-1");
    private InMemoryStore store;
    private final List<Hint> hints = new ArrayList<>();

    private Scene(boolean learns) {
        store = new InMemoryStore(this, learns);
        store.onHint(hints::add);
    }

    /** One that learns nothing, as tests of applications use it. */
    static Scene ofApplications() {
        return new Scene(false);
    }

    /** One that has forgotten everything, as a server that has just started. */
    static Scene thatLearns() {
        return new Scene(true);
    }

    @Override
    public long millis() {
        return set + passed;
    }

    @Override
    public Identity identity() {
        return identity;
    }

    void becomes(String runId, String replicationId) {
        identity = new Identity(runId, replicationId);
    }

    /** Another server is the store from here on, which remembers nothing yet; {@return the one before} */
    InMemoryStore swap(InMemoryStore other) {
        InMemoryStore before = store;
        store = other;
        return before;
    }

    InMemoryStore newServer() {
        InMemoryStore other = new InMemoryStore(this, true);
        other.onHint(hints::add);
        return other;
    }

    /** Time passes, by all clocks. */
    void pass(long millis) {
        passed += millis;
    }

    /** Somebody sets the server's clock. */
    void setClock(long by) {
        set += by;
    }

    /** {@return the clock of nodes, which nobody sets} */
    LongSupplier monotonic() {
        return () -> passed;
    }

    /** Time passes, in which these nodes send heartbeats and nothing else. */
    void live(long millis, StoreNode... nodes) {
        for (long left = millis; left > 0; left -= HEARTBEAT) {
            pass(Math.min(left, HEARTBEAT));
            for (StoreNode node : nodes) {
                node.heartbeat();
            }
        }
    }

    InMemoryStore store() {
        return store;
    }

    /** {@return a node that has not spoken yet} */
    StoreNode node(String session) {
        return new StoreNode(this, session);
    }

    /** {@return a node that has opened its session} */
    StoreNode opened(String session) {
        StoreNode node = node(session);
        node.open();
        return node;
    }

    /** {@return the hints since the last call} */
    List<Hint> hints() {
        List<Hint> since = List.copyOf(hints);
        hints.clear();
        return since;
    }

    /** {@return the sessions that were hinted since the last call} */
    List<String> hinted() {
        return hints().stream().map(Hint::session).toList();
    }
}
