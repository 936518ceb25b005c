package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskTrace;
import io.github.kobe.TaskTracer;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Listeners and tracers that a policy has several of. */
@Tag("G45")
class SeveralListenersTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final List<String> heard = new CopyOnWriteArrayList<>();

    /** Writes down what it hears, with its name. */
    private class Named implements TaskLifecycleListener {
        private final String name;

        Named(String name) {
            this.name = name;
        }

        void hear(String event) {
            heard.add(name + " " + event);
        }

        @Override
        public void onSubmitted(String groupKey, String taskId) {
            hear("submitted " + taskId);
        }

        @Override
        public void onStarted(String groupKey, String taskId) {
            hear("started " + taskId);
        }

        @Override
        public void onRejected(String groupKey, String taskId, RejectionReason reason) {
            hear("rejected " + taskId);
        }

        @Override
        public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
            hear("completed " + taskId);
        }

        @Override
        public void onGroupRemoved(String groupKey) {
            hear("removed " + groupKey);
        }
    }

    /** Throws whatever it hears, the same object each time. */
    private final class Throwing extends Named {
        private final AssertionError failure;

        Throwing(String name) {
            super(name);
            failure = new AssertionError(name);
        }

        @Override
        void hear(String event) {
            throw failure;
        }
    }

    private static GroupPolicy.Builder discarding() {
        return GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .maxIdleGroups(0);
    }

    /** One task that runs, one that is rejected, and the end of a group. */
    private void useAll(GroupExecutor executor) throws Exception {
        executor.submit("a", "1", () -> "done").await();
        Deadline.until("removed", () -> executor.groupKeys().isEmpty());
        Deadline.untilAsserted(() -> assertThat(heard).contains("second removed a"));
        executor.pause("b");
        executor.submit("b", "2", () -> "never").await();
    }

    @Test
    void eachHearsOfEverythingInTheOrderOfTheirAddition() throws Exception {
        useAll(engines.startPlain(discarding()
                .addTaskLifecycleListener(new Named("first"))
                .addTaskLifecycleListener(new Named("second"))
                .build()));

        // On a thread of its own, and so at any time.
        assertThat(heard)
                .filteredOn(event -> event.endsWith("removed a"))
                .containsExactly("first removed a", "second removed a");
        assertThat(heard)
                .filteredOn(event -> !event.endsWith("removed a"))
                .containsExactly(
                        "first submitted 1",
                        "second submitted 1",
                        "first started 1",
                        "second started 1",
                        "first completed 1",
                        "second completed 1",
                        "first submitted 2",
                        "second submitted 2",
                        "first rejected 2",
                        "second rejected 2");
    }

    @Test
    @Tag("G37")
    void oneThatThrowsIsLoggedOnceForEachMethodAndKeepsNoOtherFromHearing() throws Exception {
        Throwing one = new Throwing("one");
        Throwing other = new Throwing("other");
        GroupExecutor executor = engines.startPlain(discarding()
                .addTaskLifecycleListener(one)
                .addTaskLifecycleListener(new Named("second"))
                .addTaskLifecycleListener(other)
                .build());

        try (CapturedLog log = CapturedLog.open()) {
            useAll(executor);
            executor.resume("b");
            Deadline.untilAsserted(() -> assertThat(heard).contains("second removed b"));
            heard.clear();
            useAll(executor);

            assertThat(heard)
                    .containsExactlyInAnyOrder(
                            "second submitted 1",
                            "second started 1",
                            "second completed 1",
                            "second removed a",
                            "second submitted 2",
                            "second rejected 2");
            assertThat(log.thrown()).hasSize(10).containsOnly(one.failure, other.failure);
            assertThat(log.warnings())
                    .filteredOn(text -> text.contains("onRejected"))
                    .hasSize(2);
        }
        assertThat(one.failure).hasNoSuppressedExceptions();
    }

    /** A trace that writes down what it hears, with its name. */
    private TaskTracer tracer(String name) {
        return (groupKey, taskId) -> new TaskTrace() {
            @Override
            public <T> Callable<T> around(Callable<T> task) {
                return () -> {
                    heard.add(name + " begins");
                    T value = task.call();
                    heard.add(name + " ends");
                    return value;
                };
            }

            @Override
            public void onStarted(long queuedNanos) {
                heard.add(name + " started");
            }

            @Override
            public void onRejected(RejectionReason reason) {
                heard.add(name + " rejected");
            }

            @Override
            public void onCompleted(GroupResult<?> result) {
                heard.add(name + " completed");
            }
        };
    }

    private static final class ThrowingTrace implements TaskTrace {
        @Override
        public <T> Callable<T> around(Callable<T> task) {
            throw new IllegalStateException("around");
        }

        @Override
        public void onStarted(long queuedNanos) {
            throw new IllegalStateException("onStarted");
        }

        @Override
        public void onRejected(RejectionReason reason) {
            throw new IllegalStateException("onRejected");
        }

        @Override
        public void onCompleted(GroupResult<?> result) {
            throw new IllegalStateException("onCompleted");
        }
    }

    private static final class WrappingInNothing implements TaskTrace {
        @Override
        public <T> Callable<T> around(Callable<T> task) {
            return null;
        }
    }

    private static final List<String> FOLLOWED = List.of(
            "first started",
            "second started",
            "first begins",
            "second begins",
            "second ends",
            "first ends",
            "first completed",
            "second completed");

    @Test
    void tracesFollowInTheOrderOfTheirTracersTheFirstOutermost() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .addTaskTracer(tracer("first"))
                .addTaskTracer(tracer("second"))
                .build());

        executor.call("a", () -> "done");

        assertThat(heard).isEqualTo(FOLLOWED);
    }

    @Test
    void allTracesHearOfARejection() throws Exception {
        GroupExecutor executor = engines.startPlain(discarding()
                .addTaskTracer(tracer("first"))
                .addTaskTracer(tracer("second"))
                .build());
        executor.pause("a");

        executor.submit("a", "1", () -> "never").await();

        assertThat(heard).containsExactly("first rejected", "second rejected");
    }

    @Test
    @Tag("G37")
    void aTracerOrTraceThatFailsIsLoggedOnceAndChangesNothingForTheOthers() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .addTaskTracer((groupKey, taskId) -> {
                    throw new IllegalStateException("trace");
                })
                .addTaskTracer(tracer("first"))
                .addTaskTracer((groupKey, taskId) -> null)
                .addTaskTracer((groupKey, taskId) -> new ThrowingTrace())
                .addTaskTracer((groupKey, taskId) -> new WrappingInNothing())
                .addTaskTracer(tracer("second"))
                .build());

        try (CapturedLog log = CapturedLog.open()) {
            for (int i = 0; i < 2; i++) {
                heard.clear();
                assertThat(executor.call("a", () -> "done")).isEqualTo("done");
                assertThat(heard).isEqualTo(FOLLOWED);
            }
            assertThat(log.thrown())
                    .extracting(Throwable::getMessage)
                    .containsExactlyInAnyOrder(
                            "trace", "around", "The trace returned null", "onStarted", "onCompleted");
        }
    }

    @Test
    void workThatOneTracerAloneFollowsIsFollowedByThatOne() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .addTaskTracer((groupKey, taskId) -> null)
                .addTaskTracer(tracer("only"))
                .build());

        executor.call("a", () -> "done");

        assertThat(heard).containsExactly("only started", "only begins", "only ends", "only completed");
    }

    @Test
    void workThatNoTracerFollowsIsNotFollowed() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .addTaskTracer((groupKey, taskId) -> null)
                .addTaskTracer((groupKey, taskId) -> null)
                .build());

        assertThat(executor.submit("a", () -> "done").await().valueOrThrow()).isEqualTo("done");
    }
}
