package io.github.kobe.schedules;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;

/** A permit is closed for good by one that shares it, and counted afterwards, while its group is evicted. */
final class LateCount extends Scenario {

    LateCount(Simulation simulation, long seed) {
        super(simulation, seed);
    }

    @Override
    void begin() {
        start(GroupPolicy.builder().maxIdleGroups(1).build(), false);
        actor("opener", () -> {
            GroupPermit permit = executor.acquire("key");
            GroupPermit share = permit.acquireAsync("key").toCompletableFuture().join();
            actor("closer", permit::close);
            actor("closer of the share", share::close);
            actor("evictor", () -> {
                executor.evictGroup("key");
                executor.evictGroup("key");
            });
        });
    }

    @Override
    void check() {
        long succeeded = executor.stats().totals().succeeded();
        if (succeeded != 1) {
            simulation.fail("one permit was closed, counted: " + succeeded, null);
        }
    }
}
