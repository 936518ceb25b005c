package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("E11")
class GroupTaskDecoratorTests {

    private static final ThreadLocal<String> CONTEXT = new ThreadLocal<>();

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    /** Takes the context of the submitting thread to the thread that runs the task. */
    private static final class Propagating implements GroupTaskDecorator {

        private final List<String> asked = new ArrayList<>();

        @Override
        public Callable<?> decorate(String groupKey, Callable<?> task) {
            String context = CONTEXT.get();
            asked.add(groupKey + " on " + Thread.currentThread().threadId());
            return () -> {
                String before = CONTEXT.get();
                CONTEXT.set(context);
                try {
                    return task.call();
                } finally {
                    CONTEXT.set(before);
                }
            };
        }
    }

    private final Propagating decorator = new Propagating();

    private GroupExecutor start(GroupPolicy.Builder policy) {
        return engines.startPlain(policy.taskDecorator(decorator).build());
    }

    @Test
    void theContextOfTheSubmittingThreadGetsToTheTask() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        CONTEXT.set("one");
        TaskHandle<String> one = executor.submit("a", "1", CONTEXT::get);
        CONTEXT.set("two");
        TaskHandle<String> two = executor.submit("a", "2", CONTEXT::get);
        CONTEXT.remove();

        assertThat(one.await().value()).isEqualTo("one");
        assertThat(two.await().value()).isEqualTo("two");
    }

    @Test
    void itIsCalledOnTheSubmittingThreadWithTheGroup() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());

        executor.submit("a", "1", () -> "done").await();

        assertThat(decorator.asked)
                .containsExactly("a on " + Thread.currentThread().threadId());
    }

    @Test
    void asynchronousWorkIsDecoratedToo() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        CONTEXT.set("mine");

        TaskHandle<String> handle =
                executor.submitAsync("a", "1", () -> CompletableFuture.completedFuture(CONTEXT.get()));
        CONTEXT.remove();

        assertThat(handle.await().value()).isEqualTo("mine");
    }

    @Test
    void workOnTheCallersOwnThreadIsNotDecorated() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());

        executor.call("a", () -> "done");
        executor.acquire("a").close();

        assertThat(decorator.asked).isEmpty();
    }

    @Test
    void aRejectedTaskReachesItsHandlerDecorated() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(0)
                .rejectionHandler((groupKey, taskId, task) -> {
                    CONTEXT.set("the handler's");
                    try {
                        return GroupResult.success(groupKey, taskId, task.call(), 0, 0);
                    } catch (Exception e) {
                        return GroupResult.failed(groupKey, taskId, e, 0, 0);
                    }
                }));
        TaskHandle<String> holder = executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        CONTEXT.set("the submitter's");

        TaskHandle<String> rejected = executor.submit("a", "1", CONTEXT::get);

        assertThat(rejected.await().value()).isEqualTo("the submitter's");
        assertThat(CONTEXT.get()).isEqualTo("the handler's");
        CONTEXT.remove();
        gate.open();
        holder.await();
    }

    private GroupResult<String> submitDecorated(GroupTaskDecorator failing) throws InterruptedException {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .globalMaxInFlight(1)
                .taskDecorator(failing)
                .build());
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");
        assertThat(handle.isDone()).isTrue();
        assertThat(executor.stats().inFlight()).isZero();
        executor.shutdown(); // the audit's own work would fail as well
        return handle.await();
    }

    @Test
    @Tag("G37")
    void aDecoratorThatThrowsFailsTheTask() throws Exception {
        IllegalStateException failure = new IllegalStateException("no");

        GroupResult<String> result = submitDecorated((groupKey, task) -> {
            throw failure;
        });

        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isSameAs(failure);
    }

    @Test
    @Tag("G37")
    void aDecoratorThatThrowsAnErrorFailsTheTask() throws Exception {
        AssertionError failure = new AssertionError("no");

        GroupResult<String> result = submitDecorated((groupKey, task) -> {
            throw failure;
        });

        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isSameAs(failure);
    }

    @Test
    @Tag("G37")
    void aDecoratorThatReturnsNullFailsTheTask() throws Exception {
        GroupResult<String> result = submitDecorated((groupKey, task) -> null);

        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isNotNull();
    }

    @Test
    @Tag("E9")
    void workThatIsInKeepsTheDecoratorItHad() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        TaskHandle<String> holder = executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        CONTEXT.set("old");
        TaskHandle<String> waiting = executor.submit("a", "1", CONTEXT::get);
        CONTEXT.remove();

        executor.updatePolicy(executor.policy().toBuilder()
                .taskDecorators(List.of((groupKey, task) -> () -> "new"))
                .build());
        TaskHandle<String> later = executor.submit("a", "2", () -> "plain");
        gate.open();

        assertThat(holder.await().value()).isEqualTo("held");
        assertThat(waiting.await().value()).isEqualTo("old");
        assertThat(later.await().value()).isEqualTo("new");
        executor.shutdown(); // the audit's own work would be replaced as well
    }

    private static GroupTaskDecorator naming(String name, List<String> called) {
        return (groupKey, task) -> {
            called.add(name + " wraps");
            return () -> {
                called.add(name + " begins");
                Object value = task.call();
                called.add(name + " ends");
                return value;
            };
        };
    }

    @Test
    void ofSeveralTheFirstIsTheOutermost() throws Exception {
        List<String> called = new ArrayList<>();
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .taskDecorator(naming("first", called))
                .addTaskDecorator(naming("second", called))
                .build());

        assertThat(executor.submit("a", "1", () -> "done").await().valueOrThrow())
                .isEqualTo("done");

        assertThat(called)
                .containsExactly(
                        "second wraps", "first wraps", "first begins", "second begins", "second ends", "first ends");
    }

    @Test
    @Tag("G37")
    void oneOfSeveralThatFailsFailsTheTask() throws Exception {
        IllegalStateException failure = new IllegalStateException("no");
        for (GroupTaskDecorator failing : List.<GroupTaskDecorator>of(
                (groupKey, task) -> {
                    throw failure;
                },
                (groupKey, task) -> null)) {
            GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                    .taskDecorator((groupKey, task) -> task)
                    .addTaskDecorator(failing)
                    .build());

            GroupResult<String> result = executor.submit("a", "1", () -> "done").await();

            assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
            assertThat(result.error())
                    .isInstanceOfAny(IllegalStateException.class, NullPointerException.class)
                    .message()
                    .isIn("no", "The decorator returned null");
            executor.shutdown(); // the audit's own work would fail as well
        }
    }
}
