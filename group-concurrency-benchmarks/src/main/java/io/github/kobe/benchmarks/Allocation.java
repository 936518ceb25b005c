package io.github.kobe.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Set;

/** What one thread allocates for each thing that it does under a key that nobody else uses. */
final class Allocation extends Workload {

    /** What is done. */
    enum Act {
        CALL("heap allocated by a `call` of a platform thread", Trait.CALLS) {
            @Override
            void once(Contestant<?> contestant) throws Exception {
                contestant.call("group", NOTHING);
            }
        },
        PERMIT("heap allocated by `acquire` + `close`", Trait.PERMITS) {
            @Override
            void once(Contestant<?> contestant) throws Exception {
                contestant.acquireAndClose("group");
            }
        };

        private final String title;
        private final Trait need;

        Act(String title, Trait need) {
            this.title = title;
            this.need = need;
        }

        abstract void once(Contestant<?> contestant) throws Exception;
    }

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Act act;
    private final List<Entrant> entrants;
    private final int times;

    private Allocation(String id, Act act, String title, int bound, List<Entrant> entrants, int times) {
        super(id, title, "B", Goal.atMost(bound));
        this.act = act;
        this.entrants = entrants;
        this.times = times;
    }

    static Allocation byAll(String id, Act act, int bound, int times) {
        return new Allocation(id, act, act.title, bound, Entrant.FIELD, times);
    }

    static Allocation by(Entrant entrant, String id, Act act, int bound, int times) {
        return new Allocation(id, act, act.title + ", " + entrant.title(), bound, List.of(entrant), times);
    }

    @Override
    List<Entrant> entrants() {
        return entrants;
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, act.need);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(4);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        act.once(contestant); // makes the group
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < times; i++) {
            act.once(contestant);
        }
        return (double) (THREADS.getCurrentThreadAllocatedBytes() - before) / times;
    }
}
