package io.github.kobe.internal.doors;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.base.Environment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Asynchronous tasks: the permit of concurrency comes back with the callable, that of flight with the stage. */
@Tag("lincheck")
@Tag("deep")
@Param(name = "thread", gen = ThreadIdGen.class)
public class AsyncLincheckTests {

    private static final String KEY = "group";
    private static final int CONCURRENCY = 1;
    private static final int FLIGHT = 1;
    private static final GroupPolicy POLICY = GroupPolicy.builder()
            .defaultMaxConcurrencyPerGroup(CONCURRENCY)
            .defaultMaxInFlightPerGroup(FLIGHT)
            .build();

    private final FakeThreads threads = new FakeThreads();
    private final GroupExecutor executor =
            EngineAccess.newExecutor(POLICY, new Environment(new ManualClock(), threads, false));
    private final Submitted submitted = new Submitted();
    private final List<Deque<CompletableFuture<String>>> open = new ArrayList<>();

    public AsyncLincheckTests() {
        for (int i = 0; i < FakeThreads.ACTORS; i++) {
            open.add(new ArrayDeque<>());
        }
    }

    @Operation
    public String submit(@Param(name = "thread") int thread) {
        String id = submitted.nextId(thread);
        return threads.act(thread, () -> submitted.add(thread, executor.submitAsync(KEY, id, this::openStage)));
    }

    private CompletableFuture<String> openStage() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        open.get(threads.current()).add(stage);
        return stage;
    }

    /** Runs the callable. */
    @Operation
    public String run(@Param(name = "thread") int thread) {
        return threads.run(thread);
    }

    /** Not while another cancels: who is told first that the stage has ended is up to the stage. */
    @Operation(nonParallelGroup = "stages")
    public String complete(@Param(name = "thread") int thread) {
        CompletableFuture<String> stage = nextOpen(thread);
        return stage == null ? "none" : threads.act(thread, () -> stage.complete("done"));
    }

    private CompletableFuture<String> nextOpen(int thread) {
        CompletableFuture<String> stage = open.get(thread).poll();
        while (stage != null && stage.isDone()) {
            stage = open.get(thread).poll();
        }
        return stage;
    }

    @Operation(nonParallelGroup = "stages")
    public String cancel(@Param(name = "thread") int thread) {
        return threads.act(thread, () -> submitted.cancelFirst(thread));
    }

    @Validate
    public void allEndsAndEveryPermitIsBack() {
        boolean any = true;
        while (any) {
            any = false;
            threads.runAll();
            for (int thread = 0; thread < FakeThreads.ACTORS; thread++) {
                any |= !complete(thread).equals("none");
            }
        }
        ScenarioEnd.check(executor, threads, submitted);
    }

    @Test
    void everyScheduleStartsWhatTheModelStarts() {
        Scenarios.modelCheck(AsyncLincheckTests.class, Model.class, 1, 2, 4, 1);
    }

    @Test
    void aStageCompletesWhileItsTaskIsCancelled() {
        Scenarios.modelCheck(
                AsyncLincheckTests.class,
                null,
                List.of("submit 1", "submit 2", "run 1", "complete 1", "run 1"),
                List.of("complete 1", "cancel 2"));
    }

    @Test
    void threadsThatRunFreelyStartWhatTheModelStarts() {
        Scenarios.stress(AsyncLincheckTests.class, Model.class, 1, 3, 4, 1);
    }

    /** The same, by one thread. */
    public static final class Model {

        private final Deque<String> queue = new ArrayDeque<>();
        private final Started started = new Started();
        private final List<Deque<String>> open = new ArrayList<>();
        private final Set<String> openStages = new HashSet<>();
        private final Set<String> cancelled = new HashSet<>();
        private final int[] submissions = new int[FakeThreads.ACTORS];
        private int running;
        private int inFlight;

        public Model() {
            for (int i = 0; i < FakeThreads.ACTORS; i++) {
                open.add(new ArrayDeque<>());
            }
        }

        public String submit(int thread) {
            queue.add(thread + "." + submissions[thread]++);
            return startWhatCan(thread);
        }

        public String run(int thread) {
            String id = started.next(thread);
            if (id == null) {
                return "nothing runs";
            }
            running--;
            if (cancelled.contains(id)) {
                inFlight--;
                return startWhatCan(thread);
            }
            open.get(thread).add(id);
            openStages.add(id);
            return startWhatCan(thread);
        }

        public String complete(int thread) {
            String id = open.get(thread).poll();
            while (id != null && !openStages.contains(id)) {
                id = open.get(thread).poll();
            }
            return id == null ? "none" : close(thread, id);
        }

        public String cancel(int thread) {
            String id = thread + ".0";
            if (submissions[thread] == 0) {
                return "";
            }
            cancelled.add(id);
            queue.remove(id);
            return close(thread, id);
        }

        private String close(int thread, String id) {
            if (!openStages.remove(id)) {
                return "";
            }
            inFlight--;
            return startWhatCan(thread);
        }

        private String startWhatCan(int thread) {
            List<String> events = new ArrayList<>();
            while (!queue.isEmpty() && running < CONCURRENCY && inFlight < FLIGHT) {
                running++;
                inFlight++;
                events.add(started.add(thread, queue.poll()));
            }
            return String.join(" ", events);
        }
    }
}
