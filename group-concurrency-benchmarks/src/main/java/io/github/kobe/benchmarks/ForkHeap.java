package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/** What forks take of the heap, in whole bytes for each; their task is the same for all. */
final class ForkHeap extends Workload {

    /** When one looks. */
    enum Moment {
        QUEUED("C5", "heap per fork of 1,000,000 queued behind one permit, what the owner keeps of it included", 112),
        ENDED("C6", "heap kept for each of 1,000,000 forks that have ended, before the block is joined", 1);

        private final String id;
        private final String title;
        private final int bound;

        Moment(String id, String title, int bound) {
            this.id = id;
            this.title = title;
            this.bound = bound;
        }
    }

    private final Moment moment;
    private final int forks;

    ForkHeap(Moment moment, int forks) {
        super(moment.id, moment.title, "B", Goal.atMost(moment.bound));
        this.moment = moment;
        this.forks = forks;
    }

    @Override
    Set<Trait> needs() {
        return moment == Moment.QUEUED ? Set.of(Trait.SCOPES, Trait.LIMITS) : Set.of(Trait.SCOPES);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.SCOPE, Entrant.JDK_SCOPE);
    }

    @Override
    boolean isSteady() {
        return true;
    }

    @Override
    Limits limits() {
        return Limits.perGroup(1);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        try (Block block = contestant.open(Block.Joining.ALL)) {
            double heap = moment == Moment.QUEUED ? whileQueued(block) : onceEnded(block);
            block.join();
            return heap;
        }
    }

    private double whileQueued(Block block) throws InterruptedException {
        List<Supplier<Integer>> kept = new ArrayList<>(forks); // all its room at once, so that it isn't counted
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        block.fork("group", () -> {
            begun.countDown();
            gate.await();
            return 1;
        });
        begun.await();
        try {
            long before = Backlog.usedHeap();
            for (int i = 0; i < forks; i++) {
                kept.add(block.fork("group", NOTHING));
            }
            double heap = perFork(before);
            check(forks, kept.size());
            return heap;
        } finally {
            gate.countDown();
        }
    }

    /** Whoever takes in forks without an end waits for each thousand of them, so that not all of them are there at once. */
    private double onceEnded(Block block) throws InterruptedException {
        forkAndAwait(block, 1_000); // what it keeps for a bounded number isn't each one's
        long before = Backlog.usedHeap();
        for (int left = forks; left > 0; left -= 1_000) {
            forkAndAwait(block, Math.min(left, 1_000));
        }
        return perFork(before);
    }

    private static void forkAndAwait(Block block, int count) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            block.fork("group", () -> {
                ended.countDown();
                return 1;
            });
        }
        ended.await();
    }

    private double perFork(long before) {
        return Math.round((double) (Backlog.usedHeap() - before) / forks);
    }
}
