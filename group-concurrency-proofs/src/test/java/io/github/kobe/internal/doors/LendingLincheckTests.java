package io.github.kobe.internal.doors;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.base.Environment;
import io.github.kobe.internal.lending.Offer;
import io.github.kobe.internal.work.Task;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A thread that waits for its own task lends it what it has, of the group and of the global limit, and gets it back when
 * the task has ended. A wait is two operations, because one that blocks can't be one: it begins, and it ends once the
 * permits are back; in between the thread does nothing but run what it has started.
 */
@Tag("lincheck")
@Tag("deep")
@Param(name = "thread", gen = ThreadIdGen.class)
@Param(name = "group", gen = IntGen.class, conf = "0:1")
public class LendingLincheckTests {

    private static final GroupPolicy POLICY = GroupPolicy.builder()
            .globalMaxInFlight(1)
            .defaultMaxConcurrencyPerGroup(1)
            .build();

    private final FakeThreads threads = new FakeThreads();
    private final GroupExecutor executor =
            EngineAccess.newExecutor(POLICY, new Environment(new ManualClock(), threads, false));
    private final Submitted submitted = new Submitted();
    private final List<Deque<OpenCall>> open = new ArrayList<>();
    private final Offer[] offers = new Offer[FakeThreads.ACTORS];

    public LendingLincheckTests() {
        // In force from the start to the end, so that nobody has the global permit in hand and others don't find it.
        Engine engine = EngineAccess.engine(executor);
        engine.ledger.watch(engine.groups());
        for (int i = 0; i < FakeThreads.ACTORS; i++) {
            open.add(new ArrayDeque<>());
        }
    }

    private String unlessWaiting(int thread, Supplier<String> operation) {
        return offers[thread] == null ? operation.get() : "waits";
    }

    @Operation
    public String submit(@Param(name = "thread") int thread, @Param(name = "group") int group) {
        return unlessWaiting(thread, () -> {
            String id = submitted.nextId(thread);
            return threads.act(thread, () -> submitted.add(thread, executor.submit("group-" + group, id, () -> id)));
        });
    }

    @Operation
    public String run(@Param(name = "thread") int thread) {
        return threads.run(thread);
    }

    @Operation
    public String tryEnter(@Param(name = "thread") int thread, @Param(name = "group") int group) {
        return unlessWaiting(thread, () -> {
            OpenCall call = OpenCall.tryEnter(executor, "group-" + group);
            if (call != null) {
                open.get(thread).add(call);
            }
            return String.valueOf(call != null);
        });
    }

    @Operation
    public String leave(@Param(name = "thread") int thread) {
        return unlessWaiting(thread, () -> {
            OpenCall call = open.get(thread).pollLast();
            return call == null ? "none" : threads.act(thread, call::close);
        });
    }

    @Operation
    public String beginWait(@Param(name = "thread") int thread) {
        return unlessWaiting(
                thread,
                () -> submitted.last(thread) instanceof Task<?> last
                        ? threads.act(thread, () -> offers[thread] = last.beginWait())
                        : "");
    }

    @Operation
    public String endWait(@Param(name = "thread") int thread) {
        Offer offer = offers[thread];
        if (offer == null || !offer.settled) {
            return offer == null ? "none" : "waits";
        }
        offers[thread] = null;
        return threads.act(thread, () -> EngineAccess.engine(executor).lending.withdraw(offer));
    }

    @Validate
    public void allEndsAndEveryPermitIsBack() {
        threads.runAll();
        for (int thread = 0; thread < FakeThreads.ACTORS; thread++) {
            if (endWait(thread).equals("waits")) {
                throw new AssertionError("all has run, but the permits are not back");
            }
        }
        ScenarioEnd.closeAll(threads, open);
        EngineAccess.engine(executor).ledger.unwatch();
        ScenarioEnd.check(executor, threads, submitted);
    }

    @Test
    void everyScheduleLendsWhatTheModelLends() {
        Scenarios.modelCheck(LendingLincheckTests.class, Model.class, 0, 2, 5, 0);
    }

    @Test
    void threadsThatRunFreelyLendWhatTheModelLends() {
        Scenarios.stress(LendingLincheckTests.class, Model.class, 0, 3, 5, 0);
    }

    /** The same, by one thread: a borrower takes no permit and gives none back, but in a group its lender isn't in. */
    public static final class Model {

        private final Turns turns = new Turns();
        /** By borrower. */
        private final Map<String, Integer> lenders = new HashMap<>();

        private final String[] borrowers = new String[FakeThreads.ACTORS];

        private static final class Turns extends GlobalLimitLincheckTests.Model {
            Turns() {
                super(1, 1);
            }
        }

        private String unlessWaiting(int thread, Supplier<String> operation) {
            return borrowers[thread] == null ? operation.get() : "waits";
        }

        public String submit(int thread, int group) {
            return unlessWaiting(thread, () -> turns.submit(thread, group));
        }

        public String tryEnter(int thread, int group) {
            return unlessWaiting(thread, () -> String.valueOf(turns.tryEnter(thread, group)));
        }

        public String leave(int thread) {
            return unlessWaiting(thread, () -> turns.leave(thread));
        }

        public String beginWait(int thread) {
            return unlessWaiting(thread, () -> {
                String id = thread + "." + (turns.submissions[thread] - 1);
                for (Deque<GlobalLimitLincheckTests.Model.Task> queue : turns.queues) {
                    for (GlobalLimitLincheckTests.Model.Task task : queue) {
                        if (task.id().equals(id) && !turns.held.get(thread).isEmpty()) {
                            queue.remove(task);
                            return lend(thread, task);
                        }
                    }
                }
                return "";
            });
        }

        private String lend(int thread, GlobalLimitLincheckTests.Model.Task task) {
            if (!turns.held.get(thread).contains(task.group())) {
                turns.free[task.group()]--;
            }
            turns.started.get(thread).add(task);
            lenders.put(task.id(), thread);
            borrowers[thread] = task.id();
            turns.startAllThatCan(thread, task.group());
            return "starts " + task.id();
        }

        public String run(int thread) {
            GlobalLimitLincheckTests.Model.Task next = turns.started.get(thread).peek();
            Integer lender = next == null ? null : lenders.remove(next.id());
            if (lender == null) {
                return turns.run(thread);
            }
            turns.started.get(thread).poll();
            if (!turns.held.get(lender).contains(next.group())) {
                turns.free[next.group()]++;
            }
            return turns.startAllThatCan(thread, next.group());
        }

        public String endWait(int thread) {
            if (borrowers[thread] == null) {
                return "none";
            }
            if (lenders.containsKey(borrowers[thread])) {
                return "waits";
            }
            borrowers[thread] = null;
            return "";
        }
    }
}
