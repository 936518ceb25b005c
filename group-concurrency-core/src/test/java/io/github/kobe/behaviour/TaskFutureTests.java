package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("G36")
class TaskFutureTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    private GroupExecutor start() {
        return engines.start(GroupPolicy.builder().build());
    }

    private TaskHandle<String> running(GroupExecutor executor) {
        TaskHandle<String> handle = executor.submit("a", "1", gate.stubbornlyThen("done"));
        gate.awaitArrived(1);
        return handle;
    }

    @Test
    void theFutureCompletesWithTheResultOfTheHandle() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = running(executor);
        CompletableFuture<GroupResult<String>> future = handle.toCompletableFuture();
        assertThat(future).isNotDone();

        gate.open();

        assertThat(future.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo(handle.await());
    }

    @Test
    void theFutureOfADoneHandleIsDone() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");
        GroupResult<String> result = handle.await();

        assertThat(handle.toCompletableFuture()).isCompletedWithValue(result);
    }

    @Test
    void aFailedTaskCompletesTheFutureNormallyWithAFailedResult() throws Exception {
        GroupExecutor executor = start();
        CompletableFuture<GroupResult<String>> future = executor.<String>submit("a", "1", () -> {
                    throw new Exception("no");
                })
                .toCompletableFuture();

        assertThat(future.get(Deadline.SECONDS, TimeUnit.SECONDS).status()).isEqualTo(TaskStatus.FAILED);
    }

    @Test
    void eachCallGivesAFutureOfItsOwn() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = running(executor);
        CompletableFuture<GroupResult<String>> mine = handle.toCompletableFuture();
        CompletableFuture<GroupResult<String>> yours = handle.toCompletableFuture();
        assertThat(mine).isNotSameAs(yours);

        mine.complete(GroupResult.success("a", "1", "forged", 0, 0));

        assertThat(yours).isNotDone();
        assertThat(handle.isDone()).isFalse();
        gate.open();
        assertThat(yours.get(Deadline.SECONDS, TimeUnit.SECONDS).value()).isEqualTo("done");
        assertThat(handle.await().value()).isEqualTo("done");
        assertThat(mine.join().value()).isEqualTo("forged");
    }

    @Test
    void completingAFutureExceptionallyTouchesNothingElse() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = running(executor);

        handle.toCompletableFuture().completeExceptionally(new Exception("forged"));

        assertThat(handle.isDone()).isFalse();
        gate.open();
        assertThat(handle.await().value()).isEqualTo("done");
    }

    @Test
    void cancellingAFutureCancelsTheTask() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> running = executor.submit("a", "1", gate.then("done"));
        gate.awaitArrived(1);
        TaskHandle<String> queued = executor.submit("a", "2", () -> "done");
        CompletableFuture<GroupResult<String>> other = queued.toCompletableFuture();
        CompletableFuture<GroupResult<String>> future = queued.toCompletableFuture();

        assertThat(future.cancel(false)).isTrue();

        assertThatThrownBy(future::join).isInstanceOf(CancellationException.class);
        assertThat(queued.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(other.get(Deadline.SECONDS, TimeUnit.SECONDS).status()).isEqualTo(TaskStatus.CANCELLED);

        assertThat(running.toCompletableFuture().cancel(false)).isTrue();
        assertThat(running.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(executor.awaitQuiet(Deadline.LONG))
                .as("the running task was interrupted")
                .isTrue();
    }

    @Test
    void cancellingTheFutureOfADoneTaskDoesNothing() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");
        handle.await();

        assertThat(handle.toCompletableFuture().cancel(true)).isFalse();
        assertThat(handle.await().status()).isEqualTo(TaskStatus.SUCCESS);
    }

    @Test
    void dependentsRunOnTheThreadThatCompletesTheHandle() throws Exception {
        GroupExecutor executor = start();
        AtomicReference<Thread> tasks = new AtomicReference<>();
        TaskHandle<String> handle = executor.submit("a", "1", () -> {
            tasks.set(Thread.currentThread());
            gate.pass();
            return "done";
        });
        CompletableFuture<Thread> dependents = handle.toCompletableFuture().thenApply(result -> Thread.currentThread());

        gate.open();

        assertThat(dependents.get(Deadline.SECONDS, TimeUnit.SECONDS)).isSameAs(tasks.get());
    }

    @Test
    @Tag("G37")
    void aDependentThatThrowsHarmsNobody() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = running(executor);
        CompletableFuture<GroupResult<String>> bad = handle.toCompletableFuture()
                .whenComplete((result, error) -> {
                    throw new AssertionError("a dependent's own");
                });
        CompletableFuture<String> good = handle.toCompletableFuture().thenApply(GroupResult::value);

        gate.open();

        assertThat(good.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("done");
        assertThatThrownBy(() -> bad.get(Deadline.SECONDS, TimeUnit.SECONDS)).hasCauseInstanceOf(AssertionError.class);
        assertThat(handle.await().value()).isEqualTo("done");
    }

    @Test
    @Tag("G48")
    void aDependentMayUseTheExecutor() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = running(executor);
        CompletableFuture<String> nested = handle.toCompletableFuture()
                .thenApply(result ->
                        executor.submit("a", "2", () -> "nested").join().value());

        gate.open();

        assertThat(nested.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("nested");
    }
}
