package io.github.kobe.schedules;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Threads inside one permit, or two, that wait for tasks, some of the permit's own group, each several times: so they lend
 * the permit one after the other, and have to have it again. Some are interrupted, others work outside of it with what else is free.
 */
final class WaitsInside extends Scenario {

    private static final List<String> HELD = List.of("held", "also held");

    /** How many of {@link #HELD} there are. */
    private final int permits = 1 + random.nextInt(2);

    private final int limit = permits + random.nextInt(2);

    /** How many are at work under each permit, and how many tasks run; a simulation runs one thread at a time. */
    private final int[] inside = new int[permits];

    private int tasks;

    WaitsInside(Simulation simulation, long seed) {
        super(simulation, seed);
    }

    @Override
    void begin() {
        start(GroupPolicy.builder().globalMaxInFlight(limit).build(), false);
        HELD.forEach(witness::mayLendUnseen);
        actor("owner", () -> {
            List<GroupPermit> held = new ArrayList<>();
            for (String key : HELD.subList(0, permits)) {
                held.add(executor.acquire(key));
            }
            for (int threads = 2 + random.nextInt(3); threads > 0; threads--) {
                startInside(held);
            }
            if (limit > permits) {
                startOutside();
            }
            idle(random.nextInt(30));
            held.forEach(GroupPermit::close);
        });
    }

    private void startInside(List<GroupPermit> held) {
        SplittableRandom own = random.split();
        int first = own.nextInt(permits);
        boolean both = permits > 1 && own.nextBoolean();
        Thread thread = actor(
                "inside",
                () -> ifOpen(() -> held.get(first).call(() -> {
                    if (both) {
                        return held.get(1 - first).call(() -> beInside(own, 0, 1));
                    }
                    return beInside(own, first);
                })));
        if (own.nextInt(4) == 0) {
            int after = own.nextInt(60);
            actor("interrupter", () -> {
                idle(after);
                thread.interrupt();
            });
        }
    }

    private void startOutside() {
        SplittableRandom own = random.split();
        actor("outside", () -> {
            for (int i = own.nextInt(4); i > 0; i--) {
                TaskHandle<Void> task = executor.submit("other", () -> run(own));
                idle(own.nextInt(10));
                task.join();
            }
        });
    }

    private Void beInside(SplittableRandom own, int... those) throws Exception {
        work(own, those);
        for (int waits = own.nextInt(4); waits > 0; waits--) {
            String key = own.nextInt(3) == 0 ? HELD.get(those[0]) : "own-" + own.nextInt(3);
            TaskHandle<Void> task = executor.submit(key, () -> run(own));
            idle(own.nextInt(3));
            task.await();
            work(own, those);
        }
        return null;
    }

    private void work(SplittableRandom own, int... those) {
        for (int permit : those) {
            inside[permit]++;
        }
        checkLimit();
        idle(own.nextInt(4));
        checkLimit();
        for (int permit : those) {
            inside[permit]--;
        }
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
        long used = tasks + Arrays.stream(inside).filter(threads -> threads > 0).count();
        if (used > limit) {
            simulation.fail(
                    tasks + " tasks run and " + Arrays.toString(inside) + " threads work inside, under " + limit, null);
        }
    }

    /** No group is kept by a loan that is no more. */
    @Override
    void check() {
        executor.groupKeys().forEach(executor::evictGroup);
        if (!executor.groupKeys().isEmpty()) {
            simulation.fail("never idle again: " + executor.groupKeys(), null);
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
