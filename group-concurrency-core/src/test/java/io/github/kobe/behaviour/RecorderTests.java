package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupRecorder;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.RuleStats;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTotals;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("E18")
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of the work is told to recorders
class RecorderTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long NANOS = SECOND.toNanos();

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private final Gate gate = new Gate();
    private final List<Tape> tapes = new ArrayList<>();

    /** What one recorder has heard. */
    private static class Tape implements GroupRecorder {
        private final String madeFor;
        private final List<String> events = new ArrayList<>();

        private Tape(String key, Optional<String> rule) {
            madeFor = key + rule.map(r -> " by " + r).orElse("");
        }

        @Override
        public void started(long queuedNanos) {
            tell("started after " + queuedNanos / NANOS);
        }

        @Override
        public void completed(TaskStatus status, long nanos) {
            tell(status + (nanos < 0 ? "" : " in " + nanos / NANOS));
        }

        @Override
        public void rejected(RejectionReason reason) {
            tell(reason.toString());
        }

        @Override
        public void removed(TaskTotals totals) {
            tell("removed with " + totals.succeeded() + " of " + totals.submitted());
        }

        private synchronized void tell(String event) {
            events.add(event);
        }

        private synchronized List<String> heard() {
            return List.copyOf(events);
        }
    }

    private GroupRecorder tape(String key, Optional<String> rule) {
        synchronized (tapes) {
            tapes.add(new Tape(key, rule));
            return tapes.getLast();
        }
    }

    private GroupPolicy.Builder policy() {
        return GroupPolicy.builder().recorderFactory(this::tape);
    }

    /** What all recorders were made for. */
    private List<String> made() {
        synchronized (tapes) {
            return tapes.stream().map(tape -> tape.madeFor).toList();
        }
    }

    /** What the recorder heard that was made as the n-th, from 0. */
    private List<String> heard(int n) {
        synchronized (tapes) {
            return tapes.get(n).heard();
        }
    }

    private List<String> heard() {
        assertThat(made()).hasSize(1);
        return heard(0);
    }

    private void awaitHeard(String... events) {
        Deadline.untilAsserted(() -> assertThat(heard()).containsExactlyInAnyOrder(events));
    }

    private static <T> Callable<T> failing() {
        return () -> {
            throw new IllegalStateException("no");
        };
    }

    private Callable<String> taking(Duration time) {
        return () -> {
            clock.advance(time);
            return "done";
        };
    }

    private static TaskTotals totals(GroupExecutor executor) {
        return executor.groupStats("a").orElseThrow().totals();
    }

    private static void awaitQueued(GroupExecutor executor, int count) {
        Deadline.until("they wait", () -> executor.stats().queued() == count);
    }

    // ---------------------------------------------------------------- one event for each piece of work

    @Test
    void aTaskIsToldByItsOutcomeAndItsTime() throws Exception {
        GroupExecutor executor = engines.start(policy().build(), clock);

        executor.submit("a", "1", taking(SECOND)).await();
        executor.submit("a", "2", failing()).await();
        executor.submit("a", "3", () -> {
                    throw new InterruptedException();
                })
                .await();

        assertThat(heard()).containsExactly("SUCCESS in 1", "FAILED in 0", "CANCELLED in 0");
    }

    @Test
    void whatWaitedIsToldWhenItStarts() throws Exception {
        GroupExecutor executor = engines.start(policy().build(), clock);
        TaskHandle<String> holder = executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        TaskHandle<String> second = executor.submit("a", "second", () -> {
            assertThat(heard()).contains("started after 2");
            return "done";
        });
        clock.advance(SECOND.multipliedBy(2));

        gate.open();

        assertThat(second.await().value()).isEqualTo("done");
        holder.await(); // its end is told once the second has been started
        assertThat(heard()).containsExactlyInAnyOrder("SUCCESS in 2", "started after 2", "SUCCESS in 0");
    }

    @Test
    void callsAndPermitsOfAllKindsAreToldWithTheirTimes() throws Exception {
        for (boolean listened : new boolean[] {false, true}) {
            tapes.clear();
            GroupPolicy.Builder policy = policy();
            if (listened) {
                policy.taskLifecycleListener(new TaskLifecycleListener() {});
            }
            GroupExecutor executor = engines.startPlain(policy.build(), clock.environment());
            executor.call("a", taking(SECOND));
            executor.call("a", taking(SECOND));
            assertThatIllegalStateException().isThrownBy(() -> executor.call("a", failing()));
            for (GroupPermit permit : List.of(
                    executor.acquire("a"),
                    executor.acquire("b"),
                    executor.acquireAsync("c").toCompletableFuture().get())) {
                clock.advance(SECOND);
                permit.close();
                permit.close();
            }
            executor.call("d", () -> {
                executor.call("e", taking(SECOND.multipliedBy(3)));
                return executor.call("d", () -> executor.call("f", taking(SECOND)));
            });

            assertThat(made()).containsExactly("a", "b", "c", "d", "e", "f");
            assertThat(heard(0)).containsExactly("SUCCESS in 1", "SUCCESS in 1", "FAILED in 0", "SUCCESS in 1");
            assertThat(heard(1)).containsExactly("SUCCESS in 2");
            assertThat(heard(2)).containsExactly("SUCCESS in 3");
            assertThat(heard(3)).containsExactly("SUCCESS in 4");
            assertThat(heard(4)).containsExactly("SUCCESS in 3");
            assertThat(heard(5)).containsExactly("SUCCESS in 1");
        }
    }

    @Test
    void callersThatWaitAreToldInsideTheGroup() throws Exception {
        GroupExecutor executor = engines.startPlain(policy().build(), clock.environment());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        List<Caller<?>> callers = new ArrayList<>();
        callers.add(Caller.start(() -> executor.call("a", () -> "done")));
        awaitQueued(executor, 1);
        callers.add(Caller.start(() -> executor.call("a", () -> "done")));
        awaitQueued(executor, 2);
        callers.add(Caller.start(() -> {
            executor.acquire("a").close();
            return null;
        }));
        awaitQueued(executor, 3);
        CompletableFuture<GroupPermit> asked = executor.acquireAsync("a").toCompletableFuture();
        clock.advance(SECOND);

        gate.open();
        for (Caller<?> caller : callers) {
            caller.result();
        }
        asked.get().close();

        Deadline.untilAsserted(() -> assertThat(heard())
                .containsExactlyInAnyOrder(
                        "SUCCESS in 1",
                        "started after 1",
                        "SUCCESS in 0",
                        "started after 1",
                        "SUCCESS in 0",
                        "started after 1",
                        "SUCCESS in 0",
                        "started after 1",
                        "SUCCESS in 0"));
    }

    @Test
    void asynchronousWorkIsTimedUntilItsStageCompletes() {
        GroupExecutor executor = engines.start(policy().build(), clock);
        CompletableFuture<String> stage = new CompletableFuture<>();
        TaskHandle<String> handle = executor.submitAsync("a", "1", () -> stage);
        Deadline.until("its code has ended", () -> executor.stats().running() == 0);
        clock.advance(SECOND);
        assertThat(heard()).isEmpty();

        stage.complete("done");

        assertThat(handle.join().value()).isEqualTo("done");
        assertThat(heard()).containsExactly("SUCCESS in 1");
    }

    @Test
    void whatIsNotLetInIsToldOnceByItsReason() throws Exception {
        GroupExecutor executor = engines.startPlain(
                policy().defaultQueueThresholdPerGroup(1)
                        .globalQueueThreshold(1)
                        .build(),
                clock.environment());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        executor.submit(new GroupTask<>("a", "no time", failing()).withQueueTimeout(Duration.ZERO));
        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> executor.call("a", Duration.ZERO, failing()));
        executor.submit("a", "waits", () -> "done");
        executor.submit("a", "full", failing());
        assertThatExceptionOfType(RejectedTaskException.class).isThrownBy(() -> executor.call("a", failing()));
        executor.acquireAsync("a");
        gate.open();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();

        awaitHeard(
                "QUEUE_TIMEOUT",
                "QUEUE_TIMEOUT",
                "QUEUE_TIMEOUT",
                "GROUP_QUEUE_FULL",
                "GROUP_QUEUE_FULL",
                "GROUP_QUEUE_FULL",
                "SUCCESS in 0",
                "started after 0",
                "SUCCESS in 0");
        assertThat(totals(executor).rejected()).isEqualTo(6);
    }

    @Test
    void waitsWhoseTimeIsUpAreToldByTheirReason() throws Exception {
        GroupExecutor executor =
                engines.startPlain(policy().queueTimeout(SECOND).build(), clock.environment());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        TaskHandle<String> late = executor.submit("a", "late", () -> "no");
        CompletableFuture<GroupPermit> asked = executor.acquireAsync("a").toCompletableFuture();
        Caller<String> caller = Caller.start(() -> executor.call("a", () -> "no"));
        awaitQueued(executor, 3);

        clock.advance(SECOND, executor);

        assertThatExceptionOfType(RejectedTaskException.class).isThrownBy(caller::result);
        assertThatExceptionOfType(RejectedTaskException.class).isThrownBy(late::await);
        assertThatExceptionOfType(ExecutionException.class).isThrownBy(asked::get);
        awaitHeard("QUEUE_TIMEOUT", "QUEUE_TIMEOUT", "QUEUE_TIMEOUT");
        gate.open();
    }

    @Test
    void whatTheCallerRunsIsToldAsRejectedOnly() {
        GroupExecutor executor = engines.start(policy().defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
                .build());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);

        assertThat(executor.submit("a", "1", () -> "ran").join().value()).isEqualTo("ran");

        assertThat(heard()).containsExactly("GROUP_QUEUE_FULL");
        gate.open();
    }

    @Test
    void whatIsCancelledBeforeItRanHasNoTime() throws Exception {
        GroupExecutor executor = engines.startPlain(policy().build(), clock.environment());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        executor.submit("a", "cancelled", () -> "no").cancel(true);
        executor.acquireAsync("a").toCompletableFuture().cancel(true);
        Caller<String> caller = Caller.start(() -> executor.call("a", () -> "no"));
        awaitQueued(executor, 1);
        caller.interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(caller::result);

        assertThat(heard()).containsExactly("CANCELLED", "CANCELLED", "CANCELLED");
        gate.open();
    }

    @Test
    void whatIsCancelledWhileItRunsIsToldWhenItsCodeHasEnded() {
        GroupExecutor executor = engines.start(policy().build(), clock);
        TaskHandle<String> handle = executor.submit("a", "1", gate.stubbornlyThen("done"));
        gate.awaitArrived(1);
        handle.cancel(true);
        clock.advance(SECOND);
        assertThat(heard()).isEmpty();

        gate.open();

        awaitHeard("CANCELLED in 1");
    }

    @Test
    void whatAShutdownEndsIsTold() throws Exception {
        GroupExecutor executor = engines.startPlain(policy().build(), clock.environment());
        executor.submit("a", "holder", gate.stubbornlyThen("held"));
        gate.awaitArrived(1);
        executor.submit("a", "waits", () -> "no");
        executor.submit("a", "waits too", () -> "no");
        executor.acquireAsync("a");

        executor.shutdown();
        gate.open();
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();

        Deadline.untilAsserted(() ->
                assertThat(heard()).containsExactlyInAnyOrder("CANCELLED", "CANCELLED", "SHUTDOWN", "SUCCESS in 0"));
    }

    @Test
    void aDecoratorThatFailsIsAFailureWithoutTime() {
        AtomicBoolean healed = new AtomicBoolean();
        GroupExecutor executor = engines.startPlain(policy().taskDecorator((groupKey, task) -> {
                    if (healed.get()) {
                        return task;
                    }
                    throw new IllegalStateException("no");
                })
                .build());

        executor.submit("a", "1", () -> "no").join();

        assertThat(heard()).containsExactly("FAILED");
        healed.set(true); // the audit submits too
    }

    @Test
    void batchesAndViewsAreTold() throws Exception {
        GroupExecutor executor = engines.start(policy().build(), clock);

        executor.executeAll(List.of(new GroupTask<>("a", "1", () -> "done"), new GroupTask<>("a", "2", failing())));
        try (ExecutorService view = executor.asExecutorService("a")) {
            view.submit(() -> "done").get();
            view.execute(() -> {});
        }

        Deadline.untilAsserted(() -> assertThat(heard())
                .filteredOn(event -> !event.startsWith("started"))
                .containsExactlyInAnyOrder("SUCCESS in 0", "FAILED in 0", "SUCCESS in 0", "SUCCESS in 0"));
        assertThat(totals(executor).submitted()).isEqualTo(4);
    }

    @Test
    void atTheEndTheRecorderHearsAfterThePermitsAreBackAndBeforeTheListener() throws Exception {
        List<String> order = new ArrayList<>();
        GroupExecutor[] executor = new GroupExecutor[1];
        executor[0] = engines.startPlain(GroupPolicy.builder()
                .recorderFactory((key, rule) -> new GroupRecorder() {
                    @Override
                    public void completed(TaskStatus status, long nanos) {
                        order.add("recorder, in flight " + executor[0].stats().inFlight());
                    }
                })
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        order.add("listener");
                    }
                })
                .build());

        executor[0].submit("a", "1", () -> "done").await();

        assertThat(order).containsExactly("recorder, in flight 0", "listener");
    }

    // ---------------------------------------------------------------- what it costs

    @Test
    void oneThatWantsNoTimesHasTheClockReadForNothing() throws Exception {
        AtomicLong readings = new AtomicLong();
        LongSupplier counted = () -> {
            readings.incrementAndGet();
            return clock.getAsLong();
        };
        List<Long> times = new ArrayList<>();
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder()
                        .recorderFactory((key, rule) -> new GroupRecorder() {
                            @Override
                            public boolean wantsTimes() {
                                return false;
                            }

                            @Override
                            public void completed(TaskStatus status, long nanos) {
                                times.add(nanos);
                            }
                        })
                        .build(),
                new EngineAccess.Surroundings(counted, EngineAccess.TaskThreads.VIRTUAL, false));
        executor.call("a", () -> "first");
        executor.call("a", () -> "second");
        long before = readings.get();

        executor.call("a", () -> "done");
        executor.acquire("a").close();

        assertThat(readings).hasValue(before);
        assertThat(times).containsExactly(-1L, -1L, -1L, -1L);
    }

    @Test
    void oneThatWantsNoWaitsIsNotToldThem() {
        AtomicInteger started = new AtomicInteger();
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .recorderFactory((key, rule) -> new GroupRecorder() {
                    @Override
                    public boolean wantsWaits() {
                        return false;
                    }

                    @Override
                    public void started(long queuedNanos) {
                        started.incrementAndGet();
                    }
                })
                .build());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        TaskHandle<String> second = executor.submit("a", "second", () -> "done");
        gate.open();

        assertThat(second.join().value()).isEqualTo("done");
        assertThat(started).hasValue(0);
    }

    // ---------------------------------------------------------------- its life

    @Test
    void itIsMadeOnceForEachGroupWithTheRuleThatMatched() throws Exception {
        GroupExecutor executor = engines.start(policy().group("exact", GroupLimits.unset())
                .pattern("vip:*", GroupLimits.unset())
                .build());

        for (String key : List.of("exact", "vip:1", "other", "exact", "vip:1", "other")) {
            executor.call(key, () -> "done");
        }

        assertThat(made()).containsExactly("exact by exact", "vip:1 by vip:*", "other");
    }

    @Test
    void lookingAtAGroupMakesNone() {
        GroupExecutor executor =
                engines.start(policy().group("exact", GroupLimits.unset()).build());

        executor.groupStats("exact");
        executor.ruleStats();

        assertThat(made()).isEmpty();
    }

    @Test
    void aGroupThatFallsUnderAnotherRuleGetsAnotherOne() throws Exception {
        GroupExecutor executor =
                engines.startPlain(policy().pattern("a*", GroupLimits.unset()).build());
        executor.call("a", () -> "done");
        executor.setLimits("a", GroupLimits.unset().withMaxConcurrency(3));
        executor.call("a", () -> "done");

        executor.updatePolicy(executor.policy().toBuilder().queueTimeout(SECOND).build());
        executor.call("a", () -> "done");
        assertThat(made()).containsExactly("a by a*");
        executor.updatePolicy(
                executor.policy().toBuilder().group("a", GroupLimits.unset()).build());
        executor.call("a", () -> "done");

        assertThat(made()).containsExactly("a by a*", "a by a");
        assertThat(heard(0)).hasSize(4).last().isEqualTo("removed with 3 of 3");
        assertThat(heard(1)).hasSize(1);
        assertThat(totals(executor).succeeded()).isEqualTo(4);
    }

    @Test
    void anotherFactoryMakesNewOnesAndNoneIsWithout() throws Exception {
        GroupExecutor executor = engines.startPlain(policy().build());
        executor.call("a", () -> "done");

        executor.updatePolicy(policy().build());
        executor.call("a", () -> "done");
        executor.updatePolicy(GroupPolicy.builder().build());
        executor.call("a", () -> "done");

        assertThat(made()).containsExactly("a", "a");
        assertThat(heard(0)).hasSize(2).last().isEqualTo("removed with 1 of 1");
        assertThat(heard(1)).hasSize(2).last().isEqualTo("removed with 1 of 1");
        assertThat(totals(executor).succeeded()).isEqualTo(3);
    }

    @Test
    void whatBeganBeforeItsGroupHadARecorderHasNoTime() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        GroupPermit permit = executor.acquire("a");
        executor.updatePolicy(policy().build());

        permit.close();

        assertThat(heard()).containsExactly("SUCCESS");
    }

    @Test
    void anEvictedGroupThatIsIdleHasItRemoved() throws Exception {
        GroupExecutor executor = engines.start(policy().build());
        executor.call("a", () -> "done");

        executor.evictGroup("a");
        assertThat(heard()).last().isEqualTo("removed with 1 of 1");
        executor.call("a", () -> "done");

        assertThat(made()).containsExactly("a", "a");
        assertThat(heard(0)).hasSize(2);
        assertThat(heard(1)).hasSize(1);
    }

    @Test
    void whatRunsWhenItsGroupIsEvictedIsToldToTheNextOne() {
        GroupExecutor executor = engines.startPlain(policy().build());
        executor.submit("a", "1", () -> "done").join();
        TaskHandle<String> running = executor.submit("a", "2", gate.then("done"));
        gate.awaitArrived(1);

        executor.evictGroup("a");
        assertThat(totals(executor).succeeded()).isZero();
        gate.open();
        running.join();

        assertThat(made()).containsExactly("a", "a");
        assertThat(heard(0)).hasSize(2).last().isEqualTo("removed with 1 of 1");
        assertThat(heard(1)).hasSize(1);
        assertThat(totals(executor).succeeded()).isEqualTo(1);
    }

    @Test
    void aGroupThatIsForgottenAsIdleHasItRemoved() throws Exception {
        GroupExecutor executor = engines.start(policy().idleTimeout(SECOND).build(), clock);
        executor.call("a", () -> "done");

        clock.advance(SECOND.multipliedBy(2), executor);
        clock.advance(SECOND.multipliedBy(2), executor);

        Deadline.untilAsserted(() -> assertThat(heard()).hasSize(2).last().isEqualTo("removed with 1 of 1"));
        assertThat(executor.groupKeys()).isEmpty();
    }

    /** The idle list looks at the clock for each group that it gets, so that tells how deep the engine is. */
    @Test
    @Tag("E10")
    @Tag("E16")
    void groupsThatANewPolicyKeepsNoLongerHaveItRemovedThoughNobodyListensNow() throws Exception {
        AtomicInteger deepest = new AtomicInteger();
        LongSupplier clockThatCounts = () -> {
            long frames = StackWalker.getInstance()
                    .walk(stack -> stack.filter(frame -> frame.getMethodName().equals("carryOut"))
                            .count());
            deepest.accumulateAndGet((int) frames, Math::max);
            return clock.getAsLong();
        };
        GroupExecutor executor = engines.startPlain(
                policy().group("a", GroupLimits.unset()).maxIdleGroups(0).build(),
                new Surroundings(clockThatCounts, TaskThreads.VIRTUAL, false));
        executor.call("a", () -> "done");

        Deadline.within(() -> {
            executor.updatePolicy(GroupPolicy.builder().maxIdleGroups(0).build());
            return executor.call("b", () -> "done");
        });

        assertThat(deepest.get()).isBetween(1, 2);
        assertThat(executor.groupKeys()).isEmpty();
        awaitHeard("SUCCESS in 0", "removed with 1 of 1");
    }

    @Test
    void ofTwoThatAreMadeAtOnceTheOneThatLosesIsRemoved() throws Exception {
        Gate both = new Gate();
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .recorderFactory((key, rule) -> {
                    GroupRecorder made = tape(key, rule);
                    if (key.equals("a")) {
                        both.passStubbornly();
                    }
                    return made;
                })
                .build());
        List<Caller<String>> callers = Stream.of("1", "2")
                .map(name -> Caller.start(() -> executor.call("a", () -> name)))
                .toList();
        both.awaitArrived(2);
        both.open();
        for (Caller<String> caller : callers) {
            caller.result();
        }

        assertThat(made()).containsExactly("a", "a");
        assertThat(List.of(heard(0).size(), heard(1).size())).contains(1);
        assertThat(Stream.of(heard(0), heard(1)))
                .anySatisfy(events -> assertThat(events).containsExactly("removed with 0 of 0"));
    }

    // ---------------------------------------------------------------- user code

    @Test
    void whatItThrowsChangesNothingAndIsLoggedOnceForEachMethod() throws Exception {
        GroupRecorder broken = new GroupRecorder() {
            @Override
            public void started(long queuedNanos) {
                throw new AssertionError("started");
            }

            @Override
            public void completed(TaskStatus status, long nanos) {
                throw new AssertionError("completed");
            }

            @Override
            public void rejected(RejectionReason reason) {
                throw new AssertionError("rejected");
            }

            @Override
            public void removed(TaskTotals totals) {
                throw new AssertionError("removed");
            }
        };
        try (CapturedLog log = CapturedLog.open()) {
            GroupExecutor executor = engines.start(GroupPolicy.builder()
                    .defaultQueueThresholdPerGroup(1)
                    .recorderFactory((key, rule) -> broken)
                    .build());
            for (int round = 0; round < 2; round++) {
                Gate held = new Gate();
                executor.submit("a", "holder", held.then("held"));
                held.awaitArrived(1);
                TaskHandle<String> second = executor.submit("a", "second", () -> "done");
                executor.submit("a", "third", () -> "no");
                held.open();
                assertThat(second.await().value()).isEqualTo("done");
                assertThat(executor.call("a", () -> "done")).isEqualTo("done");
                executor.evictGroup("a");
            }

            assertThat(log.warnings())
                    .hasSize(4)
                    .allSatisfy(text -> assertThat(text).contains("recorder's ", "'a'"));
        }
    }

    @Test
    void aFactoryThatThrowsLeavesTheGroupWithoutRecorderAndIsLoggedOnce() throws Exception {
        try (CapturedLog log = CapturedLog.open()) {
            GroupExecutor executor = engines.start(GroupPolicy.builder()
                    .recorderFactory((key, rule) -> {
                        throw new AssertionError("no");
                    })
                    .build());

            executor.call("a", () -> "done");
            executor.call("b", () -> "done");

            assertThat(log.warnings()).singleElement().asString().contains("recorder's factory", "'a'");
        }
    }

    @Test
    void aFactoryMayGiveNone() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .recorderFactory((key, rule) -> key.equals("a") ? tape(key, rule) : null)
                .build());

        executor.call("a", () -> "done");
        executor.call("b", () -> "done");

        assertThat(heard()).hasSize(1);
    }

    @Test
    void itMayUseTheExecutorAlsoItsOwnGroup() throws Exception {
        GroupExecutor[] executor = new GroupExecutor[1];
        AtomicInteger inside = new AtomicInteger();
        AtomicBoolean done = new AtomicBoolean();
        executor[0] = engines.startPlain(GroupPolicy.builder()
                .recorderFactory((key, rule) -> new GroupRecorder() {
                    @Override
                    public void started(long queuedNanos) {
                        if (!done.get()) {
                            use(key); // re-entry
                        }
                    }

                    @Override
                    public void completed(TaskStatus status, long nanos) {
                        if (!key.equals("other") && !done.get()) {
                            use("other");
                        }
                    }

                    private void use(String used) {
                        try {
                            executor[0].call(used, inside::incrementAndGet);
                        } catch (Exception e) {
                            throw new AssertionError(e);
                        }
                    }
                })
                .build());
        executor[0].submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        Caller<String> caller = Caller.start(() -> executor[0].call("a", () -> "done"));
        awaitQueued(executor[0], 1);

        gate.open();

        assertThat(caller.result()).isEqualTo("done");
        Deadline.until("all are back", () -> inside.get() == 3);
        done.set(true); // the audit holds permits of both, by which no thread is inside
        assertThat(totals(executor[0]).submitted()).isEqualTo(2);
    }

    @Test
    @Tag("G48")
    void oneThatBlocksAtATimeOutKeepsNoHandleWaiting() {
        Gate blocked = new Gate();
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder()
                        .queueTimeout(SECOND)
                        .recorderFactory((key, rule) -> new GroupRecorder() {
                            @Override
                            public void rejected(RejectionReason reason) {
                                blocked.passStubbornly();
                            }
                        })
                        .build(),
                clock.environment());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        List<TaskHandle<String>> late = Stream.of("1", "2", "3")
                .map(id -> executor.submit("a", id, () -> "no"))
                .toList();

        clock.advance(SECOND, executor);

        Deadline.until("all are done", () -> late.stream().allMatch(TaskHandle::isDone));
        blocked.awaitArrived(3);
        blocked.open();
        gate.open();
    }

    // ---------------------------------------------------------------- totals by rule

    @Test
    void theRulesOfThePolicyAreShownInTheirOrderAndNoneLast() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder()
                        .group("b", GroupLimits.unset())
                        .group("a", GroupLimits.unset())
                        .pattern("a:*", GroupLimits.unset().withMaxConcurrency(2))
                        .build(),
                clock);
        for (String key : List.of("a:1", "a:2", "other")) {
            executor.call(key, () -> "done");
        }
        executor.submit("a:1", "1", gate.then("held"));
        executor.submit("a:1", "2", gate.then("held"));
        gate.awaitArrived(2);
        executor.submit("a:1", "3", () -> "done");
        clock.advance(SECOND);

        assertThat(executor.ruleStats())
                .extracting(rule -> rule.rule().orElse("none"), rule -> rule.groups())
                .containsExactly(tuple("b", 0), tuple("a", 0), tuple("a:*", 2), tuple("none", 1));
        assertThat(executor.ruleStats().get(2)).satisfies(rule -> {
            assertThat(rule.running()).isEqualTo(2);
            assertThat(rule.inFlight()).isEqualTo(2);
            assertThat(rule.queued()).isEqualTo(1);
            assertThat(rule.oldestWait()).isEqualTo(SECOND);
            assertThat(rule.totals().submitted()).isEqualTo(5);
            assertThat(rule.totals().succeeded()).isEqualTo(2);
        });
        gate.open();
    }

    @Test
    void aRuleShowsTheGroupThatIsClosestToItsLimits() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .pattern("a:*", GroupLimits.unset().withMaxConcurrency(4).withQueueThreshold(8))
                .pattern("b:*", GroupLimits.unset().withMaxConcurrency(Integer.MAX_VALUE))
                .pattern("c:*", GroupLimits.unset().withMaxConcurrency(9).withMaxInFlight(2))
                .pattern("d:*", GroupLimits.unset().withQueueThreshold(0))
                .build());
        for (int call = 1; call <= 3; call++) {
            executor.submit("a:1", "held " + call, gate.then("held"));
        }
        executor.submit("a:2", "held", gate.then("held"));
        executor.submit("b:1", "held", gate.then("held"));
        executor.submit("c:1", "held", gate.then("held"));
        gate.awaitArrived(6);
        executor.pause("a:3");
        executor.pause("d:1");
        executor.submit("a:3", "waits", gate.then("held"));
        executor.submit("a:3", "waits, too", gate.then("held"));

        assertThat(executor.ruleStats())
                .extracting(
                        rule -> rule.rule().orElse("none"),
                        RuleStats::waitingGroups,
                        RuleStats::pausedGroups,
                        RuleStats::saturation,
                        RuleStats::queueFill)
                .containsExactly(
                        tuple("a:*", 1, 1, 0.75, 0.25),
                        tuple("b:*", 0, 0, 0.0, 0.0),
                        tuple("c:*", 0, 0, 0.5, 0.0),
                        tuple("d:*", 0, 1, 0.0, 0.0),
                        tuple("none", 0, 0, 0.0, 0.0));
        executor.setLimits("a:1", GroupLimits.unset().withMaxConcurrency(2));
        assertThat(executor.ruleStats().getFirst().saturation()).isEqualTo(1.5);
        executor.resume("a:3");
        gate.open();
    }

    private static long succeeded(GroupExecutor executor, String rule) {
        return executor.ruleStats().stream()
                .filter(stats -> stats.rule().orElse("none").equals(rule))
                .mapToLong(stats -> stats.totals().succeeded())
                .sum();
    }

    @Test
    void whatAGroupHasCountedStaysWithItsRuleWhenItGoes() throws Exception {
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder().pattern("a*", GroupLimits.unset()).build());
        executor.call("a", () -> "done");
        executor.call("other", () -> "done");

        executor.evictGroup("a");
        assertThat(succeeded(executor, "a*")).isEqualTo(1);
        executor.call("a", () -> "done");
        GroupPermit permit = executor.acquire("a");
        executor.evictGroup("a");
        permit.close();
        assertThat(succeeded(executor, "a*")).isEqualTo(3);
        assertThat(totals(executor).succeeded()).isEqualTo(1);

        executor.updatePolicy(executor.policy().toBuilder()
                .pattern("other*", GroupLimits.unset())
                .group("a", GroupLimits.unset())
                .build());
        executor.call("a", () -> "done");
        executor.call("other", () -> "done");

        assertThat(succeeded(executor, "a*")).isEqualTo(3);
        assertThat(succeeded(executor, "a")).isEqualTo(1);
        assertThat(succeeded(executor, "other*")).isEqualTo(1);
        assertThat(succeeded(executor, "none")).isEqualTo(1);
        assertThat(totals(executor).succeeded()).isEqualTo(2);
        assertThat(executor.groupStats("other")
                        .map(GroupStats::totals)
                        .orElseThrow()
                        .succeeded())
                .isEqualTo(2);
        assertThat(executor.stats().totals().succeeded()).isEqualTo(6);
    }

    @Test
    void aRuleThatAPolicyDropsIsForgottenAndTheTotalsOfAllStay() throws Exception {
        GroupPolicy with =
                GroupPolicy.builder().pattern("a*", GroupLimits.unset()).build();
        GroupExecutor executor = engines.startPlain(with);
        executor.call("a", () -> "done");

        executor.updatePolicy(GroupPolicy.builder().build());
        assertThat(executor.ruleStats()).hasSize(1);
        executor.updatePolicy(with);

        assertThat(succeeded(executor, "a*")).isZero();
        assertThat(executor.stats().totals().succeeded()).isEqualTo(1);
        executor.call("a", () -> "done");
        assertThat(succeeded(executor, "a*")).isEqualTo(1);
        assertThat(totals(executor).succeeded()).isEqualTo(2);
    }

    @Test
    void theTotalsOfARuleNeverRunBackwardsWhileGroupsComeAndGo() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .pattern("a*", GroupLimits.unset())
                .maxIdleGroups(2)
                .build());
        int calls = 3_000;
        List<Caller<Integer>> callers = Stream.of("x", "y")
                .map(name -> Caller.startPlatform(() -> {
                    for (int i = 0; i < calls; i++) {
                        String key = "a" + name + i % 7;
                        executor.call(key, () -> key);
                        if (i % 5 == 0) {
                            executor.evictGroup(key);
                        }
                    }
                    return calls;
                }))
                .toList();
        TaskTotals before = executor.ruleStats().getFirst().totals();
        while (!callers.stream().allMatch(Caller::isDone)) {
            TaskTotals now = executor.ruleStats().getFirst().totals();
            assertThat(now.succeeded()).isGreaterThanOrEqualTo(before.succeeded());
            assertThat(now.submitted()).isGreaterThanOrEqualTo(before.submitted());
            before = now;
        }
        for (Caller<Integer> caller : callers) {
            caller.result();
        }

        assertThat(succeeded(executor, "a*")).isEqualTo(2L * calls);
    }
}
