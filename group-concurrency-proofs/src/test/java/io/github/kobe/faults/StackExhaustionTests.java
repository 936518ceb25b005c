package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A thread recurses to the end of its stack and uses the executor at every depth on its way, so that the stack ends at
 * every point inside the engine. What must hold holds afterwards: the audit fills every group to its limit.
 */
@Tag("E16")
@SuppressWarnings("InfiniteRecursion") // as meant
class StackExhaustionTests {

    private static final int STACK_BYTES = 200 << 10;

    /** Frames of another size each, so that the stack ends elsewhere. */
    private static final int ROUNDS = Depth.pick(2, 6, 6);

    @RegisterExtension
    final Engines engines = new Engines();

    /** What a thread does at each depth; what it gets it keeps, to be waited for and closed on a whole stack. */
    private interface Use {
        void at(GroupExecutor executor, List<Object> kept) throws Exception;
    }

    private record Case(String name, GroupPolicy policy, Use use) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static GroupPolicy wide() {
        return GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1_000).build();
    }

    private static GroupPolicy narrow() {
        return GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build();
    }

    private static GroupPolicy global() {
        return narrow().toBuilder().globalMaxInFlight(3).build();
    }

    static List<GroupPolicy> policies() {
        return List.of(wide(), narrow(), global());
    }

    static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (GroupPolicy policy : policies()) {
            String limits = " with limits " + policy.defaultMaxConcurrencyPerGroup() + "/" + policy.globalMaxInFlight();
            add(cases, "submit" + limits, policy, (executor, kept) -> kept.add(executor.submit("g", "t", () -> 1)));
            add(cases, "submit and cancel" + limits, policy, (executor, kept) -> {
                TaskHandle<Integer> handle = executor.submit("g", "t", () -> 1);
                kept.add(handle);
                handle.cancel(true);
            });
            add(
                    cases,
                    "submitAsync" + limits,
                    policy,
                    (executor, kept) ->
                            kept.add(executor.submitAsync("g", "t", () -> CompletableFuture.completedFuture(1))));
            add(cases, "call" + limits, policy, (executor, kept) -> executor.call("g", () -> 1));
            add(
                    cases,
                    "nested call" + limits,
                    policy,
                    (executor, kept) ->
                            executor.call("g", () -> executor.call("h", () -> executor.call("g", () -> 1))));
            add(cases, "acquire" + limits, policy, (executor, kept) -> {
                try (GroupPermit permit = executor.acquire("g")) {
                    assertThat(permit.groupKey()).isEqualTo("g");
                }
            });
            add(cases, "tryAcquire" + limits, policy, (executor, kept) -> {
                try (GroupPermit permit =
                        executor.tryAcquire("g", Duration.ZERO).orElse(null)) {
                    assertThat(permit == null || permit.groupKey().equals("g")).isTrue();
                }
            });
            add(cases, "acquireAsync" + limits, policy, (executor, kept) -> kept.add(executor.acquireAsync("g")));
            add(
                    cases,
                    "a wait for a task of the own group" + limits,
                    policy,
                    (executor, kept) -> executor.call(
                            "g", () -> executor.submit("g", "t", () -> 1).await()));
            add(
                    cases,
                    "a call for whose permit others wait" + limits,
                    policy,
                    (executor, kept) -> executor.call("g", () -> {
                        kept.add(executor.submit("g", "1", () -> 1));
                        kept.add(executor.submit("g", "2", () -> 1));
                        return 1;
                    }));
            add(cases, "a view" + limits, policy, (executor, kept) -> {
                ExecutorService view = executor.asExecutorService("g");
                view.submit(() -> 1).cancel(true);
            });
            add(cases, "pause and resume" + limits, policy, (executor, kept) -> {
                executor.pause("g");
                kept.add(executor.submit("g", "t", () -> 1));
            });
        }
        return cases;
    }

    private static void add(List<Case> cases, String name, GroupPolicy policy, Use use) {
        cases.add(new Case(name, policy, use));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    @Tag("P10")
    void theEndOfTheStackLeavesNothingLockedOrLost(Case test) throws Exception {
        GroupExecutor executor = engines.startPlain(test.policy);
        List<Object> kept = new ArrayList<>(1 << 20);

        for (int round = 0; round < ROUNDS; round++) {
            int pad = round;
            onShortStack(() -> enter(pad, executor, test.use, kept));
        }

        executor.resume("g");
        kept.forEach(StackExhaustionTests::end);
    }

    @ParameterizedTest(name = "limits {0}")
    @MethodSource("policies")
    @Tag("P10")
    void aRecursionThroughCallsGivesAllBack(GroupPolicy policy) throws Exception {
        GroupExecutor executor = engines.startPlain(policy);

        onShortStack(() -> callDeeper(executor, 0));
    }

    @ParameterizedTest(name = "limits {0}")
    @MethodSource("policies")
    @Tag("P10")
    void aRecursionThroughPermitsGivesAllBack(GroupPolicy policy) throws Exception {
        GroupExecutor executor = engines.startPlain(policy);

        onShortStack(() -> acquireDeeper(executor, 0));
    }

    private static Object callDeeper(GroupExecutor executor, int depth) throws Exception {
        return executor.call(depth % 3 == 0 ? "g" : "h", () -> callDeeper(executor, depth + 1));
    }

    private static Object acquireDeeper(GroupExecutor executor, int depth) throws InterruptedException {
        try (GroupPermit permit = executor.acquire(depth % 3 == 0 ? "g" : "h")) {
            assertThat(permit).isNotNull();
            return acquireDeeper(executor, depth + 1);
        }
    }

    private static void end(Object kept) {
        try {
            Deadline.within(() -> {
                if (kept instanceof TaskHandle<?> handle) {
                    return handle.await();
                }
                ((CompletionStage<?>) kept)
                        .toCompletableFuture()
                        .thenAccept(permit -> ((GroupPermit) permit).close())
                        .join();
                return null;
            });
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void onShortStack(Callable<?> work) throws Exception {
        CompletableFuture<Object> end = new CompletableFuture<>();
        new Thread(
                        null,
                        () -> {
                            try {
                                end.complete(work.call());
                            } catch (StackOverflowError meant) {
                                end.complete(meant);
                            } catch (Throwable failure) {
                                end.completeExceptionally(failure);
                            }
                        },
                        "deep",
                        STACK_BYTES)
                .start();
        Deadline.within(end::get);
    }

    /** Puts the frames below it a few bytes further down with each pad. */
    private static Object enter(int pad, GroupExecutor executor, Use use, List<Object> kept) {
        return pad == 0 ? descend(executor, use, kept) : enter(pad - 1, executor, use, kept);
    }

    private static Object descend(GroupExecutor executor, Use use, List<Object> kept) {
        try {
            use.at(executor, kept);
        } catch (StackOverflowError tooDeep) {
            // one more frame may fit
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        return descend(executor, use, kept);
    }
}
