package io.github.kobe.internal.permits;

import io.github.kobe.Costs;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupWaiter;
import io.github.kobe.RejectionReason;
import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.doors.Engine;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Asks an engine for permits, on one thread and without any other: what is granted is told at once, in the order of the
 * grants, under the lock under which they happen.
 */
final class Asker implements AutoCloseable {

    private final GroupExecutor executor;
    private final Engine engine;
    private final Consumer<String> granted;

    /** What the start was charged that was granted last; null: nothing. */
    Charge charge;

    Asker(GroupPolicy policy, Consumer<String> granted) {
        this(policy, granted, Surroundings.SYSTEM, ClusterSignals.NONE);
    }

    /** With limits that several instances share. */
    Asker(GroupPolicy policy, Consumer<String> granted, Surroundings surroundings, ClusterSignals cluster) {
        this.executor = EngineAccess.newExecutor(policy, surroundings, cluster);
        this.engine = EngineAccess.engine(executor);
        this.granted = granted;
    }

    GroupExecutor executor() {
        return executor;
    }

    Group group(String key) {
        return engine.group(key);
    }

    /** {@return the group; null if it is forgotten} */
    Group groupIfKnown(String key) {
        return engine.groupIfKnown(key);
    }

    /** {@return the time by the engine's clock} */
    long now() {
        return engine.now();
    }

    /** {@return whether it was let in, or waits} */
    boolean ask(String key) {
        return ask(key, true);
    }

    /** {@return whether it was let in, or waits if it may} */
    boolean ask(String key, boolean mayWait) {
        return ask(key, null, mayWait);
    }

    /** {@return whether it was let in, or waits if it may} What it costs that says nothing is null. */
    boolean ask(String key, Costs costs, boolean mayWait) {
        Group group = group(key);
        if (group.tryTakeFast(group.home) != Group.NOT_TAKEN) {
            granted.accept(key);
            return true;
        }
        Batch batch = new Batch(engine);
        Group.Verdict verdict = group.admit(new Asked(key, costs), null, mayWait ? Long.MAX_VALUE : 0, batch);
        batch.carryOut();
        return verdict == Group.Verdict.GRANTED || verdict == Group.Verdict.QUEUED;
    }

    void giveBack(String key) {
        Group group = group(key);
        group.release(0, group.home);
    }

    /** {@return whether what a start was charged hadn't been corrected before} */
    boolean settle(String key, Charge charged, String rate, long used) {
        Batch batch = new Batch(engine);
        Group group = group(key);
        group.enter();
        try {
            return group.settle(charged, rate, used);
        } finally {
            group.exit(batch);
            batch.carryOut();
        }
    }

    @Override
    public void close() {
        executor.shutdown();
    }

    private final class Asked extends Node {

        private final String key;
        private final Costs costs;

        Asked(String key, Costs costs) {
            this.key = key;
            this.costs = costs;
        }

        @Override
        public Costs costs() {
            return costs;
        }

        @Override
        public boolean asksFromInside() {
            return false;
        }

        @Override
        public boolean grant(Lent loan, boolean shares, Charge charged) {
            charge = charged;
            granted.accept(key);
            return true;
        }

        @Override
        public void start(long now, Batch batch) {
            // There is no work.
        }

        @Override
        public Object end(RejectionReason reason) {
            return this;
        }

        @Override
        public void reportEnd(RejectionReason reason, Object work) {
            // Nobody wants to know.
        }

        @Override
        public GroupWaiter shown(Duration waited) {
            return new GroupWaiter(key, waited, GroupWaiter.Kind.ASYNC, Optional.empty(), List.of());
        }
    }
}
