package io.github.kobe.schedules;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Forks;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;

/**
 * An owner whose wait has ended early, while its fork goes on. The fork calls the group of the owner's permit, inside of
 * which another thread works, and leaves just then.
 */
final class WithdrawnAmongOthers extends Scenario {

    WithdrawnAmongOthers(Simulation simulation, long seed) {
        super(simulation, seed);
    }

    @Override
    void begin() {
        start(
                GroupPolicy.builder()
                        .globalMaxInFlight(2)
                        .defaultMaxConcurrencyPerGroup(1)
                        .build(),
                false);
        witness.mayLendUnseen("held");
        witness.mayLendUnseen("second");
        SplittableRandom own = random.split();
        actor("owner", () -> {
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch calling = new CountDownLatch(1);
            GroupPermit held = executor.acquire("held");
            int works = own.nextInt(160);
            actor(
                    "other",
                    () -> held.call(() -> {
                        inside.countDown();
                        calling.await();
                        idle(works);
                        return null;
                    }));
            inside.await();
            executor.call("second", () -> held.call(() -> waits(own, calling)));
            held.close();
        });
    }

    private Object waits(SplittableRandom own, CountDownLatch calling) {
        Forks forks = new Forks(executor, null);
        Thread owner = Thread.currentThread();
        forks.fork("fork", "fork", () -> {
            idle(own.nextInt(40));
            owner.interrupt();
            idle(30 + own.nextInt(40));
            calling.countDown();
            return executor.call("held", () -> "called");
        });
        for (boolean joined = false; !joined; ) {
            try {
                forks.join();
                joined = true;
            } catch (InterruptedException again) {
                Simulation.point("it waits again");
            }
        }
        return "joined";
    }
}
