package io.github.kobe.load;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.Witness;
import io.github.kobe.schedules.RandomProgram;
import io.github.kobe.schedules.RandomProgram.Ending;
import io.github.kobe.schedules.RandomProgram.Plan;
import io.github.kobe.schedules.World;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A {@link RandomProgram} by real threads. It ends with the audit, I1 to I7. */
final class Turmoil implements World {

    private static final int SPINS = 25;

    private final Engines engines;
    private final GroupExecutor executor;
    private final RandomProgram program;
    private final AtomicInteger actors = new AtomicInteger();
    private final Queue<Caller<?>> unfinished = new ConcurrentLinkedQueue<>();

    /**
     * On an executor that {@code engines} has made by the plan's policy; it may have lived through others before.
     *
     * @param seed settles what is asked for, not how threads interleave
     */
    Turmoil(Engines engines, GroupExecutor executor, Plan plan, Ending ending, long seed) {
        this.engines = engines;
        this.executor = executor;
        program = new RandomProgram(this, plan, ending, new SplittableRandom(seed));
    }

    /** Lets it all happen; returns when all have ended and the audit found nothing. */
    void run() throws Exception {
        program.begin();
        awaitActors();
        engines.audit(executor);
        Deadline.until("no waiter is left", program::isAnswered);
        awaitActors();
    }

    /** Throws what one of them threw. */
    private void awaitActors() throws Exception {
        for (Caller<?> actor = unfinished.poll(); actor != null; actor = unfinished.poll()) {
            actor.result();
        }
    }

    @Override
    public GroupExecutor executor() {
        return executor;
    }

    @Override
    public Witness witness() {
        return engines.witness(executor);
    }

    @Override
    public GroupPolicy heard(GroupPolicy policy) {
        return engines.witnessed(executor, policy);
    }

    /** Every fourth is a platform thread. */
    @Override
    public Thread actor(String name, Act act) {
        Callable<Boolean> work = () -> {
            act.run();
            return true;
        };
        Caller<?> actor = actors.getAndIncrement() % 4 == 0 ? Caller.startPlatform(work) : Caller.start(work);
        unfinished.add(actor);
        return actor.thread();
    }

    @Override
    public void park(long nanos) {
        LockSupport.parkNanos(nanos);
    }

    @Override
    public void idle(int steps) {
        for (int i = steps * SPINS; i > 0; i--) {
            Thread.onSpinWait();
        }
    }
}
