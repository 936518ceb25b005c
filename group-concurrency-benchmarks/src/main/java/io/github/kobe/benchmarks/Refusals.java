package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.scope.ScopeSettings;
import io.github.kobe.scope.Scopes;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/**
 * What one refused request takes while the global limit is used up and work of many other groups waits that needs no
 * global permit of its own, over what it takes beside one such group. Each decision of the executor costs so much more.
 */
final class Refusals extends Workload {

    /** What waits in the other groups. */
    enum Waiting {
        NESTED("a refused request beside calls that wait nested in %,d groups, the global limit used up") {
            @Override
            void in(GroupExecutor executor, int groups, CountDownLatch gate) {
                for (int i = 0; i < groups; i++) {
                    String partner = "partner-" + i;
                    executor.submit(partner, "holds", () -> passed(gate));
                    executor.submit("request-" + i, "asks", () -> executor.call(partner, NOTHING));
                }
                await(() -> executor.stats().queued() == groups);
            }
        },
        FORKED("a refused request beside the forks of a scope in %,d groups, its owner inside a permit, the global"
                + " limit used up") {
            @Override
            void in(GroupExecutor executor, int groups, CountDownLatch gate) {
                for (int i = 1; i < 2 * groups; i++) {
                    executor.submit("holder-" + i, "holds", () -> passed(gate));
                }
                executor.submit("request", "forks", () -> {
                    try (var scope = Scopes.of(executor).open(ScopeSettings::withoutTimeout)) {
                        for (int i = 0; i < groups; i++) {
                            scope.fork("tenant-" + i, () -> passed(gate));
                        }
                        scope.join();
                    }
                    return 1;
                });
                await(() -> executor.stats().queued() == groups - 1);
            }
        };

        private final String title;

        Waiting(String title) {
            this.title = title;
        }

        /** Has it wait in so many groups, on twice as many global permits; it ends when the gate opens. */
        abstract void in(GroupExecutor executor, int groups, CountDownLatch gate);

        private static int passed(CountDownLatch gate) throws InterruptedException {
            gate.await();
            return 1;
        }

        @SuppressWarnings("ThreadPriorityCheck") // until what was begun has come so far
        private static void await(BooleanSupplier state) {
            while (!state.getAsBoolean()) {
                Thread.yield();
            }
        }
    }

    private static final int TURNS = 5;

    private final Waiting waiting;
    private final int groups;
    private final int requests;

    Refusals(String id, Waiting waiting, int groups, int requests) {
        super(id, String.format(Locale.ROOT, waiting.title, groups), "× beside one", Goal.atMost(1.5));
        this.waiting = waiting;
        this.groups = groups;
        this.requests = requests;
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, Trait.CAPS, Trait.PERMITS);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.OURS);
    }

    @Override
    Limits limits() {
        return limits(groups);
    }

    /** One more than the others hold: a task that is not theirs has that one. */
    private static Limits limits(int groups) {
        return Limits.perGroup(1).withGlobal(2 * groups + 1);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        double few = Double.MAX_VALUE;
        double many = Double.MAX_VALUE;
        try (Ours besideOne = new Ours(limits(1))) {
            try {
                GroupExecutor beside = ((Ours) contestant).executor();
                fill(besideOne.executor(), 1, gate);
                fill(beside, groups, gate);
                for (int turn = 0; turn < TURNS; turn++) {
                    few = Math.min(few, refused(besideOne.executor()));
                    many = Math.min(many, refused(beside));
                }
            } finally {
                gate.countDown();
            }
        }
        return many / few;
    }

    private void fill(GroupExecutor executor, int number, CountDownLatch gate) throws InterruptedException {
        executor.submit("other", "holds what the others leave", () -> Waiting.passed(gate));
        waiting.in(executor, number, gate);
        executor.submit("next", "waits for a global permit", NOTHING);
        for (String group : executor.groupKeys()) {
            check(
                    0,
                    executor.tryAcquire(group, Duration.ZERO).isPresent() ? 1 : 0); // now each knows that it is used up
        }
    }

    private double refused(GroupExecutor executor) throws InterruptedException {
        long got = 0;
        long start = System.nanoTime();
        for (int i = 0; i < requests; i++) {
            got += executor.tryAcquire("unrelated", Duration.ZERO).isPresent() ? 1 : 0;
        }
        double nanos = nanosSince(start);
        check(0, got);
        return nanos;
    }
}
