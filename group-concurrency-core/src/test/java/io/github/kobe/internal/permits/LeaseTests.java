package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.Rate;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.base.Lease;
import io.github.kobe.internal.doors.Engine;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.scope.ForkOptions;
import io.github.kobe.scope.Joiner;
import io.github.kobe.scope.RetryPolicy;
import io.github.kobe.scope.Scopes;
import io.github.kobe.scope.Subtask;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a group may start of a limit that several instances share: no more than is leased, and only while that counts. */
@Tag("CL60")
@Tag("CL62")
class LeaseTests {

    private static final String KEY = "shared";
    private static final Duration LEASE = Duration.ofSeconds(11);

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private final Leases leases = new Leases();
    private final Gate gate = new Gate();
    private GroupExecutor executor;
    /** What happens when the clock is read next, and what is read. */
    private volatile LongSupplier meddling = clock;

    @BeforeEach
    void start() {
        start(policy().build());
    }

    private static GroupPolicy.Builder policy() {
        return Leases.shared(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(10));
    }

    private void start(GroupPolicy policy) {
        executor = engines.start(policy, clock.environment(), leases);
        leases.leaseFor(executor);
    }

    private TaskHandle<String> submit(Gate until) {
        return executor.submit(KEY, "task", until.then("done"));
    }

