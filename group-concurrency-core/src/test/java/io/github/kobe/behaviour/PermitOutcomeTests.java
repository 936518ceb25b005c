package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupRecorder;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTotals;
import io.github.kobe.audit.Engines;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** E12: what was done under a permit may end otherwise than well. */
@Tag("E12")
class PermitOutcomeTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private GroupExecutor executor;

    enum Way {
        ACQUIRE {
            @Override
            GroupPermit take(GroupExecutor executor) throws Exception {
                return executor.acquire("a");
            }
        },
        ASYNC {
            @Override
            GroupPermit take(GroupExecutor executor) {
                return executor.acquireAsync("a").toCompletableFuture().join();
            }
        };

        abstract GroupPermit take(GroupExecutor executor) throws Exception;
    }

    private TaskTotals totals() {
        return executor.groupStats("a").orElseThrow().totals();
    }

    private void assertEnded(int succeeded, int failed, int cancelled) {
        assertThat(List.of(totals().succeeded(), totals().failed(), totals().cancelled()))
                .containsExactly((long) succeeded, (long) failed, (long) cancelled);
        assertThat(executor.stats().inFlight()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void whatFailedIsCountedAsFailedAndWhatWasCancelledAsCancelled(Way way) throws Exception {
        executor = engines.startPlain(GroupPolicy.builder().build());

        way.take(executor).closeExceptionally(new IOException("disk"));
        assertEnded(0, 1, 0);
        way.take(executor).closeExceptionally(new CancellationException());
        way.take(executor).closeExceptionally(new InterruptedException());
        assertEnded(0, 1, 2);
        way.take(executor).close();
        assertEnded(1, 1, 2);
    }

    @ParameterizedTest
    @EnumSource
    void aListenerHearsTheFailure(Way way) throws Exception {
        List<GroupResult<?>> heard = new CopyOnWriteArrayList<>();
        executor = engines.startPlain(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        heard.add(result);
                    }
                })
                .build());
        IOException failure = new IOException("disk");

        way.take(executor).closeExceptionally(failure);

        assertThat(heard).singleElement().satisfies(result -> {
            assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
            assertThat(result.error()).isSameAs(failure);
        });
        assertEnded(0, 1, 0);
    }

    @Test
    void theFirstCloseTellsTheEnd() throws Exception {
        executor = engines.startPlain(GroupPolicy.builder().build());
        GroupPermit well = executor.acquire("a");
        Gate gate = new Gate();
        Caller<String> inside = Caller.start(() -> well.call(gate.then("done")));
        gate.awaitArrived(1);

        well.close();
        well.closeExceptionally(new IOException("late"));
        gate.open();

        assertThat(inside.result()).isEqualTo("done");
        assertEnded(1, 0, 0);
        GroupPermit badly = executor.acquire("a");
        badly.closeExceptionally(new IOException("disk"));
        badly.close();
        badly.closeExceptionally(new CancellationException());
        assertEnded(1, 1, 0);
    }

    @Test
    void theEndIsThatOfTheCloseAlsoWhileSomebodyIsInside() throws Exception {
        executor = engines.startPlain(GroupPolicy.builder().build());
        GroupPermit permit = executor.acquire("a");
        Gate gate = new Gate();
        Caller<String> inside = Caller.start(() -> permit.call(gate.then("done")));
        gate.awaitArrived(1);

        permit.closeExceptionally(new IOException("disk"));

        assertThat(executor.stats().inFlight()).isEqualTo(1);
        gate.open();
        assertThat(inside.result()).isEqualTo("done");
        assertEnded(0, 1, 0);
    }

    @Test
    void whatSharesAPermitEndsNothing() throws Exception {
        executor = engines.startPlain(GroupPolicy.builder().build());
        Callable<Void> sharing = () -> {
            executor.enclosingPermit("a").orElseThrow().closeExceptionally(new IOException("disk"));
            return null;
        };

        executor.call("a", sharing);

        assertEnded(1, 0, 0);
        assertThatNullPointerException()
                .isThrownBy(() -> executor.call("a", () -> {
                    try (GroupPermit shared = executor.enclosingPermit("a").orElseThrow()) {
                        shared.closeExceptionally(null);
                    }
                    return null;
                }))
                .withMessage("failure");
    }

    // ---------------------------------------------------------------- requests that are given up

    /** Ways to give a request up whose permit is on its way. */
    enum GivenUp {
        CANCELLED,
        COMPLETED_BY_SOMEBODY_ELSE;

        void with(CompletableFuture<GroupPermit> request) {
            assertThat(
                            this == CANCELLED
                                    ? request.cancel(false)
                                    : request.completeExceptionally(new TimeoutException()))
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRequestThatIsGivenUpInTheInstantOfItsGrantCountsAsCancelled(GivenUp way) throws Exception {
        Gate handingOut = new Gate();
        TaskThreads late = (name, work) -> TaskThreads.VIRTUAL.unstarted(name, () -> {
            handingOut.passStubbornly();
            work.run();
        });
        List<TaskStatus> recorded = new CopyOnWriteArrayList<>();
        executor = engines.startPlain(
                GroupPolicy.builder()
                        .recorderFactory((key, rule) -> new GroupRecorder() {
                            @Override
                            public void completed(TaskStatus status, long nanos) {
                                recorded.add(status);
                            }
                        })
                        .build(),
                new Surroundings(System::nanoTime, late, true));
        GroupPermit holder = executor.acquire("a");
        CompletableFuture<GroupPermit> request = executor.acquireAsync("a").toCompletableFuture();
        holder.close();
        handingOut.awaitArrived(1);

        way.with(request);
        handingOut.open();

        Deadline.until("the recorder has heard of both", () -> recorded.size() == 2);
        assertThat(recorded).containsExactly(TaskStatus.SUCCESS, TaskStatus.CANCELLED);
        assertEnded(1, 0, 1);
    }

    @Test
    void aRequestThatIsCancelledWhileItsPermitIsMadeIsToldAsCancelled() throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        AtomicReference<CompletableFuture<GroupPermit>> request = new AtomicReference<>();
        executor = engines.startPlain(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onStarted(String groupKey, String taskId) {
                        if (taskId.equals("request")) {
                            request.get().cancel(false);
                        }
                        heard.add("started " + taskId);
                    }

                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        heard.add(result.status() + " " + taskId + " by " + result.error());
                    }
                })
                .build());
        GroupPermit holder = executor.acquire("a");
        request.set(
                executor.acquireAsync("a", "request", GroupLimits.NO_TIMEOUT).toCompletableFuture());

        holder.close();

        Deadline.until(() -> "four events, but " + heard, () -> heard.size() == 4);
        assertThat(heard)
                .contains("CANCELLED request by java.util.concurrent.CancellationException: The wait was given up");
        assertEnded(1, 0, 1);
    }

    @Test
    void cancellingARequestThatSomebodyElseHasCompletedLeavesTheQueueAndSaysNo() throws Exception {
        executor = engines.startPlain(GroupPolicy.builder().build());
        GroupPermit holder = executor.acquire("a");
        CompletableFuture<GroupPermit> request = executor.acquireAsync("a").toCompletableFuture();
        request.completeExceptionally(new TimeoutException());
        assertThat(executor.stats().queued()).isEqualTo(1);

        assertThat(request.cancel(false)).isFalse();

        assertThat(executor.stats().queued()).isZero();
        holder.close();
        assertEnded(1, 0, 1);
    }

    @Test
    void nullIsRefused() throws Exception {
        executor = engines.startPlain(GroupPolicy.builder().build());
        try (GroupPermit permit = executor.acquire("a")) {
            assertThatNullPointerException()
                    .isThrownBy(() -> permit.closeExceptionally(null))
                    .withMessage("failure");
            assertThat(executor.stats().inFlight()).isEqualTo(1);
        }
    }
}
