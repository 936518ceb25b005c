package io.github.kobe.internal.permits;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.base.Lease;
import io.github.kobe.internal.doors.Engine;
import io.github.kobe.internal.doors.EngineAccess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** Leases capacity to the groups of one engine, as a test says: to those with a limit over all instances. */
final class Leases extends ClusterSignals {

    /** Far more than any test leases. */
    static final int LIMIT = 10_000;

    private final AtomicInteger wakes = new AtomicInteger();
    private Engine engine;

    /** From now on it leases for that executor, and what it leases counts. */
    void leaseFor(GroupExecutor executor) {
        engine = EngineAccess.engine(executor);
        engine.leaseUntil(Long.MAX_VALUE);
    }

    /** Has the groups share a limit whose keys begin with {@code shared}. */
    static GroupPolicy.Builder shared(GroupPolicy.Builder policy) {
        return policy.pattern("shared*", GroupLimits.unset().withClusterMaxInFlight(LIMIT));
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
