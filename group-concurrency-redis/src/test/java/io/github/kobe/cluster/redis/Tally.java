package io.github.kobe.cluster.redis;

import io.github.kobe.cluster.redis.Witness.Task;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * How many tasks of one key were out at each instant, over all processes, as their witnesses have it. What a process that was
 * killed was running has ended then.
 *
 * <p>Of a node that was away for longer than what it leases counts, others get the capacity. What it was running when that was
 * over is the allowance: it may come on top, until it ends.
 */
final class Tally {

    /** A task that had its permit when its process was stopped may note its beginning only after that goes on. */
    private static final long NOTED_LATE = RealCluster.NOTED.toNanos();

    private final int limit;
    private final List<Instant> instants = new ArrayList<>();

    /**
     * A time in which a node was cut off from the store, or stood still.
     *
     * @param stoodStill whether it started nothing meanwhile
     */
    record Absence(String node, long from, long to, boolean stoodStill) {

        private boolean isLong() {
            return to - from > RealCluster.COUNTS.toNanos();
        }

        /** {@return when what the node leases counts no more} */
        private long over() {
            return from + RealCluster.COUNTS.toNanos();
        }

        /** {@return whether it may run that task on top of what others run} */
        private boolean allows(Task task) {
            return task.started() <= (stoodStill ? from : over())
                    || (stoodStill
                            && task.started() >= to
                            && task.started() <= to + NOTED_LATE
                            && task.offered() < from);
        }
    }

    /**
     * One instant, and all until the next one.
     *
     * @param out how many are out
     * @param allowed how many of them may be on top of the limit
     */
    record Instant(long at, int out, int allowed) {}

    /** What a task changes. */
    private record Change(long at, int out, int allowed) {}

    /**
     * What one process did.
     *
     * @param last when it was killed, or looked at: what had not ended then, has ended
     */
    record Work(String node, List<Task> tasks, long last) {}

    Tally(int limit, List<Work> works, List<Absence> absences) {
        this.limit = limit;
        List<Change> changes = new ArrayList<>();
        for (Work work : works) {
            List<Absence> its = absences.stream()
                    .filter(absence -> absence.node().equals(work.node()) && absence.isLong())
                    .toList();
            work.tasks().stream()
                    .filter(task -> task.limit() == limit && task.started() != 0)
                    .forEach(task -> add(task, work.last(), its, changes));
        }
        changes.sort(Comparator.comparingLong(Change::at).thenComparingInt(Change::out));
        int out = 0;
        int allowed = 0;
        for (Change change : changes) {
            out += change.out();
            allowed += change.allowed();
            instants.add(new Instant(change.at(), out, allowed));
        }
    }

    private static void add(Task task, long last, List<Absence> absences, List<Change> changes) {
        long ended = task.ended() == 0 ? last : Math.min(task.ended(), last);
        if (ended <= task.started()) {
            return;
        }
        changes.add(new Change(task.started(), 1, 0));
        changes.add(new Change(ended, -1, 0));
        for (Absence absence : absences) {
            long from = Math.max(absence.over(), task.started());
            if (absence.allows(task) && ended > from) {
                changes.add(new Change(from, 0, 1));
                changes.add(new Change(ended, 0, -1));
                return;
            }
        }
    }

    /** {@return how many were out at once} */
    int most() {
        return instants.stream().mapToInt(Instant::out).max().orElse(0);
    }

    /** {@return the instants at which more were out than the limit and the allowance} */
    List<Instant> over() {
        return instants.stream()
                .filter(instant -> instant.out() - instant.allowed() > limit)
                .toList();
    }

    /** {@return for how long more were out than the limit, by the allowance} */
    long beyond() {
        long beyond = 0;
        for (int i = 1; i < instants.size(); i++) {
            if (instants.get(i - 1).out() > limit) {
                beyond += instants.get(i).at() - instants.get(i - 1).at();
            }
        }
        return beyond;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "limit %d: at most %d out, over it for %.3f s by the allowance, over both at %d instants, of %d",
                limit,
                most(),
                beyond() / 1e9,
                over().size(),
                instants.size());
    }
}
