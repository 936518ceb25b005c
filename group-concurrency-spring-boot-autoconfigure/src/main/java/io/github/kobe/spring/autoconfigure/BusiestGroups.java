package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Predicate;

/**
 * The groups of an executor in which the most work runs and waits. However many groups there are, only those that are
 * shown are kept and sorted.
 *
 * @param shown the groups of the requested page, the busiest first, then by key
 * @param before how many come before these
 * @param others how many come after these
 * @param oldestWait how long the one has waited that has waited longest, of all groups of the executor; zero if none waits
 */
public record BusiestGroups(List<GroupStats> shown, int before, int others, Duration oldestWait) {

    private static final Comparator<GroupStats> BUSIEST_FIRST = Comparator.comparingLong(
                    (GroupStats group) -> -((long) group.running() + group.queued()))
            .thenComparing(GroupStats::groupKey);

    /**
     * Selects from all groups of an executor.
     *
     * @param executor the executor
     * @param which the groups to consider
     * @param offset how many of the busiest to skip, at least 0
     * @param most how many to show, at least 1
     * @return the busiest of the rest
     */
    public static BusiestGroups of(GroupExecutor executor, Predicate<GroupStats> which, int offset, int most) {
        int kept = (int) Math.min(Integer.MAX_VALUE, (long) offset + most);
        PriorityQueue<GroupStats> busiest = new PriorityQueue<>(BUSIEST_FIRST.reversed());
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
                if (BUSIEST_FIRST.compare(group, busiest.element()) > 0) {
                    continue;
                }
                busiest.remove();
            }
            busiest.add(group);
        }
        int before = Math.min(offset, busiest.size());
        return new BusiestGroups(
                busiest.stream().sorted(BUSIEST_FIRST).skip(before).toList(), before, others, oldestWait);
    }
}
