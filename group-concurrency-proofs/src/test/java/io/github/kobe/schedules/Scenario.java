package io.github.kobe.schedules;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Audit;
import io.github.kobe.audit.Witness;
import io.github.kobe.internal.doors.EngineAccess;
import java.util.List;
import java.util.SplittableRandom;

/** What happens in a {@link Simulation}: one executor, and threads that use it as a seed says. */
abstract class Scenario implements World {

    final Simulation simulation;
    final SplittableRandom random;
    final Witness witness = new Witness();
    GroupExecutor executor;
    private boolean listens;

    Scenario(Simulation simulation, long seed) {
        this.simulation = simulation;
        this.random = new SplittableRandom(seed);
    }

    /** Makes the executor, and starts the threads. */
    abstract void begin();

    /** What must hold of this scenario alone, once all has ended; the rest is the {@link Audit}'s. */
    void check() {}

    /** Makes the executor. */
    final void start(GroupPolicy policy, boolean withListener) {
        listens = withListener;
        if (!withListener) {
            witness.blind();
        }
        executor = EngineAccess.newExecutor(heard(policy), simulation.environment());
        witness.watchOver(executor);
    }

    @Override
    public final GroupExecutor executor() {
        return executor;
    }

    @Override
    public final Witness witness() {
        return witness;
    }

    @Override
    public final GroupPolicy heard(GroupPolicy policy) {
        GroupPolicy witnessed = witness.into(policy);
        return listens
                ? witnessed
                : witnessed.toBuilder().taskLifecycleListeners(List.of()).build();
    }

    @Override
    public final Thread actor(String name, Act act) {
        return simulation.start(name, () -> {
            act.run();
            return null;
        });
    }

    @Override
    public final void park(long nanos) {
        Simulation.parkNanos(nanos);
    }

    @Override
    public final void idle(int steps) {
        for (int i = steps; i > 0; i--) {
            Simulation.point("a pause");
        }
    }

    /** {@return whether all work has ended, but not what serves the engine} */
    final boolean isDone() {
        return simulation.allEnded() && executor.stats().queued() == 0;
    }
}
