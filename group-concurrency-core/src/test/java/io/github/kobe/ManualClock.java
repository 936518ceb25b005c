package io.github.kobe;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A clock that stands still until a test moves it; its reading overflows after a second, as one of nanoTime may. */
final class ManualClock implements LongSupplier {

    private static final Duration A_MOMENT = Duration.ofMillis(5);

    private final AtomicLong now =
            new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(1).toNanos());

    @Override
    public long getAsLong() {
        return now.get();
    }

    void advance(Duration time) {
        now.addAndGet(time.toNanos());
    }

    /** An environment with this clock and no timers: what is due runs when a test says so. */
    Environment environment() {
        return new Environment(this, Environment.SYSTEM.taskThreads(), false);
    }

    /** An environment with this clock and timers, whose thread looks at the clock again and again. */
    Environment withTimers() {
        return new Environment(this, Environment.SYSTEM.taskThreads(), true, A_MOMENT, A_MOMENT);
    }

    /** Moves on, then runs what is due by then. */
    void advance(Duration time, GroupExecutor executor) {
        advance(time);
        executor.engine().housekeeper.runDue();
    }
}
