package io.github.kobe.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** E7: the JDK's contract of execute, submit and the futures, kept by the JDK's executors and by the view alike. */
@Tag("E7")
class ExecutorServiceContractTests {

    @RegisterExtension
    final Contest contest = new Contest();

    private final Gate gate = new Gate();

    @AfterEach
    void open() {
        gate.open();
    }

    // ---------------------------------------------------------------- execute

    @Contest.All
    void executeRunsTheCommandOnce(Contestant contestant) {
        ExecutorService service = contest.open(contestant);
        List<String> runs = new CopyOnWriteArrayList<>();

        service.execute(() -> runs.add("run"));
        service.close();

        assertThat(runs).containsExactly("run");
    }

    @Contest.All
    void whatACommandThrowsGoesToItsThreadsUncaughtExceptionHandler(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        List<Throwable> uncaught = new CopyOnWriteArrayList<>();
        IllegalStateException failure = new IllegalStateException("thrown by the test");

        service.execute(() -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
            throw failure;
        });

        Deadline.until("told", () -> !uncaught.isEmpty());
        assertThat(get(service.submit(() -> "goes on"))).isEqualTo("goes on");
        assertThat(uncaught).containsExactly(failure);
    }

    @Contest.All
    void aHandlerThatThrowsItselfEndsNothing(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        AtomicBoolean told = new AtomicBoolean();

        service.execute(() -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> {
                told.set(true);
                throw new IllegalStateException("thrown by the test's handler");
            });
            throw new IllegalStateException("thrown by the test");
        });

        Deadline.until("told", told::get);
        assertThat(get(service.submit(() -> "goes on"))).isEqualTo("goes on");
    }

    @Contest.All
    void whatASubmittedTaskThrowsStaysInItsFuture(Contestant contestant) {
        ExecutorService service = contest.open(contestant);
        List<Throwable> uncaught = new CopyOnWriteArrayList<>();

        Future<?> future = service.submit(() -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
            throw new IllegalStateException("thrown by the test");
        });

        assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(future));
        service.close();
        assertThat(uncaught).isEmpty();
    }

    @Contest.Serial
    void plainWritesOfOneTaskAreSeenByTheNextAndAtTheEnd(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        int[] plain = {0};
        Future<?> last = null;
        for (int i = 0; i < 2_000; i++) {
            last = service.submit(() -> plain[0]++);
        }

        get(last);

        assertThat(plain[0]).isEqualTo(2_000);
    }

    // ---------------------------------------------------------------- submit

    @Contest.All
    void aCallableGivesItsValue(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);

        assertThat(get(service.submit(() -> "value"))).isEqualTo("value");
        assertThat(get(service.submit(() -> (String) null))).isNull();
    }

    @Contest.All
    void aRunnableGivesNullOrTheGivenValue(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        Runnable nothing = () -> {};

        assertThat(service.submit(nothing).get(Deadline.SECONDS, TimeUnit.SECONDS))
                .isNull();
        assertThat(get(service.submit(nothing, "value"))).isEqualTo("value");
        assertThat(get(service.submit(nothing, (String) null))).isNull();
    }

    @Contest.All
    void nullsAreRefusedBeforeAnythingRuns(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        Future<String> done = service.submit(() -> "value");

        assertThatNullPointerException().isThrownBy(() -> service.execute(null));
        assertThatNullPointerException().isThrownBy(() -> service.submit((Runnable) null));
        assertThatNullPointerException().isThrownBy(() -> service.submit((Callable<String>) null));
        assertThatNullPointerException().isThrownBy(() -> service.submit(null, "value"));
        assertThatNullPointerException().isThrownBy(() -> service.awaitTermination(1, null));
        assertThatNullPointerException().isThrownBy(() -> done.get(1, null));
        service.shutdown();
        assertThat(service.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Contest.NotForkJoin // a ForkJoinTask may throw a copy of the exception, made on the thread that asks
    void theFutureThrowsTheVeryThrowable(Contestant contestant) {
        ExecutorService service = contest.open(contestant);
        for (Throwable failure : List.of(
                new Exception("checked"),
                new IllegalStateException("unchecked"),
                new AssertionError("error"),
                new InterruptedException("as if interrupted"),
                new CancellationException("as if cancelled"),
                new ExecutionException("wrapped", null))) {
            Future<String> future = service.submit(throwing(failure));

            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> get(future))
                    .havingCause()
                    .isSameAs(failure);
            assertThat(future.state()).isEqualTo(Future.State.FAILED);
            assertThat(future.exceptionNow()).isSameAs(failure);
            assertThat(future.isCancelled()).isFalse();
            assertThat(future.isDone()).isTrue();
            assertThatIllegalStateException().isThrownBy(future::resultNow);
        }
    }

    // ---------------------------------------------------------------- futures

    @Contest.All
    void aFutureTellsItsState(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        Future<String> future = service.submit(gate.then("value"));

        assertThat(future.state()).isEqualTo(Future.State.RUNNING);
        assertThat(future.isDone()).isFalse();
        assertThatIllegalStateException().isThrownBy(future::resultNow);
        assertThatIllegalStateException().isThrownBy(future::exceptionNow);
        gate.open();
        assertThat(get(future)).isEqualTo("value");
        assertThat(future.state()).isEqualTo(Future.State.SUCCESS);
        assertThat(future.resultNow()).isEqualTo("value");
        assertThatIllegalStateException().isThrownBy(future::exceptionNow);
        assertThat(future.cancel(true)).isFalse();
        assertThat(future.isCancelled()).isFalse();
    }

    @Contest.All
    void aGetWithoutTimeThrowsAtOnceUnlessItIsDone(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        Future<String> future = service.submit(gate.then("value"));
        for (long time : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> future.get(time, TimeUnit.NANOSECONDS));
            assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> future.get(time, TimeUnit.DAYS));
        }

        gate.open();
        get(future);

        for (long time : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThat(future.get(time, TimeUnit.DAYS)).isEqualTo("value");
        }
    }

    @Contest.All
    void aGetWithAllTheTimeThereIsWaits(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        Future<String> future = service.submit(gate.then("value"));
        Caller<String> days = Caller.start(() -> future.get(Long.MAX_VALUE, TimeUnit.DAYS));
        Caller<String> nanos = Caller.start(() -> future.get(Long.MAX_VALUE, TimeUnit.NANOSECONDS));
        days.awaitBlocked();
        nanos.awaitBlocked();

        gate.open();

        assertThat(days.result()).isEqualTo("value");
        assertThat(nanos.result()).isEqualTo("value");
    }

    @Contest.All
    void anInterruptBeforeOrDuringAGetEndsOnlyTheGet(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        Future<String> future = service.submit(gate.then("value"));
        AtomicReference<Boolean> flag = new AtomicReference<>();
        Caller<String> before = Caller.start(() -> {
            Thread.currentThread().interrupt();
            try {
                return future.get();
            } finally {
                flag.set(Thread.currentThread().isInterrupted());
            }
        });
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(before::result);
        assertThat(flag).hasValue(false);

        Caller<String> during = Caller.start(future::get).awaitBlocked();
        Caller<String> timed = Caller.start(() -> future.get(1, TimeUnit.DAYS)).awaitBlocked();
        during.interrupt();
        timed.interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(during::result);
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(timed::result);
        gate.open();
        assertThat(get(future)).isEqualTo("value");
    }

    @Contest.All
    void aFutureThatIsDoneAnswersAnInterruptedThread(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        Future<String> future = service.submit(() -> "value");
        get(future);

        Caller<Boolean> caller = Caller.start(() -> {
            Thread.currentThread().interrupt();
            future.get();
            return Thread.currentThread().isInterrupted();
        });

        assertThat(caller.result()).isTrue();
    }

    // ---------------------------------------------------------------- cancel

    @Contest.All
    void cancelWithInterruptStopsWhatRuns(Contestant contestant) {
        ExecutorService service = contest.open(contestant);
        AtomicBoolean interrupted = new AtomicBoolean();
        Future<String> future = service.submit(() -> {
            try {
                gate.pass();
                return "never";
            } catch (InterruptedException e) {
                interrupted.set(true);
                throw e;
            }
        });
        gate.awaitArrived(1);

        assertThat(future.cancel(true)).isTrue();

        assertThat(future.isDone()).isTrue();
        assertThat(future.isCancelled()).isTrue();
        assertThat(future.state()).isEqualTo(Future.State.CANCELLED);
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(future));
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> future.get(0, TimeUnit.DAYS));
        assertThatIllegalStateException().isThrownBy(future::resultNow);
        assertThatIllegalStateException().isThrownBy(future::exceptionNow);
        Deadline.until("interrupted", interrupted::get);
        assertThat(gate.isOpen()).isFalse();
    }

    @Contest.All
    void cancelWithoutInterruptLetsWhatRunsEnd(Contestant contestant) {
        ExecutorService service = contest.open(contestant);
        AtomicReference<Boolean> flag = new AtomicReference<>();
        Future<?> future = service.submit(() -> {
            gate.passStubbornly();
            flag.set(Thread.currentThread().isInterrupted());
        });
        gate.awaitArrived(1);

        assertThat(future.cancel(false)).isTrue();

        assertThat(future.isCancelled()).isTrue();
        gate.open();
        service.close();
        assertThat(flag).hasValue(false);
    }

    @Contest.NotForkJoin // a ForkJoinTask answers true whenever it is cancelled
    void aSecondCancelIsFalse(Contestant contestant) {
        ExecutorService service = contest.open(contestant);
        Future<String> future = service.submit(gate.then("never"));

        assertThat(future.cancel(true)).isTrue();

        assertThat(future.cancel(true)).isFalse();
        assertThat(future.cancel(false)).isFalse();
    }

    @Contest.Serial
    void whatIsCancelledWhileItWaitsNeverRuns(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        List<String> ran = new CopyOnWriteArrayList<>();
        Future<String> first = service.submit(gate.then("first"));
        Future<?> interrupting = service.submit(() -> ran.add("interrupting"));
        Future<?> sparing = service.submit(() -> ran.add("sparing"));
        Future<?> last = service.submit(() -> ran.add("last"));

        assertThat(interrupting.cancel(true)).isTrue();
        assertThat(sparing.cancel(false)).isTrue();
        gate.open();

        assertThat(get(first)).isEqualTo("first");
        get(last);
        assertThat(ran).containsExactly("last");
    }

    @Contest.NotForkJoin // a late interrupt stays on its worker
    void anInterruptForOneTaskNeverReachesAnother(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        List<Future<Boolean>> futures = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Future<?> victim = service.submit(Thread::onSpinWait);
            futures.add(service.submit(() -> Thread.currentThread().isInterrupted()));
            victim.cancel(true);
        }

        for (Future<Boolean> future : futures) {
            assertThat(get(future)).isFalse();
        }
    }

    @Contest.NotForkJoin // prints its tasks in another way
    void toStringTellsStateAndTask(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        Future<String> future = service.submit((Callable<String>) new NamedTask());

        assertThat(future.toString()).contains("Not completed", "named task");
        gate.open();
        get(future);
        assertThat(future.toString()).contains("Completed normally");
        Future<String> failing = service.submit(throwing(new IllegalStateException("boom")));
        assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(failing));
        assertThat(failing.toString()).contains("Completed exceptionally", "boom");
    }

    @Contest.Serial
    void toStringTellsTheRunnableThatWaits(Contestant contestant) {
        ExecutorService service = contest.open(contestant);
        Future<String> first = service.submit(gate.then("first"));

        Future<?> waiting = service.submit((Runnable) new NamedTask());

        assertThat(waiting.toString()).contains("Not completed", "named task");
        waiting.cancel(false);
        assertThat(waiting.toString()).contains("Cancelled");
        assertThat(first.isDone()).isFalse();
    }

    // ---------------------------------------------------------------- what stands on it

    @Contest.All
    void aCompletableFutureRunsOnIt(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        AtomicReference<Thread> stage = new AtomicReference<>();

        CompletableFuture<String> future = CompletableFuture.supplyAsync(() -> "value", service)
                .thenApplyAsync(
                        value -> {
                            stage.set(Thread.currentThread());
                            return value + "!";
                        },
                        service);

        assertThat(get(future)).isEqualTo("value!");
        assertThat(stage.get()).isNotSameAs(Thread.currentThread());
        CompletableFuture<String> failing = CompletableFuture.supplyAsync(
                () -> {
                    throw new IllegalStateException("boom");
                },
                service);
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() ->
                        failing.orTimeout(Deadline.SECONDS, TimeUnit.SECONDS).join())
                .withStackTraceContaining("boom");
    }

    @Contest.All
    void aCompletionServiceGivesWhatIsDone(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        CompletionService<Integer> completion = new ExecutorCompletionService<>(service);
        Set<Integer> values = new HashSet<>();

        for (int i = 0; i < 20; i++) {
            int number = i;
            completion.submit(() -> number);
        }
        for (int i = 0; i < 20; i++) {
            values.add(completion.poll(Deadline.SECONDS, TimeUnit.SECONDS).resultNow());
        }

        assertThat(values).hasSize(20);
        assertThat(completion.poll()).isNull();
    }

    @Contest.NotForkJoin // runs a plain FutureTask, whose cancel interrupts the worker thread it happens to be on
    void aFutureOfACompletionServiceIsCancelledWithAnInterrupt(Contestant contestant) throws Exception {
        ExecutorService service = contest.open(contestant);
        CompletionService<String> completion = new ExecutorCompletionService<>(service);
        AtomicBoolean interrupted = new AtomicBoolean();
        Future<String> future = completion.submit(() -> {
            try {
                gate.pass();
                return "never";
            } catch (InterruptedException e) {
                interrupted.set(true);
                throw e;
            }
        });
        gate.awaitArrived(1);

        assertThat(future.cancel(true)).isTrue();

        Deadline.until("interrupted", interrupted::get);
        assertThat(gate.isOpen()).isFalse();
        assertThat(completion.poll(Deadline.SECONDS, TimeUnit.SECONDS)).isSameAs(future);
        assertThat(get(service.submit(() -> Thread.currentThread().isInterrupted())))
                .isFalse();
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.get(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    private static Callable<String> throwing(Throwable failure) {
        return () -> {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (Exception) failure;
        };
    }

    private final class NamedTask implements Callable<String>, Runnable {

        @Override
        public String call() throws Exception {
            gate.pass();
            return "value";
        }

        @Override
        public void run() {
            gate.passStubbornly();
        }

        @Override
        public String toString() {
            return "named task";
        }
    }
}