    private List<TaskHandle<String>> submit(int count, Gate until) {
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            handles.add(submit(until));
        }
        return handles;
    }

    private Group group() {
        return EngineAccess.engine(executor).group(KEY);
    }

    private int inFlight() {
        return executor.groupStats(KEY).orElseThrow().inFlight();
    }

    private int queued() {
        return executor.groupStats(KEY).orElseThrow().queued();
    }

    private void awaitInFlight(int count) {
        Deadline.until(() -> count + " in flight, but " + inFlight(), () -> inFlight() == count);
    }

    private static void awaitAll(List<TaskHandle<String>> handles) throws Exception {
        for (TaskHandle<String> handle : handles) {
            assertThat(Deadline.within(handle::await).value()).isEqualTo("done");
        }
    }

    /** Runs something while the group is fast, so that the next that comes finds it so. */
    private void makeFast() throws Exception {
        call(KEY);
        assertThat(group().isSlow()).isFalse();
    }

    private boolean takesFast() {
        return group().tryTakeFast(group().home) != Group.NOT_TAKEN;
    }

    private GroupPermit acquire(String key) throws Exception {
        return Deadline.within(() -> executor.acquire(key));
    }

    private void call(String key) throws Exception {
        assertThat(Deadline.within(() -> executor.call(key, () -> "done"))).isEqualTo("done");
    }

    /** The group of {@code key} is used, and keeps what was leased to it. */
    private void useOnce(String key) throws Exception {
        TaskHandle<String> handle = executor.submit(key, "task", () -> "done");
        leases.lease(key, 1);
        awaitAll(List.of(handle));
        Group group = EngineAccess.engine(executor).group(key);
        Deadline.until("its permit is back", () -> group.inFlight() == 0);
    }

    // ---- more and less of it

    @Test
    void aGroupIsBornWithNothingAndStartsOnceItHasSome() throws Exception {
        TaskHandle<String> first = submit(gate);
        TaskHandle<String> second = submit(gate);

        assertThat(inFlight()).isZero();
        assertThat(queued()).isEqualTo(2);

        assertThat(leases.lease(KEY, 1)).isEqualTo(new Lease.Reading(1, 1, 0, false));
        gate.awaitArrived(1);
        assertThat(queued()).isEqualTo(1);
        assertThat(leases.lease(KEY, 2)).isEqualTo(new Lease.Reading(2, 0, 0, false));
        gate.open();
        awaitAll(List.of(first, second));
    }

    @Test
    void aGroupThatIsNotSharedKnowsNothingOfIt() throws Exception {
        leases.lapse();

        call("own");
        assertThat(EngineAccess.engine(executor).group("own").isClustered()).isFalse();
        assertThat(leases.touched()).isEmpty();
    }

    @Test
    void whatIsOutBeyondALowerLeaseDrainsBeforeAnythingStarts() throws Exception {
        leases.lease(KEY, 3);
        Gate first = new Gate();
        Gate second = new Gate();
        Gate third = new Gate();
        List<TaskHandle<String>> running = List.of(submit(first), submit(second), submit(third));
        TaskHandle<String> waiting = submit(gate);

        assertThat(leases.lease(KEY, 1)).isEqualTo(new Lease.Reading(3, 1, 0, false));
        first.open();
        awaitInFlight(2);
        second.open();
        awaitInFlight(1);
        assertThat(queued()).isEqualTo(1);
        assertThat(gate.arrived()).isZero();
        third.open();
        gate.awaitArrived(1);
        assertThat(inFlight()).isEqualTo(1);

        gate.open();
        awaitAll(running);
        awaitAll(List.of(waiting));
    }

    @Test
    void whatIsTakenAwayAndGivenBackWhileTheSameWorkRunsIsThereAgain() throws Exception {
        leases.lease(KEY, 2);
        List<TaskHandle<String>> running = submit(2, gate);

        assertThat(leases.lease(KEY, 0)).isEqualTo(new Lease.Reading(2, 0, 0, false));
        assertThat(leases.lease(KEY, 3)).isEqualTo(new Lease.Reading(2, 0, 0, false));
        running = new ArrayList<>(running);
        running.addAll(submit(2, gate));

        gate.awaitArrived(3);
        assertThat(queued()).isEqualTo(1);
        gate.open();
        awaitAll(running);
    }

    @Test
    void theGroupIsFastAgainOnceItsLeaseSuffices() throws Exception {
        leases.lease(KEY, 1);
        makeFast();
        GroupPermit permit = acquire(KEY);
        assertThat(takesFast()).isFalse();

        leases.lease(KEY, 2);

        assertThat(group().isSlow()).isFalse();
        assertThat(takesFast()).isTrue();
        assertThat(takesFast()).isFalse();
        group().release(0, group().home);
        permit.close();
        assertThat(inFlight()).isZero();
    }

    @Test
    void theGroupIsNotFastWhileMoreIsOutThanIsLeased() throws Exception {
        leases.lease(KEY, 2);
        makeFast();
        GroupPermit one = acquire(KEY);
        GroupPermit other = acquire(KEY);

        leases.lease(KEY, 1);

        assertThat(group().isSlow()).isTrue();
        one.close();
        assertThat(executor.tryAcquire(KEY, Duration.ZERO)).isEmpty();
        other.close();
        GroupPermit again = executor.tryAcquire(KEY, Duration.ZERO).orElseThrow();
        assertThat(inFlight()).isEqualTo(1);
        again.close();
    }

    @Test
    void ownLimitsThatAreSmallerHold() throws Exception {
        executor.setLimits(KEY, GroupLimits.unset().withMaxConcurrency(2));

        List<TaskHandle<String>> handles = submit(4, gate);
        assertThat(leases.lease(KEY, 8)).isEqualTo(new Lease.Reading(2, 0, 0, false));
        gate.awaitArrived(2);
        assertThat(queued()).isEqualTo(2);

        gate.open();
        awaitAll(handles);
    }

    @Test
    void anOverrideKeepsTheLeaseAndIsShownAsItWasSet() throws Exception {
        leases.lease(KEY, 2);
        List<TaskHandle<String>> handles = submit(5, gate);
        gate.awaitArrived(2); // before the limit shrinks, or the witness takes them for too many

        executor.setLimits(KEY, GroupLimits.unset().withMaxConcurrency(4).withMaxInFlight(7));
        assertThat(inFlight()).isEqualTo(2);
        assertThat(executor.groupStats(KEY).orElseThrow().maxInFlight().value()).isEqualTo(7);
        executor.setLimits(KEY, GroupLimits.unset().withMaxConcurrency(1));
        executor.resetLimits(KEY);
        assertThat(inFlight()).isEqualTo(2);
        assertThat(executor.groupStats(KEY).orElseThrow().maxInFlight().value()).isEqualTo(10);

        assertThat(leases.lease(KEY, 3)).isEqualTo(new Lease.Reading(3, 2, 0, false));
        gate.open();
        awaitAll(handles);
    }

    @Test
    void anotherPolicyKeepsTheLease() throws Exception {
        leases.lease(KEY, 2);
        List<TaskHandle<String>> handles = submit(5, gate);

        executor.updatePolicy(engines.witnessed(
                executor,
                policy().group(KEY, GroupLimits.unset().withMaxConcurrency(3)).build()));
        assertThat(inFlight()).isEqualTo(2);
        assertThat(leases.lease(KEY, 9)).isEqualTo(new Lease.Reading(3, 0, 0, false));
        executor.updatePolicy(engines.witnessed(executor, policy().build()));
        awaitInFlight(5);

        gate.open();
        awaitAll(handles);
    }

    @Test
    void thePermitsOfOpenStagesCountAsOut() throws Exception {
        executor.setLimits(KEY, GroupLimits.unset().withMaxConcurrency(1).withMaxInFlight(9));
        leases.lease(KEY, 2);
        List<CompletableFuture<String>> stages = List.of(new CompletableFuture<>(), new CompletableFuture<>());
        List<TaskHandle<String>> handles = new ArrayList<>();
        stages.forEach(stage -> handles.add(executor.submitAsync(KEY, "stage", () -> stage)));
        Deadline.until(
                "both stages open",
                () -> inFlight() == 2 && executor.groupStats(KEY).orElseThrow().running() == 0);
        TaskHandle<String> third = submit(gate);

        assertThat(leases.lease(KEY, 2)).isEqualTo(new Lease.Reading(2, 1, 0, false));
        executor.setLimits(KEY, GroupLimits.unset().withMaxConcurrency(1).withMaxInFlight(2));
        assertThat(leases.lease(KEY, 2).kept())
                .as("two are all that it may have")
                .isZero();
        assertThat(leases.lease(KEY, 1).out()).isEqualTo(2);
        stages.getFirst().complete("done");
        awaitInFlight(1);
        assertThat(queued()).isEqualTo(1);
        stages.getLast().complete("done");
        gate.awaitArrived(1);
        gate.open();
        awaitAll(handles);
        awaitAll(List.of(third));
    }

    // ---- how many would start

    @Test
    void nothingIsKeptByTheLeaseWhilePausedOrStalledOrFullBySomethingElse() throws Exception {
        List<TaskHandle<String>> handles = submit(12, gate);
        assertThat(leases.lease(KEY, 1)).isEqualTo(new Lease.Reading(1, 9, 0, false));
        executor.pause(KEY);
        assertThat(leases.lease(KEY, 1).kept()).isZero();
        executor.resume(KEY);
        group().stall(new Batch(EngineAccess.engine(executor)));
        assertThat(leases.lease(KEY, 1).kept()).isZero();
        group().unstall(new Batch(EngineAccess.engine(executor)));
        assertThat(leases.lease(KEY, 1).kept()).isEqualTo(9);
        executor.setLimits(KEY, GroupLimits.unset().withMaxConcurrency(3));
        assertThat(leases.lease(KEY, 1).kept()).isEqualTo(2);
        executor.resetLimits(KEY);
        assertThat(leases.lease(KEY, 10)).isEqualTo(new Lease.Reading(10, 0, 0, false));

        gate.open();
        awaitAll(handles);
    }

    @Test
    void nothingIsKeptOnceItIsShutDown() {
        executor.submit(KEY, "task", () -> "done");
        assertThat(leases.lease(KEY, 0).kept()).isEqualTo(1);

        executor.shutdown();

        assertThat(leases.lease(KEY, 0)).isEqualTo(new Lease.Reading(0, 0, 0, false));
    }

    @Test
    void nothingIsKeptWhileTheRestOfAPortionIsYetToBeEnded() {
        executor = engines.start(policy().build(), clock.environment().withPortion(2), leases);
        leases.leaseFor(executor);
        submit(5, gate);
        assertThat(leases.lease(KEY, 0).kept()).isEqualTo(5);
        Batch batch = new Batch(EngineAccess.engine(executor));
        Group group = group();

        group.enter();
        group.endAllOfNow(batch);
        int queued = group.queued();
        int kept = group.keptByLease(0);
        group.exit(batch);
        batch.carryOut();

        assertThat(queued).isEqualTo(3);
        assertThat(kept).isZero();
        assertThat(queued()).isZero();
    }

    @Test
    void whatMayNotWaitIsCountedAsRefusedOnceItIsTold() throws Exception {
        assertThat(executor.tryAcquire(KEY, Duration.ZERO)).isEmpty();
        assertThat(executor.tryAcquire(KEY, Duration.ZERO)).isEmpty();
        assertThat(leases.touched()).containsExactly(KEY);

        assertThat(leases.lease(KEY, 1)).isEqualTo(new Lease.Reading(0, 0, 2, false));
        GroupPermit permit = executor.tryAcquire(KEY, Duration.ZERO).orElseThrow();
        assertThat(leases.lease(KEY, 1)).isEqualTo(new Lease.Reading(1, 0, 0, false));
        permit.close();
    }

    @Test
    void whatIsRefusedForOtherReasonsIsNotCounted() throws Exception {
        executor.setLimits(KEY, GroupLimits.unset().withMaxConcurrency(1));
        leases.lease(KEY, 4);
        GroupPermit permit = acquire(KEY);
        assertThat(executor.tryAcquire(KEY, Duration.ZERO)).isEmpty();
        assertThat(leases.lease(KEY, 4)).isEqualTo(new Lease.Reading(1, 0, 0, false));
        permit.close();
    }

    // ---- the deadline

    @Test
    void nothingStartsOnceTheDeadlineHasComeUntilItIsRenewed() throws Exception {
        leases.lease(KEY, 3);
        leases.count(LEASE);
        makeFast();
        TaskHandle<String> running = submit(gate);
        gate.awaitArrived(1);

        clock.advance(LEASE.minusNanos(1));
        TaskHandle<String> justInTime = submit(gate);
        gate.awaitArrived(2);
        clock.advance(Duration.ofNanos(1));
        TaskHandle<String> late = submit(gate);

        assertThat(queued()).isEqualTo(1);
        assertThat(inFlight()).isEqualTo(2);
        gate.open();
        awaitAll(List.of(running, justInTime));
        awaitInFlight(0);
        assertThat(queued()).isEqualTo(1);
        assertThat(leases.lease(KEY, 3)).isEqualTo(new Lease.Reading(0, 0, 0, false));

        leases.count(LEASE);
        awaitAll(List.of(late));
        makeFast();
    }

    private void assertNoneStartsUntilMoreIsLeased(List<TaskHandle<String>> waiting) throws Exception {
        awaitInFlight(0);
        assertThat(queued()).isEqualTo(waiting.size());

        leases.count(LEASE);
        gate.open();
        awaitAll(waiting);
    }

    @Test
    @Tag("CL20")
    void aPermitIsNotPassedOnAfterTheDeadline() throws Exception {
        leases.lease(KEY, 1);
        leases.count(LEASE);
        Gate first = new Gate();
        TaskHandle<String> running = submit(first);
        first.awaitArrived(1);
        List<TaskHandle<String>> waiting = submit(3, gate);
        clock.advance(LEASE);

        first.open();
        awaitAll(List.of(running));
        assertNoneStartsUntilMoreIsLeased(waiting);
    }

    @Test
    @Tag("CL20")
    void aPermitIsNotPassedOnAfterTheDeadlineThoughTheCodeBehindItEndedBefore() throws Exception {
        leases.lease(KEY, 1);
        leases.count(LEASE);
        Gate first = new Gate();
        RetryPolicy thinksForLong = RetryPolicy.attempts(2).retryIf(failure -> {
            clock.advance(LEASE);
            return false;
        });
        try (var scope = Scopes.of(executor).open(Joiner.<String>awaitAll())) {
            Subtask<String> fails = scope.fork(ForkOptions.in(KEY).withRetry(thinksForLong), () -> {
                first.pass();
                throw new IllegalStateException("again?");
            });
            first.awaitArrived(1);
            List<TaskHandle<String>> waiting = submit(3, gate);

            first.open();
            scope.join();
            assertThat(fails.state()).isEqualTo(Subtask.State.FAILED);
            assertNoneStartsUntilMoreIsLeased(waiting);
        }
    }

    @Test
    void whatWasTakenTooLateGoesBackWithItsCredit() throws Exception {
        start(policy().globalMaxInFlight(50).build());
        leases.lease(KEY, 3);
        leases.count(LEASE);
        makeFast();
        clock.advance(LEASE);

        for (int i = 0; i < 200; i++) {
            assertThat(takesFast()).isFalse();
            assertThat(executor.tryAcquire(KEY, Duration.ZERO)).isEmpty();
        }
        leases.count(LEASE);
        assertThat(EngineAccess.engine(executor).ledger.isOn()).isFalse();
        makeFast();
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, 50})
    void aCallInsideAnotherGroupStartsNothingAfterTheDeadline(int global) throws Exception {
        start(policy().globalMaxInFlight(global).build());
        leases.lease(KEY, 2);
        leases.count(LEASE);
        makeFast();
        call("own");

        Caller<String> inside = Caller.start(() -> executor.call("own", () -> {
            gate.pass();
            return executor.call(KEY, () -> "done");
        }));
        gate.awaitArrived(1);
        clock.advance(LEASE);
        gate.open();
        Deadline.until("the call waits", () -> queued() == 1);
        assertThat(inFlight()).isZero();
        assertThat(group().nested()).isZero();

        leases.count(LEASE);
        assertThat(inside.result()).isEqualTo("done");
    }

    @Test
    void aPermitUnderAPermitIsNotToBeHadAfterTheDeadline() throws Exception {
        leases.lease(KEY, 2);
        leases.count(LEASE);
        makeFast();
        try (GroupPermit outer = acquire("own")) {
            CompletableFuture<GroupPermit> early = outer.acquireAsync(KEY).toCompletableFuture();
            assertThat(early).isDone();
            clock.advance(LEASE);
            CompletableFuture<GroupPermit> late = outer.acquireAsync(KEY).toCompletableFuture();
            assertThat(late).isNotDone();
            assertThat(inFlight()).isEqualTo(1);
            early.join().close();
            assertThat(late).isNotDone();
            assertThat(group().nested()).isZero();

            leases.count(LEASE);
            Deadline.within(late::get).close();
        }
    }

    @Test
    void whatNeedsNoGlobalPermitOfItsOwnStartsNothingAfterTheDeadlineEither() throws Exception {
        start(policy().globalMaxInFlight(1).build());
        leases.lease(KEY, 1);
        leases.count(LEASE);
        try (GroupPermit outer = acquire("own")) {
            CompletableFuture<GroupPermit> first = outer.acquireAsync(KEY).toCompletableFuture();
            CompletableFuture<GroupPermit> second = outer.acquireAsync(KEY).toCompletableFuture();
            Deadline.until("the first has one", first::isDone);
            clock.advance(LEASE);
            first.join().close();
            assertThat(inFlight()).isZero();
            assertThat(second).isNotDone();

            leases.count(LEASE);
            Deadline.within(second::get).close();
        }
    }

    @Test
    void whatIsInsideGoesOnInsideAfterTheDeadline() throws Exception {
        leases.lease(KEY, 1);
        leases.count(LEASE);

        Caller<String> outer = Caller.start(() -> executor.call(KEY, () -> {
            clock.advance(LEASE);
            return executor.call(KEY, () -> "inside");
        }));

        assertThat(outer.result()).isEqualTo("inside");
        awaitInFlight(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoWaitsForItsOwnTaskLendsItWhatItHas(boolean lapsed) throws Exception {
        leases.lease(KEY, 1);
        leases.count(LEASE);
        TaskHandle<String> outer = executor.submit(KEY, "outer", () -> {
            TaskHandle<String> inner = executor.submit(KEY, "inner", gate.then("lent"));
            if (lapsed) {
                clock.advance(LEASE);
            }
            return inner.await().value();
        });
        gate.awaitArrived(1);

        assertThat(leases.lease(KEY, 0).out()).isEqualTo(1);
        assertThat(group().lent()).isEqualTo(1);
        gate.open();
        assertThat(Deadline.within(outer::await).value()).isEqualTo("lent");
        awaitInFlight(0);
    }

    @Test
    void timeOutsRunOnAfterTheDeadline() {
        start(policy().queueTimeout(Duration.ofSeconds(5)).build());
        leases.lease(KEY, 1);
        leases.lapse();
        TaskHandle<String> waiting = submit(gate);

        clock.advance(Duration.ofSeconds(5), executor);

        assertThat(Deadline.reached(waiting::isDone)).isTrue();
        assertThat(executor.stats().totals().rejectedByReason()).containsEntry(RejectionReason.QUEUE_TIMEOUT, 1L);
    }

    @Test
    void aDeadlineThatIsMovedBeforeItComesLetsNothingWait() throws Exception {
        leases.lease(KEY, 1);
        leases.count(LEASE);
        makeFast();
        clock.advance(LEASE.minusSeconds(1));
        leases.count(LEASE);
        clock.advance(LEASE.minusSeconds(1));

        assertThat(takesFast()).isTrue();
        group().release(0, group().home);
    }

    @Test
    void whatFindsTheDeadlineOverBeforeAnotherIsSetIsSeenByWhoSetsIt() throws Exception {
        startWithMeddling();
        Engine engine = EngineAccess.engine(executor);
        long next = engine.now() + LEASE.toNanos();
        meddling = () -> {
            long before = clock.getAsLong();
            clock.advance(Duration.ofNanos(1));
            submit(gate);
            return before;
        };

        engine.leaseUntil(next);

        gate.awaitArrived(1);
        gate.open();
        awaitInFlight(0);
    }

    @Test
    void whatReadsTheClockBeforeAnotherDeadlineIsSetGoesByThatOne() throws Exception {
        startWithMeddling();
        meddling = () -> {
            leases.count(LEASE);
            clock.advance(Duration.ofNanos(1));
            return clock.getAsLong();
        };

        assertThat(takesFast()).isTrue();
        group().release(0, group().home);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("CL20")
    void whatIsTakenAfterTheDeadlineIsNotSavedByWhatIsLeasedAnew(boolean carried) throws Exception {
        startWithMeddling();
        clock.advance(LEASE);
        meddling = () -> {
            leases.lapse();
            assertThat(leases.lease(KEY, 0).out()).as("is said to be in flight").isEqualTo(1);
            leases.count(LEASE);
            return clock.getAsLong();
        };

        assertThat(carried ? group().tryTakeCarriedFast() : group().tryTakeFast(group().home))
                .isEqualTo(Group.NOT_TAKEN);
        assertThat(inFlight()).isZero();
    }

    /** A group that is fast, a moment before the deadline, and a clock that has something happen while it is read. */
    private void startWithMeddling() throws Exception {
        LongSupplier reading = () -> {
            LongSupplier happens = meddling;
            meddling = clock;
            return happens.getAsLong();
        };
        executor = engines.startPlain(policy().build(), new Surroundings(reading, TaskThreads.VIRTUAL, false), leases);
        leases.leaseFor(executor);
        leases.lease(KEY, 2);
        makeFast();
        leases.count(LEASE);
        clock.advance(LEASE.minusNanos(1));
    }

    @Test
    void whatWaitsInAnotherGroupGetsTheGlobalPermitThatALapsedOneMayNotUse() throws Exception {
        start(policy().globalMaxInFlight(1).build());
        leases.lease(KEY, 5);
        leases.count(LEASE);
        TaskHandle<String> holder = executor.submit("own", "holder", gate.then("done"));
        gate.awaitArrived(1);
        List<TaskHandle<String>> first = submit(2, gate);
        TaskHandle<String> other = executor.submit("other", "other", () -> "done");
        clock.advance(LEASE);

        gate.open();
        awaitAll(List.of(holder, other));
        assertThat(queued()).isEqualTo(2);
        call("own");

        leases.count(LEASE);
        awaitAll(first);
    }

    // ---- the end

    @Test
    void whatWaitsWhenADrainBeginsStartsWithWhatIsLeasedThen() throws Exception {
        List<TaskHandle<String>> handles = submit(3, gate);
        leases.lease(KEY, 1);
        gate.open();
        Caller<Boolean> drain = Caller.start(() -> executor.shutdown(Deadline.LONG));

        awaitAll(handles);
        assertThat(drain.result()).isTrue();
    }

    @Test
    void whatWaitsForWantOfALeaseEndsWithTheExecutor() throws Exception {
        TaskHandle<String> waiting = submit(gate);

        executor.shutdown();

        assertThat(Deadline.within(waiting::await).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
    }

    @Test
    void manyThatWaitStartInPortions() throws Exception {
        executor = engines.startPlain(
                policy().defaultMaxConcurrencyPerGroup(1_000).build(), Surroundings.SYSTEM.withPortion(10), leases);
        leases.leaseFor(executor);
        List<TaskHandle<String>> handles = submit(100, gate);

        Lease.Reading reading = leases.lease(KEY, 90);

        assertThat(reading.out()).isBetween(10, 90);
        gate.awaitArrived(90);
        assertThat(inFlight()).isEqualTo(90);
        assertThat(queued()).isEqualTo(10);
        leases.lease(KEY, 100);
        gate.open();
        awaitAll(handles);
    }

    // ---- idle, and gone

    @Test
    void aGroupIsNotForgottenWhileSomethingIsLeased() throws Exception {
        start(policy().maxIdleGroups(0).build());
        leases.lease(KEY, 2);
        makeFast();
        Group known = group();

        assertThat(leases.lease(KEY, 1)).isEqualTo(new Lease.Reading(0, 0, 0, false));
        call(KEY);
        assertThat(group()).isSameAs(known);
        assertThat(leases.lease(KEY, 0)).isEqualTo(new Lease.Reading(0, 0, 0, false));

        assertThat(known.isDead()).isTrue();
        assertThat(executor.groupKeys()).isEmpty();
        assertThat(known.lease(4)).isNull();
        assertThat(leases.lease(KEY, 0)).isEqualTo(new Lease.Reading(0, 0, 0, false));
    }

    @Test
    void aGroupCountsAmongTheIdleOnesOnceNothingIsLeased() throws Exception {
        start(policy().maxIdleGroups(2).build());
        List<String> keys = List.of("shared-1", "shared-2", "shared-3", "shared-4");
        for (String key : keys) {
            useOnce(key);
        }
        assertThat(executor.groupKeys()).containsExactlyInAnyOrderElementsOf(keys);

        for (String key : keys.subList(0, 3)) {
            assertThat(leases.lease(key, 0).unwanted()).isFalse();
        }
        assertThat(executor.groupKeys()).containsExactlyInAnyOrder("shared-2", "shared-3", "shared-4");
    }

    @Test
    void aGroupThatIsUsedAgainBeforeItHasGivenBackIsKeptOnceMoreIsLeased() throws Exception {
        useOnce(KEY);
        executor.evictGroup(KEY);
        assertThat(leases.lease(KEY, 1).unwanted()).isTrue();

        assertThat(leases.lease(KEY, 2).unwanted()).isFalse();
        call(KEY);
        leases.lease(KEY, 0);

        assertThat(executor.groupKeys()).contains(KEY);
    }

    @Test
    void aGroupThatGaveBackWhileItWasInUseIsForgottenAfterIt() throws Exception {
        start(policy().maxIdleGroups(0).build());
        leases.lease(KEY, 1);
        call(KEY);
        GroupPermit permit = acquire(KEY);
        leases.lease(KEY, 0);
        assertThat(executor.groupKeys()).containsExactly(KEY);

        permit.close();

        Deadline.until("forgotten", () -> executor.groupKeys().isEmpty());
    }

    @Test
    void aGroupIsForgottenOnceNothingHasBeenLeasedForTooLong() throws Exception {
        start(policy().idleTimeout(Duration.ofMinutes(1)).build());
        leases.lease(KEY, 1);
        makeFast();
        beIdleFor96Seconds();
        leases.lease(KEY, 0);
        assertThat(executor.groupKeys()).containsExactly(KEY);

        beIdleFor96Seconds();
        assertThat(executor.groupKeys()).isEmpty();
    }

    private void beIdleFor96Seconds() {
        for (int i = 0; i < 6; i++) {
            clock.advance(Duration.ofSeconds(16), executor);
        }
    }

    @Test
    @Tag("RA13")
    void whatWaitedForItsRateWantsALeaseOnceThatLetsItStart() throws Exception {
        Rate oneAMinute = Rate.of(2, Duration.ofMinutes(2)).withBurst(1);
        start(policy().group(
                        KEY,
                        GroupLimits.unset().withClusterMaxInFlight(Leases.LIMIT).withRate(oneAMinute))
                .build());
        leases.lease(KEY, 1);
        call(KEY);
        TaskHandle<String> waits = executor.submit(KEY, "task", () -> "done");
        leases.lease(KEY, 0);
        List<String> before = leases.touched();

        clock.advance(Duration.ofMinutes(2), executor);

        assertThat(leases.touched()).as("after " + before).containsExactly(KEY);
        leases.lease(KEY, 1);
        awaitAll(List.of(waits));
    }

    @Test
    void aGroupThatIsEvictedGivesBackFirst() throws Exception {
        leases.lease(KEY, 1);
        makeFast();
        Group known = group();
        executor.evictGroup(KEY);

        assertThat(leases.touched()).containsExactly(KEY);
        assertThat(leases.lease(KEY, 0).unwanted()).isTrue();
        assertThat(known.isDead()).isTrue();
        assertThat(executor.groupKeys()).isEmpty();
    }

    @Test
    void aGroupThatTheNewPolicyNamesIsKept() throws Exception {
        start(policy().group(KEY, GroupLimits.unset().withMaxConcurrency(3))
                .maxIdleGroups(0)
                .build());
        leases.lease(KEY, 1);
        makeFast();

        assertThat(leases.lease(KEY, 0).unwanted()).isFalse();
        assertThat(executor.groupKeys()).containsExactly(KEY);
    }

    @Test
    void whatIsSharedByADeadGroupIsBornAnewWithNothing() throws Exception {
        start(policy().maxIdleGroups(0).build());
        leases.lease(KEY, 1);
        makeFast();
        leases.lease(KEY, 0);

        TaskHandle<String> handle = submit(gate);
        assertThat(queued()).isEqualTo(1);
        gate.open();
        leases.lease(KEY, 1);
        awaitAll(List.of(handle));
    }

    @Test
    void aFullQueueRefusesAsEver() throws Exception {
        start(policy().defaultQueueThresholdPerGroup(1).build());
        TaskHandle<String> waiting = submit(gate);
        TaskHandle<String> refused = submit(gate);

        assertThat(Deadline.reached(refused::isDone)).isTrue();
        assertThatExceptionOfType(RejectedTaskException.class).isThrownBy(refused::join);
        assertThat(leases.lease(KEY, 0)).isEqualTo(new Lease.Reading(0, 1, 1, false));
        gate.open();
        leases.lease(KEY, 1);
        awaitAll(List.of(waiting));
    }
}
