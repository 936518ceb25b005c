package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** How late something is that is due at 50 ms, beside many threads that block. */
final class LateFork extends Workload {

    /** What is due. */
    enum Event {
        FAILURE("C9", "until join throws what a fork throws at 50 ms, beside 10,000 forks that block"),
        TIMER("C9t", "until what is scheduled for 50 ms starts, beside 10,000 scheduled forks that block");

        private final String id;
        private final String title;

        Event(String id, String title) {
            this.id = id;
            this.title = title;
        }
    }

    private static final int NEVER_HIT = 1 << 20;
    private static final long DUE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Event event;
    private final int blocked;

    LateFork(Event event, int blocked) {
        super(event.id, event.title, "ms late", Goal.atMost(5));
        this.event = event;
        this.blocked = blocked;
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.SCOPES);
    }

    @Override
    List<Entrant> entrants() {
        return event == Event.FAILURE ? List.of(Entrant.SCOPE, Entrant.JDK_SCOPE) : List.of(Entrant.SCOPE);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(NEVER_HIT);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        CountDownLatch begun = new CountDownLatch(blocked);
        CountDownLatch gate = new CountDownLatch(1);
        Callable<Integer> blocking = () -> {
            begun.countDown();
            gate.await();
            return 1;
        };
        try (Block block = contestant.open(Block.Joining.ALL_SUCCESSFUL)) {
            for (int i = 0; i < blocked; i++) {
                if (event == Event.FAILURE) {
                    block.fork("blocked", blocking);
                } else {
                    block.schedule("blocked", 0, blocking);
                }
            }
            begun.await();
            try {
                return (event == Event.FAILURE ? failure(block) : timer(block)) / 1e6;
            } finally {
                gate.countDown();
            }
        }
    }

    private static double failure(Block block) throws InterruptedException {
        long due = System.nanoTime() + DUE_NANOS;
        block.fork("failing", () -> {
            TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
            throw new IllegalStateException("due");
        });
        try {
            block.join();
        } catch (Exception thrown) {
            double late = nanosSince(due);
            if (thrown.getCause() instanceof IllegalStateException) {
                return late;
            }
            throw new IllegalStateException(thrown);
        }
        throw new IllegalStateException("nothing was thrown");
    }

    private static double timer(Block block) throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        long[] late = new long[1];
        long due = System.nanoTime() + DUE_NANOS;
        block.schedule("timer", DUE_NANOS, () -> {
            late[0] = System.nanoTime() - due;
            started.countDown();
            return 1;
        });
        started.await();
        return late[0];
    }
}
