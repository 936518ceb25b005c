package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** G50: what one thread wrote to plain memory, another reads. */
@Tag("G50")
class MemoryEffectsTests {

    private static final int ROUNDS = 3_000;

    @RegisterExtension
    final Engines engines = new Engines();

    /** Plain on purpose: only the engine orders what tasks do to it. */
    private int[] plain = new int[64];

    @Test
    void aGroupOfLimitOneOrdersTheMemoryOfItsTasksCallsAndPermits() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        List<Caller<Integer>> callers = new ArrayList<>();
        for (int kind = 0; kind < 4; kind++) {
            int mine = kind;
            callers.add(Caller.start(() -> {
                for (int i = 0; i < ROUNDS; i++) {
                    add(executor, mine);
                }
                return mine;
            }));
        }

        for (Caller<Integer> caller : callers) {
            caller.result();
        }
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        int sum = executor.call("a", () -> plain[0]);
        assertThat(sum).isEqualTo(4 * ROUNDS);
    }

    private void add(GroupExecutor executor, int kind) throws Exception {
        switch (kind) {
            case 0 -> executor.submit("a", "task", this::increment);
            case 1 -> executor.call("a", this::increment);
            case 2 -> {
                GroupPermit permit =
                        executor.tryAcquire("a", Duration.ofHours(1)).orElseThrow();
                increment();
                permit.close();
            }
            default ->
                executor.acquireAsync("a")
                        .thenAccept(permit -> {
                            increment();
                            permit.close();
                        })
                        .toCompletableFuture()
                        .get(Deadline.SECONDS, TimeUnit.SECONDS);
        }
    }

    private Integer increment() {
        return ++plain[0];
    }

    @Test
    void aGlobalLimitOfOneOrdersTheMemoryOfOneGroupToo() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(8)
                .defaultMaxInFlightPerGroup(1)
                .globalMaxInFlight(2)
                .build());
        List<TaskHandle<Integer>> handles = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            handles.add(executor.submit("a", "task-" + i, this::increment));
            executor.submit("b", "other-" + i, () -> "other");
        }

        for (int i = 0; i < ROUNDS; i++) {
            assertThat(handles.get(i).await().value()).isEqualTo(i + 1);
        }
    }

    @Test
    void theSubmitterIsBeforeTheTaskAndTheTaskBeforeWhoAwaitsIt() throws Exception {
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(4).build());
        for (int i = 1; i <= ROUNDS; i++) {
            int round = i;
            int[] box = new int[2];
            box[0] = round;
            TaskHandle<Integer> handle = executor.submit("a", "task", () -> {
                box[1] = box[0] * 2;
                return box[0];
            });
            int seen = switch (round % 4) {
                case 0 -> handle.await().value();
                case 1 -> handle.join().value();
                case 2 -> handle.await(Deadline.SECONDS, TimeUnit.SECONDS).value();
                default ->
                    handle.toCompletableFuture()
                            .get(Deadline.SECONDS, TimeUnit.SECONDS)
                            .value();
            };
            assertThat(seen).isEqualTo(round);
            assertThat(box[1]).isEqualTo(round * 2);
        }
    }

    @Test
    void theTaskIsBeforeItsDependentsAndItsListener() throws Exception {
        ConcurrentMap<String, int[]> boxes = new ConcurrentHashMap<>();
        ConcurrentMap<String, Integer> heard = new ConcurrentHashMap<>();
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(4)
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        heard.put(taskId, boxes.getOrDefault(taskId, new int[1])[0]);
                    }
                })
                .build());
        List<CompletableFuture<Integer>> dependents = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            int round = i;
            int[] box = new int[1];
            boxes.put("task-" + round, box);
            dependents.add(executor.submit("a", "task-" + round, () -> {
                        box[0] = round;
                        return round;
                    })
                    .toCompletableFuture()
                    .thenApply(result -> box[0]));
        }

        for (int i = 0; i < ROUNDS; i++) {
            assertThat(dependents.get(i).get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo(i);
            assertThat(heard).containsEntry("task-" + i, i);
        }
    }

    @Test
    @Tag("E13")
    void lenderAndBorrowerSeeEachOthersMemory() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        for (int i = 0; i < 500; i++) {
            int round = i;
            TaskHandle<Integer> outer = executor.submit("a", "outer", () -> {
                plain[1] = round;
                executor.submit("a", "inner", () -> plain[2] = plain[1] + 1).await();
                return plain[2];
            });
            assertThat(outer.await().value()).isEqualTo(round + 1);
        }
    }

    @Test
    @Tag("E7")
    void theTaskOfAViewIsBeforeItsGet() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        var view = executor.asExecutorService("a");
        for (int i = 0; i < 500; i++) {
            int round = i;
            Future<?> future = view.submit(() -> {
                plain[3] = round;
            });
            future.get(Deadline.SECONDS, TimeUnit.SECONDS);
            assertThat(plain[3]).isEqualTo(round);
        }
    }
}
