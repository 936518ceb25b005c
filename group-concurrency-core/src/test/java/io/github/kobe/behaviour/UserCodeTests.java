package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Where user code is called: under no lock, and not on the engine's own thread. */
@Tag("G48")
class UserCodeTests {

    private static final Duration QUEUE_TIMEOUT = Duration.ofSeconds(1);

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();
    private final Set<String> called = ConcurrentHashMap.newKeySet();
    private final CopyOnWriteArrayList<String> findings = new CopyOnWriteArrayList<>();
    private final AtomicReference<GroupExecutor> executor = new AtomicReference<>();

    /** Inside user code of group "a": whatever another thread asks of the executor has to go through. */
    private void probe(String groupKey, String where) {
        if (!groupKey.equals("a") || executor.get() == null || !called.add(where)) {
            return;
        }
        if (!Thread.currentThread().isVirtual() && Thread.currentThread().isDaemon()) {
            findings.add(where + " on " + Thread.currentThread());
        }
        try {
            Deadline.within(() -> {
                executor.get().setLimits("a", GroupLimits.unset().withWeight(2));
                executor.get().resetLimits("a");
                executor.get().submit("probe", where, () -> "done").await();
                executor.get().pause("probe");
                executor.get().resume("probe");
                return executor.get().stats();
            });
        } catch (Exception | AssertionError e) {
            findings.add(where + ": " + e);
        }
    }

    private GroupPolicy policy() {
        return GroupPolicy.builder()
                .globalMaxInFlight(2)
                .defaultQueueThresholdPerGroup(2)
                .queueTimeout(QUEUE_TIMEOUT)
                .maxIdleGroups(0)
                .concurrencyResolver(key -> {
                    probe(key, "resolver");
                    return 1;
                })
                .taskDecorator((groupKey, task) -> {
                    probe(groupKey, "decorator");
                    return task;
                })
                .rejectionHandler((groupKey, taskId, task) -> {
                    probe(groupKey, "handler of " + taskId);
                    return GroupResult.rejected(groupKey, taskId);
                })
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onSubmitted(String groupKey, String taskId) {
                        probe(groupKey, "onSubmitted");
                    }

                    @Override
                    public void onStarted(String groupKey, String taskId) {
                        probe(groupKey, "onStarted");
                    }

                    @Override
                    public void onRejected(String groupKey, String taskId, RejectionReason reason) {
                        probe(groupKey, "onRejected " + reason);
                    }

                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        probe(groupKey, "onCompleted " + result.status());
                    }

                    @Override
                    public void onGroupRemoved(String groupKey) {
                        probe(groupKey, "onGroupRemoved");
                    }
                })
                .build();
    }

    @Test
    void userCodeIsCalledUnderNoLock() throws Exception {
        ManualClock clock = new ManualClock();
        executor.set(engines.startPlain(policy(), clock.withTimers()));
        GroupExecutor subject = executor.get();
        TaskHandle<String> holder = subject.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        TaskHandle<String> late = subject.submit("a", "late", () -> "no");
        TaskHandle<String> cancelled = subject.submit("a", "cancelled", () -> "no");
        CompletableFuture<Void> dependents = CompletableFuture.allOf(
                late.toCompletableFuture().thenAccept(result -> probe("a", "dependent of late")),
                cancelled.toCompletableFuture().thenAccept(result -> probe("a", "dependent of cancelled")),
                holder.toCompletableFuture().thenAccept(result -> probe("a", "dependent of holder")));
        TaskHandle<String> full = subject.submit("a", "full", () -> "no");
        assertThat(full.await().status()).isEqualTo(TaskStatus.REJECTED);
        cancelled.cancel(true);
        clock.advance(QUEUE_TIMEOUT);
        assertThat(late.await().status()).isEqualTo(TaskStatus.REJECTED);
        gate.open();
        assertThat(holder.await().value()).isEqualTo("held");

        Deadline.untilAsserted(() -> assertThat(called)
                .contains(
                        "resolver",
                        "decorator",
                        "handler of full",
                        "handler of late",
                        "onSubmitted",
                        "onStarted",
                        "onRejected GROUP_QUEUE_FULL",
                        "onRejected QUEUE_TIMEOUT",
                        "onCompleted SUCCESS",
                        "onCompleted CANCELLED",
                        "onGroupRemoved"));
        assertThat(subject.awaitQuiet(Deadline.LONG)).isTrue();
        Deadline.within(dependents::join);
        assertThat(findings).isEmpty();
    }

    @Test
    @Tag("G41")
    @Tag("G43")
    void whatAShutdownEndsIsReportedOnAFreshVirtualThread() {
        CopyOnWriteArrayList<Thread> threads = new CopyOnWriteArrayList<>();
        GroupExecutor subject = engines.start(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        if (taskId.equals("waits")) {
                            threads.add(Thread.currentThread());
                        }
                    }
                })
                .build());
        subject.submit("a", "runs", gate.then("held"));
        subject.submit("b", "runs", gate.then("held"));
        gate.awaitArrived(2);
        subject.submit("a", "waits", () -> "no");
        subject.submit("b", "waits", () -> "no");

        subject.shutdownGroup("a");
        Deadline.until("one is heard of", () -> threads.size() == 1);
        subject.shutdown();
        Deadline.until("both are heard of", () -> threads.size() == 2);

        assertThat(threads).allMatch(Thread::isVirtual).doesNotContain(Thread.currentThread());
    }
}
