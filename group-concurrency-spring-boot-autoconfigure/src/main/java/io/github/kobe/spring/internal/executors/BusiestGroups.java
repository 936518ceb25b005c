package io.github.kobe.spring.internal.executors;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * The groups of an executor in which the most work runs and waits, or that are first by another measure. However many
 * groups there are, only those that are shown are kept and sorted.
 *
 * @param shown the groups of the requested page, in their order
 * @param before how many come before these
 * @param others how many come after these
 * @param oldestWait how long the one has waited that has waited longest, of all groups of the executor; zero if none waits
 */
public record BusiestGroups(List<GroupStats> shown, int before, int others, Duration oldestWait) {

    /** How much runs and waits. */
    public static final ToLongFunction<GroupStats> LOAD = group -> (long) group.running() + group.queued();

    /** How much a group has refused since it was first used. */
    public static final ToLongFunction<GroupStats> REJECTED =
            group -> group.totals().rejected();

    /**
     * Selects from all groups of an executor.
     *
     * @param executor the executor
     * @param which the groups to consider
     * @param measure the groups where it is largest come first, then by key
     * @param offset how many of these to skip, at least 0
     * @param most how many to show, at least 1
     * @return the first of the rest
     */
    public static BusiestGroups of(
            GroupExecutor executor,
            Predicate<GroupStats> which,
            ToLongFunction<GroupStats> measure,
            int offset,
            int most) {
        Comparator<GroupStats> first =
                Comparator.comparingLong(measure).reversed().thenComparing(GroupStats::groupKey);
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
