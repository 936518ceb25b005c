package io.github.kobe.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPolicy;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.Hint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Several nodes with real engines and a store, in one thread and on one clock, which goes from event to event. Between them is a
 * network that loses, doubles and delays as it is told. Whenever a node starts something, it is checked that no more is out over all
 * nodes than there may be.
 */
final class SimulatedCluster implements Server {

    /** How long it takes until a thread runs that was woken. */
    private static final long HOP = TimeUnit.MICROSECONDS.toNanos(100);

    private record Event(long at, long order, Runnable action) {}

    final Random random;
    final Network network = new Network();
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final Map<String, Integer> limits = new HashMap<>();
    private @Nullable AssertionError failure;
    private long passed;
    private long order;
    private long made;

    // ---- the server
    private long set = TimeUnit.DAYS.toMillis(20_000);
    private long runs = 1;
    private Identity identity = new Identity("run-1", "replication-1");
    private final InMemoryStore store = new InMemoryStore(this, true);
    private boolean stalled;
    private final List<Runnable> waiting = new ArrayList<>();

    SimulatedCluster(long seed) {
        random = new Random(seed);
        store.onHint(this::hint);
    }

    /** There may be so many in flight of a group, over all nodes. */
    SimulatedCluster limit(String key, int most) {
        limits.put(key, most);
        return this;
    }

    int limit(String key) {
        return limits.getOrDefault(key, 0);
    }

    SimulatedNode join() {
        return join(UnaryOperator.identity());
    }

    /** One more is there, with other settings. */
    SimulatedNode join(UnaryOperator<ClusterSettings> settings) {
        return join(settings, UnaryOperator.identity());
    }

    /** One more is there, with other settings and another policy. */
    SimulatedNode join(UnaryOperator<ClusterSettings> settings, UnaryOperator<GroupPolicy.Builder> policy) {
        made++;
        SimulatedNode node = new SimulatedNode(this, "node-" + made, settings, policy);
        nodes.add(node);
        node.step();
        return node;
    }

    List<SimulatedNode> nodes() {
        return nodes;
    }

    void remove(SimulatedNode node) {
        nodes.remove(node);
    }

    // ---- time

    /** {@return the time that has passed, in nanoseconds, by the clock of all nodes} */
    long passed() {
        return passed;
    }

    void after(long delay, Runnable action) {
        order++;
        events.add(new Event(passed + delay, order, action));
    }

    /** Has happen what happens in that time. */
    void run(Duration time) {
        long end = passed + time.toNanos();
        for (Event next = events.peek(); next != null && next.at() <= end; next = events.peek()) {
            events.remove();
            passed = next.at();
            next.action().run();
            throwFailure();
        }
        passed = end;
        throwFailure();
    }

    /** Looks at something where what fails would be lost: time goes on no further then. */
    void check(Runnable assertion) {
        try {
            assertion.run();
        } catch (AssertionError failed) {
            if (failure == null) {
                failure = failed;
            }
        }
    }

    private void throwFailure() {
        AssertionError failed = failure;
        if (failed != null) {
            failure = null;
            throw failed;
        }
    }

    long hop() {
        return HOP + random.nextLong(HOP);
    }

    // ---- the server

    @Override
    public long millis() {
        return set + TimeUnit.NANOSECONDS.toMillis(passed);
    }

    @Override
    public Identity identity() {
        return identity;
    }

    InMemoryStore store() {
        return store;
    }

    /** Somebody sets the server's clock. */
    void setClock(Duration by) {
        set += by.toMillis();
    }

    /** Loses everything, and is the same server. */
    void flush() {
        store.goBackTo(null);
    }

    /** Another run, with what was remembered once. */
    void restart(Memory remembered) {
        runs++;
        identity = new Identity("run-" + runs, identity.replicationId());
        store.goBackTo(remembered);
    }

    /** The replica becomes the server, with what it has heard of. */
    void promote(Memory remembered) {
        runs++;
        identity = new Identity("run-" + runs, "replication-" + runs);
        store.goBackTo(remembered);
    }

    /** It does nothing until that ends. */
    void stall(boolean stalls) {
        stalled = stalls;
        if (!stalls) {
            List<Runnable> late = List.copyOf(waiting);
            waiting.clear();
            late.forEach(Runnable::run);
        }
    }

    /** Has the server carry something out, now or when it does something again. */
    void atServer(Runnable work) {
        if (stalled) {
            waiting.add(work);
        } else {
            work.run();
        }
    }

    private void hint(Hint hint) {
        if (random.nextDouble() >= network.hintsLost) {
            long delay = network.delay(random);
            after(delay, () -> nodes.forEach(node -> node.hint(hint)));
        }
    }

    // ---- what is out

    /** Something has started: there is no more out than there may be, but for what nodes run that were away too long. */
    void started(String key) {
        if (limit(key) == 0) {
            return; // nobody shares it
        }
        long out = 0;
        long excused = 0;
        for (SimulatedNode node : nodes) {
            out += node.out(key);
            excused += node.excused(key);
        }
        assertThat(out)
                .as("at %s: in flight of %s, beside %s by nodes that were away", at(), key, excused)
                .isLessThanOrEqualTo(limit(key) + excused);
    }

    String at() {
        return Duration.ofNanos(passed).toString();
    }

    /** What the network does to what is sent. Times are in nanoseconds. */
    static final class Network {

        double lost;
        double doubled;
        double late;
        double hintsLost;

        /** How much the connection refuses, without sending it. */
        double refused;

        long least = TimeUnit.MICROSECONDS.toNanos(100);
        long most = TimeUnit.MICROSECONDS.toNanos(500);
        long latest = TimeUnit.SECONDS.toNanos(9);

        long delay(Random random) {
            return random.nextDouble() < late ? random.nextLong(latest) : random.nextLong(least, most);
        }

        /** From here on it does nothing to it but to take its time. */
        void heal() {
            lost = 0;
            doubled = 0;
            late = 0;
            hintsLost = 0;
            refused = 0;
        }
    }
}
