package io.github.kobe.schedules;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import java.time.Duration;
import java.util.SplittableRandom;

/** Threads take and give back the last global permits, over and over, while the global limit may change. */
final class LastGlobalPermits extends Scenario {

    private static final int THREADS = 3;

    private final int keys = 1 + random.nextInt(3);

    LastGlobalPermits(Simulation simulation, long seed) {
        super(simulation, seed);
    }

    @Override
    void begin() {
        boolean unlimited = random.nextInt(4) == 0;
        int most = unlimited ? Integer.MAX_VALUE : limit(random);
        GroupPolicy first = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(1 + random.nextInt(3))
                .pattern("key-1*", GroupLimits.unset().withWeight(2))
                .pattern("key-2*", GroupLimits.unset().withGuaranteed(1 + random.nextInt(2)))
                .globalMaxInFlight(most)
                .globalHeadroom(RandomProgram.headroom(most, random))
                .maxIdleGroups(random.nextInt(3))
                .build();
        start(first, false);
        witness.changingGlobal(first.globalMaxInFlight(), () -> {});
        for (int i = 0; i < THREADS; i++) {
            SplittableRandom own = random.split();
            actor("taker", () -> {
                for (int acts = 3 + own.nextInt(8); acts > 0; acts--) {
                    act(own);
                }
            });
        }
        if (unlimited || random.nextBoolean()) {
            SplittableRandom own = random.split();
            actor("changer", () -> {
                for (int changes = 1 + own.nextInt(3); changes > 0; changes--) {
                    int other = limit(own);
                    GroupPolicy next = executor.policy().toBuilder()
                            .globalMaxInFlight(other)
                            .globalHeadroom(RandomProgram.headroom(other, own))
                            .build();
                    witness.changingGlobal(next.globalMaxInFlight(), () -> executor.updatePolicy(next));
                    idle(own.nextInt(20));
                }
            });
        }
    }

    /** Up to six, so that some are in one stripe and some in several. */
    private static int limit(SplittableRandom random) {
        return 1 + random.nextInt(6);
    }

    private void act(SplittableRandom own) throws Exception {
        String key = "key-" + own.nextInt(keys);
        int pause = own.nextInt(6);
        switch (own.nextInt(5)) {
            case 0, 1 ->
                executor.call(key, witness.inside(key, () -> {
                    idle(pause);
                    return null;
                }));
            case 2 ->
                executor.submit(key, "", () -> {
                    idle(pause);
                    return null;
                });
            case 3 ->
                executor.tryAcquire(key, Duration.ZERO).ifPresent(permit -> {
                    idle(pause);
                    permit.close();
                });
            default ->
                executor.acquireAsync(key).thenAccept(permit -> {
                    idle(pause);
                    permit.close();
                });
        }
    }
}
