package io.github.kobe.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.cluster.Statement;
import io.github.kobe.internal.doors.Engine;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A node of a {@link SimulatedCluster}: a real engine, and its connection to the store. */
final class SimulatedNode {

    /** How much a node would have in flight by its own numbers. */
    static final int OWN_LIMIT = 50;

    /** Something in flight. */
    private static final class Running {

        private final String key;
        private final long since;

        /** Whether the node was away so long that others may have got what it runs on. */
        private boolean excused;

        private Running(String key, long since) {
            this.key = key;
            this.since = since;
        }
    }

    private final SimulatedCluster cluster;
    private final ClusterNode node;
    private final GroupExecutor executor;
    private final Engine engine;

    /** Threads that have started and have not run yet. */
    private final Deque<Runnable> threads = new ArrayDeque<>();

    /** What happened while it stood still. */
    private final List<Runnable> missed = new ArrayList<>();

    private final List<Running> running = new ArrayList<>();
    private @Nullable Consumer<Hint> listener;
    private boolean stopped;
    private boolean dead;
    private boolean deaf;
    private boolean mute;
    private long steps;
    private long counted;
    private int spoken;
    private int mostDemands;

    /** How long its clock has stood still. */
    private long suspended;

    SimulatedNode(
            SimulatedCluster cluster,
            String name,
            UnaryOperator<ClusterSettings> settings,
            UnaryOperator<GroupPolicy.Builder> change) {
        this.cluster = cluster;
        node = new ClusterNode(
                settings.apply(ClusterSettings.of(new Connection()).withNodeName(name)),
                new ClusterNode.Surroundings(this::nanoTime, this::wallMillis, cluster.random));
        GroupPolicy policy = change.apply(GroupPolicy.builder()
                        .defaultMaxConcurrencyPerGroup(OWN_LIMIT)
                        .limitsResolver(key -> cluster.limit(key) == 0
                                ? Optional.empty()
                                : Optional.of(GroupLimits.unset().withClusterMaxInFlight(cluster.limit(key)))))
                .build();
        executor = EngineAccess.newExecutor(policy, new Surroundings(this::nanoTime, this::thread, false), node);
        engine = EngineAccess.engine(executor);
        node.join(engine);
    }

    private long nanoTime() {
        return cluster.passed() - suspended;
    }

    private long wallMillis() {
        return TimeUnit.NANOSECONDS.toMillis(cluster.passed());
    }

    private Thread thread(String name, Runnable work) {
        return new Thread(work, name) {
            @Override
            public void start() {
                threads.add(work);
            }
        };
    }

    // ---- what it does

    /** Does what is due, and does so again when it is due again. */
    void step() {
        if (dead || stopped) {
            return;
        }
        excuseIfAway();
        EngineAccess.runDue(executor);
        runThreads();
        long again = node.step();
        runThreads();
        counted = Math.max(counted, node.countsUntil());
        steps++;
        long step = steps;
        if (!node.hasLeft()) {
            cluster.after(Math.max(again, cluster.hop()), () -> {
                if (step == steps) {
                    step();
                }
            });
        }
    }

    private void runThreads() {
        for (Runnable next = threads.poll(); next != null; next = threads.poll()) {
            next.run();
        }
    }

    /** Does something, then or when it goes on; nothing if it is dead by then. */
    void after(long delay, Runnable action) {
        cluster.after(delay, () -> act(action));
    }

    private void act(Runnable action) {
        if (dead) {
            return;
        }
        if (stopped) {
            missed.add(action);
            return;
        }
        action.run();
        runThreads();
        step();
    }

    /** Asks for something to run so long. */
    CompletableFuture<GroupPermit> ask(String key, Duration mostWait, Duration time) {
        CompletableFuture<GroupPermit> asked = new CompletableFuture<>();
        act(() -> {
            var unused = executor.acquireAsync(key, "", mostWait).whenComplete((permit, refused) -> {
                if (refused == null) {
                    cluster.check(() -> started(key, permit, time)); // here a failure would be seen by nobody
                    asked.complete(permit);
                } else {
                    asked.completeExceptionally(refused);
                }
            });
        });
        return asked;
    }

