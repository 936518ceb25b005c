package io.github.kobe.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** E7: one group as an ExecutorService. */
@Tag("E7")
class ExecutorServiceViewTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    // ---------------------------------------------------------------- close inside the group

    @Test
    @Tag("E13")
    @Tag("W4")
    void closeInsideATaskOfTheSameGroupLendsToAllThatIsQueued() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        List<String> ran = new CopyOnWriteArrayList<>();

        GroupResult<Boolean> result = Deadline.within(() -> executor.submit("a", "outer", () -> {
                    ExecutorService view = executor.asExecutorService("a");
                    view.execute(() -> ran.add("first"));
                    view.execute(() -> ran.add("second"));
                    engines.witness(executor).waiting("a", () -> {
                        view.close();
                        return null;
                    });
                    return view.isTerminated();
                })
                .await());

        assertThat(result.value()).isTrue();
        assertThat(ran).containsExactly("first", "second");
    }

    @Test
    @Tag("E13")
    void closeThatIsInterruptedWithdrawsWhatIsQueuedAndInterruptsItsBorrower() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        ExecutorService view = executor.asExecutorService("a");
        Caller<Boolean> closer = Caller.start(() -> executor.call("a", () -> {
            Future<?> borrower = view.submit(gate.then("never"));
            Future<?> queued = view.submit(() -> "never");
            engines.witness(executor).waiting("a", () -> {
                view.close();
                return null;
            });
            return Thread.interrupted()
                    && borrower.state() != Future.State.SUCCESS
                    && queued.state() == Future.State.RUNNING;
        }));
        gate.awaitArrived(1);

        closer.interrupt();

        assertThat(closer.result()).isTrue();
        assertThat(view.isTerminated()).isTrue();
    }

    // ---------------------------------------------------------------- submit, futures

    @Test
    void whatItRunsCountsInItsGroup() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        ExecutorService view = executor.asExecutorService("a");

        Future<String> running = view.submit(gate.then("ran"));
        gate.awaitArrived(1);
        Future<String> waiting = view.submit(() -> "waited");

        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(1);
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);
        gate.open();
        assertThat(get(running)).isEqualTo("ran");
        assertThat(get(waiting)).isEqualTo("waited");
        assertThat(engines.witness(executor).peakRunning("a")).isEqualTo(1);
    }

    @Test
    void runnablesGiveFuturesOfNullOrOfTheGivenValue() throws Exception {
        ExecutorService view = view(GroupPolicy.builder().build());
        AtomicBoolean ran = new AtomicBoolean();

        assertThat(get(view.submit(() -> ran.set(true)))).isNull();
        assertThat(ran).isTrue();
        assertThat(get(view.submit(() -> ran.set(false), "value"))).isEqualTo("value");
        assertThat(ran).isFalse();
    }

    @Test
    void executeRunsTheCommandOnAThreadOfItsOwn() {
        ExecutorService view = view(GroupPolicy.builder().build());
        AtomicReference<Thread> thread = new AtomicReference<>();

        view.execute(() -> thread.set(Thread.currentThread()));

        Deadline.until("the command ran", () -> thread.get() != null);
        assertThat(thread.get().isVirtual()).isTrue();
        assertThat(thread.get()).isNotSameAs(Thread.currentThread());
    }

    @Test
    void aFutureThrowsWhatTheTaskThrew() {
        ExecutorService view = view(GroupPolicy.builder().build());
        IllegalStateException cause = new IllegalStateException("boom");

        Future<String> future = view.submit((Callable<String>) () -> {
            throw cause;
        });

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> get(future))
                .havingCause()
                .isSameAs(cause);
        assertThat(future.state()).isEqualTo(Future.State.FAILED);
        assertThat(future.exceptionNow()).isSameAs(cause);
    }

    @Test
    void aTimedGetThrowsWhenItsTimeIsUp() throws Exception {
        ExecutorService view = view(GroupPolicy.builder().build());
        Future<String> future = view.submit(gate.then("late"));

        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> future.get(10, TimeUnit.MILLISECONDS));

        assertThat(future.isDone()).isFalse();
        gate.open();
        assertThat(get(future)).isEqualTo("late");
        assertThat(future.resultNow()).isEqualTo("late");
    }

    @Test
    void aGetThatIsInterruptedThrowsAndTheTaskGoesOn() throws Exception {
        ExecutorService view = view(GroupPolicy.builder().build());
        Future<String> future = view.submit(gate.then("value"));
        Caller<String> caller = Caller.start(future::get).awaitBlockedOn(future);

        caller.interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(caller::result);
        gate.open();
        assertThat(get(future)).isEqualTo("value");
    }

    @Test
    void cancelInterruptsWhatRuns() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Future<String> future = executor.asExecutorService("a").submit(gate.then("never"));
        gate.awaitArrived(1);

        assertThat(future.cancel(true)).isTrue();

        assertThat(future.isCancelled()).isTrue();
        assertThat(future.isDone()).isTrue();
        assertThat(future.state()).isEqualTo(Future.State.CANCELLED);
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(future));
        assertThat(future.cancel(true)).isFalse();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
    }

    @Test
    void cancelWithoutInterruptLetsWhatRunsGoOn() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        AtomicBoolean ended = new AtomicBoolean();
        Future<String> future = executor.asExecutorService("a").submit(() -> {
            gate.pass();
            ended.set(true);
            return "ignored";
        });
        gate.awaitArrived(1);

        assertThat(future.cancel(false)).isTrue();
        gate.open();

        Deadline.until("the task ended", ended::get);
        assertThat(future.isCancelled()).isTrue();
    }

    @Test
    void aTaskThatIsCancelledWhileItWaitsNeverRuns() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        ExecutorService view = executor.asExecutorService("a");
        AtomicBoolean ran = new AtomicBoolean();
        Future<String> first = view.submit(gate.then("first"));
        Future<?> waiting = view.submit(() -> ran.set(true));

        assertThat(waiting.cancel(false)).isTrue();
        assertThat(executor.groupStats("a").orElseThrow().queued()).isZero();
        gate.open();

        assertThat(get(first)).isEqualTo("first");
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(ran).isFalse();
    }

    // ---------------------------------------------------------------- invokeAll, invokeAny

    @Test
    void invokeAllReturnsDoneFuturesInTheOrderOfTheTasks() throws Exception {
        ExecutorService view = view(GroupPolicy.builder().build());

        List<Future<String>> futures = view.invokeAll(List.of(
                () -> "one",
                () -> {
                    throw new IllegalStateException("two");
                },
                () -> "three"));

        assertThat(futures).allMatch(Future::isDone);
        assertThat(futures.get(0).resultNow()).isEqualTo("one");
        assertThat(futures.get(1).exceptionNow()).hasMessage("two");
        assertThat(futures.get(2).resultNow()).isEqualTo("three");
    }

    @Test
    void invokeAllCancelsWhatIsNotDoneInTime() throws Exception {
        ExecutorService view = view(GroupPolicy.builder().build());

        List<Future<String>> futures =
                view.invokeAll(List.of(() -> "one", gate.then("two"), gate.then("three")), 50, TimeUnit.MILLISECONDS);

        assertThat(futures).hasSize(3).allMatch(Future::isDone);
        assertThat(futures.get(1).isCancelled()).isTrue();
        assertThat(futures.get(2).isCancelled()).isTrue();
    }

    @Test
    void anInterruptedInvokeAllCancelsEverything() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        ExecutorService view = executor.asExecutorService("a");
        List<Callable<String>> tasks = List.of(gate.then("one"), gate.then("two"), gate.then("three"));
        Caller<List<Future<String>>> caller = Caller.start(() -> view.invokeAll(tasks));
        gate.awaitArrived(1);

        caller.awaitBlocked().interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(caller::result);
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(gate.isOpen()).isFalse();
    }

    @Test
    void invokeAnyReturnsOneSuccessAndCancelsTheOthers() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(3).build());

        String value = executor.asExecutorService("a")
                .invokeAny(List.of(
                        gate.then("never"),
                        () -> {
                            throw new IllegalStateException("fails");
                        },
                        () -> "succeeds"));

        assertThat(value).isEqualTo("succeeds");
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
    }

    @Test
    void invokeAnyInterruptsWhatStillRuns() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build());
        AtomicBoolean interrupted = new AtomicBoolean();

        String value = executor.asExecutorService("a")
                .invokeAny(List.of(
                        () -> {
                            try {
                                gate.pass();
                                return "never";
                            } catch (InterruptedException e) {
                                interrupted.set(true);
                                throw e;
                            }
                        },
                        () -> {
                            gate.awaitArrived(1);
                            return "succeeds";
                        }));

        assertThat(value).isEqualTo("succeeds");
        Deadline.until("the other is interrupted", interrupted::get);
        assertThat(gate.isOpen()).isFalse();
    }

    @Test
    void invokeAnyFreesThePlacesOfWhatStillWaits() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build());
        GroupPermit permit = executor.acquireAsync("a").toCompletableFuture().join();
        List<Callable<String>> tasks = List.of(() -> "first", gate.then("second"), gate.then("third"));

        assertThat(executor.asExecutorService("a").invokeAny(tasks)).isEqualTo("first");

        Deadline.until(
                "none waits", () -> executor.groupStats("a").orElseThrow().queued() == 0);
        assertThat(gate.isOpen()).isFalse();
        permit.close();
    }

    @Test
    void invokeAnyThrowsWhenAllFail() {
        ExecutorService view = view(GroupPolicy.builder().build());
        List<Callable<String>> failing = List.of(failing("one"), failing("two"));

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> view.invokeAny(failing))
                .withCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void invokeAnyThrowsWhenItsTimeIsUp() {
        ExecutorService view = view(GroupPolicy.builder().build());

        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> view.invokeAny(List.of(gate.then("never")), 20, TimeUnit.MILLISECONDS));
    }

    @Test
    void invokeAnyOfNothingIsRefused() {
        ExecutorService view = view(GroupPolicy.builder().build());

        assertThatIllegalArgumentException().isThrownBy(() -> view.invokeAny(List.<Callable<String>>of()));
    }

    @Test
    void nullsAreRefused() {
        ExecutorService view = view(GroupPolicy.builder().build());
        List<Callable<String>> withNull = Arrays.asList(() -> "one", null);

        assertThatNullPointerException().isThrownBy(() -> view.execute(null));
        assertThatNullPointerException().isThrownBy(() -> view.submit((Runnable) null));
        assertThatNullPointerException().isThrownBy(() -> view.submit((Callable<String>) null));
        assertThatNullPointerException().isThrownBy(() -> view.submit(null, "value"));
        assertThatNullPointerException().isThrownBy(() -> view.invokeAll(null));
        assertThatNullPointerException().isThrownBy(() -> view.invokeAll(withNull));
        assertThatNullPointerException().isThrownBy(() -> view.invokeAny(null));
        assertThatNullPointerException().isThrownBy(() -> view.invokeAny(withNull));
    }

    // ---------------------------------------------------------------- its own life

    @Test
    void eachViewHasALifeOfItsOwn() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        ExecutorService one = executor.asExecutorService("a");
        ExecutorService other = executor.asExecutorService("a");

        one.shutdown();

        assertThat(one).isNotSameAs(other);
        assertThat(one.isShutdown()).isTrue();
        assertThat(other.isShutdown()).isFalse();
        assertThat(get(other.submit(() -> "other"))).isEqualTo("other");
        assertThat(executor.submit("a", "1", () -> "executor").await().value()).isEqualTo("executor");
        assertThat(get(executor.asExecutorService("a").submit(() -> "new"))).isEqualTo("new");
    }

    @Test
    void shutdownLetsWhatWasSubmittedFinishAndRefusesMore() throws Exception {
        ExecutorService view = view(GroupPolicy.builder().build());
        Future<String> running = view.submit(gate.then("running"));
        Future<String> waiting = view.submit(() -> "waiting");

        view.shutdown();

        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> view.submit(() -> "more"));
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> view.execute(() -> {}));
        assertThat(view.isTerminated()).isFalse();
        assertThat(view.awaitTermination(10, TimeUnit.MILLISECONDS)).isFalse();
        gate.open();
        assertThat(view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(view.isTerminated()).isTrue();
        assertThat(get(running)).isEqualTo("running");
        assertThat(get(waiting)).isEqualTo("waiting");
    }

    @Test
    void aViewWithoutWorkTerminatesAtOnce() throws Exception {
        ExecutorService view = view(GroupPolicy.builder().build());
        assertThat(view.isTerminated()).isFalse();

        view.shutdown();

        assertThat(view.isTerminated()).isTrue();
        assertThat(view.awaitTermination(0, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shutdownNowReturnsTheVeryRunnablesThatNeverBegan() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        ExecutorService view = executor.asExecutorService("a");
        List<String> ran = new CopyOnWriteArrayList<>();
        Future<String> running = view.submit(gate.then("never"));
        gate.awaitArrived(1);
        Runnable command = () -> ran.add("command");
        view.execute(command);
        Future<?> submitted = view.submit(() -> ran.add("submitted"));

        List<Runnable> never = view.shutdownNow();

        assertThat(never).containsExactlyInAnyOrder(command, (Runnable) submitted);
        Deadline.until("what runs was interrupted", running::isDone);
        Deadline.until("the view is terminated", view::isTerminated);
        assertThat(ran).isEmpty();
    }

    /** Threads that were started and wait at a gate before they come to what they are for. */
    private GroupExecutor withSlowThreads(GroupPolicy policy, Gate start) {
        return engines.start(
                policy,
                new Surroundings(
                        System::nanoTime,
                        (name, work) -> TaskThreads.VIRTUAL.unstarted(name, () -> {
                            if (name.equals("a")) {
                                start.passStubbornly();
                            }
                            work.run();
                        }),
                        true));
    }

    @Test
    void whatHasItsThreadHasBegunForAShutdownNow() throws Exception {
        Gate start = new Gate();
        GroupExecutor executor = withSlowThreads(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(100).build(), start);
        ExecutorService view = executor.asExecutorService("a");
        AtomicInteger interrupted = new AtomicInteger();
        Callable<String> task = () -> {
            try {
                gate.pass();
                return "not interrupted";
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                return "interrupted";
            }
        };
        Caller<List<Future<String>>> all = Caller.start(() -> view.invokeAll(List.of(task, task, task)));
        Caller<String> any = Caller.start(() -> view.invokeAny(List.of(task)));
        Caller<String> one = Caller.start(() -> view.submit(task).get());
        start.awaitArrived(5);
        all.awaitBlocked();
        any.awaitBlocked();
        one.awaitBlocked();

        assertThat(view.shutdownNow()).isEmpty();
        start.open();

        assertThat(all.result()).hasSize(3).allMatch(Future::isDone);
        assertThat(any.result()).isEqualTo("interrupted");
        assertThat(one.result()).isEqualTo("interrupted");
        assertThat(interrupted).hasValue(5);
        assertThat(view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void whatShutdownNowReturnsKeepsNobodyWaitingWhoWaitsForMany() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        ExecutorService view = executor.asExecutorService("a");
        Caller<List<Future<String>>> all = Caller.start(
                        () -> view.invokeAll(List.of(gate.then("never"), () -> "second", () -> "third")))
                .awaitBlocked();
        gate.awaitArrived(1);
        List<Callable<String>> one = List.of(() -> "timed");
        Caller<List<Future<String>>> timed =
                Caller.start(() -> view.invokeAll(one, 1, TimeUnit.HOURS)).awaitBlocked();
        List<Callable<String>> fourth = List.of(() -> "fourth");
        Caller<String> any = Caller.start(() -> view.invokeAny(fourth)).awaitBlocked();

        assertThat(view.shutdownNow()).hasSize(4).allMatch(returned -> ((Future<?>) returned).isCancelled());

        assertThat(all.result()).hasSize(3).allMatch(Future::isDone);
        assertThat(timed.result()).hasSize(1).allMatch(Future::isCancelled);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(any::result)
                .withCauseInstanceOf(CancellationException.class);
    }

    @Test
    void whatIsOnItsWayInWhenItIsShutDownIsRefused() throws Exception {
        List<String> ran = new CopyOnWriteArrayList<>();
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onSubmitted(String groupKey, String taskId) {
                        gate.passStubbornly();
                    }
                })
                .build());
        ExecutorService view = executor.asExecutorService("a");
        Caller<Future<?>> submitter = Caller.start(() -> view.submit(() -> ran.add("submitted")));
        Caller<List<Future<Boolean>>> many = Caller.start(() -> view.invokeAll(List.of(() -> ran.add("of many"))));
        gate.awaitArrived(2);

        assertThat(view.shutdownNow()).isEmpty();
        gate.open();

        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(submitter::result);
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(many::result);
        Deadline.until("the view is terminated", view::isTerminated);
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(ran).isEmpty();
    }

    @Test
    @Tag("E7")
    void whatIsOnItsWayInWhenADrainBeginsIsRefused() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onSubmitted(String groupKey, String taskId) {
                        if (groupKey.equals("a")) {
                            gate.passStubbornly();
                        }
                    }
                })
                .build());
        Gate holds = new Gate();
        executor.submit("b", "1", holds.then("held"));
        holds.awaitArrived(1);
        FutureTask<String> own = new FutureTask<>(() -> "value");
        Caller<Void> submitter = Caller.start(() -> {
            executor.asExecutorService("a").execute(own);
            return null;
        });
        gate.awaitArrived(1);
        Caller<Boolean> drains = Caller.start(() -> executor.shutdown(Deadline.LONG));
        Deadline.until("it drains", () -> executor.asExecutorService("c").isShutdown());
        gate.open();

        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(submitter::result);
        assertRunsElsewhere(own);
        holds.open();
        assertThat(drains.result()).isTrue();
    }

    @Test
    @Tag("G42")
    void whileTheExecutorDrainsTheViewIsShutDownAndTakesWhatInsidersSubmit() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        ExecutorService view = executor.asExecutorService("a");
        AtomicReference<Future<String>> inner = new AtomicReference<>();
        executor.submit("b", "1", () -> {
            gate.pass();
            inner.set(view.submit(() -> "inner"));
            return get(inner.get());
        });
        gate.awaitArrived(1);
        Caller<Boolean> drain =
                Caller.start(() -> executor.shutdown(Deadline.LONG)).awaitBlockedOnACondition();
        Caller<Boolean> waiting = Caller.start(() -> view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS))
                .awaitBlockedOnACondition();

        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> view.execute(() -> {}));
        assertThat(view.isShutdown()).isTrue();
        assertThat(view.isTerminated()).as("it may still get work").isFalse();
        gate.open();

        assertThat(drain.result()).isTrue();
        assertThat(inner.get().resultNow()).isEqualTo("inner");
        assertThat(waiting.result()).isTrue();
        assertThat(view.isTerminated()).isTrue();
    }

    @Test
    void shutdownNowTouchesOnlyTheViewsOwnWork() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build());
        ExecutorService view = executor.asExecutorService("a");
        TaskHandle<String> foreign = executor.submit("a", "foreign", gate.then("foreign"));
        Future<String> own = view.submit(gate.then("own"));
        gate.awaitArrived(2);
        TaskHandle<String> foreignWaiting = executor.submit("a", "waiting", () -> "waiting");
        Future<String> ownWaiting = view.submit(() -> "own waiting");

        assertThat(view.shutdownNow()).hasSize(1);

        Deadline.until("the view is terminated", view::isTerminated);
        assertThat(own.isDone()).isTrue();
        assertThat(ownWaiting.state()).isNotEqualTo(Future.State.SUCCESS);
        gate.open();
        assertThat(foreign.await().value()).isEqualTo("foreign");
        assertThat(foreignWaiting.await().value()).isEqualTo("waiting");
    }

    @Test
    void terminationWaitsForCodeThatIgnoresItsInterrupt() throws Exception {
        ExecutorService view = view(GroupPolicy.builder().build());
        view.execute(gate::passStubbornly);
        gate.awaitArrived(1);

        assertThat(view.shutdownNow()).isEmpty();

        assertThat(view.awaitTermination(10, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(view.isTerminated()).isFalse();
        gate.open();
        assertThat(view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void closeWaitsForWhatWasSubmitted() throws Exception {
        ExecutorService view = view(GroupPolicy.builder().build());
        Future<String> running = view.submit(gate.then("running"));
        Future<String> waiting = view.submit(() -> "waiting");
        Caller<Boolean> closer = Caller.start(() -> {
            view.close();
            return waiting.isDone();
        });
        closer.awaitBlocked();
        assertThat(view.isShutdown()).isTrue();

        gate.open();

        assertThat(closer.result()).isTrue();
        assertThat(get(running)).isEqualTo("running");
        assertThat(get(waiting)).isEqualTo("waiting");
        assertThat(view.isTerminated()).isTrue();
    }

    @Test
    void anInterruptedCloseStopsTheWorkAndStillWaitsForItsEnd() throws Exception {
        ExecutorService view = view(GroupPolicy.builder().build());
        Future<String> running = view.submit(gate.then("never"));
        gate.awaitArrived(1);
        Caller<Boolean> closer = Caller.start(() -> {
            view.close();
            return Thread.currentThread().isInterrupted();
        });

        closer.awaitBlocked().interrupt();

        assertThat(closer.result()).isTrue();
        assertThat(view.isTerminated()).isTrue();
        assertThat(running.state()).isNotEqualTo(Future.State.SUCCESS);
    }

    @Test
    void theExecutorsShutdownEndsItsViews() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        ExecutorService view = executor.asExecutorService("a");
        Future<String> running = view.submit(gate.then("never"));
        gate.awaitArrived(1);
        Future<String> waiting = view.submit(() -> "never");

        executor.shutdown();

        assertThat(view.isShutdown()).isTrue();
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> view.submit(() -> "more"));
        assertThat(view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(running.state()).isIn(Future.State.FAILED, Future.State.CANCELLED);
        assertThat(waiting.state()).isEqualTo(Future.State.CANCELLED);
    }

    @Test
    void aViewOfAnExecutorThatIsShutDownIsShutDown() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.shutdown();

        ExecutorService view = executor.asExecutorService("a");

        assertThat(view.isShutdown()).isTrue();
        assertThat(view.isTerminated()).isTrue();
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> view.execute(() -> {}));
    }

    @Test
    void shutdownOfTheGroupCancelsTheViewsWorkButNotTheView() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        ExecutorService view = executor.asExecutorService("a");
        Future<String> running = view.submit(gate.then("never"));
        gate.awaitArrived(1);

        executor.shutdownGroup("a");

        Deadline.until("what runs was interrupted", running::isDone);
        assertThat(view.isShutdown()).isFalse();
        assertThat(get(view.submit(() -> "next"))).isEqualTo("next");
    }

    // ---------------------------------------------------------------- rejection

    @Test
    void rejectedWorkThrowsUnderAbort() throws Exception {
        ExecutorService view = view(fullAfterOne(RejectionPolicy.ABORT));
        Future<String> running = view.submit(gate.then("running"));

        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> view.submit(() -> "more"));
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> view.execute(() -> {}));

        gate.open();
        assertThat(get(running)).isEqualTo("running");
    }

    @Test
    void aFutureThatIsRefusedUnderAbortIsLeftToItsSubmitter() throws Exception {
        ExecutorService view = view(fullAfterOne(RejectionPolicy.ABORT));
        Future<String> running = view.submit(gate.then("running"));
        CompletionService<String> completion = new ExecutorCompletionService<>(view);
        FutureTask<String> own = new FutureTask<>(() -> "value");

        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> completion.submit(() -> "more"));
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> view.execute(own));

        assertThat(completion.poll()).isNull();
        assertRunsElsewhere(own);
        gate.open();
        assertThat(get(running)).isEqualTo("running");
    }

    @Test
    void whatOneViewHasReturnedAndAnotherRefusesIsLeftToItsSubmitter() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        ExecutorService first = executor.asExecutorService("a");
        Future<String> running = executor.asExecutorService("a").submit(gate.then("running"));
        Gate elsewhere = new Gate();
        AtomicBoolean interrupted = new AtomicBoolean();
        Future<String> waiting = first.submit(() -> {
            try {
                return elsewhere.<String>then("value").call();
            } catch (InterruptedException e) {
                interrupted.set(true);
                throw e;
            }
        });
        Runnable returned = first.shutdownNow().getFirst();
        executor.setLimits("a", GroupLimits.unset().withQueueThreshold(0));

        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> executor.asExecutorService("a").execute(returned));

        Caller<Void> runs = Caller.start(() -> {
            returned.run();
            return null;
        });
        elsewhere.awaitArrived(1);
        waiting.cancel(true);
        runs.result();
        assertThat(interrupted).isTrue();
        gate.open();
        assertThat(get(running)).isEqualTo("running");
    }

    private static void assertRunsElsewhere(FutureTask<String> refused) {
        assertThat(refused.isCancelled()).isFalse();
        refused.run();
        assertThat(refused.resultNow()).isEqualTo("value");
    }

    @Test
    void rejectedWorkRunsOnTheCallersThreadUnderCallerRuns() throws Exception {
        ExecutorService view = view(fullAfterOne(RejectionPolicy.CALLER_RUNS));
        Future<String> running = view.submit(gate.then("running"));

        Future<Thread> rejected = view.submit(Thread::currentThread);

        assertThat(rejected.resultNow()).isSameAs(Thread.currentThread());
        gate.open();
        assertThat(get(running)).isEqualTo("running");
    }

    @Test
    void rejectedWorkGivesACancelledFutureUnderDiscard() throws Exception {
        ExecutorService view = view(fullAfterOne(RejectionPolicy.DISCARD));
        AtomicBoolean ran = new AtomicBoolean();
        Future<String> running = view.submit(gate.then("running"));

        FutureTask<String> own = new FutureTask<>(() -> "never");

        Future<?> rejected = view.submit(() -> ran.set(true));
        view.execute(() -> ran.set(true));
        view.execute(own);

        assertThat(rejected.isCancelled()).isTrue();
        assertThat(own.isCancelled()).isTrue();
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(rejected));
        gate.open();
        assertThat(get(running)).isEqualTo("running");
        view.shutdown();
        assertThat(view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(ran).isFalse();
    }

    @Test
    @Tag("E3")
    void aTaskThatWaitedTooLongFailsItsFuture() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().queueTimeout(Duration.ofSeconds(10)).build(), clock);
        ExecutorService view = executor.asExecutorService("a");
        Future<String> running = view.submit(gate.then("running"));
        Future<String> late = view.submit(() -> "never");

        clock.advance(Duration.ofSeconds(11), executor);

        Deadline.until("done", late::isDone);
        assertThat(late.exceptionNow())
                .isInstanceOfSatisfying(
                        RejectedTaskException.class,
                        rejection -> assertThat(rejection.reason()).isEqualTo(RejectionReason.QUEUE_TIMEOUT));
        view.shutdown();
        gate.open();
        assertThat(get(running)).isEqualTo("running");
        assertThat(view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    // ---------------------------------------------------------------- what fails before it begins

    @Test
    @Tag("E11")
    void aCommandWhoseDecoratorFailsIsRefusedAndAFutureFails() throws Exception {
        IllegalStateException cause = new IllegalStateException("no context");
        AtomicBoolean fails = new AtomicBoolean(true);
        ExecutorService view = view(GroupPolicy.builder()
                .taskDecorator((groupKey, task) -> {
                    if (fails.get()) {
                        throw cause;
                    }
                    return task;
                })
                .build());

        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> view.execute(() -> {}))
                .withCause(cause);
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> CompletableFuture.runAsync(() -> {}, view))
                .withCause(cause);
        FutureTask<String> own = new FutureTask<>(() -> "value");
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> view.execute(own))
                .withCause(cause);
        assertRunsElsewhere(own);
        assertThat(view.submit(() -> "never").exceptionNow()).isSameAs(cause);
        fails.set(false);
        assertThat(get(view.submit(() -> "next"))).isEqualTo("next");
        view.shutdown();
        assertThat(view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @Tag("E11")
    void aCommandOfWhichADecoratorMakesNothingIsRefused() {
        AtomicBoolean fails = new AtomicBoolean(true);
        ExecutorService view = view(GroupPolicy.builder()
                .taskDecorator((groupKey, task) -> fails.get() ? null : task)
                .build());

        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> view.execute(() -> {}))
                .withCauseInstanceOf(NullPointerException.class);
        fails.set(false);
    }

    @Test
    @Tag("P3")
    void aCommandWhoseThreadCannotBeStartedIsRefusedAndAFutureFails() throws Exception {
        OutOfMemoryError cause = new OutOfMemoryError("no thread");
        AtomicInteger failures = new AtomicInteger();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().build(),
                new Surroundings(
                        System::nanoTime,
                        (name, work) -> {
                            if (name.equals("a") && failures.getAndDecrement() > 0) {
                                throw cause;
                            }
                            return TaskThreads.VIRTUAL.unstarted(name, work);
                        },
                        true));
        ExecutorService view = executor.asExecutorService("a");

        failures.set(1);
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> view.execute(() -> {}))
                .withCause(cause);
        assertThat(get(view.submit(() -> "next"))).isEqualTo("next");
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        failures.set(1);
        assertThat(view.submit(() -> "never").exceptionNow()).isSameAs(cause);
        view.shutdown();
        assertThat(view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    /** Each thread has ended before its task's submitter goes on. */
    private static Thread endedOnceStarted(String name, Runnable work) {
        return new Thread(work, name) {
            @Override
            public void start() {
                super.start();
                try {
                    join(Deadline.LONG.toMillis());
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        };
    }

    @Test
    @Tag("E11")
    void whatFailsOnItsThreadIsNotRefusedHoweverSoonItFails() throws Exception {
        IllegalStateException cause = new IllegalStateException("boom");
        AtomicBoolean wrapped = new AtomicBoolean();
        ExecutorService view = engines.startPlain(
                        GroupPolicy.builder()
                                .taskDecorator((groupKey, task) -> () -> {
                                    if (wrapped.get()) {
                                        throw cause;
                                    }
                                    return task.call();
                                })
                                .build(),
                        new Surroundings(System::nanoTime, ExecutorServiceViewTests::endedOnceStarted, true))
                .asExecutorService("a");
        AtomicInteger runs = new AtomicInteger();
        Runnable command = () -> {
            runs.incrementAndGet();
            throw cause;
        };

        view.execute(command);
        wrapped.set(true);
        view.execute(command);

        assertThat(runs).hasValue(1);
        view.shutdown();
        assertThat(view.isTerminated()).isTrue();
    }

    @Test
    void manyTasksOfManyViewsAllEndOnceAndInOrder() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        List<Integer> order = new CopyOnWriteArrayList<>();
        List<Future<?>> futures = new ArrayList<>();
        List<ExecutorService> views = List.of(executor.asExecutorService("a"), executor.asExecutorService("a"));
        for (int i = 0; i < 200; i++) {
            int number = i;
            futures.add(views.get(i % 2).submit(() -> order.add(number)));
        }

        for (Future<?> future : futures) {
            get(future);
        }

        assertThat(order).hasSize(200).isSorted();
    }

    private ExecutorService view(GroupPolicy policy) {
        return engines.start(policy).asExecutorService("a");
    }

    private static GroupPolicy fullAfterOne(RejectionPolicy rejectionPolicy) {
        return GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(rejectionPolicy)
                .build();
    }

    private static Callable<String> failing(String message) {
        return () -> {
            throw new IllegalStateException(message);
        };
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.get(Deadline.SECONDS, TimeUnit.SECONDS);
    }
}
