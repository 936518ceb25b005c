package io.github.kobe.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Set;

/** What one thread allocates for each thing that it does under a key that nobody else uses. */
final class Allocation extends Workload {

    /** What is done. */
    enum Act {
        CALL("B8a", "heap allocated by a `call` of a platform thread", 0, Trait.CALLS) {
            @Override
            void once(Contestant<?> contestant) throws Exception {
                contestant.call("group", NOTHING);
            }
        },
        PERMIT("B8p", "heap allocated by `acquire` + `close`", 32, Trait.PERMITS) {
            @Override
            void once(Contestant<?> contestant) throws Exception {
                contestant.acquireAndClose("group");
            }
        };

        private final String id;
        private final String title;
        private final int bound;
        private final Trait need;

        Act(String id, String title, int bound, Trait need) {
            this.id = id;
            this.title = title;
            this.bound = bound;
            this.need = need;
        }

        abstract void once(Contestant<?> contestant) throws Exception;
    }

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Act act;
    private final int times;

    Allocation(Act act, int times) {
        super(act.id, act.title, "B", Goal.atMost(act.bound));
        this.act = act;
        this.times = times;
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
