package io.github.kobe.internal.cluster;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.cluster.Statement;
import io.github.kobe.internal.base.Log;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A store in this JVM. An exchange is carried out by the thread that calls; hints are delivered by it after the lock is free, and
 * before it has its answer.
 *
 * <p>Tests can have it on a server of their own, on which it can forget, or go back to what it once remembered.
 */
public final class InMemoryStore implements ClusterStore {

    private static final Identity IDENTITY = new Identity("memory", "memory");

    private final Server server;
    private final boolean learns;
    private final List<Consumer<Hint>> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean listenerFailed = new AtomicBoolean();
    private final Lock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private @Nullable Memory memory;

    /** Guarded by the lock. */
    private boolean closed;

    /**
     * Makes a store.
     *
     * @param learns whether it grants nothing at the beginning of an epoch; needed if it is made to forget
     */
    InMemoryStore(Server server, boolean learns) {
        this.server = server;
        this.learns = learns;
    }

    /** {@return one that never forgets, and so needs not learn} */
    public static InMemoryStore forTests() {
        return new InMemoryStore(new ThisJvm(), false);
    }

    @Override
    public CompletionStage<Answer> exchange(Statement statement) {
        Objects.requireNonNull(statement, "statement");
        Exchange.Outcome outcome;
        lock.lock();
        try {
            if (closed) {
                return failed();
            }
            outcome = Exchange.run(memory, statement, server.millis(), server.identity(), learns);
            memory = outcome.memory();
        } finally {
            lock.unlock();
        }
        outcome.hints().forEach(hint -> listeners.forEach(listener -> tell(listener, hint)));
        return CompletableFuture.completedStage(outcome.answer());
    }

    private void tell(Consumer<Hint> listener, Hint hint) {
        try {
            listener.accept(hint);
        } catch (Throwable failure) { // by whomever it is, the statement has been carried out
            if (listenerFailed.compareAndSet(false, true)) {
                Log.write(
                        Level.WARNING,
                        () -> "A listener for hints of a cluster store failed. This has no other effect; later"
                                + " failures are not logged.",
                        failure);
            }
        }
    }

    @Override
    public Runnable onHint(Consumer<Hint> listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return () -> listeners.remove(listener);
    }

    @Override
    public CompletionStage<List<NodeShare>> look(@Nullable String resource) {
        lock.lock();
        try {
            if (closed) {
                return failed();
            }
            return CompletableFuture.completedStage(memory == null ? List.of() : shares(memory, resource));
        } finally {
            lock.unlock();
        }
    }

    private static List<NodeShare> shares(Memory memory, @Nullable String resource) {
        Stream<Entry> entries = resource == null
                ? memory.resources().stream().flatMap(each -> memory.entries(each).stream())
                : memory.entries(resource).stream().filter(entry -> !entry.isEmpty());
        Map<String, List<Entry>> bySession = entries.collect(Collectors.groupingBy(Entry::session));
        return memory.alive().stream()
                .filter(session -> resource == null || bySession.containsKey(session.id()))
                .map(session -> share(session, bySession.getOrDefault(session.id(), List.of()), memory.log()))
                .sorted(Comparator.comparing(NodeShare::node).thenComparing(NodeShare::session))
                .toList();
    }

    private static NodeShare share(Session session, List<Entry> own, long log) {
        Duration silentFor = Duration.ofMillis(log - session.spoke());
        int has = sum(own, Entry::has);
        return new NodeShare(session.id(), session.node(), has, sum(own, Entry::want), silentFor);
    }

    private static int sum(List<Entry> entries, Function<Entry, Integer> number) {
        long sum = entries.stream().mapToLong(number::apply).sum();
        return (int) Math.min(sum, Integer.MAX_VALUE);
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            memory = null;
        } finally {
            lock.unlock();
        }
    }

    /** {@return what it remembers now; {@code null}: nothing} */
    @Nullable
    Memory remembered() {
        lock.lock();
        try {
            return memory == null ? null : memory.copy();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns to an earlier state, as a server does that restarts with an older copy; can be done with one state many times.
     *
     * @param earlier {@code null}: none, as a server does that restarts without its data
     */
    void goBackTo(@Nullable Memory earlier) {
        lock.lock();
        try {
            memory = earlier == null ? null : earlier.copy();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "ClusterStore.inMemory()";
    }

    private static <T> CompletionStage<T> failed() {
        return CompletableFuture.failedStage(new IllegalStateException("The cluster store is closed"));
    }

    private static final class ThisJvm implements Server {

        @Override
        public long millis() {
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        }

        @Override
        public Identity identity() {
            return IDENTITY;
        }
    }
}
