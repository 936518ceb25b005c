package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Predicate;

/**
 * The groups of an executor with the most that runs and waits. However many groups there are, only those that are shown
 * are kept and sorted.
 *
 * @param shown the busiest, the busiest first, then by key
 * @param others how many more there are
 */
public record BusiestGroups(List<GroupStats> shown, int others) {

    private static final Comparator<GroupStats> BUSIEST_FIRST = Comparator.comparingLong(
                    (GroupStats group) -> -((long) group.running() + group.queued()))
            .thenComparing(GroupStats::groupKey);

    /**
     * Looks at all groups of an executor.
     *
     * @param executor the executor
     * @param which the groups that count
     * @param most how many to show, at least 1
     * @return the busiest of them
     */
    public static BusiestGroups of(GroupExecutor executor, Predicate<GroupStats> which, int most) {
        PriorityQueue<GroupStats> busiest = new PriorityQueue<>(BUSIEST_FIRST.reversed());
        int others = 0;
        for (String key : executor.groupKeys()) {
            GroupStats group = executor.groupStats(key).filter(which).orElse(null);
            if (group != null) {
                busiest.add(group);
                if (busiest.size() > most) {
                    busiest.remove();
                    others++;
                }
            }
        }
        return new BusiestGroups(busiest.stream().sorted(BUSIEST_FIRST).toList(), others);
    }
}
