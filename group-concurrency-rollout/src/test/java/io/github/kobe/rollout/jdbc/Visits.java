package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;

/** When which node was at work for which tenant, as the tenants saw it. */
final class Visits {

    /** From its begin to its end, both in nanoseconds. */
    record Visit(String node, String tenant, long begin, long end) {

        /** {@return how long both were there} */
        private long overlap(Visit other) {
            return tenant.equals(other.tenant) ? Math.min(end, other.end) - Math.max(begin, other.begin) : 0;
        }

        @Override
        public String toString() {
            long millis = Duration.ofNanos(begin - FIRST).toMillis();
            return node + " at " + tenant + " from " + millis + " ms for "
                    + Duration.ofNanos(end - begin).toMillis() + " ms";
        }
    }

    private static final long FIRST = System.nanoTime();

    private final AtomicInteger present = new AtomicInteger();
    private volatile String last = "";
    private final List<Visit> over;

    Visits() {
        this(List.of());
    }

    Visits(List<Visit> over) {
        this.over = new CopyOnWriteArrayList<>(over);
    }

    /** {@return those to one tenant} */
    Visits to(String tenant) {
        return new Visits(
                over.stream().filter(visit -> visit.tenant().equals(tenant)).toList());
    }

    /** {@return the step, of which it is noted when it begins and when it ends, however that is} */
    Step noted(String node, Step step) {
        return ctx -> {
            long begin = System.nanoTime();
            last = node;
            present.incrementAndGet();
            try {
                step.execute(ctx);
            } finally {
                over.add(new Visit(node, ctx.tenantId().value(), begin, System.nanoTime()));
                present.decrementAndGet();
            }
        };
    }

    /** {@return how many there are now} */
    int present() {
        return present.get();
    }

    /** {@return the node of the visit that began last} */
    String last() {
        return last;
    }

    /** {@return those that are over, in the order of their ends} */
    List<Visit> over() {
        return List.copyOf(over);
    }

    /** {@return how long two of one node were at a tenant at once, at most} */
    Duration longestWithinANode() {
        return longest((one, other) -> one.node().equals(other.node()));
    }

    /** {@return how long two of different nodes were at a tenant at once, at most} */
    Duration longestBetweenNodes() {
        return longest((one, other) -> !one.node().equals(other.node()));
    }

    private Duration longest(BiPredicate<Visit, Visit> counts) {
        List<Visit> all = new ArrayList<>(over);
        long longest = 0;
        for (int index = 0; index < all.size(); index++) {
            for (Visit other : all.subList(0, index)) {
                if (counts.test(all.get(index), other)) {
                    longest = Math.max(longest, all.get(index).overlap(other));
                }
            }
        }
        return Duration.ofNanos(longest);
    }
}
