package io.github.kobe.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * E7: the JDK's contract of invokeAll and invokeAny. A test that leaves its gate shut says with that, too, that nothing
 * goes on behind the caller's back: who ends the contestant would not come to an end.
 */
@Tag("E7")
class ExecutorServiceBulkContractTests {

    private static final int ROUNDS = Depth.pick(20, 100, 10_000);

    @RegisterExtension
    final Contest contest = new Contest();

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();
    private ExecutorService service;

    /** All that was submitted has ended without the gate, so it was interrupted or never ran. */
    @AfterEach
    void nothingIsLeft() throws Exception {
        if (service != null) {
            service.shutdown();
            assertThat(service.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS))
                    .as("all has ended")
                    .isTrue();
        }
    }

    // ---------------------------------------------------------------- both

    @Contest.All
    void nullsAreRefused(Contestant contestant) {
        service = contest.open(contestant);
        List<Callable<String>> one = List.of(() -> "one");

        assertThatNullPointerException().isThrownBy(() -> service.invokeAll(null));
        assertThatNullPointerException().isThrownBy(() -> service.invokeAll(null, 1, TimeUnit.DAYS));
        assertThatNullPointerException().isThrownBy(() -> service.invokeAll(one, 1, null));
        assertThatNullPointerException().isThrownBy(() -> service.invokeAny(null));
        assertThatNullPointerException().isThrownBy(() -> service.invokeAny(null, 1, TimeUnit.DAYS));
        assertThatNullPointerException().isThrownBy(() -> service.invokeAny(one, 1, null));
    }

    @Contest.All
    void aNullAmongTheTasksIsRefusedAndTheOthersAreCancelled(Contestant contestant) {
        service = contest.open(contestant);
        List<Callable<String>> last = Arrays.asList(gate.then("one"), gate.then("two"), null);
        List<Callable<String>> first = Arrays.asList(null, gate.then("one"));

        for (List<Callable<String>> tasks : List.of(last, first)) {
            assertThatNullPointerException().isThrownBy(() -> service.invokeAll(tasks));
            assertThatNullPointerException().isThrownBy(() -> service.invokeAll(tasks, 1, TimeUnit.DAYS));
            assertThatNullPointerException().isThrownBy(() -> service.invokeAny(tasks));
            assertThatNullPointerException().isThrownBy(() -> service.invokeAny(tasks, 1, TimeUnit.DAYS));
        }
    }

    @Contest.All
    void afterAShutdownBothAreRejected(Contestant contestant) {
        service = contest.open(contestant);
        service.shutdown();
        List<Callable<String>> tasks = List.of(() -> "one", () -> "two");

        assertRejected(() -> service.invokeAll(tasks));
        assertRejected(() -> service.invokeAll(tasks, 1, TimeUnit.DAYS));
        assertRejected(() -> service.invokeAny(tasks));
        assertRejected(() -> service.invokeAny(tasks, 1, TimeUnit.DAYS));
    }

    /** Not of the contestants, which all have room: of a pool and a view that have room for one and its successor. */
    @Test
    void oneThatIsRejectedOnTheWayCancelsThoseBefore() throws Exception {
        try (ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(1))) {
            assertRejectedOnTheWay(pool);
        }
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultQueueThresholdPerGroup(1).build());
        try (ExecutorService view = executor.asExecutorService("a")) {
            assertRejectedOnTheWay(view);
        }
    }

    private void assertRejectedOnTheWay(ExecutorService small) throws Exception {
        List<Callable<String>> tasks = Collections.nCopies(3, gate.then("never"));
        assertRejected(() -> small.invokeAll(tasks));
        Deadline.until("room again", () -> isIdle(small));
        assertRejected(() -> small.invokeAny(tasks));
    }

    private static boolean isIdle(ExecutorService small) {
        try {
            small.submit(() -> {}).get(Deadline.SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (RejectedExecutionException stillBusy) {
            return false;
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    // ---------------------------------------------------------------- invokeAll

    @Contest.All
    void invokeAllOfNothingGivesNothing(Contestant contestant) throws Exception {
        service = contest.open(contestant);

        assertThat(service.invokeAll(List.<Callable<String>>of())).isEmpty();
        assertThat(service.invokeAll(List.<Callable<String>>of(), 0, TimeUnit.DAYS))
                .isEmpty();
    }

    @Contest.All
    void invokeAllGivesDoneFuturesInTheOrderOfTheTasks(Contestant contestant) throws Exception {
        service = contest.open(contestant);
        List<Callable<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            int number = i;
            tasks.add(() -> {
                if (number % 7 == 3) {
                    throw new IllegalStateException("task " + number);
                }
                return number;
            });
        }

        for (List<Future<Integer>> futures : List.of(
                service.invokeAll(tasks),
                service.invokeAll(tasks, Long.MAX_VALUE, TimeUnit.DAYS),
                service.invokeAll(tasks, Long.MAX_VALUE, TimeUnit.NANOSECONDS))) {
            assertThat(futures).hasSize(50).allMatch(Future::isDone);
            for (int i = 0; i < 50; i++) {
                if (i % 7 == 3) {
                    assertThat(futures.get(i).state()).isEqualTo(Future.State.FAILED);
                    assertThat(futures.get(i).exceptionNow()).hasStackTraceContaining("task " + i);
                } else {
                    assertThat(futures.get(i).resultNow()).isEqualTo(i);
                }
            }
        }
    }

    @Contest.All
    void invokeAllCancelsWhatIsNotDoneInTime(Contestant contestant) throws Exception {
        service = contest.open(contestant);
        Callable<String> first = () -> "in time";
        List<Future<String>> futures = List.of();
        // Until it is time enough for the first; the others would need for ever.
        for (long millis = 20; millis < 20_000 && futures.stream().allMatch(Future::isCancelled); millis *= 4) {
            futures = service.invokeAll(
                    List.of(first, gate.then("two"), gate.then("three"), gate.then("four")),
                    millis,
                    TimeUnit.MILLISECONDS);
        }

        assertThat(futures).hasSize(4).allMatch(Future::isDone);
        assertThat(futures.getFirst().resultNow()).isEqualTo("in time");
        assertThat(futures.subList(1, 4)).allMatch(Future::isCancelled);
    }

    @Contest.All
    void invokeAllWithoutTimeCancelsEverything(Contestant contestant) throws Exception {
        service = contest.open(contestant);
        List<Callable<String>> tasks = Collections.nCopies(3, gate.then("never"));

        for (long time : noTime(contestant)) {
            for (TimeUnit unit : List.of(TimeUnit.NANOSECONDS, TimeUnit.DAYS)) {
                assertThat(service.invokeAll(tasks, time, unit)).hasSize(3).allMatch(Future::isCancelled);
            }
        }
    }

    @Contest.All
    void anInterruptBeforeOrDuringInvokeAllCancelsEverything(Contestant contestant) throws Exception {
        service = contest.open(contestant);
        List<Callable<String>> tasks = Collections.nCopies(3, gate.then("never"));

        assertInterrupted(() -> service.invokeAll(tasks));
        assertInterrupted(() -> service.invokeAll(tasks, 1, TimeUnit.DAYS));
    }

    /** As the JDK's regression test BlockingTaskExecutor has it. A pool keeps what it gives back waiting for ever. */
    @Contest.Parallel
    void invokeAllComesToAnEndWhenItIsShutDownMeanwhile(Contestant contestant) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            ExecutorService one = contest.open(contestant);
            List<Callable<String>> tasks = List.of(gate.then("never"), gate.then("never"), () -> "third");
            Caller<List<Future<String>>> caller = Caller.start(() -> one.invokeAll(tasks));
            if (round % 2 == 0) {
                int arrived = round + 2;
                Deadline.until("two have begun", () -> gate.arrived() >= arrived || caller.isDone());
            }

            one.shutdownNow();

            try {
                assertThat(caller.result()).hasSize(3).allMatch(Future::isDone);
            } catch (RejectedExecutionException shutDown) {
                // before all were in
            }
            assertThat(one.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    // ---------------------------------------------------------------- invokeAny

    @Contest.All
    void invokeAnyOfNothingIsRefused(Contestant contestant) {
        service = contest.open(contestant);

        assertThatIllegalArgumentException().isThrownBy(() -> service.invokeAny(List.<Callable<String>>of()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> service.invokeAny(List.<Callable<String>>of(), 1, TimeUnit.DAYS));
    }

    @Contest.All
    void invokeAnyGivesASuccessAmongFailures(Contestant contestant) throws Exception {
        service = contest.open(contestant);
        List<Callable<String>> tasks = List.of(failing("one"), failing("two"), () -> "success", failing("four"));

        assertThat(service.invokeAny(tasks)).isEqualTo("success");
        assertThat(service.invokeAny(tasks, Long.MAX_VALUE, TimeUnit.DAYS)).isEqualTo("success");
        assertThat(service.invokeAny(tasks, Long.MAX_VALUE, TimeUnit.NANOSECONDS))
                .isEqualTo("success");
        Callable<String> nothing = () -> null;
        assertThat(service.invokeAny(List.of(nothing))).isNull();
    }

    @Contest.All
    void invokeAnyThrowsAFailureWhenAllFail(Contestant contestant) {
        service = contest.open(contestant);
        List<Callable<String>> tasks = List.of(failing("one"), failing("two"), failing("three"));

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> service.invokeAny(tasks))
                .withCauseInstanceOf(IllegalStateException.class);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> service.invokeAny(tasks, 1, TimeUnit.DAYS))
                .withCauseInstanceOf(IllegalStateException.class);
    }

    @Contest.Serial
    void thatFailureIsTheLast(Contestant contestant) {
        service = contest.open(contestant);
        List<Callable<String>> tasks = List.of(failing("one"), failing("two"), failing("three"));

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> service.invokeAny(tasks))
                .havingCause()
                .withMessage("three");
    }

    @Contest.Parallel
    void invokeAnyInterruptsTheOthers(Contestant contestant) throws Exception {
        service = contest.open(contestant);
        List<Callable<String>> tasks = List.of(gate.then("never"), gate.then("never"), () -> {
            gate.awaitArrived(2);
            return "success";
        });

        assertThat(service.invokeAny(tasks)).isEqualTo("success");
        assertThat(service.invokeAny(tasks, 1, TimeUnit.DAYS)).isEqualTo("success");
    }

    @Contest.Serial
    void invokeAnyTakesWhatWaitsOutOfTheQueue(Contestant contestant) throws Exception {
        service = contest.open(contestant);
        List<Callable<String>> tasks = List.of(() -> "success", gate.then("never"), gate.then("never"));

        assertThat(service.invokeAny(tasks)).isEqualTo("success");
        assertThat(service.invokeAny(tasks, 1, TimeUnit.DAYS)).isEqualTo("success");
    }

    @Contest.All
    void invokeAnyWithoutASuccessInTimeCancelsEverything(Contestant contestant) {
        service = contest.open(contestant);
        // None that fails: the thread-per-task executor throws that in place of the time-out.
        List<Callable<String>> tasks = Collections.nCopies(3, gate.then("never"));

        for (long time : noTime(contestant)) {
            for (TimeUnit unit : List.of(TimeUnit.NANOSECONDS, TimeUnit.DAYS)) {
                assertThatExceptionOfType(TimeoutException.class)
                        .isThrownBy(() -> Deadline.within(() -> service.invokeAny(tasks, time, unit)));
            }
        }
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> service.invokeAny(tasks, 30, TimeUnit.MILLISECONDS));
    }

    @Contest.All
    void anInterruptBeforeOrDuringInvokeAnyCancelsEverything(Contestant contestant) throws Exception {
        service = contest.open(contestant);
        List<Callable<String>> tasks = Collections.nCopies(3, gate.then("never"));

        assertInterrupted(() -> service.invokeAny(tasks));
        assertInterrupted(() -> service.invokeAny(tasks, 1, TimeUnit.DAYS));
    }

    // ----------------------------------------------------------------

    /** The least long is no time either; two of the JDK's subtract from it, and then wait for 292 years. */
    private static long[] noTime(Contestant contestant) {
        return contestant.isView() || contestant == Contestant.JDK_POOL_OF_ONE
                ? new long[] {0, -1, Long.MIN_VALUE}
                : new long[] {0, -1};
    }

    private void assertInterrupted(Callable<?> call) throws Exception {
        Caller<?> before = Caller.start(() -> {
            Thread.currentThread().interrupt();
            return call.call();
        });
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(before::result);
        int arrived = gate.arrived();
        Caller<?> during = Caller.start(call);
        gate.awaitArrived(arrived + 1);
        during.awaitBlocked().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(during::result);
    }

    private static void assertRejected(Callable<?> call) {
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(call::call);
    }

    private static Callable<String> failing(String message) {
        return () -> {
            throw new IllegalStateException(message);
        };
    }
}
