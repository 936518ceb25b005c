package io.github.kobe.schedules;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;

/**
 * Four threads inside of one permit: one waits for a task and is interrupted, another begins to wait, while a third leaves.
 * Then all but the one that waits leave, and its task starts.
 */
final class OneOwnerAfterAnother extends Scenario {

    OneOwnerAfterAnother(Simulation simulation, long seed) {
        super(simulation, seed);
    }

    @Override
    void begin() {
        start(GroupPolicy.builder().globalMaxInFlight(1).build(), false);
        witness.mayLendUnseen("held");
        SplittableRandom own = random.split();
        actor("owner", () -> {
            GroupPermit held = executor.acquire("held");
            CountDownLatch inside = new CountDownLatch(4);
            CountDownLatch waiting = new CountDownLatch(1);
            CountDownLatch leaving = new CountDownLatch(1);
            CountDownLatch left = new CountDownLatch(1);
            CountDownLatch gaveUp = new CountDownLatch(1);
            int works = 100 + own.nextInt(100);
            int longer = own.nextInt(20);
            Thread first = actor(
                    "first",
                    () -> held.call(() -> {
                        inside.countDown();
                        inside.await();
                        var task = executor.submit("first", () -> "first");
                        waiting.countDown();
                        try {
                            task.await();
                        } catch (InterruptedException e) {
                            gaveUp.countDown();
                        }
                        while (left.getCount() > 0) {
                            try {
                                left.await();
                            } catch (InterruptedException again) {
                                Simulation.point("it waits again");
                            }
                        }
                        return task.cancel(false);
                    }));
            actor(
                    "second",
                    () -> held.call(() -> {
                        inside.countDown();
                        gaveUp.await();
                        return executor.submit("second", () -> "second").await();
                    }));
            actor("leaves", () -> {
                held.call(() -> {
                    inside.countDown();
                    waiting.await();
                    idle(works);
                    leaving.countDown();
                    return null;
                });
                left.countDown();
            });
            actor(
                    "stays",
                    () -> held.call(() -> {
                        inside.countDown();
                        left.await();
                        return null;
                    }));
            actor("interrupter", () -> {
                leaving.await();
                idle(longer);
                first.interrupt();
            });
            inside.await();
            held.close();
        });
    }
}
