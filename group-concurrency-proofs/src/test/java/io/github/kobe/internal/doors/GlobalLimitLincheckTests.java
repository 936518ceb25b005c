package io.github.kobe.internal.doors;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.base.Environment;
import io.github.kobe.internal.permits.Ledger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two groups under a global limit: whose turn it is, and threads that are in both groups, which count once for the limit
 * until they have left both.
 */
@Tag("lincheck")
@Tag("deep")
@Param(name = "thread", gen = ThreadIdGen.class)
@Param(name = "group", gen = IntGen.class, conf = "0:1")
public class GlobalLimitLincheckTests {

    private static final int GLOBAL = 2;
    private static final GroupPolicy POLICY = GroupPolicy.builder()
            .globalMaxInFlight(GLOBAL)
            .defaultMaxConcurrencyPerGroup(2)
            .build();

    private final FakeThreads threads = new FakeThreads();
    private final GroupExecutor executor =
            EngineAccess.newExecutor(POLICY, new Environment(new ManualClock(), threads, false));
    private final Submitted submitted = new Submitted();
    private final List<Deque<OpenCall>> open = new ArrayList<>();

    public GlobalLimitLincheckTests() {
        for (int i = 0; i < FakeThreads.ACTORS; i++) {
            open.add(new ArrayDeque<>());
        }
    }

    @Operation
    public String submit(@Param(name = "thread") int thread, @Param(name = "group") int group) {
        String id = submitted.nextId(thread);
        return threads.act(thread, () -> submitted.add(thread, executor.submit("group-" + group, id, () -> id)));
    }

    @Operation
    public String run(@Param(name = "thread") int thread) {
        return threads.run(thread);
    }

    @Operation
    public boolean tryEnter(@Param(name = "thread") int thread, @Param(name = "group") int group) {
        // A refusal may have had the last credit in hand, and then starts who has waited for that.
        int before = open.get(thread).size();
        String unused = threads.act(thread, () -> {
            OpenCall call = OpenCall.tryEnter(executor, "group-" + group);
            if (call != null) {
                open.get(thread).add(call);
            }
        });
        return open.get(thread).size() > before;
    }

    @Operation
    public String leave(@Param(name = "thread") int thread) {
        OpenCall call = open.get(thread).pollLast();
        return call == null ? "none" : threads.act(thread, call::close);
    }

    @Validate
    public void allEndsAndEveryPermitIsBack() {
        stopWatching();
        ScenarioEnd.closeAll(threads, open);
        ScenarioEnd.check(executor, threads, submitted);
    }

    /** Ends what a subclass has begun. */
    void stopWatching() {}

    /** The limit in force from the start to the end, so that nobody has a global permit in hand that others don't find. */
    public static class InForce extends GlobalLimitLincheckTests {

        private final Ledger ledger;

        public InForce() {
            Engine engine = EngineAccess.engine(super.executor);
            ledger = engine.ledger;
            ledger.watch(engine.groups());
        }

        @Override
        void stopWatching() {
            ledger.unwatch();
        }
    }

    @Test
    void everyScheduleStartsWhatTheModelStarts() {
        Scenarios.modelCheck(InForce.class, Model.class, 0, 2, 4, 0);
    }

    @Test
    void everyScheduleLosesNothingWhileTheLimitComesIntoForce() {
        // Without a model: what is queued since somebody else has the last global permit in hand, is started by that
        // one.
        Scenarios.modelCheck(GlobalLimitLincheckTests.class, null, 0, 2, 4, 0);
    }

    @Test
    void threadsThatRunFreelyLoseNothing() {
        // Without a model: which of them starts what waits is not told by an order of their operations.
        Scenarios.stress(GlobalLimitLincheckTests.class, null, 0, 3, 4, 0);
    }

    /** The same, by one thread. */
    public static class Model {

        record Task(String id, int group) {}

        final List<Deque<Task>> queues = List.of(new ArrayDeque<>(), new ArrayDeque<>());
        /** Of groups that could start something but for the global limit; the first is the next. */
        private final Deque<Integer> turns = new ArrayDeque<>();

        final List<Deque<Task>> started = new ArrayList<>();
        final List<Deque<Integer>> held = new ArrayList<>();
        final int[] submissions = new int[FakeThreads.ACTORS];
        final int[] free;
        private int globalFree;

        public Model() {
            this(2, GLOBAL);
        }

        Model(int perGroup, int global) {
            free = new int[] {perGroup, perGroup};
            globalFree = global;
            for (int i = 0; i < FakeThreads.ACTORS; i++) {
                started.add(new ArrayDeque<>());
                held.add(new ArrayDeque<>());
            }
        }

        public String submit(int thread, int group) {
            queues.get(group).add(new Task(thread + "." + submissions[thread]++, group));
            return startAllThatCan(thread, group);
        }

        public String run(int thread) {
            Task ran = started.get(thread).poll();
            if (ran == null) {
                return "nothing runs";
            }
            free[ran.group]++;
            globalFree++;
            return startAllThatCan(thread, ran.group);
        }

        public boolean tryEnter(int thread, int group) {
            Deque<Integer> own = held.get(thread);
            if (!own.contains(group)) {
                if (free[group] == 0 || !queues.get(group).isEmpty() || (own.isEmpty() && globalFree == 0)) {
                    return false;
                }
                free[group]--;
                globalFree -= own.isEmpty() ? 1 : 0;
            }
            own.add(group);
            return true;
        }

        public String leave(int thread) {
            Deque<Integer> own = held.get(thread);
            Integer group = own.pollLast();
            if (group == null) {
                return "none";
            }
            if (own.contains(group)) {
                return "";
            }
            free[group]++;
            globalFree += own.isEmpty() ? 1 : 0;
            return startAllThatCan(thread, group);
        }

        private boolean canStart(int group) {
            return !queues.get(group).isEmpty() && free[group] > 0;
        }

        String startAllThatCan(int thread, int changed) {
            if (!canStart(changed)) {
                turns.remove(changed);
            } else if (!turns.contains(changed)) {
                turns.add(changed);
            }
            List<String> events = new ArrayList<>();
            while (!turns.isEmpty() && globalFree > 0) {
                int group = turns.poll();
                Task task = queues.get(group).poll();
                free[group]--;
                globalFree--;
                started.get(thread).add(task);
                events.add("starts " + task.id);
                if (canStart(group)) {
                    turns.add(group);
                }
            }
            return String.join(" ", events);
        }
    }
}
