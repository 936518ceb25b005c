package io.github.kobe.schedules;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Witness;
import java.util.SplittableRandom;

/** Where a {@link RandomProgram} happens: an executor, and the threads that use it, real ones or simulated ones. */
public interface World {

    /** The work of a thread of the program. */
    @FunctionalInterface
    interface Act {
        void run() throws Exception;
    }

    GroupExecutor executor();

    Witness witness();

    /** The policy with the witness in it. */
    GroupPolicy heard(GroupPolicy policy);

    /** Starts a thread; what it throws is a finding. */
    Thread actor(String name, Act act);

    /** Waits for so long, or until the thread is interrupted. */
    void park(long nanos);

    /** Takes a number of steps that change nothing. */
    void idle(int steps);

    /** Lets others go on for a while, or doesn't. */
    default void pause(SplittableRandom random) {
        switch (random.nextInt(4)) {
            case 0 -> park(random.nextInt(200_000));
            case 1 -> idle(1 + random.nextInt(20));
            default -> {}
        }
    }
}