    private void started(String key, GroupPermit permit, Duration time) {
        cluster.check(() -> assertThat(node.isOver(engine.now()))
                .as("at %s: %s starts though what it has counts no more", cluster.at(), node)
                .isFalse());
        Running run = new Running(key, engine.now());
        run.excused = node.isAlone();
        running.add(run);
        cluster.check(() -> cluster.started(key));
        after(time.toNanos(), () -> {
            running.remove(run);
            permit.close();
        });
    }

    void shutdown() {
        act(executor::shutdown);
    }

    // ---- what happens to it

    /** It is killed, and all that it runs with it. */
    void crash() {
        dead = true;
        cluster.remove(this);
    }

    void stop() {
        stopped = true;
    }

    /** It goes on; what has come meanwhile is handed to it a moment later. */
    void goOn() {
        stopped = false;
        List<Runnable> late = List.copyOf(missed);
        missed.clear();
        step();
        after(cluster.hop(), () -> late.forEach(this::act));
    }

    /** It goes on, but the thread that leases does so only when something else has happened. */
    void goOnWithoutItsThread() {
        stopped = false;
    }

    /** It goes on as a machine that was suspended: its clock has stood still meanwhile. */
    void goOnFromSuspension(Duration since) {
        suspended += since.toNanos();
        goOn();
    }

    boolean isStopped() {
        return stopped;
    }

    /** What it says doesn't arrive, or what it is told, or both. */
    void cutOff(boolean from, boolean to) {
        mute = from;
        deaf = to;
    }

    void hint(Hint hint) {
        Consumer<Hint> to = listener;
        if (to != null && !deaf && hint.session().equals(node.session())) {
            act(() -> to.accept(hint));
        }
    }

    // ---- what it has

    int out(String key) {
        return (int) running.stream().filter(run -> run.key.equals(key)).count();
    }

    private void excuseIfAway() {
        if (engine.now() >= counted) {
            running.forEach(run -> run.excused |= run.since < counted);
        }
    }

    /** {@return how much it runs that was begun before it was away so long that nothing of it counts any more} */
    int excused(String key) {
        excuseIfAway();
        return (int) running.stream()
                .filter(run -> run.key.equals(key) && run.excused)
                .count();
    }

    int leased(String key) {
        return node.isOver(engine.now()) ? 0 : EngineAccess.leased(executor, key);
    }

    boolean holdsNothing() {
        return node.holdings() == 0;
    }

    int spoken() {
        return spoken;
    }

    /** {@return of how many groups one statement has spoken at most, without heartbeats} */
    int mostDemands() {
        return mostDemands;
    }

    GroupExecutor executor() {
        return executor;
    }

    ClusterNode node() {
        return node;
    }

    /** Its way to the store. */
    private final class Connection implements ClusterStore {

        @Override
        public CompletionStage<Answer> exchange(Statement statement) {
            spoken++;
            if (!statement.heartbeat()) {
                mostDemands = Math.max(mostDemands, statement.demands().size());
            }
            CompletableFuture<Answer> answer = new CompletableFuture<>();
            if (cluster.random.nextDouble() < cluster.network.refused) {
                after(
                        cluster.network.delay(cluster.random),
                        () -> answer.completeExceptionally(new IllegalStateException("refused")));
                return answer;
            }
            send(statement, answer);
            if (cluster.random.nextDouble() < cluster.network.doubled) {
                send(statement, answer);
            }
            return answer;
        }

        private void send(Statement statement, CompletableFuture<Answer> answer) {
            if (!mute && cluster.random.nextDouble() >= cluster.network.lost) {
                cluster.after(
                        cluster.network.delay(cluster.random),
                        () -> cluster.atServer(() -> {
                            Answer said = cluster.store()
                                    .exchange(statement)
                                    .toCompletableFuture()
                                    .join();
                            if (!deaf && cluster.random.nextDouble() >= cluster.network.lost) {
                                after(cluster.network.delay(cluster.random), () -> answer.complete(said));
                            }
                        }));
            }
        }

        @Override
        public Runnable onHint(Consumer<Hint> added) {
            listener = added;
            return () -> listener = null;
        }

        @Override
        public CompletionStage<List<NodeShare>> look(@Nullable String resource) {
            return cluster.store().look(resource);
        }

        @Override
        public void close() {
            // It has nothing of its own.
        }
    }
}
