package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/** Many groups wait for one of few global permits: what it takes to choose among them, and what each costs. */
final class WaitingGroups extends Workload {

    /** What is measured of it. */
    enum Aspect {
        TIME("a start and end while %,d groups with limit %d wait, global limit 8", "ns"),
        HEAP("heap for each of %,d groups with limit %d of which a task waits, global limit 8", "B");

        private final String title;
        private final String unit;

        Aspect(String title, String unit) {
            this.title = title;
            this.unit = unit;
        }
    }

    private static final int GLOBAL = 8;

    /** Of each group. The last ones are not measured, since from the first of them on not all groups wait. */
    private static final int TASKS = 5;

    private final Aspect aspect;
    private final int limit;
    private final List<String> groups;

    WaitingGroups(String id, Aspect aspect, int limit, int groups) {
        super(id, String.format(Locale.ROOT, aspect.title, groups, limit), aspect.unit, Goal.none());
        this.aspect = aspect;
        this.limit = limit;
        this.groups = Keys.of("group-", groups);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.OURS);
    }

    @Override
    boolean isSteady() {
        return aspect == Aspect.HEAP;
    }

    @Override
    Limits limits() {
        return Limits.perGroup(limit).withGlobal(GLOBAL);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        List<H> handles = new ArrayList<>(TASKS * groups.size()); // all its room at once, so that it isn't counted
        CountDownLatch begun = new CountDownLatch(GLOBAL);
        CountDownLatch gate = new CountDownLatch(1);
        for (int i = 0; i < GLOBAL; i++) {
            contestant.submit("holder-" + i, "task", () -> {
                begun.countDown();
                gate.await();
                return 1;
            });
        }
        begun.await();
        long before = Backlog.usedHeap();
        submitToEach(contestant, handles);
        if (aspect == Aspect.HEAP) {
            double heap = (double) (Backlog.usedHeap() - before) / groups.size();
            gate.countDown();
            ends(contestant, handles);
            return Math.round(heap);
        }
        for (int i = 1; i < TASKS; i++) {
            submitToEach(contestant, handles);
        }
        System.gc(); // or the collector would copy all of it meanwhile
        gate.countDown();
        long[] ends = ends(contestant, handles);
        int measured = (TASKS - 1) * groups.size();
        return (double) (ends[measured] - ends[0]) / measured;
    }

    private <H> void submitToEach(Contestant<H> contestant, List<H> handles) {
        for (String group : groups) {
            handles.add(contestant.submit(group, "task", NOTHING));
        }
    }

    /** {@return when the tasks have ended, the first one first} */
    private static <H> long[] ends(Contestant<H> contestant, List<H> handles) {
        long[] ends = handles.stream()
                .map(contestant::join)
                .filter(result -> result.error() == null)
                .mapToLong(result -> result.endTimeNanos())
                .sorted()
                .toArray();
        check(handles.size(), ends.length);
        return ends;
    }
}
