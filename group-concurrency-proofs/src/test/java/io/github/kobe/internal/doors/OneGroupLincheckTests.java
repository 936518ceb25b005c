package io.github.kobe.internal.doors;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.base.Environment;
import java.time.Duration;
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

/** Tasks of one group: what starts when, while they are cancelled, time out, and the group is paused and resized. */
@Tag("lincheck")
@Tag("deep")
@Param(name = "thread", gen = ThreadIdGen.class)
@Param(name = "limit", gen = IntGen.class, conf = "1:3")
public class OneGroupLincheckTests {

    private static final String KEY = "group";
    private static final int QUEUE = 2;
    private static final GroupPolicy POLICY = GroupPolicy.builder()
            .defaultMaxConcurrencyPerGroup(1)
            .defaultQueueThresholdPerGroup(QUEUE)
            .queueTimeout(Duration.ofSeconds(10))
            .build();

    private final ManualClock clock = new ManualClock();
    private final FakeThreads threads = new FakeThreads();
    private final GroupExecutor executor = EngineAccess.newExecutor(POLICY, new Environment(clock, threads, false));
    private final Submitted submitted = new Submitted();

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
    public String pause(@Param(name = "thread") int thread) {
        return threads.act(thread, () -> executor.pause(KEY));
    }

    @Operation
    public String resume(@Param(name = "thread") int thread) {
        return threads.act(thread, () -> executor.resume(KEY));
    }

    @Operation
    public String resize(@Param(name = "thread") int thread, @Param(name = "limit") int limit) {
        return threads.act(
                thread, () -> executor.setLimits(KEY, GroupLimits.unset().withMaxConcurrency(limit)));
    }

    @Operation
    public void passTime(@Param(name = "thread") int thread) {
        clock.advance(Duration.ofSeconds(10));
    }

    @Operation
    public String timeOut(@Param(name = "thread") int thread) {
        return threads.act(thread, EngineAccess.engine(executor).housekeeper::runDue);
    }

    @Validate
    public void allEndsAndEveryPermitIsBack() {
        resume(0);
        ScenarioEnd.check(executor, threads, submitted);
    }

    @Test
    void everyScheduleStartsWhatTheModelStarts() {
        Scenarios.modelCheck(OneGroupLincheckTests.class, Model.class, 0, 2, 4, 0);
    }

    @Test
    void aTaskIsCancelledWhileItIsGranted() {
        Scenarios.modelCheck(
                OneGroupLincheckTests.class,
                Model.class,
                List.of("submit 1", "submit 2"),
                List.of("run 1", "cancel 2"));
    }

    @Test
    void threadsThatRunFreelyStartWhatTheModelStarts() {
        Scenarios.stress(OneGroupLincheckTests.class, Model.class, 0, 3, 4, 0);
    }

    /** The same, by one thread. */
    public static final class Model {

        private record Waiting(String id, int since) {}

        private final Deque<Waiting> queue = new ArrayDeque<>();
        private final Started started = new Started();
        private final int[] submissions = new int[FakeThreads.ACTORS];
        private int limit = 1;
        private int running;
        private boolean paused;
        private int now;

        public String submit(int thread) {
            String id = thread + "." + submissions[thread]++;
            boolean startsAtOnce = queue.isEmpty() && running < limit && !paused;
            if (!startsAtOnce && queue.size() == QUEUE) {
                return "rejected";
            }
            queue.add(new Waiting(id, now));
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
            queue.removeIf(task -> task.id.equals(thread + "." + (submissions[thread] - 1)));
            return "";
        }

        public String pause(int thread) {
            paused = true;
            return "";
        }

        public String resume(int thread) {
            paused = false;
            return startAllThatCan(thread);
        }

        public String resize(int thread, int newLimit) {
            limit = newLimit;
            return startAllThatCan(thread);
        }

        public void passTime(int thread) {
            now++;
        }

        public String timeOut(int thread) {
            queue.removeIf(task -> task.since < now);
            return "";
        }

        private String startAllThatCan(int thread) {
            List<String> events = new ArrayList<>();
            while (!queue.isEmpty() && running < limit && !paused) {
                Waiting first = queue.poll();
                if (first.since == now) {
                    running++;
                    events.add(started.add(thread, first.id));
                }
            }
            return String.join(" ", events);
        }
    }
}
