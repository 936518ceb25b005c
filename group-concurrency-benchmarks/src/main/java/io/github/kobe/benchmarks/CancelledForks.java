package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** As {@link Cancels}, but those that are queued are forks of a block that is cancelled as a whole. */
final class CancelledForks extends Workload {

    private final int forks;

    CancelledForks(int forks) {
        super(
                "C7",
                "cancelling a block with 100,000 queued forks, until a task behind them has run; with submit + await"
                        + " as B9",
                "ms",
                Goal.atMost(2, Entrant.SUBMITTED));
        this.forks = forks;
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.SCOPES, Trait.LIMITS, Trait.BACKLOGS, Trait.CANCELS);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.SCOPE, Entrant.SUBMITTED);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(1);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        Callable<Integer> task = ran::incrementAndGet;
        H first = contestant.submit("group", "first", () -> {
            begun.countDown();
            gate.await();
            return 1;
        });
        begun.await();
        try (Block block = contestant.open(Block.Joining.ALL)) {
            for (int i = 0; i < forks; i++) {
                block.fork("group", task);
            }
            H last = contestant.submit("group", "last", NOTHING);
            long start = System.nanoTime();
            block.cancel();
            gate.countDown();
            int value = Objects.requireNonNull(contestant.join(last).value());
            double nanos = nanosSince(start);
            contestant.join(first);
            block.join();
            check(1, value);
            check(0, ran.get());
            return nanos / 1e6;
        }
    }
}
