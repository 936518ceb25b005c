package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** E15: what several threads, tasks and requests do under one permit, in combinations. */
@Tag("E15")
class SharedPermitTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    private GroupExecutor executor;

    private void start(int globalLimit) {
        executor = engines.startPlain(
                GroupPolicy.builder().globalMaxInFlight(globalLimit).build());
    }

    private boolean isFree(String key) throws Exception {
        Optional<GroupPermit> permit = Deadline.within(() -> executor.tryAcquire(key, Duration.ZERO));
        permit.ifPresent(GroupPermit::close);
        return permit.isPresent();
    }

    @Test
    @Tag("E12")
    void aPermitThatWasClosedCountsOnceWhileSomebodyIsInside() throws Exception {
        start(10);
        GroupPermit permit = executor.acquire("a");
        Caller<String> inside = Caller.start(() -> permit.call(gate.then("done")));
        gate.awaitArrived(1);
        permit.close();

        long submitted = executor.stats().totals().submitted();

        gate.open();
        assertThat(inside.result()).isEqualTo("done");
        assertThat(submitted).isEqualTo(executor.stats().totals().submitted()).isEqualTo(1);
    }

    @Test
    @Tag("E13")
    void anOpenStageIsNoThreadAtWork() throws Exception {
        start(1);
        TaskHandle<String> stage = executor.submitAsync("a", "stage", () -> {
            GroupPermit again = executor.enclosingPermit("a").orElseThrow();
            return again.acquireAsync("b").thenApplyAsync(permit -> {
                again.close();
                try (permit) {
                    return permit.call(() ->
                            executor.submit("b", "task", () -> "ran").await().value());
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
        });

        assertThat(Deadline.within(stage::await).value()).isEqualTo("ran");
    }

    @Test
    void aCallInsideACallOfThePermitIsInsideOnce() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");

        String ran = permit.call(() -> permit.call(() -> {
            permit.close();
            return executor.submit("a", "task", () -> "ran").await().value();
        }));

        assertThat(ran).isEqualTo("ran");
        assertThat(isFree("a")).isTrue();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    @Tag("I4")
    void ofManyTasksFromInsideAPermitNoneIsForgotten() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");

        List<String> ran = Deadline.within(() -> permit.call(() -> {
            List<TaskHandle<String>> tasks = List.of(
                    executor.submit("b", "1", () -> "1"),
                    executor.submit("c", "2", () -> "2"),
                    executor.submit("b", "3", () -> "3"),
                    executor.submitAsync("d", "4", () -> CompletableFuture.completedStage("4")),
                    executor.submit("a", "5", () -> "5"));
            tasks.get(2).cancel(true);
            permit.close();
            List<String> values = new ArrayList<>();
            for (int i : new int[] {4, 0, 1, 3}) {
                values.add(tasks.get(i).await().value());
            }
            return values;
        }));

        assertThat(ran).containsExactly("5", "1", "2", "4");
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    @Tag("I1")
    void theFirstGlobalLimitCountsWhatIsSharedWhereTheHomeIsIdle() throws Exception {
        executor = engines.startPlain(GroupPolicy.builder().maxIdleGroups(0).build());
        GroupPermit permit = executor.acquire("a");
        GroupPermit b = Deadline.within(permit.acquireAsync("b").toCompletableFuture()::get);
        GroupPermit c = Deadline.within(permit.acquireAsync("c").toCompletableFuture()::get);
        permit.close();
        executor.evictGroup("a");
        assertThat(executor.stats().inFlight()).isEqualTo(1);

        executor.updatePolicy(executor.policy().toBuilder().globalMaxInFlight(2).build());

        GroupPermit second = executor.acquire("x");
        assertThat(isFree("y")).isFalse();
        b.close();
        assertThat(isFree("y")).isFalse();
        c.close();
        assertThat(isFree("y")).isTrue();
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        executor.updatePolicy(executor.policy().toBuilder().globalMaxInFlight(1).build());
        assertThat(isFree("y")).isFalse();
        second.close();
        assertThat(isFree("y")).isTrue();
    }

    @Test
    @Tag("G42")
    void twoThreadsDrainFromInsideOnePermit() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        Callable<Boolean> drain = () ->
                permit.call(() -> executor.call("b" + Thread.currentThread().threadId(), () -> {
                    gate.pass();
                    return executor.shutdown(Deadline.LONG);
                }));
        Caller<Boolean> first = Caller.start(drain);
        Caller<Boolean> second = Caller.start(drain);
        gate.awaitArrived(2);

        gate.open();

        assertThat(first.result()).isTrue();
        assertThat(second.result()).isTrue();
        permit.close();
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
    }

    @Test
    @Tag("G48")
    void aListenerMayUseTheExecutorAtEachEvent() throws Exception {
        Map<String, AtomicInteger> heard = new ConcurrentHashMap<>();
        executor = engines.startPlain(GroupPolicy.builder()
                .globalMaxInFlight(2)
                .defaultQueueThresholdPerGroup(0)
                .taskLifecycleListener(new TaskLifecycleListener() {
                    private void use(String event, String key) {
                        if (!key.startsWith("a")) {
                            return;
                        }
                        heard.computeIfAbsent(event, k -> new AtomicInteger()).incrementAndGet();
                        try (GroupPermit permit =
                                executor.tryAcquire("x", Duration.ZERO).orElseThrow()) {
                            permit.call(() -> executor.call("y", () -> "done"));
                        } catch (Exception e) {
                            throw new AssertionError(e);
                        }
                    }

                    @Override
                    public void onSubmitted(String key, String id) {
                        use("submitted", key);
                    }

                    @Override
                    public void onStarted(String key, String id) {
                        use("started", key);
                    }

                    @Override
                    public void onRejected(String key, String id, RejectionReason reason) {
                        use("rejected", key);
                    }

                    @Override
                    public void onCompleted(String key, String id, io.github.kobe.GroupResult<?> result) {
                        use("completed", key);
                    }
                })
                .build());
        Thread platform = Thread.ofPlatform().start(() -> {
            try {
                executor.call("warm", () -> 1); // leaves its hold parked
                GroupPermit permit = executor.acquire("a");
                assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
                permit.call(() -> executor.call("a2", () -> 1));
                permit.close();
                executor.call("a", () -> 1);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        Deadline.join(platform);

        assertThat(heard.get("submitted")).hasValue(4);
        assertThat(heard.get("rejected")).hasValue(1);
        assertThat(heard.get("started")).hasValue(3);
        assertThat(heard.get("completed")).hasValue(3);
        assertThat(executor.stats().inFlight()).isZero();
    }
}
