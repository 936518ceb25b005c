package io.github.kobe.cluster;

import io.github.kobe.internal.cluster.MemoryScene;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A store, on a server whose clock and identity a test sets, and nodes that speak to it. */
public abstract class StoreScene {

    /** A stamp of what never happened. */
    public static final long NEVER = -1_000_000;

    static final long LEASE = 15_000;

    /** The largest spacing between the words of a node that lives. */
    static final long HEARTBEAT = LEASE / 10;

    private long passed;
    private long set = 1_700_000_000_000L;
    private String runId = "run-1";
    private String replicationId = "replication-1";
    private final List<Hint> hints = new ArrayList<>();

    /**
     * What a store remembers of one node at one resource. Stamps are of its clock.
     *
     * @param since its place in line
     * @param granted when it last got some
     * @param fell when it ceased to wait without getting all
     * @param spoke when it last spoke of the resource
     * @param hinted when it was last hinted, unless it has spoken since
     * @param told how much it was last told to keep
     */
    public record Place(
            String session,
            int has,
            int want,
            int limit,
            long since,
            long granted,
            long fell,
            long spoke,
            long hinted,
            int told) {}

    /** Makes scenes on one kind of store. */
    public interface Maker {

        /** {@return one that has forgotten everything, as a server that has just started} */
        StoreScene thatLearns();

        /** {@return one that learns nothing} */
        StoreScene thatKnows();
    }

    /** {@return a maker of scenes on the store in memory} */
    public static Maker inMemory() {
        return new Maker() {
            @Override
            public StoreScene thatLearns() {
                return new MemoryScene(true);
            }

            @Override
            public StoreScene thatKnows() {
                return new MemoryScene(false);
            }
        };
    }

    /** {@return the store} */
    public abstract ClusterStore store();

    /** {@return all that the store remembers, to return to} */
    public abstract Object remembered();

    /** The store returns to an earlier state, as a server does that restarts with an older copy; can be done many times. */
    public abstract void goBackTo(Object earlier);

    /** The store loses everything, as a server does that restarts without its data. */
    public abstract void forgetEverything();

    /** {@return the store's own clock} */
    public abstract long log();

    /** {@return the resources of which something is remembered} */
    public abstract Set<String> resources();

    /** Has the store remember this of some resources, and nothing else of them. */
    public abstract void remember(Map<String, List<Place>> places);

    /** {@return the server's time} */
    public final long millis() {
        return set + passed;
    }

    /** {@return which run of a server it is} */
    public final String runId() {
        return runId;
    }

    /** {@return which history of data it is} */
    public final String replicationId() {
        return replicationId;
    }

    /** The store has told somebody. */
    protected final void told(Hint hint) {
        hints.add(hint);
    }

    public final void becomes(String run, String replication) {
        runId = run;
        replicationId = replication;
    }

    /** Time passes, by all clocks. */
    public final void pass(long millis) {
        passed += millis;
    }

    /** Somebody sets the server's clock. */
    public final void setClock(long by) {
        set += by;
    }

    /** {@return the clock of nodes, which nobody sets} */
    final LongSupplier monotonic() {
        return () -> passed;
    }

    /** Time passes, in which these nodes send heartbeats and nothing else. */
    final void live(long millis, StoreNode... nodes) {
        for (long left = millis; left > 0; left -= HEARTBEAT) {
            pass(Math.min(left, HEARTBEAT));
            for (StoreNode node : nodes) {
                node.heartbeat();
            }
        }
    }

    /** {@return a node that has not spoken yet} */
    public final StoreNode node(String session) {
        return new StoreNode(this, session);
    }

    /** {@return a node that has opened its session} */
    public final StoreNode opened(String session) {
        StoreNode node = node(session);
        node.open();
        return node;
    }

    /** {@return what the store shows of a resource; {@code null}: of all} */
    public final List<NodeShare> look(@Nullable String resource) {
        return store().look(resource)
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }

    /** {@return the hints since the last call} */
    public final List<Hint> hints() {
        List<Hint> since = List.copyOf(hints);
        hints.clear();
        return since;
    }

    /** {@return the sessions that were hinted since the last call} */
    final List<String> hinted() {
        return hints().stream().map(Hint::session).toList();
    }
}
