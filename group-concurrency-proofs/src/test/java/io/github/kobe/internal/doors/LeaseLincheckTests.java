package io.github.kobe.internal.doors;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.base.Environment;
import io.github.kobe.internal.base.Lease;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tasks of a group of which a part is leased: what starts when, while that and the group's own limit change. */
@Tag("lincheck")
@Tag("deep")
@Param(name = "thread", gen = ThreadIdGen.class)
@Param(name = "capacity", gen = IntGen.class, conf = "0:3")
@Param(name = "limit", gen = IntGen.class, conf = "1:3")
public class LeaseLincheckTests {

    private static final String KEY = "shared";
    private static final int LIMIT = 2;
    private static final GroupPolicy POLICY = GroupPolicy.builder()
            .defaultMaxConcurrencyPerGroup(LIMIT)
            .defaultClusterMaxInFlightPerGroup(100)
            .build();

    private final FakeThreads threads = new FakeThreads();
    private final GroupExecutor executor =
            EngineAccess.newExecutor(POLICY, new Environment(new ManualClock(), threads, false), new Leases());
    private final Submitted submitted = new Submitted();

    public LeaseLincheckTests() {
        EngineAccess.engine(executor).leaseUntil(Long.MAX_VALUE);
    }

    /** Wakes nobody. */
    static final class Leases extends ClusterSignals {

        @Override
        protected void wake() {
            // Nobody looks.
        }
    }

    @Operation
    public String submit(@Param(name = "thread") int thread) {
        String id = submitted.nextId(thread);
        String events = threads.act(thread, () -> submitted.add(thread, executor.submit(KEY, id, () -> id)));
        return events.isEmpty() ? submitted.admission(thread) : events;
    }

    @Operation
    public String run(@Param(name = "thread") int thread) {
        return threads.run(thread);
    }

    @Operation
    public String cancel(@Param(name = "thread") int thread) {
        return threads.act(thread, () -> submitted.cancelLast(thread));
    }

    @Operation
    public String resize(@Param(name = "thread") int thread, @Param(name = "limit") int limit) {
        return threads.act(
                thread, () -> executor.setLimits(KEY, GroupLimits.unset().withMaxConcurrency(limit)));
    }

    @Operation
    public String lease(@Param(name = "thread") int thread, @Param(name = "capacity") int capacity) {
        Lease.Reading[] reading = new Lease.Reading[1];
        String events = threads.act(
                thread,
                () -> reading[0] = EngineAccess.engine(executor).group(KEY).lease(capacity));
        Lease.Reading read = Objects.requireNonNull(reading[0]);
        return events + ", out " + read.out() + ", kept " + read.kept();
    }

    @Validate
    public void allEndsAndEveryPermitIsBack() {
        lease(0, 2);
        ScenarioEnd.check(executor, threads, submitted);
    }

    @Test
    void everyScheduleStartsWhatTheModelStarts() {
        Scenarios.modelCheck(LeaseLincheckTests.class, Model.class, 0, 2, 4, 0);
    }

    @Test
    void threadsThatRunFreelyStartWhatTheModelStarts() {
        Scenarios.stress(LeaseLincheckTests.class, Model.class, 0, 3, 4, 0);
    }

    /** The same, by one thread. */
    public static final class Model {

        private final Deque<String> queue = new ArrayDeque<>();
        private final Started started = new Started();
        private final int[] submissions = new int[FakeThreads.ACTORS];
        private int limit = LIMIT;
        private int leased;
        private int running;

        public String submit(int thread) {
            String id = thread + "." + submissions[thread]++;
            boolean startsAtOnce = queue.isEmpty() && hasRoom();
            queue.add(id);
            return startsAtOnce ? startAllThatCan(thread) : "queued";
        }

        public String run(int thread) {
            if (started.next(thread) == null) {
                return "nothing runs";
            }
            running--;
            return startAllThatCan(thread);
        }

        public String cancel(int thread) {
            queue.remove(thread + "." + (submissions[thread] - 1));
            return "";
        }

        public String resize(int thread, int newLimit) {
            limit = newLimit;
            return startAllThatCan(thread);
        }

        public String lease(int thread, int capacity) {
            leased = capacity;
            String events = startAllThatCan(thread);
            int free = Math.max(0, Math.min(limit, leased) - running);
            int kept = Math.max(0, Math.min(queue.size(), limit - running) - free);
            return events + ", out " + running + ", kept " + kept;
        }

        private boolean hasRoom() {
            return running < Math.min(limit, leased);
        }

        private String startAllThatCan(int thread) {
            List<String> events = new ArrayList<>();
            while (!queue.isEmpty() && hasRoom()) {
                running++;
                events.add(started.add(thread, queue.poll()));
            }
            return String.join(" ", events);
        }
    }
}
