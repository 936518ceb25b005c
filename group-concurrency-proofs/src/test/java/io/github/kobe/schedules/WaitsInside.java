package io.github.kobe.schedules;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import java.util.SplittableRandom;

/**
 * Threads inside one permit that wait for tasks, some of the permit's own group, each several times: so they lend the permit
 * one after the other, and have to have it again. Some are interrupted, others work outside of it with what else is free.
 */
final class WaitsInside extends Scenario {

    private static final String HELD = "held";

    private final int limit = 1 + random.nextInt(2);

    /** How many are at work under the permit, and how many tasks run; a simulation runs one thread at a time. */
    private int inside;

    private int tasks;

    WaitsInside(Simulation simulation, long seed) {
        super(simulation, seed);
    }

    @Override
    void begin() {
        start(GroupPolicy.builder().globalMaxInFlight(limit).build(), false);
        witness.mayLendUnseen(HELD);
        actor("owner", () -> {
            GroupPermit permit = executor.acquire(HELD);
            for (int threads = 2 + random.nextInt(3); threads > 0; threads--) {
                SplittableRandom own = random.split();
                actor(
                        "inside",
                        () -> ifOpen(() -> permit.call(() -> {
                            beInside(own);
                            return null;
                        })));
            }
            if (limit > 1) {
                SplittableRandom own = random.split();
                actor("outside", () -> {
                    for (int i = own.nextInt(4); i > 0; i--) {
                        TaskHandle<Void> task = executor.submit("other", () -> run(own));
                        idle(own.nextInt(10));
                        task.join();
                    }
                });
            }
            idle(random.nextInt(30));
            permit.close();
        });
    }

    private void beInside(SplittableRandom own) throws Exception {
        work(own);
        for (int waits = own.nextInt(4); waits > 0; waits--) {
            String key = own.nextInt(3) == 0 ? HELD : "own-" + own.nextInt(3);
            TaskHandle<Void> task = executor.submit(key, () -> run(own));
            idle(own.nextInt(3));
            task.await();
            work(own);
        }
    }

    private void work(SplittableRandom own) {
        inside++;
        checkLimit();
        idle(own.nextInt(4));
        checkLimit();
        inside--;
    }

    private Void run(SplittableRandom own) {
        tasks++;
        checkLimit();
        idle(own.nextInt(6));
        checkLimit();
        tasks--;
        return null;
    }

    private void checkLimit() {
        int permits = tasks + (inside > 0 ? 1 : 0);
        if (permits > limit) {
            simulation.fail(
                    tasks + " tasks run and " + inside + " threads work inside, under " + limit + " permits", null);
        }
    }

    private static void ifOpen(Act act) throws Exception {
        try {
            act.run();
        } catch (IllegalStateException | InterruptedException closed) {
            // As it may be.
        }
    }
}
