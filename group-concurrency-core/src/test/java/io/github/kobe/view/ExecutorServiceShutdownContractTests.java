package io.github.kobe.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** E7: the JDK's contract of how an executor service ends. */
@Tag("E7")
class ExecutorServiceShutdownContractTests {

    private static final int ROUNDS = Depth.pick(20, 100, 10_000);

    private static final long[] NO_TIME = {0, -1, Long.MIN_VALUE};

    @RegisterExtension
    final Contest contest = new Contest();

    private final Gate gate = new Gate();

    @AfterEach
    void open() {
        gate.open();
    }

    // ---------------------------------------------------------------- shutdown

    @Contest.All
    void shutdownLetsAllFinishAndRefusesMore(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        List<Future<String>> futures = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            futures.add(service.submit(gate.then("value")));
        }
        gate.awaitArrived(1);
        assertThat(service.isShutdown()).isFalse();

        service.shutdown();
        service.shutdown();

        assertThat(service.isShutdown()).isTrue();
        assertThat(service.isTerminated()).isFalse();
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> service.execute(() -> {}));
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> service.submit(() -> {}));
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> service.submit(() -> "more"));
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> service.submit(() -> {}, "more"));
        gate.open();
        assertThat(service.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(service.isTerminated()).isTrue();
        assertThat(futures).allMatch(future -> future.state() == Future.State.SUCCESS);
        service.shutdown();
        assertThat(service.shutdownNow()).isEmpty();
    }

    @Contest.All
    void withNothingToDoItTerminatesByItsShutdown(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        assertThat(service.isTerminated()).isFalse();

        service.shutdown();

        assertThat(service.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(service.isTerminated()).isTrue();
    }

    @Contest.NotForkJoin // takes what its own tasks submit until all is quiet
    void aTaskMaySubmitMoreUntilTheShutdownAndNotAfter(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        AtomicReference<Future<String>> inner = new AtomicReference<>();
        Future<Boolean> outer = service.submit(() -> {
            inner.set(service.submit(() -> "inner"));
            gate.pass();
            try {
                service.execute(() -> {});
                return false;
            } catch (RejectedExecutionException shutDown) {
                return true;
            }
        });
        gate.awaitArrived(1);

        service.shutdown();
        gate.open();

        assertThat(outer.get(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(inner.get().get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("inner");
    }

    // ---------------------------------------------------------------- shutdownNow

    @Contest.All
    void shutdownNowInterruptsWhatRunsAlsoAfterAShutdown(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        Future<String> running = service.submit(gate.then("never"));
        gate.awaitArrived(1);
        service.shutdown();

        assertThat(service.shutdownNow()).isEmpty();

        assertThat(service.isShutdown()).isTrue();
        assertThat(service.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(gate.isOpen()).isFalse();
        assertThat(running.isDone()).isTrue();
        assertThat(running.state()).isNotEqualTo(Future.State.SUCCESS);
    }

    @Contest.Serial
    void shutdownNowReturnsTheVeryRunnablesInTheirOrder(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        List<String> ran = new CopyOnWriteArrayList<>();
        service.execute(gate::passStubbornly);
        gate.awaitArrived(1);
        List<Runnable> given = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            if (i % 3 == 0) {
                given.add((Runnable) service.submit(() -> ran.add("submitted")));
            } else {
                Runnable command = i % 3 == 1 ? new Recorder(ran) : new FutureTask<>(() -> ran.add("own future"));
                service.execute(command);
                given.add(command);
            }
        }

        List<Runnable> returned = service.shutdownNow();

        assertThat(returned).hasSize(50);
        for (int i = 0; i < 50; i++) {
            assertThat(returned.get(i)).isSameAs(given.get(i));
        }
        assertThat(service.shutdownNow()).isEmpty();
        gate.open();
        assertThat(service.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(ran).isEmpty();
    }

    @Contest.Serial
    void whatShutdownNowReturnsCanBeRunElsewhere(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        service.execute(gate::passStubbornly);
        gate.awaitArrived(1);
        Future<String> future = service.submit(() -> "value");
        AtomicBoolean interrupted = new AtomicBoolean();
        Gate elsewhereGate = new Gate();
        Future<String> stopped = service.submit(() -> {
            try {
                elsewhereGate.pass();
                return "never";
            } catch (InterruptedException e) {
                interrupted.set(true);
                throw e;
            }
        });

        List<Runnable> returned = service.shutdownNow();

        assertThat(future.state()).isEqualTo(Future.State.RUNNING);
        ExecutorService elsewhere = contest.open(Contestant.JDK_POOL_OF_ONE);
        returned.forEach(elsewhere::execute);
        assertThat(future.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("value");
        elsewhereGate.awaitArrived(1);
        assertThat(stopped.cancel(true)).isTrue();
        Deadline.until("interrupted", interrupted::get);
    }

    @Contest.Serial
    void aViewTakesWhatAnotherExecutorServiceGaveBack(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        service.execute(gate::passStubbornly);
        gate.awaitArrived(1);
        Future<String> future = service.submit(() -> "value");

        List<Runnable> returned = service.shutdownNow();

        ExecutorService view = contest.open(Contestant.VIEW_OF_ONE);
        returned.forEach(view::execute);
        assertThat(future.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("value");
    }

    @Contest.Serial
    void whatWasCancelledIsNotTakenForWorkThatWaits(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        service.execute(gate::passStubbornly);
        gate.awaitArrived(1);
        Future<?> cancelled = service.submit(() -> {});
        Runnable waiting = () -> {};
        service.execute(waiting);
        cancelled.cancel(false);

        List<Runnable> returned = service.shutdownNow();

        if (contestant.isView()) {
            assertThat(returned).containsExactly(waiting);
        } else {
            // It keeps a cancelled future in its queue until its turn comes, and gives it back.
            assertThat(returned).containsExactly((Runnable) cancelled, waiting);
        }
    }

    @Contest.NotForkJoin // interrupts its other workers
    void shutdownNowFromInsideInterruptsItsOwnCaller(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);

        AtomicBoolean interrupted = new AtomicBoolean();
        service.execute(() -> {
            service.shutdownNow();
            try {
                gate.pass();
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
        });

        assertThat(service.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(interrupted).isTrue();
    }

    /**
     * Of each command exactly one is true: it began, it was returned, its submitter got the exception. Not of the
     * ForkJoinPool, which cancels what waits and returns nothing.
     */
    @Contest.NotForkJoin
    void everyCommandIsRunReturnedOrRejectedAndOnlyOneOfThem(Contestant contestant) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            ExecutorService service = contest.open(contestant);
            List<Counted> commands = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                commands.add(new Counted());
            }
            Caller<Boolean> one = Caller.start(() -> executeAll(service, commands.subList(0, 3)));
            Caller<Boolean> other = Caller.start(() -> executeAll(service, commands.subList(3, 6)));
            if (round % 2 == 0) {
                Thread.onSpinWait();
            }

            for (Runnable returned : service.shutdownNow()) {
                ((Counted) returned).fates.incrementAndGet();
            }

            one.result();
            other.result();
            assertThat(service.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            assertThat(commands).as("round %s", round).allMatch(command -> command.fates.get() == 1);
        }
    }

    private static boolean executeAll(ExecutorService service, List<Counted> commands) {
        for (Counted command : commands) {
            try {
                service.execute(command);
            } catch (RejectedExecutionException rejected) {
                command.fates.incrementAndGet();
            }
        }
        return true;
    }

    // ---------------------------------------------------------------- awaitTermination

    @Contest.All
    void awaitTerminationWithoutTimeAnswersAtOnce(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        Future<?> running = service.submit(gate::passStubbornly);
        for (TimeUnit unit : List.of(TimeUnit.NANOSECONDS, TimeUnit.DAYS)) {
            for (long time : NO_TIME) {
                assertThat(service.awaitTermination(time, unit)).isFalse();
            }
        }
        service.shutdown();
        for (long time : NO_TIME) {
            assertThat(service.awaitTermination(time, TimeUnit.DAYS)).isFalse();
        }

        gate.open();
        assertThat(service.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();

        assertThat(running.isDone()).isTrue();
        for (long time : NO_TIME) {
            assertThat(service.awaitTermination(time, TimeUnit.DAYS)).isTrue();
        }
    }

    @Contest.All
    void awaitTerminationBeforeAShutdownIsFalseWhenItsTimeIsUp(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);

        assertThat(service.awaitTermination(5, TimeUnit.MILLISECONDS)).isFalse();
    }

    @Contest.All
    void allThatWaitForTheTerminationAreWoken(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        service.execute(gate::passStubbornly);
        List<Caller<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(Caller.start(() -> service.awaitTermination(Long.MAX_VALUE, TimeUnit.DAYS)));
            waiting.add(Caller.start(() -> service.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS)));
        }
        waiting.forEach(Caller::awaitBlocked);

        service.shutdown();
        gate.open();

        for (Caller<Boolean> caller : waiting) {
            assertThat(caller.result()).isTrue();
        }
    }

    @Contest.All
    void anInterruptBeforeOrDuringAwaitTerminationEndsOnlyThat(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        Future<String> future = service.submit(gate.then("value"));
        Caller<Boolean> before = Caller.start(() -> {
            Thread.currentThread().interrupt();
            return service.awaitTermination(1, TimeUnit.DAYS);
        });
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(before::result);

        Caller<Boolean> during =
                Caller.start(() -> service.awaitTermination(1, TimeUnit.DAYS)).awaitBlocked();
        during.interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(during::result);
        assertThat(service.isShutdown()).isFalse();
        gate.open();
        assertThat(future.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("value");
    }

    // ---------------------------------------------------------------- close

    @Contest.All
    void closeWaitsForAllThatWasSubmittedAndAgainDoesNothing(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        List<Future<String>> futures = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            futures.add(service.submit(gate.then("value")));
        }
        Caller<Boolean> one = Caller.start(() -> close(service)).awaitBlocked();
        Caller<Boolean> other = Caller.start(() -> close(service)).awaitBlocked();
        assertThat(service.isShutdown()).isTrue();

        gate.open();

        assertThat(one.result()).isFalse();
        assertThat(other.result()).isFalse();
        assertThat(futures).allMatch(future -> future.state() == Future.State.SUCCESS);
        assertThat(service.isTerminated()).isTrue();
        assertThat(close(service)).isFalse();
    }

    @Contest.All
    void closeOfWhatHasTerminatedLeavesAnInterruptAlone(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        service.close();

        assertThat(Caller.start(() -> {
                            Thread.currentThread().interrupt();
                            return close(service);
                        })
                        .result())
                .isTrue();
    }

    @Contest.All
    void anInterruptBeforeCloseStopsAllThatRunsOrWaits(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        List<Future<String>> futures = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            futures.add(service.submit(gate.then("never")));
        }
        gate.awaitArrived(1);

        Caller<Boolean> closer = Caller.start(() -> {
            Thread.currentThread().interrupt();
            return close(service);
        });

        assertThat(closer.result()).isTrue();
        assertThat(service.isTerminated()).isTrue();
        assertThat(gate.isOpen()).isFalse();
        assertThat(futures).noneMatch(future -> future.state() == Future.State.SUCCESS);
    }

    @Contest.All
    void anInterruptDuringCloseStopsAllButTheWait(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        AtomicReference<Boolean> interrupted = new AtomicReference<>();
        service.execute(() -> {
            gate.passStubbornly();
            interrupted.set(Thread.currentThread().isInterrupted());
        });
        gate.awaitArrived(1);
        Caller<Boolean> closer = Caller.start(() -> close(service)).awaitBlocked();

        closer.interrupt();
        Deadline.until(
                "it waits again",
                () -> closer.awaitBlocked() != null && !closer.thread().isInterrupted());
        closer.interrupt();

        assertThat(closer.awaitBlocked().isDone()).isFalse();
        assertThat(service.isTerminated()).isFalse();
        gate.open();
        assertThat(closer.result()).isTrue();
        assertThat(interrupted).hasValue(true);
        assertThat(service.isTerminated()).isTrue();
    }

    /** It waits for itself, as the JDK's do; an interrupt doesn't help. */
    @ParameterizedTest
    @EnumSource(names = {"JDK_THREAD_PER_TASK", "VIEW_WITH_ROOM", "VIEW_OF_ONE"})
    void closeFromInsideShutsDownAndWaitsForItself(Contestant contestant) throws Exception {
        // Not in the contest, which would wait for it in vain.
        ExecutorService service = contestant.open(
                policy -> GroupExecutor.newVirtualThreadExecutor(policy).asExecutorService("a"));
        AtomicReference<Thread> inside = new AtomicReference<>();
        service.execute(() -> {
            inside.set(Thread.currentThread());
            service.close();
        });

        Deadline.until("shut down", service::isShutdown);
        Deadline.until("it waits", () -> Caller.isBlocked(inside.get()));

        assertThat(service.isTerminated()).isFalse();
        assertThat(service.awaitTermination(5, TimeUnit.MILLISECONDS)).isFalse();
    }

    /** {@return whether the thread is interrupted after it} */
    private static boolean close(ExecutorService service) {
        service.close();
        return Thread.currentThread().isInterrupted();
    }

    private record Recorder(List<String> ran) implements Runnable {

        @Override
        public void run() {
            ran.add("executed");
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private static final class Counted implements Runnable {

        private final AtomicInteger fates = new AtomicInteger();

        @Override
        public void run() {
            fates.incrementAndGet();
        }
    }
}
