package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** A million keys are used once each. */
final class KeysUsedOnce extends Workload {

    private static final int AT_ONCE = 1_000;

    private final int keys;

    KeysUsedOnce(int keys) {
        super("B6", "heap kept for each of 1,000,000 keys used once", "B", Goal.atMost(1));
        this.keys = keys;
    }

    @Override
    boolean isSteady() {
        return true;
    }

    @Override
    Limits limits() {
        return Limits.perGroup(4);
    }

    @Override
    <H> double run(Contestant<H> contestant) {
        use(contestant, "warm-up-", 2 * AT_ONCE); // what it keeps for a bounded number of keys isn't each key's
        long before = Backlog.usedHeap();
        use(contestant, "tenant-", keys);
        return (double) (Backlog.usedHeap() - before) / keys;
    }

    private static <H> void use(Contestant<H> contestant, String prefix, int keys) {
        List<H> handles = new ArrayList<>(AT_ONCE);
        for (int i = 0; i < keys; i++) {
            handles.add(contestant.submit(prefix + i, "task", NOTHING));
            if (handles.size() == AT_ONCE || i == keys - 1) {
                check(
                        handles.size(),
                        handles.stream()
                                .filter(handle -> contestant.join(handle).error() == null)
                                .count());
                handles.clear();
            }
        }
    }
}
