package io.github.kobe.schedules;

import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import java.util.concurrent.TimeUnit;

/** A group gives a global permit back and dies, while another group waits for that. */
final class DeathVersusCredit extends Scenario {

    DeathVersusCredit(Simulation simulation, long seed) {
        super(simulation, seed);
    }

    @Override
    void begin() {
        start(
                GroupPolicy.builder()
                        .globalMaxInFlight(2)
                        .defaultMaxConcurrencyPerGroup(1)
                        .maxIdleGroups(0)
                        .build(),
                false);
        int before = random.nextInt(12);
        int pause = random.nextInt(12);
        actor(
                "caller",
                () -> executor.call("dies", witness.inside("dies", () -> {
                    TaskHandle<Object> behind = executor.submit("dies", "", () -> null);
                    actor("canceller", () -> {
                        idle(before);
                        behind.cancel(true);
                    });
                    actor(
                            "holder",
                            () -> executor.call("holds", witness.inside("holds", () -> {
                                // Long enough for all else to come to rest.
                                park(TimeUnit.SECONDS.toNanos(1));
                                return null;
                            })));
                    actor("waiter", () -> executor.submit("waits", "", () -> null));
                    idle(pause);
                    return null;
                })));
    }
}
