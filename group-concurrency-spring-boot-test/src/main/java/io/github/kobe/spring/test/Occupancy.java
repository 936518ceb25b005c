package io.github.kobe.spring.test;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupHolder;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupWaiter;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Who has permits of an executor's groups at one moment, and who waits for them. Groups without either are left out.
 */
record Occupancy(List<OccupiedGroup> groups) {

    private static final int WAITERS_SHOWN = 10;

    static Occupancy of(GroupExecutor executor) {
        return of(executor, new TreeSet<>(executor.groupKeys()));
    }

    static Occupancy of(GroupExecutor executor, String key) {
        return of(executor, List.of(key));
    }

    private static Occupancy of(GroupExecutor executor, Collection<String> keys) {
        return new Occupancy(keys.stream()
                .flatMap(key -> OccupiedGroup.of(executor, key).stream())
                .toList());
    }

    boolean isEmpty() {
        return groups.isEmpty();
    }

    Occupancy withPermitsOut() {
        return only(group -> group.inFlight > 0);
    }

    /** {@return the groups in which more is in flight, or more waits, than there was} */
    Occupancy above(Occupancy before) {
        Map<String, OccupiedGroup> known =
                before.groups.stream().collect(Collectors.toMap(OccupiedGroup::key, Function.identity()));
        return only(group -> {
            OccupiedGroup then = known.get(group.key);
            return then == null || group.inFlight > then.inFlight || group.queued > then.queued;
        });
    }

    private Occupancy only(Predicate<OccupiedGroup> condition) {
        return new Occupancy(groups.stream().filter(condition).toList());
    }

    @Override
    public String toString() {
        return groups.stream().map(OccupiedGroup::toString).collect(Collectors.joining(System.lineSeparator()));
    }

    /** One group in which someone has permits or waits. */
    record OccupiedGroup(String key, int inFlight, int queued, List<GroupHolder> holders, List<GroupWaiter> waiters) {

        private static Optional<OccupiedGroup> of(GroupExecutor executor, String key) {
            Optional<GroupStats> stats = executor.groupStats(key);
            int inFlight = stats.map(GroupStats::inFlight).orElse(0);
            int queued = stats.map(GroupStats::queued).orElse(0);
            return inFlight == 0 && queued == 0
                    ? Optional.empty()
                    : Optional.of(new OccupiedGroup(
                            key, inFlight, queued, executor.holders(key), executor.waiters(key, WAITERS_SHOWN)));
        }

        @Override
        public String toString() {
            Stream<String> first = Stream.of("group '" + key + "': " + inFlight + " in flight, " + queued + " waiting");
            Stream<String> lines = Stream.concat(
                    holders.stream().map(OccupiedGroup::told), waiters.stream().map(OccupiedGroup::told));
            return Stream.concat(first, lines).collect(Collectors.joining(System.lineSeparator() + "  "));
        }

        private static String told(GroupHolder holder) {
            return "has a permit"
                    + holder.held().map(held -> " for " + told(held)).orElse("") + ": "
                    + told(holder.kind().name(), holder.threadName(), holder.taskId())
                    + (holder.lent() ? ", lent to another" : "");
        }

        private static String told(GroupWaiter waiter) {
            return "waits for " + told(waiter.waited()) + ": "
                    + told(waiter.kind().name(), waiter.threadName(), waiter.taskId());
        }

        private static String told(String kind, Optional<String> threadName, String taskId) {
            return kind
                    + threadName.map(name -> " '" + name + "'").orElse("")
                    + (taskId.isEmpty() ? "" : ", task '" + taskId + "'");
        }

        private static String told(Duration time) {
            return time.toMillis() + " ms";
        }
    }
}
