package io.github.kobe.schedules;

import io.github.kobe.EngineAccess;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Audit;
import io.github.kobe.audit.Witness;
import java.util.SplittableRandom;

/** What happens in a {@link Simulation}: one executor, and threads that use it as a seed says. */
abstract class Scenario {

    final Simulation simulation;
    final SplittableRandom random;
    final Witness witness = new Witness();
    GroupExecutor executor;
    private boolean listens;

    /** The work of a thread of the scenario. */
    interface Act {
        void run() throws Exception;
    }

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

    /** The policy with the witness in it. */
    final GroupPolicy heard(GroupPolicy policy) {
        GroupPolicy witnessed = witness.into(policy);
        return listens
                ? witnessed
                : witnessed.toBuilder().taskLifecycleListener(null).build();
    }

    /** Starts a thread. */
    final Thread actor(String name, Act act) {
        return simulation.start(name, () -> {
            act.run();
            return null;
        });
    }

    /** Lets others go on for a while, or doesn't. */
    static void pause(SplittableRandom random) {
        switch (random.nextInt(4)) {
            case 0 -> Simulation.parkNanos(random.nextInt(200_000));
            case 1 -> {
                for (int i = random.nextInt(20); i >= 0; i--) {
                    Simulation.point("a pause");
                }
            }
            default -> {}
        }
    }

    /** {@return whether all work has ended, but not what serves the engine} */
    final boolean isDone() {
        return simulation.allEnded() && executor.stats().queued() == 0;
    }
}
