package io.github.kobe.audit;

import io.github.kobe.EngineAccess;
import io.github.kobe.EngineAccess.Surroundings;
import io.github.kobe.EngineAccess.TaskThreads;
import io.github.kobe.GroupExecutor;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A clock that stands still until a test moves it; its reading overflows after a second, as one of nanoTime may. */
public final class ManualClock implements LongSupplier {

    private final AtomicLong now =
            new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(1).toNanos());

    @Override
    public long getAsLong() {
        return now.get();
    }

    public void advance(Duration time) {
        now.addAndGet(time.toNanos());
    }

    /** An environment with this clock and no timers: what is due runs when a test says so. */
    public Surroundings environment() {
        return new Surroundings(this, TaskThreads.VIRTUAL, false);
    }

    /** Moves on, then runs what is due by then. */
    public void advance(Duration time, GroupExecutor executor) {
        advance(time);
        EngineAccess.runDue(executor);
    }
}
