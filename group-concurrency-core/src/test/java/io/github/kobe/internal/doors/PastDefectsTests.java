package io.github.kobe.internal.doors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupRecorder;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupTask;
import io.github.kobe.GroupWaiter;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTotals;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.base.Rounds;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Charge;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Ledger;
import io.github.kobe.internal.permits.Lent;
import io.github.kobe.internal.permits.Piece;
import io.github.kobe.internal.permits.Request;
import io.github.kobe.internal.work.Outcome;
import io.github.kobe.internal.work.Task;
import io.github.kobe.internal.work.TaskCompletion;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the engine once did wrong, and no rule of its contract names. */
class PastDefectsTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    // ---------------------------------------------------------------- groups that are gone

    @Test
    @Tag("K2")
    void aDeadGroupThatIsEnteredUnderAGlobalLimitEndsNowhereButThere() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        executor.acquire("a").close();
        Group dead = EngineAccess.engine(executor).groupIfKnown("a");
        executor.evictGroup("a");
        assertThat(dead.isDead()).isTrue();
        executor.updatePolicy(GroupPolicy.builder().globalMaxInFlight(1).build());

        assertThat(Deadline.within(() -> dead.retire(null))).isFalse();
    }

    /** Adds what it is told of work, and the totals at the end. */
    private static GroupPolicy.Builder recordedBy(Queue<String> told) {
        return GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(1)
                .recorderFactory((key, rule) -> new GroupRecorder() {
                    @Override
                    public void completed(TaskStatus status, long nanos) {
                        told.add(status.toString());
                    }

                    @Override
                    public void rejected(RejectionReason reason) {
                        told.add(reason.toString());
                    }

                    @Override
                    public void removed(TaskTotals totals) {
                        told.add("removed after " + totals.succeeded() + " successes, " + totals.cancelled()
                                + " cancelled, " + totals.rejectedByReason().get(RejectionReason.QUEUE_TIMEOUT)
                                + " late");
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("E18")
    void whatIsCancelledWhileItsGroupGoesIsInTheTotalsThatItsRecorderHears(boolean evicted) {
        Queue<String> told = new ConcurrentLinkedQueue<>();
        GroupExecutor executor = engines.startPlain(
                recordedBy(told).maxIdleGroups(evicted ? 1 : 0).build());
        TaskHandle<String> running = executor.submit("a", "running", gate.then("done"));
        Task<?> cancelled = (Task<?>) executor.submit("a", "waiting", () -> "never");
        assertThat(cancelled.claimQueued()).isTrue();

        gate.open();
        running.join();
        if (evicted) {
            Deadline.until("idle", () -> executor.stats().inFlight() == 0);
            executor.evictGroup("a");
        }
        Deadline.until("gone", () -> executor.groupKeys().isEmpty());
        cancelled.endClaimed();

        Deadline.untilAsserted(() -> assertThat(told)
                .containsExactlyInAnyOrder("SUCCESS", "CANCELLED", "removed after 1 successes, 1 cancelled, 0 late"));
        assertThat(executor.stats().totals().cancelled()).isEqualTo(1);
    }

    /** It stands before the group's lock while another takes it out of the queue. */
    @Test
    @Tag("E18")
    void aCallerWhoseTimeIsUpWhileItsGroupGoesIsInTheTotalsThatItsRecorderHears() throws Exception {
        Queue<String> told = new ConcurrentLinkedQueue<>();
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.startPlain(recordedBy(told).build(), clock.environment());
        GroupPermit permit = executor.acquire("a");
        Group group = EngineAccess.engine(executor).groupIfKnown("a");
        Caller<Boolean> late =
                Caller.startPlatform(() -> executor.tryAcquire("a", SECOND).isPresent());
        Deadline.until("queued", () -> group.queued() == 1);
        late.awaitBlocked(); // its time begins only once it is queued
        assertThat(group.lockSaturated()).isTrue();
        try {
            clock.advance(SECOND);
            LockSupport.unpark(late.thread());
            Deadline.until("at the lock", () -> isAtALock(late.thread()));
            permit.close();
            executor.evictGroup("a");
        } finally {
            group.unlock();
        }

        assertThat(late.result()).isFalse();
        assertThat(told)
                .containsExactlyInAnyOrder(
                        "SUCCESS", "QUEUE_TIMEOUT", "removed after 1 successes, 0 cancelled, 1 late");
        assertThat(executor.stats().totals().rejectedByReason()).containsEntry(RejectionReason.QUEUE_TIMEOUT, 1L);
    }

    @Test
    @Tag("E18")
    void whatADecoratorFailsWhileItsGroupGoesIsCountedWhereItIsTold() {
        Queue<String> told = new ConcurrentLinkedQueue<>();
        AtomicBoolean fails = new AtomicBoolean(true);
        GroupExecutor executor = engines.startPlain(recordedBy(told)
                .taskDecorator((key, task) -> {
                    if (fails.getAndSet(false)) {
                        throw new IllegalStateException("as the test wants it");
                    }
                    return task;
                })
                .build());

        EngineAccess.engine(executor)
                .admission
                .admit("a", "id", () -> "never", Long.MAX_VALUE, false, (group, id, work, trace) -> {
                    executor.evictGroup("a");
                    return new Task<>(group, id, work);
                });

        assertThat(told).containsExactly("removed after 0 successes, 0 cancelled, 0 late", "FAILED");
        assertThat(executor.groupStats("a").orElseThrow().totals().failed()).isEqualTo(1);
    }

    private static boolean isAtALock(Thread thread) {
        Object blocker = LockSupport.getBlocker(thread);
        return blocker != null && blocker.getClass().getNestHost() == ReentrantLock.class;
    }

    // ---------------------------------------------------------------- faults of the engine itself

    /** A request whose grant fails for a time. */
    private static final class FaultyRequest extends Request {
        private boolean fails = true;
        private int failures;

        FaultyRequest(Group group) {
            super(group);
        }

        @Override
        public boolean asksFromInside() {
            return false;
        }

        @Override
        public boolean grant(Lent lent, boolean shares, Charge charge) {
            if (fails) {
                failures++;
                throw new IllegalStateException("as the test wants it");
            }
            return true;
        }

        @Override
        public void start(long now, Batch batch) {
            group.giveBack(Piece.ALL, batch);
        }

        @Override
        public Object end(RejectionReason reason) {
            return this;
        }

        @Override
        public void reportEnd(RejectionReason reason, Object work) {}

        @Override
        public GroupWaiter shown(Duration waited) {
            throw new AssertionError("nobody looks");
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void aFaultThatKeepsAGroupFromGoingOnIsLoggedOnceAndTheGroupGoesOnAfterIt(boolean limited, boolean alone)
            throws Exception {
        ManualClock clock = new ManualClock();
        GroupPolicy.Builder policy = GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1);
        GroupExecutor executor =
                engines.startPlain((limited ? policy.globalMaxInFlight(1) : policy).build(), clock.environment());
        GroupPermit permit = executor.acquire("a");
        Group group = EngineAccess.engine(executor).groupIfKnown("a");
        FaultyRequest request = new FaultyRequest(group);
        Batch batch = new Batch(group.engine);
        assertThat(group.admit(request, null, Long.MAX_VALUE, batch)).isEqualTo(Group.Verdict.QUEUED);
        batch.carryOut();
        if (!alone) {
            executor.submit("a", "in between", () -> "done");
        }

        TaskHandle<String> behind;
        try (CapturedLog log = CapturedLog.open()) {
            permit.close();
            behind = executor.submit("a", "behind", () -> "done");
            for (int i = 0; i < 100; i++) {
                clock.advance(SECOND, executor);
            }
            assertThat(request.failures).isGreaterThan(100);
            assertThat(log.warnings()).singleElement().asString().contains("IllegalStateException", "group 'a'");
            assertThat(log.thrown()).singleElement().isInstanceOf(IllegalStateException.class);
        }
        assertThat(behind.isDone()).isFalse();
        request.fails = false;
        clock.advance(SECOND, executor);

        assertThat(Deadline.within(behind::await).value()).isEqualTo("done");
    }

    @Test
    void aFaultOfTheEnginesOwnThreadIsLoggedOnceAndItGoesOnAfterIt() throws Exception {
        AtomicBoolean fails = new AtomicBoolean();
        AtomicInteger failures = new AtomicInteger();
        Duration aMoment = Duration.ofMillis(1);
        Surroundings failing = new Surroundings(
                () -> {
                    if (fails.get() && Thread.currentThread().getName().endsWith("housekeeper")) {
                        failures.incrementAndGet();
                        throw new IllegalStateException("as the test wants it");
                    }
                    return System.nanoTime();
                },
                TaskThreads.VIRTUAL,
                true,
                aMoment,
                aMoment);
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder()
                        .defaultMaxConcurrencyPerGroup(1)
                        .queueTimeout(Duration.ofMillis(50))
                        .build(),
                failing);
        GroupPermit permit = executor.acquire("a");
        try (CapturedLog log = CapturedLog.open()) {
            fails.set(true);
            TaskHandle<String> waiting = executor.submit("a", "id", () -> "never");
            Deadline.until("failed again and again", () -> failures.get() > 10);
            fails.set(false);

            assertThatThrownBy(() -> Deadline.within(waiting::await)).isInstanceOf(RejectedTaskException.class);
            assertThat(log.warnings()).singleElement().asString().contains("IllegalStateException", "own thread");
        }
        permit.close();
    }

    @Test
    @Tag("G41")
    void aShutdownThatLacksMemoryForWhatFollowsOnItCancelsWhatSubmittersHaveOpened() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
                .build());
        executor.submit("a", "runs", gate.then("runs"));
        CompletableFuture<String> stage = new CompletableFuture<>();
        TaskHandle<String> handle = executor.submitAsync("a", "here", () -> stage);
        AtomicBoolean lacks = new AtomicBoolean(true);
        EngineAccess.engine(executor).lifecycle.whenOver(() -> {
            if (lacks.getAndSet(false)) {
                throw new OutOfMemoryError("as if");
            }
        });

        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(executor::shutdown);

        Deadline.until("its handle is complete", handle::isDone);
        assertThat(handle.await().status()).isEqualTo(TaskStatus.CANCELLED);
        Deadline.until("the stage is cancelled", stage::isCancelled);
    }

    // ---------------------------------------------------------------- what grows

    /** Its wait ends, unseen so far, just as the last permit of the group comes back: the group goes at once. */
    @Test
    @Tag("K1")
    void aGroupThatDiesAsANestedWaitInItRunsOutIsForgottenByTheLedgerToo() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder()
                        .globalMaxInFlight(5)
                        .maxIdleGroups(0)
                        .queueTimeout(SECOND)
                        .build(),
                clock);
        GroupPermit inner = executor.acquire("inner");
        Caller<Boolean> nested = Caller.start(() -> executor.call("outer", () -> executor.call("inner", () -> true)));
        Deadline.until("queued", () -> executor.stats().queued() == 1);
        clock.advance(SECOND);

        inner.close();

        assertThatThrownBy(nested::result).isInstanceOf(RejectedTaskException.class);
        assertThat(executor.groupKeys()).isEmpty();
        assertThat(withExempt(executor)).isEmpty();
    }

    private static Set<?> withExempt(GroupExecutor executor) throws ReflectiveOperationException {
        Field field = Ledger.class.getDeclaredField("withExempt");
        field.setAccessible(true);
        return (Set<?>) field.get(EngineAccess.engine(executor).ledger);
    }

    @Test
    void endsOfPausesAndLimitsThatOthersHaveReplacedDoNotPileUp() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build(), new ManualClock());
        for (int i = 0; i < 1_000; i++) {
            executor.pause("a", Duration.ofDays(1).plusNanos(i));
            executor.resume("a");
            executor.updateLimits(
                    "b",
                    limits -> limits.withMaxConcurrency(2),
                    Duration.ofDays(1).plusNanos(i));
        }

        assertThat(EngineAccess.engine(executor).housekeeper.alarms()).isLessThan(200);
    }

    @Test
    void timeOutsOfTasksThatAreGoneDoNotPileUp() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build(), new ManualClock());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        for (int i = 0; i < 2_000; i++) {
            executor.submit(new GroupTask<>("a", "id", () -> "never").withQueueTimeout(Duration.ofDays(1)))
                    .cancel(false);
        }

        assertThat(EngineAccess.engine(executor).housekeeper.alarms()).isLessThan(200);
        gate.open();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void timeOutsOfTasksThatHaveLeftTheirQueueDoNotStay(boolean cancelled) throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build(), new ManualClock());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        List<TaskHandle<String>> tasks = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            tasks.add(executor.submit(new GroupTask<>("a", "id", () -> "done").withQueueTimeout(Duration.ofDays(1))));
        }

        if (cancelled) {
            tasks.forEach(task -> task.cancel(false));
        }
        gate.open();
        for (TaskHandle<String> task : tasks) {
            task.await();
        }

        EngineAccess.engine(executor).housekeeper.runDue();
        assertThat(EngineAccess.engine(executor).housekeeper.alarms()).isLessThan(200);
    }

    @Test
    void roundsGoOnThoughThereWasNoMemoryForTheNextAlarm() {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(GroupPolicy.builder().build(), clock);
        AtomicInteger done = new AtomicInteger();
        AtomicBoolean lacksMemory = new AtomicBoolean();
        Rounds rounds = new Rounds(
                EngineAccess.engine(executor),
                () -> {
                    if (lacksMemory.getAndSet(false)) {
                        throw new OutOfMemoryError("as the test wants it");
                    }
                    return done.get() < 3 ? 1_000 : Long.MAX_VALUE;
                },
                () -> lacksMemory.set(done.incrementAndGet() == 1),
                false);

        rounds.next();
        for (int i = 0; i < 5; i++) {
            clock.advance(Duration.ofMillis(20), executor);
        }

        assertThat(done).hasValue(3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void timedWaitsThatRunOutLeaveNothingBehind(boolean underOneThatStays) throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        TaskHandle<String> handle = executor.submit("a", "id", gate.then("done"));
        gate.awaitArrived(1);
        List<Object> futures = new ArrayList<>();
        Caller<Boolean> waiter = Caller.start(() -> {
            for (int i = 0; i < 50; i++) {
                if (underOneThatStays && i % 10 == 5) {
                    futures.add(handle.toCompletableFuture());
                }
                assertThat(handle.await(100, TimeUnit.MICROSECONDS).status()).isEqualTo(TaskStatus.CANCELLED);
            }
            return true;
        });

        assertThat(waiter.result()).isTrue();

        assertThat(futures).hasSize(underOneThatStays ? 5 : 0);
        assertThat(dependents(handle)).isLessThanOrEqualTo(futures.size() + 1);
        gate.open();
        handle.await();
    }

    /** Waits run out in the middle, below one that stays. */
    @Test
    void timedWaitsBelowAnotherLeaveNothingBehind() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        TaskHandle<String> handle = executor.submit("a", "id", gate.then("done"));
        gate.awaitArrived(1);
        List<Object> futures = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Caller<?> below = Caller.start(() -> handle.await(Deadline.SECONDS, TimeUnit.SECONDS));
            below.awaitBlockedOn(handle);
            futures.add(handle.toCompletableFuture());
            below.interrupt();
            assertThatThrownBy(below::result).isInstanceOf(InterruptedException.class);
        }

        assertThat(dependents(handle)).isEqualTo(futures.size());
        gate.open();
        handle.await();
    }

    private static int dependents(TaskHandle<?> handle) throws ReflectiveOperationException {
        Field outcome = TaskCompletion.class.getDeclaredField("outcome");
        outcome.setAccessible(true);
        int count = 0;
        for (Object d = outcome.get(handle); d instanceof Outcome.Dependent dependent; d = dependent.below) {
            count++;
        }
        return count;
    }

    // ---------------------------------------------------------------- user code on the engine's thread

    /** Fails to start as many threads as it is told to. */
    private static Surroundings failing(ManualClock clock, AtomicInteger failures) {
        return new Surroundings(
                clock,
                (name, work) -> {
                    if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                        throw new OutOfMemoryError("no thread");
                    }
                    return TaskThreads.VIRTUAL.unstarted(name, work);
                },
                false);
    }

    @Test
    void aTaskThatFailsToStartFromTheEnginesThreadIsToldOnAnother() throws Exception {
        ManualClock clock = new ManualClock();
        AtomicInteger failures = new AtomicInteger();
        Queue<Thread> told = new ConcurrentLinkedQueue<>();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder()
                        .maxIdleGroups(0)
                        .taskLifecycleListener(new TaskLifecycleListener() {
                            @Override
                            public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                                if (taskId.equals("second")) {
                                    told.add(Thread.currentThread());
                                }
                            }

                            @Override
                            public void onGroupRemoved(String groupKey) {
                                told.add(Thread.currentThread());
                            }
                        })
                        .build(),
                failing(clock, failures));
        executor.pause("a");
        TaskHandle<String> first = executor.submit("a", "first", () -> "never");
        TaskHandle<String> second = executor.submit("a", "second", () -> "never");
        failures.set(1);
        executor.resume("a");
        assertThat(first.await().status()).isEqualTo(TaskStatus.FAILED);
        failures.set(1);

        clock.advance(SECOND, executor); // this thread is the engine's for that long

        assertThat(second.await().status()).isEqualTo(TaskStatus.FAILED);
        clock.advance(SECOND, executor);
        Deadline.until("removed", () -> executor.groupKeys().isEmpty() && told.size() >= 2);
        assertThat(told).doesNotContain(Thread.currentThread());
    }

    @Test
    void aGroupThatATimeOutLeavesIdleIsToldOfOnAnotherThread() {
        ManualClock clock = new ManualClock();
        Queue<Thread> told = new ConcurrentLinkedQueue<>();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder()
                        .maxIdleGroups(0)
                        .globalMaxInFlight(1)
                        .queueTimeout(SECOND)
                        .taskLifecycleListener(new TaskLifecycleListener() {
                            @Override
                            public void onGroupRemoved(String groupKey) {
                                told.add(Thread.currentThread());
                            }
                        })
                        .build(),
                clock);
        executor.submit("b", "holder", gate.then("held"));
        gate.awaitArrived(1);
        executor.submit("a", "1", () -> "never");

        clock.advance(SECOND, executor); // this thread is the engine's for that long

        Deadline.until("told", () -> !told.isEmpty());
        assertThat(told).doesNotContain(Thread.currentThread());
        gate.open();
    }

    // ---------------------------------------------------------------- a new policy in between

    static Stream<Arguments> changesOfOneGroup() {
        GroupLimits limits = GroupLimits.unset().withQueueThreshold(7);
        return Stream.of(
                Arguments.of("setLimits", (Consumer<GroupExecutor>) executor -> executor.setLimits("a", limits)),
                Arguments.of("resetLimits", (Consumer<GroupExecutor>) executor -> executor.resetLimits("a")),
                Arguments.of("evictGroup", (Consumer<GroupExecutor>) executor -> executor.evictGroup("a")));
    }

    /** The resolver is user code between the look at the policy and the change: there the new policy comes. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("changesOfOneGroup")
    @Tag("S8")
    void aPolicyThatComesDuringAChangeIsNotLost(String name, Consumer<GroupExecutor> change) throws Exception {
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        GroupPolicy before = GroupPolicy.builder()
                .concurrencyResolver(key -> {
                    meanwhile.getAndSet(() -> {}).run();
                    return 2;
                })
                .build();
        GroupExecutor executor = engines.startPlain(before);
        executor.setLimits("a", GroupLimits.unset().withQueueThreshold(3));
        GroupPermit inUse = executor.acquire("a");
        meanwhile.set(() -> executor.updatePolicy(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(5).build()));

        change.accept(executor);

        GroupStats stats = executor.groupStats("a").orElseThrow();
        assertThat(stats.maxConcurrency().value()).isEqualTo(5);
        assertThat(stats.queueThreshold().value()).isEqualTo(name.equals("setLimits") ? 7 : Integer.MAX_VALUE);
        inUse.close();
    }

    @Test
    @Tag("S8")
    void aPolicyThatComesWhileAGroupIsMadeIsNotLost() throws Exception {
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .concurrencyResolver(key -> {
                    meanwhile.getAndSet(() -> {}).run();
                    return 2;
                })
                .build());
        meanwhile.set(() -> executor.updatePolicy(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(5).build()));

        try (GroupPermit permit = executor.acquire("a")) {
            assertThat(executor.groupStats(permit.groupKey())
                            .orElseThrow()
                            .maxConcurrency()
                            .value())
                    .isEqualTo(5);
        }
    }

    // ---------------------------------------------------------------- one global permit per thread

    private enum Detached {
        NONE,
        OUTER,
        INNER,
        BOTH
    }

    static Stream<Arguments> ordersOfClosing() {
        return Stream.of(Detached.values())
                .flatMap(detached -> Stream.of(true, false).map(outerFirst -> Arguments.of(detached, outerFirst)));
    }

    /** While nobody watches the sums, a group is off the ledger from its next use on, and another is on it still. */
    @ParameterizedTest
    @MethodSource("ordersOfClosing")
    @Tag("E12")
    void aGlobalPermitPassesOnBetweenGroupsOnTheLedgerAndOff(Detached detached, boolean outerFirst) throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        GroupPermit outer = executor.acquire("outer");
        GroupPermit inner = outer.acquireAsync("inner").toCompletableFuture().join();
        assertThat(executor.awaitQuiet(Duration.ZERO)).isFalse(); // puts both on the ledger
        if (detached == Detached.OUTER || detached == Detached.BOTH) {
            executor.resume("outer");
        }
        if (detached == Detached.INNER || detached == Detached.BOTH) {
            executor.resume("inner");
        }

        (outerFirst ? outer : inner).close();

        executor.updatePolicy(GroupPolicy.builder().globalMaxInFlight(2).build());
        try (GroupPermit second = Deadline.within(() -> executor.acquire("second"))) {
            assertThat(executor.stats().inFlight()).isEqualTo(2);
            assertThat(Deadline.within(() -> executor.tryAcquire("third", Duration.ZERO)))
                    .as("a third beside the one left and " + second)
                    .isEmpty();
        }
        (outerFirst ? inner : outer).close();
        engines.audit(executor);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("E12")
    void thePermitThatAnAsynchronousTaskLeavesCountsGlobally(boolean closedFirst) throws Exception {
        GroupExecutor executor =
                engines.startPlain(GroupPolicy.builder().globalMaxInFlight(1).build());
        AtomicReference<GroupPermit> left = new AtomicReference<>();
        CompletableFuture<String> stage = new CompletableFuture<>();
        TaskHandle<String> handle = executor.submitAsync("a", "id", () -> {
            left.set(executor.call("b", () -> executor.enclosingPermit("b").orElseThrow()));
            return stage;
        });
        Deadline.until(
                "the callable has returned",
                () -> left.get() != null
                        && executor.groupStats("a").orElseThrow().running() == 0);

        expectFull(executor);
        if (closedFirst) {
            left.get().close();
            expectFull(executor);
            stage.complete("done");
        } else {
            stage.complete("done");
            assertThat(handle.await().value()).isEqualTo("done");
            expectFull(executor);
            left.get().close();
        }
        assertThat(handle.await().value()).isEqualTo("done");
        engines.audit(executor);
    }

    private static void expectFull(GroupExecutor executor) throws Exception {
        assertThat(Deadline.within(() -> executor.tryAcquire("other", Duration.ZERO)))
                .as("a permit beside the only global one")
                .isEmpty();
    }

    // ---------------------------------------------------------------- a drain and a pause

    @Test
    @Tag("E9")
    void workForAPausedGroupIsEndedWhileTheExecutorDrains() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        CountDownLatch paused = new CountDownLatch(1);
        AtomicReference<TaskHandle<String>> inner = new AtomicReference<>();
        executor.submit("a", "outer", () -> {
            gate.pass();
            executor.pause("b");
            inner.set(executor.submit("b", "inner", () -> "never"));
            paused.countDown();
            return "done";
        });
        gate.awaitArrived(1);
        Caller<Boolean> drain = Caller.start(() -> executor.shutdown(Deadline.LONG.multipliedBy(10)));
        Deadline.until("draining", executor::isShutdown);

        gate.open();

        assertThat(drain.result()).as("nothing was ended").isFalse();
        assertThat(paused.getCount()).isZero();
        assertThat(inner.get().await().status()).isEqualTo(TaskStatus.CANCELLED);
    }

    // ---------------------------------------------------------------- views

    /** The clock is read under the group's lock while the command is put into its queue. */
    @Test
    void whatLacksMemoryOnItsWayIntoAViewIsNotReturnedByItsShutdownNow() throws Exception {
        ManualClock clock = new ManualClock();
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().build(),
                new Surroundings(
                        () -> {
                            meanwhile.getAndSet(() -> {}).run();
                            return clock.getAsLong();
                        },
                        TaskThreads.VIRTUAL,
                        false));
        ExecutorService view = executor.asExecutorService("a");
        GroupPermit inUse = executor.acquire("a");
        List<Runnable> returned = new ArrayList<>();
        Runnable command = () -> {};
        meanwhile.set(() -> {
            returned.addAll(view.shutdownNow());
            throw new OutOfMemoryError("as the test wants it");
        });

        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> view.execute(command));

        assertThat(returned).isEmpty();
        assertThat(view.isTerminated()).isTrue();
        inUse.close();
    }

    @Test
    void aViewThatHasTerminatedStaysSoWhateverComesTooLate() throws Exception {
        ExecutorService view = engines.startPlain(GroupPolicy.builder().build()).asExecutorService("a");
        view.shutdown();
        assertThat(view.isTerminated()).isTrue();
        Caller<Integer> tooLate = Caller.startPlatform(() -> {
            int refused = 0;
            for (int i = 0; i < 20_000; i++) {
                try {
                    view.execute(() -> {});
                } catch (RejectedExecutionException meant) {
                    refused++;
                }
            }
            return refused;
        });

        boolean stays = true;
        while (!tooLate.isDone()) {
            stays &= view.isTerminated();
        }

        assertThat(tooLate.result()).isEqualTo(20_000);
        assertThat(stays).isTrue();
    }

    @Test
    void theFutureOfAViewTellsWhatADecoratorFailedWith() {
        IllegalArgumentException failure = new IllegalArgumentException("the decorator's own");
        AtomicInteger failures = new AtomicInteger(1);
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .taskDecorator((groupKey, task) -> {
                    if (failures.getAndDecrement() > 0) {
                        throw failure;
                    }
                    return task;
                })
                .build());
        ExecutorService view = executor.asExecutorService("a");

        Future<String> future = view.submit(() -> "never");

        assertThatThrownBy(() -> future.get(Deadline.SECONDS, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCause(failure);
    }
}
