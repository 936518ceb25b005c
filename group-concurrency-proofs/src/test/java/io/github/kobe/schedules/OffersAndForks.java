package io.github.kobe.schedules;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Forks;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Trees of forks, whose owners offer what they have while they wait, at small limits; by depth in one of a few groups, so
 * that only an owner's permits can be in the way. Forks fork in their own scope, and call groups of those above them. They
 * are cancelled, owners are interrupted and wait again, an owner's permit is closed by another thread while it is inside, groups are paused and
 * their limits changed, and strangers compete. All end.
 */
final class OffersAndForks extends Scenario {

    private static final int DEEPEST = 4;

    private final List<String> byDepth = new ArrayList<>();

    /** From which depth on forks call the groups of those above them. */
    private int highest;

    OffersAndForks(Simulation simulation, long seed) {
        super(simulation, seed);
    }

    @Override
    void begin() {
        int groups = 1 + random.nextInt(3);
        for (int i = 0; i <= DEEPEST; i++) {
            byDepth.add("g" + random.nextInt(groups));
        }
        int limit = 1 + random.nextInt(2);
        int global = random.nextInt(5);
        int most = global == 4 ? Integer.MAX_VALUE : 1 + global;
        start(
                GroupPolicy.builder()
                        .defaultMaxConcurrencyPerGroup(limit)
                        .globalMaxInFlight(most)
                        .globalHeadroom(RandomProgram.headroom(most, random))
                        .pattern("g1*", GroupLimits.unset().withGuaranteed(random.nextInt(2)))
                        .build(),
                false);
        for (String key : byDepth) {
            witness.mayLendUnseen(key);
            witness.changing(key, limit, Integer.MAX_VALUE, () -> {}); // so that it knows from what they change
        }
        if (random.nextInt(4) == 0) {
            highest = 1; // its own group's permit may be gone
            SplittableRandom own = random.split();
            actor("root", () -> closedRoot(own));
        } else {
            for (int i = 1 + random.nextInt(2); i > 0; i--) {
                SplittableRandom own = random.split();
                actor("root", () -> root(own));
            }
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            SplittableRandom own = random.split();
            String key = byDepth.get(own.nextInt(DEEPEST));
            actor("stranger", () -> {
                someSteps(own);
                executor.call(key, witness.inside(key, () -> steps(own)));
            });
        }
        if (random.nextInt(3) == 0) {
            SplittableRandom own = random.split();
            actor("changes", () -> change(own, limit));
        }
    }

    private void change(SplittableRandom own, int limit) {
        String key = byDepth.get(own.nextInt(DEEPEST));
        someSteps(own);
        if (own.nextBoolean()) {
            executor.pause(key);
            someSteps(own);
            executor.resume(key);
        } else {
            for (int next : List.of(3 - limit, limit)) {
                GroupLimits changed = GroupLimits.unset().withMaxConcurrency(next);
                witness.changing(key, next, Integer.MAX_VALUE, () -> executor.setLimits(key, changed));
                someSteps(own);
            }
            executor.resetLimits(key);
        }
    }

    private void root(SplittableRandom own) throws Exception {
        String key = byDepth.getFirst();
        if (own.nextBoolean()) {
            executor.call(key, witness.inside(key, () -> node(0, null, own)));
        } else {
            executor.submit(key, "root", () -> node(0, null, own)).join();
        }
    }

    /** One whose permit another thread closes; the only one, or it might be in a circle with others. */
    private void closedRoot(SplittableRandom own) throws Exception {
        GroupPermit permit = executor.acquire(byDepth.getFirst());
        permit.call(() -> {
            SplittableRandom closing = own.split();
            actor("closer", () -> {
                someSteps(closing);
                permit.close();
            });
            return node(0, null, own);
        });
        permit.close();
    }

    /** What runs in the group of its depth, and belongs to {@code scope}. */
    private String node(int depth, @Nullable Forks scope, SplittableRandom own) throws Exception {
        someSteps(own);
        if (depth < DEEPEST && own.nextInt(3) != 0) {
            Forks forks = new Forks(executor, scope);
            for (int i = 1 + own.nextInt(3); i > 0; i--) {
                fork(depth + 1, forks, own.split());
            }
            if (own.nextInt(4) == 0) {
                cancelOne(depth + 1, forks, own.split());
            }
            if (own.nextInt(4) == 0) {
                SplittableRandom interrupting = own.split();
                Thread owner = Thread.currentThread();
                actor("interrupter", () -> {
                    someSteps(interrupting);
                    owner.interrupt();
                });
            }
            join(forks, byDepth.get(depth));
        } else if (scope != null && own.nextInt(3) == 0) {
            fork(depth, scope, own.split()); // whose owner may wait already
        }
        if (depth >= highest && own.nextInt(3) == 0) {
            String above = byDepth.get(own.nextInt(highest, depth + 1));
            executor.call(above, witness.inside(above, () -> steps(own)));
        }
        return "done";
    }

    private void fork(int depth, Forks forks, SplittableRandom own) {
        forks.fork(byDepth.get(depth), "fork", () -> node(depth, forks, own));
    }

    /** Forks one that waits for nobody, since its scope may be over before it is; it is cancelled. */
    private void cancelOne(int depth, Forks forks, SplittableRandom own) {
        SplittableRandom running = own.split();
        TaskHandle<String> cancelled = forks.fork(byDepth.get(depth), "cancelled", () -> steps(running));
        actor("canceller", () -> {
            someSteps(own);
            cancelled.cancel(own.nextBoolean());
        });
    }

    private void join(Forks forks, String group) throws Exception {
        for (boolean joined = false; !joined; ) {
            try {
                joined = witness.waiting(group, () -> {
                    forks.join();
                    return true;
                });
            } catch (InterruptedException again) {
                Simulation.point("it waits again");
            }
        }
    }

    private static String steps(SplittableRandom own) {
        someSteps(own);
        return "done";
    }

    private static void someSteps(SplittableRandom own) {
        for (int i = own.nextInt(12); i > 0; i--) {
            Simulation.point("a step");
        }
    }
}
