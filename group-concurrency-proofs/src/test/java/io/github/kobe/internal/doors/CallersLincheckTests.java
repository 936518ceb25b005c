package io.github.kobe.internal.doors;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.base.Environment;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.work.PermitFuture;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Permits of one group: who gets one while others close theirs, wait, and give up. */
@Tag("lincheck")
@Tag("deep")
@Param(name = "thread", gen = ThreadIdGen.class)
public class CallersLincheckTests {

    private static final String KEY = "group";
    private static final int QUEUE = 2;
    private static final GroupPolicy POLICY = GroupPolicy.builder()
            .defaultMaxConcurrencyPerGroup(1)
            .defaultQueueThresholdPerGroup(QUEUE)
            .build();

    private final FakeThreads threads = new FakeThreads();
    private final GroupExecutor executor =
            EngineAccess.newExecutor(POLICY, new Environment(new ManualClock(), threads, false));
    private final List<Deque<GroupPermit>> held = new ArrayList<>();
    private final List<Deque<PermitFuture>> waiting = new ArrayList<>();

    public CallersLincheckTests() {
        for (int i = 0; i < FakeThreads.ACTORS; i++) {
            held.add(new ArrayDeque<>());
            waiting.add(new ArrayDeque<>());
        }
    }

    @Operation
    public boolean tryAcquire(@Param(name = "thread") int thread) throws InterruptedException {
        GroupPermit permit = executor.tryAcquire(KEY, Duration.ZERO).orElse(null);
        if (permit != null) {
            held.get(thread).add(permit);
        }
        return permit != null;
    }

    /** As {@link AsyncPermits#ask}, but that it knows whether it had to wait. */
    @Operation
    public String acquireAsync(@Param(name = "thread") int thread) {
        Engine engine = EngineAccess.engine(executor);
        Group group = engine.group(KEY);
        PermitFuture node = new PermitFuture(group, "", Long.MAX_VALUE, null, null, null);
        Batch batch = new Batch(engine);
        Group.Verdict verdict = group.tryTakeFast(group.home) != Group.NOT_TAKEN
                ? Group.Verdict.GRANTED
                : group.admit(node, null, Long.MAX_VALUE, batch);
        threads.act(thread, batch::carryOut);
        if (verdict == Group.Verdict.GRANTED) {
            node.handOut(0);
            held.get(thread).add(node.future().join());
        } else if (verdict == Group.Verdict.QUEUED) {
            waiting.get(thread).add(node);
        }
        return verdict.name();
    }

    @Operation
    public void cancelLast(@Param(name = "thread") int thread) {
        PermitFuture last = waiting.get(thread).peekLast();
        if (last != null) {
            threads.act(thread, () -> last.future().cancel(false));
        }
    }

    @Operation
    public void closeEldest(@Param(name = "thread") int thread) {
        GroupPermit permit = held.get(thread).poll();
        if (permit != null) {
            threads.act(thread, permit::close);
        }
    }

    @Operation
    public void closeNewestTwice(@Param(name = "thread") int thread) {
        GroupPermit permit = held.get(thread).pollLast();
        if (permit != null) {
            threads.act(thread, () -> {
                permit.close();
                permit.close();
            });
        }
    }

    @Validate
    public void allEndsAndEveryPermitIsBack() {
        ScenarioEnd.closeAll(threads, held);
        for (Deque<PermitFuture> requests : waiting) {
            for (PermitFuture request : requests) {
                threads.act(0, () -> ScenarioEnd.giveUp(request.future()));
            }
        }
        ScenarioEnd.check(executor, threads, new Submitted());
    }

    @Test
    void everyScheduleGrantsWhatTheModelGrants() {
        Scenarios.modelCheck(CallersLincheckTests.class, Model.class, 0, 2, 4, 0);
    }

    @Test
    void aRequestIsCancelledWhileItIsGranted() {
        Scenarios.modelCheck(
                CallersLincheckTests.class,
                Model.class,
                List.of("acquireAsync 1", "acquireAsync 2"),
                List.of("closeEldest 1", "cancelLast 2"));
    }

    @Test
    void threadsThatRunFreelyAreGrantedWhatTheModelGrants() {
        Scenarios.stress(CallersLincheckTests.class, Model.class, 0, 3, 4, 0);
    }

    /** The same, by one thread. */
    public static final class Model {

        private final Deque<Integer> queue = new ArrayDeque<>();
        private final int[] held = new int[FakeThreads.ACTORS];
        private final int[] last = new int[FakeThreads.ACTORS];
        private int requests;
        private int permits = 1;

        public boolean tryAcquire(int thread) {
            if (permits == 0) {
                return false;
            }
            permits--;
            held[thread]++;
            return true;
        }

        public String acquireAsync(int thread) {
            if (permits > 0) {
                permits--;
                held[thread]++;
                return "GRANTED";
            }
            if (queue.size() == QUEUE) {
                return "REJECTED";
            }
            last[thread] = ++requests;
            queue.add(requests);
            return "QUEUED";
        }

        public void cancelLast(int thread) {
            queue.remove(last[thread]);
        }

        public void closeEldest(int thread) {
            close(thread);
        }

        public void closeNewestTwice(int thread) {
            close(thread);
        }

        private void close(int thread) {
            if (held[thread] > 0) {
                held[thread]--;
                permits += queue.poll() == null ? 1 : 0; // else the first in the queue has it, for good
            }
        }
    }
}
