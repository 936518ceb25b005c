package io.github.kobe.rollout.jdbc;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.internal.rules.PlanStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** A node in this process: an executor, a store and rollouts of its own, on a database that others use too. */
final class Node implements AutoCloseable {

    /** So that a lost node is noticed after a second, and one that only waits for its turn isn't taken for lost. */
    static final Duration HEARTBEAT = Duration.ofMillis(250);

    static final int MISSED = 4;

    private final SwitchedDataSource dataSource;
    private final PlanStore store;
    private final Rollouts rollouts;
    private final List<RolloutEvent> events = new CopyOnWriteArrayList<>();
    private final GroupExecutor executor =
            GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());

    Node(String name, DataSource shared, List<Stage> stages, Consumer<RolloutEvent> sink) {
        this(name, shared, HEARTBEAT, stages, sink);
    }

    Node(String name, DataSource shared, Duration heartbeat, List<Stage> stages, Consumer<RolloutEvent> sink) {
        dataSource = new SwitchedDataSource(shared);
        store = JdbcRolloutStore.of(dataSource)
                .withPollingInterval(Duration.ofMillis(50))
                .withHeartbeat(heartbeat, MISSED)
                .plans();
        rollouts = Rollouts.builder(executor)
                .store(store)
                .stages(stages)
                .node(name)
                .sink(event -> {
                    events.add(event);
                    sink.accept(event);
                })
                .shutdownGrace(Duration.ZERO)
                .build();
    }

    SwitchedDataSource dataSource() {
        return dataSource;
    }

    PlanStore store() {
        return store;
    }

    Rollouts rollouts() {
        return rollouts;
    }

    List<RolloutEvent> events() {
        return events;
    }

    boolean isBusy() {
        return executor.stats().running() > 0;
    }

    /** Nothing that it does comes through any more. */
    void kill() {
        dataSource.turn(SwitchedDataSource.State.DEAD);
    }

    @Override
    public void close() {
        rollouts.close();
        executor.close();
    }
}
