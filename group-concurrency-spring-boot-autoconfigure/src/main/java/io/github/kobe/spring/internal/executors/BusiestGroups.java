package io.github.kobe.spring.internal.executors;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Predicate;

/**
 * The groups of an executor in which the most work runs and waits, or that have refused most. However many groups there are, only those that are
 * shown are kept and sorted.
 *
 * @param shown the groups of the requested page, in their order
 * @param before how many come before these
 * @param others how many come after these
 * @param oldestWait how long the one has waited that has waited longest, of all groups of the executor; zero if none waits
 */
public record BusiestGroups(List<GroupStats> shown, int before, int others, Duration oldestWait) {

    /** What comes first. */
    public enum Order {
        /** Those with the most running and queued, then by key. */
        LOAD,
        /** Those that have refused most since they were first used, then by key. */
        REJECTED;

        private Comparator<GroupStats> comparator() {
            return Comparator.comparingLong(this::measure).reversed().thenComparing(GroupStats::groupKey);
        }

        private long measure(GroupStats group) {
            return switch (this) {
                case LOAD -> (long) group.running() + group.queued();
                case REJECTED -> group.totals().rejected();
            };
        }
    }

    /**
     * Selects from all groups of an executor.
     *
     * @param executor the executor
     * @param which the groups to consider
     * @param order which of them come first
     * @param offset how many of these to skip, at least 0
     * @param most how many to show, at least 1
     * @return the first of the rest
     */
    public static BusiestGroups of(
            GroupExecutor executor, Predicate<GroupStats> which, Order order, int offset, int most) {
        Comparator<GroupStats> first = order.comparator();
        int kept = (int) Math.min(Integer.MAX_VALUE, (long) offset + most);
        PriorityQueue<GroupStats> busiest = new PriorityQueue<>(first.reversed());
        int others = 0;
        Duration oldestWait = Duration.ZERO;
        for (String key : executor.groupKeys()) {
            GroupStats group = executor.groupStats(key).orElse(null);
            if (group == null) {
                continue;
            }
            oldestWait = group.oldestWait().compareTo(oldestWait) > 0 ? group.oldestWait() : oldestWait;
            if (!which.test(group)) {
                continue;
            }
            if (busiest.size() == kept) {
                others++;
                if (first.compare(group, busiest.element()) > 0) {
                    continue;
                }
                busiest.remove();
            }
            busiest.add(group);
        }
        int before = Math.min(offset, busiest.size());
        return new BusiestGroups(busiest.stream().sorted(first).skip(before).toList(), before, others, oldestWait);
    }
}
