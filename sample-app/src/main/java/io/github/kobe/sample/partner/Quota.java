package io.github.kobe.sample.partner;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * So many requests in any window of time, of all tenants together, by a log of what has arrived: exact, wherever a window
 * begins. The partner knows nothing of rates, so it can witness that they hold.
 */
final class Quota {

    private final int limit;
    private final Duration window;
    private final LongSupplier nanoTime;

    /** Those that were taken within the last window, the oldest first. */
    private final Deque<Arrival> taken = new ArrayDeque<>();

    private int most;
    private long refused;

    private record Arrival(String tenant, long at) {}

    /**
     * What it has counted.
     *
     * @param limit the most that it takes in a window
     * @param window how long one is
     * @param most the most that it has taken in one
     * @param refused how many it has refused
     * @param now how many of each tenant it has taken in the window that ends now
     */
    record Count(int limit, Duration window, int most, long refused, Map<String, Integer> now) {}

    /** The window is half open: what was taken just one ago counts no more. */
    Quota(int limit, Duration window, LongSupplier nanoTime) {
        this.limit = limit;
        this.window = window;
        this.nanoTime = nanoTime;
    }

    /** Takes a request that has just arrived, or refuses it; returns in how long there is room again, empty if it was taken. */
    synchronized Optional<Duration> take(String tenant) {
        long now = forgetOld();
        if (taken.size() == limit) {
            refused++;
            return Optional.of(window.minusNanos(now - taken.element().at()));
        }
        taken.add(new Arrival(tenant, now));
        most = Math.max(most, taken.size());
        return Optional.empty();
    }

    synchronized Count count() {
        forgetOld();
        Map<String, Integer> byTenant = new TreeMap<>();
        taken.forEach(arrival -> byTenant.merge(arrival.tenant(), 1, Integer::sum));
        return new Count(limit, window, most, refused, byTenant);
    }

    private long forgetOld() {
        long now = nanoTime.getAsLong();
        while (!taken.isEmpty() && now - taken.element().at() >= window.toNanos()) {
            taken.remove();
        }
        return now;
    }
}
