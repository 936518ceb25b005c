package io.github.kobe.internal.doors;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.base.Environment;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A group that goes as soon as it is idle, is evicted and shut down, and comes back at once. For the model it is always
 * the same one: two limiters for one key would start more than it does.
 */
@Tag("lincheck")
@Tag("deep")
@Param(name = "thread", gen = ThreadIdGen.class)
public class EvictionLincheckTests {

    private static final String KEY = "group";
    private static final GroupPolicy POLICY = GroupPolicy.builder()
            .defaultMaxConcurrencyPerGroup(1)
            .maxIdleGroups(0)
            .build();

    private final FakeThreads threads = new FakeThreads();
    private final GroupExecutor executor =
            EngineAccess.newExecutor(POLICY, new Environment(new ManualClock(), threads, false));
    private final Submitted submitted = new Submitted();

    @Operation
    public String submit(@Param(name = "thread") int thread) {
        String id = submitted.nextId(thread);
        return threads.act(thread, () -> submitted.add(thread, executor.submit(KEY, id, () -> id)));
    }

    @Operation
    public String run(@Param(name = "thread") int thread) {
        return threads.run(thread);
    }

    @Operation
    public String evict(@Param(name = "thread") int thread) {
        return threads.act(thread, () -> executor.evictGroup(KEY));
    }

    @Operation
    public String shutdownGroup(@Param(name = "thread") int thread) {
        return threads.act(thread, () -> executor.shutdownGroup(KEY));
    }

    @Validate
    public void allEndsAndNoGroupIsLeft() {
        ScenarioEnd.check(executor, threads, submitted);
    }

    @Test
    void everyScheduleStartsWhatTheModelStarts() {
        Scenarios.modelCheck(EvictionLincheckTests.class, Model.class, 1, 2, 3, 1);
    }

    @Test
    void threadsThatRunFreelyStartWhatTheModelStarts() {
        Scenarios.stress(EvictionLincheckTests.class, Model.class, 1, 3, 3, 1);
    }

    /** The same, by one thread. */
    public static final class Model {

        private final Deque<String> queue = new ArrayDeque<>();
        private final Started started = new Started();
        private final int[] submissions = new int[FakeThreads.ACTORS];
        private boolean running;

        public String submit(int thread) {
            queue.add(thread + "." + submissions[thread]++);
            return startWhatCan(thread);
        }

        public String run(int thread) {
            if (started.next(thread) == null) {
                return "nothing runs";
            }
            running = false;
            return startWhatCan(thread);
        }

        public String evict(int thread) {
            return "";
        }

        public String shutdownGroup(int thread) {
            queue.clear();
            return "";
        }

        private String startWhatCan(int thread) {
            if (queue.isEmpty() || running) {
                return "";
            }
            running = true;
            return started.add(thread, queue.poll());
        }
    }
}
