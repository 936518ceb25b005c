package io.github.kobe.audit;

import io.github.kobe.GroupExecutor;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A clock that stands still until a test moves it; its reading overflows after a second, as one of nanoTime may. */
public final class ManualClock implements LongSupplier {

    private static final Duration A_MOMENT = Duration.ofMillis(5);

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

    /** An environment with this clock and timers, whose thread looks at the clock again and again. */
    public Surroundings withTimers() {
        return new Surroundings(this, TaskThreads.VIRTUAL, true, A_MOMENT, A_MOMENT);
    }

    /** Moves on, then runs what is due by then. */
    public void advance(Duration time, GroupExecutor executor) {
        advance(time);
        EngineAccess.runDue(executor);
    }
}
