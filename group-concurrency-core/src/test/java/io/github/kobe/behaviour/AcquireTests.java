package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupRecorder;
import io.github.kobe.Rate;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** E5: permits by themselves. */
@Tag("E5")
class AcquireTests {

    private static final Duration SHORT = Duration.ofMillis(30);
    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    final Engines engines = new Engines();

    @Test
    void aPermitKeepsOthersOutUntilItIsClosed() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        GroupPermit permit = executor.acquire("a");
        assertThat(permit.groupKey()).isEqualTo("a");
        TaskHandle<String> waiting = executor.submit("a", "1", () -> "ran");
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);
        permit.close();

        assertThat(waiting.await().value()).isEqualTo("ran");
    }

    @Test
    void aSecondCloseDoesNothing() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        GroupPermit first = executor.acquire("a");
        first.close();
        GroupPermit second = executor.acquire("a");

        first.close();

        assertThat(tryAcquireElsewhere(executor, "a")).isEmpty();
        second.close();
    }

    @Test
    @Tag("I3")
    void closesByManyThreadsAtOnceGiveThePermitBackOnce() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build());
        for (int i = 0; i < 100; i++) {
            GroupPermit permit = executor.acquire("a");
            CyclicBarrier barrier = new CyclicBarrier(3);
            List<Caller<Boolean>> closers = new ArrayList<>();
            for (int j = 0; j < 3; j++) {
                closers.add(Caller.start(() -> {
                    barrier.await();
                    permit.close();
                    return true;
                }));
            }
            for (Caller<Boolean> closer : closers) {
                closer.result();
            }
        }
    }

    @Test
    void anyThreadMayCloseAPermit() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        GroupPermit permit = executor.acquire("a");

        Deadline.within(() -> {
            permit.close();
            return "closed";
        });

        Optional<GroupPermit> next = tryAcquireElsewhere(executor, "a");
        assertThat(next).isPresent();
        next.orElseThrow().close();
    }

    @Test
    void tryAcquireIsEmptyWhenItsTimeIsUp() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        GroupPermit permit = executor.acquire("a");

        assertThat(Deadline.within(() -> executor.tryAcquire("a", SHORT))).isEmpty();

        assertThat(executor.groupStats("a").orElseThrow().queued()).isZero();
        permit.close();
    }

    @Test
    void tryAcquireIsEmptyWhenTheQueueIsFull() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultQueueThresholdPerGroup(0).build());
        GroupPermit permit = executor.acquire("a");

        assertThat(Deadline.within(() -> executor.tryAcquire("a", Deadline.LONG)))
                .isEmpty();
        permit.close();
    }

    @Test
    void tryAcquireIsEmptyWhenTheGroupsTimeIsUp() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().queueTimeout(SHORT).build());
        GroupPermit permit = executor.acquire("a");

        assertThat(Deadline.within(() -> executor.tryAcquire("a", Duration.ofHours(1))))
                .isEmpty();
        permit.close();
    }

    @Test
    void tryAcquireGetsThePermitThatComesFreeInTime() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        GroupPermit permit = executor.acquire("a");
        Caller<Optional<GroupPermit>> waiter = Caller.start(() -> executor.tryAcquire("a", Deadline.LONG));
        awaitQueued(executor, 1);

        permit.close();

        waiter.result().orElseThrow().close();
    }

    @Test
    void tryAcquireWithNoTimeNeverWaits() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.tryAcquire("a", Duration.ZERO).orElseThrow().close();
        executor.tryAcquire("a", Duration.ofSeconds(-1)).orElseThrow().close();

        GroupPermit permit = executor.acquire("a");

        assertThat(tryAcquireElsewhere(executor, "a")).isEmpty();
        assertThat(Deadline.within(() -> executor.tryAcquire("a", Duration.ofSeconds(-1))))
                .isEmpty();
        permit.close();
    }

    @Test
    void tryAcquireWithNoTimeNeverOvertakes() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.pause("a");
        TaskHandle<String> waiting = executor.submit("a", "1", () -> "ran");

        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();

        executor.resume("a");
        assertThat(waiting.await().value()).isEqualTo("ran");
    }

    @Test
    void interruptedWaitersLeaveTheQueue() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        GroupPermit permit = executor.acquire("a");
        Caller<GroupPermit> acquirer = Caller.start(() -> executor.acquire("a"));
        Caller<Optional<GroupPermit>> trier = Caller.start(() -> executor.tryAcquire("a", Deadline.LONG));
        awaitQueued(executor, 2);

        acquirer.interrupt();
        trier.interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(acquirer::result);
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(trier::result);
        awaitQueued(executor, 0);
        permit.close();
    }

    @Test
    void anInterruptedThreadThatNeedNotWaitGetsItsPermit() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        boolean interrupted = Deadline.within(() -> {
            Thread.currentThread().interrupt();
            executor.acquire("a").close();
            executor.tryAcquire("a", Deadline.LONG).orElseThrow().close();
            return Thread.interrupted();
        });

        assertThat(interrupted).isTrue();
    }

    @Test
    void aShutdownRejectsWaiters() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        GroupPermit permit = executor.acquire("a");
        Caller<GroupPermit> acquirer = Caller.start(() -> executor.acquire("a"));
        Caller<Optional<GroupPermit>> trier = Caller.start(() -> executor.tryAcquire("a", Deadline.LONG));
        awaitQueued(executor, 2);
        CompletableFuture<GroupPermit> async = executor.acquireAsync("a").toCompletableFuture();

        executor.shutdown();

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(acquirer::result)
                .returns(RejectionReason.SHUTDOWN, RejectedTaskException::reason);
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(trier::result)
                .returns(RejectionReason.SHUTDOWN, RejectedTaskException::reason);
        assertThat(rejectionOf(async)).isEqualTo(RejectionReason.SHUTDOWN);
        permit.close();
    }

    @Test
    void aShutdownWaitsForPermits() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        GroupPermit permit = executor.acquire("a");
        GroupPermit async = executor.acquireAsync("b").toCompletableFuture().join();

        executor.shutdown();
        assertThat(executor.isTerminated()).isFalse();
        permit.close();
        assertThat(executor.isTerminated()).isFalse();
        async.close();

        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void afterAShutdownThereAreNoPermits() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.shutdown();

        assertThatIllegalStateException().isThrownBy(() -> executor.acquire("a"));
        assertThatIllegalStateException().isThrownBy(() -> executor.tryAcquire("a", Duration.ZERO));
        assertThatIllegalStateException().isThrownBy(() -> executor.acquireAsync("a"));
    }

    @Test
    void acquireAsyncIsCompleteAtOnceIfThereIsRoom() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        CompletableFuture<GroupPermit> permit = executor.acquireAsync("a").toCompletableFuture();

        assertThat(permit).isCompleted();
        assertThat(tryAcquireElsewhere(executor, "a")).isEmpty();
        permit.join().close();
    }

    @Test
    void anAsynchronousWaiterIsCompletedOnAFreshVirtualThread() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        GroupPermit permit = executor.acquire("a");
        CompletableFuture<Thread> completer = executor.acquireAsync("a")
                .thenApply(granted -> {
                    granted.close();
                    return Thread.currentThread();
                })
                .toCompletableFuture();

        permit.close();

        Thread thread = completer.get(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(thread.isVirtual()).isTrue();
        assertThat(thread).isNotSameAs(Thread.currentThread());
    }

    @Test
    void anAsynchronousPermitBelongsToNoThread() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        GroupPermit async = executor.acquireAsync("a").toCompletableFuture().join();

        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        async.close();
    }

    @Test
    void anAsynchronousPermitOfAnotherGroupGivesNoGlobalPermitToItsThread() {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());

        GroupPermit async = executor.acquireAsync("a").toCompletableFuture().join();

        assertThat(executor.acquireAsync("b").toCompletableFuture().cancel(false))
                .isTrue();
        async.close();
    }

    @Test
    @Tag("E12")
    void cancellingWhatHasItsPermitAlreadyOrWasRejectedCountsNothing() {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultQueueThresholdPerGroup(0).build());
        CompletableFuture<GroupPermit> granted = executor.acquireAsync("a").toCompletableFuture();
        CompletableFuture<GroupPermit> rejected = executor.acquireAsync("a").toCompletableFuture();

        assertThat(granted.cancel(false)).isFalse();
        assertThat(rejected.cancel(false)).isFalse();

        granted.join().close();
        assertThat(executor.stats().totals().cancelled()).isZero();
    }

    @Test
    void cancellingAnAsynchronousWaiterLeavesTheQueue() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        GroupPermit permit = executor.acquire("a");
        CompletableFuture<GroupPermit> waiter = executor.acquireAsync("a").toCompletableFuture();
        TaskHandle<String> next = executor.submit("a", "next", () -> "next");
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(2);

        assertThat(waiter.cancel(false)).isTrue();

        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);
        permit.close();
        assertThat(next.await().value()).isEqualTo("next");
        assertThat(waiter).isCancelled();
    }

    @Test
    void aFullQueueRejectsAnAsynchronousWaiter() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultQueueThresholdPerGroup(0).build());
        GroupPermit permit = executor.acquire("a");

        CompletableFuture<GroupPermit> rejected = executor.acquireAsync("a").toCompletableFuture();

        assertThat(rejectionOf(rejected)).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
        permit.close();
    }

    @Test
    @Tag("E3")
    void anAsynchronousWaiterIsRejectedWhenTheGroupsTimeIsUp() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().queueTimeout(Duration.ofSeconds(10)).build(), clock);
        GroupPermit permit = executor.acquire("a");
        CompletableFuture<GroupPermit> waiter = executor.acquireAsync("a").toCompletableFuture();

        clock.advance(Duration.ofSeconds(9), executor);
        assertThat(waiter).isNotDone();
        clock.advance(Duration.ofSeconds(2), executor);

        assertThat(rejectionOf(waiter)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        permit.close();
    }

    @Test
    void aTimedWaitCountsFromItsBeginning() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(GroupPolicy.builder().build(), clock);
        clock.advance(Duration.ofHours(1));
        GroupPermit permit = executor.acquire("a");
        Caller<Boolean> waiter = Caller.start(() -> {
            Optional<GroupPermit> granted = executor.tryAcquire("a", Deadline.LONG);
            granted.ifPresent(GroupPermit::close);
            return granted.isPresent();
        });
        awaitQueued(executor, 1);

        clock.advance(Deadline.LONG.dividedBy(2));
        permit.close();

        assertThat(waiter.result()).isTrue();
    }

    @Test
    @Tag("P8")
    void cancelRacingTheGrantOfAnAsynchronousPermitLosesNone() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());
        for (int i = 0; i < 300; i++) {
            GroupPermit permit = executor.acquire("a");
            CompletableFuture<GroupPermit> waiter = executor.acquireAsync("a").toCompletableFuture();
            CyclicBarrier barrier = new CyclicBarrier(2);
            Caller<Boolean> canceller = Caller.start(() -> {
                barrier.await();
                return waiter.cancel(false);
            });
            barrier.await();
            permit.close();
            if (!canceller.result()) {
                waiter.get(Deadline.SECONDS, TimeUnit.SECONDS).close();
            }
            executor.acquire("a").close();
        }
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    @Tag("P1")
    void aPermitIsNeverHandedToAWaiterWhoseTimeIsUp() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());
        for (int i = 0; i < 200; i++) {
            GroupPermit permit = executor.acquire("a");
            CountDownLatch started = new CountDownLatch(1);
            Caller<Optional<GroupPermit>> waiter = Caller.start(() -> {
                started.countDown();
                return executor.tryAcquire("a", Duration.ofNanos(200_000));
            });
            started.await();
            permit.close();
            waiter.result().ifPresent(GroupPermit::close);
            executor.acquire("a").close();
        }
    }

    @Test
    @Tag("P1")
    void aWaiterThatHasLeftIsPassedOver() throws Exception {
        ManualClock clock = new ManualClock();
        GroupPolicy onlyTheGlobalLimitIsShort = GroupPolicy.builder()
                .globalMaxInFlight(1)
                .defaultMaxConcurrencyPerGroup(2)
                .build();
        GroupExecutor executor = engines.start(onlyTheGlobalLimitIsShort, clock);
        ReentrantLock guard = EngineAccess.sharedLock(executor);
        GroupPermit permit = executor.acquire("a");
        Caller<Optional<GroupPermit>> waiter = Caller.start(() -> executor.tryAcquire("a", HOUR));
        awaitQueued(executor, 1);
        // Its hour begins when it has looked at the clock, which it does after it has been queued.
        waiter.awaitBlocked();

        guard.lock();
        try {
            clock.advance(HOUR);
            LockSupport.unpark(waiter.thread());
            // It has left, and wants its place in the queue removed; so the permit finds it still there.
            Deadline.until("the waiter has left", () -> guard.hasQueuedThread(waiter.thread()));
            permit.close();
        } finally {
            guard.unlock();
        }

        assertThat(waiter.result()).isEmpty();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    @Tag("P1")
    void aWaiterThatIsGrantedAsItsTimeIsUpHasThePermit() throws Exception {
        ManualClock clock = new ManualClock();
        AtomicReference<Caller<Optional<GroupPermit>>> waiter = new AtomicReference<>();
        AtomicReference<GroupPermit> held = new AtomicReference<>();
        LongSupplier grantsTheWaiterAsItLooks = () -> {
            if (waiter.get() != null && waiter.get().thread().equals(Thread.currentThread())) {
                GroupPermit permit = held.getAndSet(null);
                if (permit != null) {
                    permit.close();
                    clock.advance(HOUR);
                }
            }
            return clock.getAsLong();
        };
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().globalMaxInFlight(1).build(),
                new Surroundings(grantsTheWaiterAsItLooks, TaskThreads.VIRTUAL, false));
        GroupPermit permit = executor.acquire("a");
        waiter.set(Caller.start(() -> executor.tryAcquire("a", HOUR)));
        awaitQueued(executor, 1);
        waiter.get().awaitBlocked();

        held.set(permit);
        LockSupport.unpark(waiter.get().thread());

        Optional<GroupPermit> granted = waiter.get().result();
        assertThat(granted).isPresent();
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        granted.get().close();
    }

    @Test
    @Tag("P5")
    void anInterruptRacingTheGrantNeitherLosesNorInflatesThePermits() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxInFlightPerGroup(1)
                .globalMaxInFlight(1)
                .build());
        int granted = 0;
        int left = 0;
        for (int i = 0; i < 200; i++) {
            GroupPermit permit = executor.acquire("a");
            Caller<GroupPermit> waiter = Caller.start(() -> executor.acquire("a"));
            awaitQueued(executor, 1);
            CyclicBarrier barrier = new CyclicBarrier(2);
            Caller<Boolean> interrupter = Caller.start(() -> {
                barrier.await();
                waiter.interrupt();
                return true;
            });
            barrier.await();
            permit.close();
            interrupter.result();
            try {
                waiter.result().close();
                granted++;
            } catch (InterruptedException interrupted) {
                left++;
            }
            GroupPermit again = Deadline.within(() -> executor.acquire("a"));
            assertThat(tryAcquireElsewhere(executor, "a")).isEmpty();
            again.close();
        }
        // Each round takes two more, before and after.
        assertThat(executor.stats().totals().succeeded()).isEqualTo(400 + granted);
        assertThat(executor.stats().totals().cancelled()).isEqualTo(left);
    }

    @Test
    @Tag("P7")
    void ofCallersThatRaceForAPermitExactlyTheLimitPass() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(3)
                .globalMaxInFlight(5)
                .build());
        for (int round = 0; round < 30; round++) {
            CyclicBarrier barrier = new CyclicBarrier(24);
            List<Caller<Optional<GroupPermit>>> callers = new ArrayList<>();
            for (int i = 0; i < 24; i++) {
                String key = i % 2 == 0 ? "a" : "b";
                callers.add(Caller.start(() -> {
                    barrier.await();
                    return executor.tryAcquire(key, Duration.ZERO);
                }));
            }
            List<GroupPermit> permits = new ArrayList<>();
            for (Caller<Optional<GroupPermit>> caller : callers) {
                caller.result().ifPresent(permits::add);
            }
            // One that had taken a global permit may have found its group full just when the others looked.
            assertThat(permits).hasSizeBetween(4, 5);
            assertThat(permits)
                    .filteredOn(permit -> permit.groupKey().equals("a"))
                    .hasSizeBetween(1, 3);
            while (permits.size() < 5) {
                permits.add(executor.tryAcquire("c", Duration.ZERO).orElseThrow());
            }
            assertThat(executor.tryAcquire("d", Duration.ZERO)).isEmpty();
            permits.forEach(GroupPermit::close);
        }
    }

    @Test
    @Tag("P7")
    void ofCallersThatRaceIntoAFreeGroupExactlyTheLimitPass() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(3).build());
        executor.acquire("a").close();
        for (int round = 0; round < 30; round++) {
            CyclicBarrier barrier = new CyclicBarrier(12);
            List<Caller<Optional<GroupPermit>>> callers = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                callers.add(Caller.start(() -> {
                    barrier.await();
                    return executor.tryAcquire("a", Duration.ZERO);
                }));
            }
            List<GroupPermit> permits = new ArrayList<>();
            for (Caller<Optional<GroupPermit>> caller : callers) {
                caller.result().ifPresent(permits::add);
            }
            assertThat(permits).hasSize(3);
            permits.forEach(GroupPermit::close);
        }
    }

    @Test
    @Tag("W3")
    void onePermitThatComesFreeLetsExactlyOneWaiterGo() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        GroupPermit permit = executor.acquire("a");
        List<Caller<GroupPermit>> waiters = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            waiters.add(Caller.start(() -> executor.acquire("a")));
            awaitQueued(executor, i + 1);
        }

        for (int i = 0; i < 50; i++) {
            permit.close();
            permit = waiters.get(i).result();
            assertThat(waiters.subList(i + 1, 50)).noneMatch(Caller::isDone);
            assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(49 - i);
        }
        permit.close();
    }

    /** Who waits for a time looks at the clock each time it wakes. */
    @Test
    @Tag("W3")
    void onePermitThatComesFreeWakesExactlyOneWaiter() throws Exception {
        Map<Thread, Integer> looks = new ConcurrentHashMap<>();
        LongSupplier clock = () -> {
            looks.merge(Thread.currentThread(), 1, Integer::sum);
            return System.nanoTime();
        };
        GroupExecutor executor =
                engines.startPlain(GroupPolicy.builder().build(), new Surroundings(clock, TaskThreads.VIRTUAL, true));
        GroupPermit permit = executor.acquire("a");
        List<Caller<Optional<GroupPermit>>> waiters = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            waiters.add(Caller.start(() -> executor.tryAcquire("a", HOUR)));
            awaitQueued(executor, i + 1);
            waiters.getLast().awaitBlocked();
        }
        int before = looksOf(waiters, looks);

        for (Caller<Optional<GroupPermit>> waiter : waiters) {
            permit.close();
            permit = waiter.result().orElseThrow();
        }

        // Threads may wake for no reason, but hardly so often.
        assertThat(looksOf(waiters, looks) - before).isLessThan(waiters.size());
        permit.close();
    }

    private static int looksOf(List<? extends Caller<?>> callers, Map<Thread, Integer> looks) {
        return callers.stream().mapToInt(caller -> looks.get(caller.thread())).sum();
    }

    @Test
    void permitsCountAsSucceededWhenTheyAreClosed() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        GroupPermit permit = executor.acquire("a");
        assertThat(executor.stats().totals().submitted()).isEqualTo(1);
        assertThat(executor.stats().totals().succeeded()).isZero();
        permit.close();

        assertThat(executor.stats().totals().succeeded()).isEqualTo(1);
    }

    // ---------------------------------------------------------------- what comes too late

    @Test
    void whatComesTooLateIsCountedAsRejectedAndTakesNothingThoughAllIsFree() throws Exception {
        Rate rate = Rate.of(60, HOUR).withBurst(1);
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .group("a", GroupLimits.unset().withRate(rate))
                .globalMaxInFlight(1)
                .build());

        executor.rejectLate("a", "late");
        executor.rejectLate("b", "");

        assertThat(executor.groupStats("a").orElseThrow()).satisfies(group -> {
            assertThat(group.totals().submitted()).isEqualTo(1);
            assertThat(group.totals().rejectedByReason()).containsEntry(RejectionReason.QUEUE_TIMEOUT, 1L);
            assertThat(group.rateStats().getFirst().used()).isZero();
        });
        assertThat(executor.stats().totals().rejected()).isEqualTo(2);
        assertThat(executor.submit("a", "next", () -> "ran").await().value()).isEqualTo("ran");
    }

    @Test
    void whatComesTooLateIsToldLikeWhatIsNotLetIn() {
        List<String> heard = new CopyOnWriteArrayList<>();
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onSubmitted(String groupKey, String taskId) {
                        heard.add(groupKey + " " + taskId + " submitted");
                    }

                    @Override
                    public void onRejected(String groupKey, String taskId, RejectionReason reason) {
                        heard.add(groupKey + " " + taskId + " " + reason);
                    }
                })
                .recorderFactory((groupKey, rule) -> new GroupRecorder() {
                    @Override
                    public void rejected(RejectionReason reason) {
                        heard.add(groupKey + " recorded " + reason);
                    }
                })
                .build());

        executor.rejectLate("a", "late");

        assertThat(heard).containsExactly("a late submitted", "a recorded QUEUE_TIMEOUT", "a late QUEUE_TIMEOUT");
    }

    @Test
    void afterAShutdownNothingComesTooLate() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.shutdown();

        assertThatExceptionOfType(ExecutorShutdownException.class).isThrownBy(() -> executor.rejectLate("a", "late"));
        assertThat(executor.stats().totals().submitted()).isZero();
    }

    @Test
    void nullsAreRefused() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        assertThatNullPointerException().isThrownBy(() -> executor.acquire(null));
        assertThatNullPointerException().isThrownBy(() -> executor.tryAcquire(null, Duration.ZERO));
        assertThatNullPointerException().isThrownBy(() -> executor.tryAcquire("a", null));
        assertThatNullPointerException().isThrownBy(() -> executor.acquireAsync(null));
        assertThatNullPointerException().isThrownBy(() -> executor.rejectLate(null, "1"));
        assertThatNullPointerException().isThrownBy(() -> executor.rejectLate("a", null));
    }

    private static RejectionReason rejectionOf(CompletableFuture<GroupPermit> permit) throws Exception {
        try {
            permit.get(Deadline.SECONDS, TimeUnit.SECONDS).close();
            throw new AssertionError("granted");
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(RejectedTaskException.class);
            return ((RejectedTaskException) e.getCause()).reason();
        }
    }

    private static Optional<GroupPermit> tryAcquireElsewhere(GroupExecutor executor, String groupKey) throws Exception {
        return Deadline.within(() -> executor.tryAcquire(groupKey, Duration.ZERO));
    }

    private static void awaitQueued(GroupExecutor executor, int count) {
        Deadline.until(
                () -> count + " queued, but " + executor.groupStats("a"),
                () -> executor.groupStats("a").orElseThrow().queued() == count);
    }
}
