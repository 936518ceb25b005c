package io.github.kobe.internal.permits;

import io.github.kobe.GroupExecutor;
import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.base.Lease;
import io.github.kobe.internal.doors.Engine;
import io.github.kobe.internal.doors.EngineAccess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** Leases capacity to the groups of one engine, as a test says: to those whose keys begin with {@code shared}. */
final class Leases extends ClusterSignals {

    private final AtomicInteger wakes = new AtomicInteger();
    private Engine engine;

    /** From now on it leases for that executor, and what it leases counts. */
    void leaseFor(GroupExecutor executor) {
        engine = EngineAccess.engine(executor);
        engine.leaseUntil(Long.MAX_VALUE);
    }

    @Override
    public boolean isClustered(String key) {
        return key.startsWith("shared");
    }

    @Override
    protected void wake() {
        wakes.incrementAndGet();
    }

    int wakes() {
        return wakes.get();
    }

    /** {@return the groups that are to be looked at since it was last asked} */
    List<String> touched() {
        List<String> keys = new ArrayList<>();
        take(keys::add);
        return keys;
    }

    Lease.Reading lease(String key, int capacity) {
        return Objects.requireNonNull(engine.group(key).lease(capacity));
    }

    /** What is leased counts so long. */
    void count(Duration time) {
        engine.leaseUntil(engine.now() + time.toNanos());
    }

    /** What is leased counts no more. */
    void lapse() {
        engine.leaseUntil(0);
    }
}
