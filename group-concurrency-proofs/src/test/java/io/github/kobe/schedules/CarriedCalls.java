package io.github.kobe.schedules;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import java.util.SplittableRandom;

/**
 * Calls inside calls of other groups, while the first limit over all groups is set, or another one. Inside, a thread shares
 * what it is inside of, waits for a task that its own permits keep from starting, or only goes on for a while.
 */
final class CarriedCalls extends Scenario {

    private static final int THREADS = 3;
    private static final int KEYS = 3;

    CarriedCalls(Simulation simulation, long seed) {
        super(simulation, seed);
    }

    @Override
    void begin() {
        int most = random.nextInt(3) == 0 ? 2 + random.nextInt(4) : Integer.MAX_VALUE;
        GroupPolicy first = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(2 + random.nextInt(2))
                .globalMaxInFlight(most)
                .globalHeadroom(RandomProgram.headroom(most, random))
                .maxIdleGroups(random.nextInt(3))
                .build();
        start(first, false);
        witness.changingGlobal(first.globalMaxInFlight(), () -> {});
        for (int key = 0; key < KEYS; key++) {
            witness.mayLendUnseen(keyOf(key));
        }
        for (int i = 0; i < THREADS; i++) {
            SplittableRandom own = random.split();
            actor("caller", () -> {
                for (int calls = 2 + own.nextInt(4); calls > 0; calls--) {
                    nest(0, own);
                }
            });
        }
        SplittableRandom own = random.split();
        actor("changer", () -> {
            idle(own.nextInt(60));
            for (int changes = 1 + own.nextInt(2); changes > 0; changes--) {
                int other = 1 + own.nextInt(5);
                GroupPolicy next = executor.policy().toBuilder()
                        .globalMaxInFlight(other)
                        .globalHeadroom(RandomProgram.headroom(other, own))
                        .build();
                witness.changingGlobal(next.globalMaxInFlight(), () -> executor.updatePolicy(next));
                idle(own.nextInt(20));
            }
        });
    }

    private static String keyOf(int key) {
        return "key-" + key;
    }

    /** From the first key to the last, so that no two wait for each other's groups. */
    private void nest(int from, SplittableRandom own) throws Exception {
        int at = from + own.nextInt(KEYS - from);
        String key = keyOf(at);
        executor.call(key, witness.inside(key, () -> {
            idle(own.nextInt(4));
            if (at + 1 < KEYS && own.nextInt(4) != 0) {
                nest(at + 1, own);
            }
            switch (own.nextInt(6)) {
                case 0 -> share(key, own);
                case 1 ->
                    witness.waiting(
                            key, () -> executor.submit(key, "", () -> null).await());
                default -> idle(own.nextInt(4));
            }
            if (at + 1 < KEYS && own.nextInt(4) == 0) {
                nest(at + 1, own);
            }
            return null;
        }));
    }

    /** Has what the thread is inside of by a key be shared, for as long as that takes. */
    private void share(String key, SplittableRandom own) {
        GroupPermit shared = executor.enclosingPermit(key).orElseThrow();
        int pause = own.nextInt(8);
        actor("closer", () -> {
            idle(pause);
            shared.close();
        });
    }
}
