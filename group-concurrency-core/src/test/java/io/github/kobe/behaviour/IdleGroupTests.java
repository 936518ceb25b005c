package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("E10")
class IdleGroupTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private final Gate gate = new Gate();

    private static void use(GroupExecutor executor, String key) throws InterruptedException {
        executor.submit(key, "1", () -> "done").await();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
    }

    private static GroupPolicy.Builder keepNone() {
        return GroupPolicy.builder().maxIdleGroups(0);
    }

    private static GroupPolicy.Builder keepForAMinute() {
        return GroupPolicy.builder().idleTimeout(MINUTE);
    }

    @Test
    void groupsThatWereEvictedTakeNoPlaceOfThoseThatAreKept() throws Exception {
        GroupExecutor executor =
                engines.startPlain(GroupPolicy.builder().maxIdleGroups(3).build());
        for (String key : List.of("kept", "evicted", "evicted too")) {
            use(executor, key);
        }
        executor.evictGroup("evicted");
        executor.evictGroup("evicted too");

        use(executor, "next");
        use(executor, "last");

        assertThat(executor.groupKeys()).containsExactlyInAnyOrder("kept", "next", "last");
    }

    @Test
    @Tag("K1")
    void withNoIdleGroupsKeptNothingIsLeft() throws Exception {
        GroupExecutor executor = engines.start(keepNone().build());
        for (int i = 0; i < 100; i++) {
            use(executor, "key-" + i);
        }

        Deadline.untilAsserted(() -> assertThat(executor.groupKeys()).isEmpty());
        assertThat(executor.stats().groups()).isZero();
    }

    @Test
    @Tag("I7")
    void aGroupThatBecomesIdleWhileThePolicyIsReplacedGoesByTheNewOne() throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(2)
                .maxIdleGroups(10)
                .build();
        GroupExecutor executor = engines.startPlain(policy);
        ReentrantLock list = EngineAccess.idleLock(executor);
        Caller<String> idler;
        GroupPermit meanwhile;
        list.lock(); // as if another thread had it
        try {
            idler = Caller.startPlatform(() -> executor.call("a", () -> "idle"));
            Deadline.until("the group is offered", list::hasQueuedThreads);
            meanwhile = executor.acquire("a");
            executor.updatePolicy(policy.toBuilder().maxIdleGroups(0).build());
        } finally {
            list.unlock();
        }
        assertThat(idler.result()).isEqualTo("idle");

        meanwhile.close();

        assertThat(executor.groupKeys()).isEmpty();
    }

    @Test
    @Tag("K1")
    @Tag("I7")
    void aboutAsManyIdleGroupsAreKeptAsThePolicySays() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().maxIdleGroups(20).build(), clock);

        for (int i = 0; i < 300; i++) {
            use(executor, "key-" + i);
        }

        Deadline.untilAsserted(() -> assertThat(executor.groupKeys()).hasSizeBetween(10, 40));
        assertThat(executor.groupKeys()).contains("key-299");
        assertThat(executor.groupKeys()).doesNotContain("key-0");
    }

    @Test
    void itIsToldOnceIfManyGroupsASecondAreForgotten() throws Exception {
        GroupExecutor executor =
                engines.startPlain(GroupPolicy.builder().maxIdleGroups(20).build(), clock.environment());
        try (CapturedLog log = CapturedLog.open()) {
            for (int i = 0; i < 400; i++) {
                executor.call("seldom-" + i, () -> "used");
                clock.advance(Duration.ofMillis(11)); // some 90 a second
            }
            assertThat(log.infos()).isEmpty();

            for (int i = 0; i < 1_000; i++) {
                executor.call("often-" + i, () -> "used");
            }

            Deadline.untilAsserted(() ->
                    assertThat(log.infos()).singleElement().asString().contains("about 20 idle ones", "maxIdleGroups"));
        }
    }

    @Test
    void whoWantsNoIdleGroupsIsNotToldThatTheyAreForgotten() throws Exception {
        GroupExecutor executor = engines.startPlain(keepNone().build());
        try (CapturedLog log = CapturedLog.open()) {
            for (int i = 0; i < 1_000; i++) {
                executor.call("key-" + i, () -> "used");
            }
            assertThat(log.infos()).isEmpty();
        }
    }

    @Test
    @Tag("K1")
    void byDefaultTheNumberOfKeysIsBoundedHoweverManyThereAre() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());

        for (int i = 0; i < 20_000; i++) {
            int value = i;
            assertThat(executor.call("key-" + i, () -> value)).isEqualTo(value);
        }

        assertThat(executor.groupKeys()).hasSizeBetween(500, 2_000);
        assertThat(executor.stats().totals().succeeded()).isEqualTo(20_000);
    }

    @Test
    void anIdleGroupKeepsItsCountersAndLimitsForATime() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        GroupExecutor executor = engines.start(
                keepForAMinute()
                        .concurrencyResolver(key -> asked.incrementAndGet())
                        .build(),
                clock);
        use(executor, "a");

        clock.advance(MINUTE.dividedBy(2), executor);
        use(executor, "a");

        assertThat(executor.groupStats("a").orElseThrow().totals().succeeded()).isEqualTo(2);
        assertThat(asked).hasValue(1);
    }

    @Test
    void anIdleGroupGoesWhenItsTimeIsUp() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        GroupExecutor executor = engines.start(
                keepForAMinute()
                        .concurrencyResolver(key -> asked.incrementAndGet())
                        .build(),
                clock);
        use(executor, "a");

        clock.advance(MINUTE.multipliedBy(2), executor);

        Deadline.untilAsserted(() -> assertThat(executor.groupKeys()).isEmpty());
        use(executor, "a");
        assertThat(executor.groupStats("a").orElseThrow().totals().succeeded()).isEqualTo(1);
        assertThat(asked).hasValue(2);
    }

    @Test
    void whatIsUsedNowAndThenStays() throws Exception {
        GroupExecutor executor = engines.start(keepForAMinute().build(), clock);
        use(executor, "a");
        use(executor, "b");

        for (int i = 0; i < 10; i++) {
            clock.advance(MINUTE.dividedBy(2), executor);
            use(executor, "a");
        }

        Deadline.untilAsserted(() -> assertThat(executor.groupKeys()).containsExactly("a"));
        assertThat(executor.groupStats("a").orElseThrow().totals().succeeded()).isEqualTo(11);
    }

    @Test
    void groupsThatAreNamedInThePolicyAreKept() throws Exception {
        GroupExecutor executor = engines.start(
                keepNone()
                        .idleTimeout(MINUTE)
                        .group("named", GroupLimits.unset().withMaxConcurrency(2))
                        .pattern("pattern*", GroupLimits.unset())
                        .build(),
                clock);
        use(executor, "named");
        use(executor, "pattern-1");

        clock.advance(Duration.ofDays(1), executor);

        Deadline.untilAsserted(() -> assertThat(executor.groupKeys()).containsExactly("named"));
        assertThat(executor.groupStats("named").orElseThrow().totals().succeeded())
                .isEqualTo(1);
    }

    @Test
    void anOverriddenGroupIsKeptUntilItIsReset() throws Exception {
        GroupExecutor executor = engines.start(keepNone().idleTimeout(MINUTE).build(), clock);
        executor.setLimits("a", GroupLimits.unset().withMaxConcurrency(3));
        use(executor, "a");
        clock.advance(Duration.ofDays(1), executor);
        assertThat(executor.groupStats("a").orElseThrow().maxConcurrency().value())
                .isEqualTo(3);

        executor.resetLimits("a");

        Deadline.untilAsserted(() -> assertThat(executor.groupKeys()).isEmpty());
    }

    @Test
    void aPausedGroupIsKeptUntilItIsResumed() {
        GroupExecutor executor = engines.start(keepNone().idleTimeout(MINUTE).build(), clock);
        executor.pause("a");
        clock.advance(Duration.ofDays(1), executor);
        assertThat(executor.groupStats("a").orElseThrow().paused()).isTrue();

        executor.resume("a");

        Deadline.untilAsserted(() -> assertThat(executor.groupKeys()).isEmpty());
    }

    @Test
    void aGroupInUseIsNotRemoved() throws Exception {
        GroupExecutor executor = engines.start(keepNone().idleTimeout(MINUTE).build(), clock);
        TaskHandle<String> running = executor.submit("a", "1", gate.then("done"));
        TaskHandle<String> waiting = executor.submit("a", "2", () -> "done");
        gate.awaitArrived(1);

        clock.advance(Duration.ofDays(1), executor);
        executor.submit("b", "1", () -> "done").await();

        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(1);
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);
        gate.open();
        running.await();
        waiting.await();
    }

    @Test
    void aSmallerBoundHoldsAtOnce() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build(), clock);
        for (int i = 0; i < 50; i++) {
            use(executor, "key-" + i);
        }
        assertThat(executor.groupKeys()).hasSize(50);

        executor.updatePolicy(executor.policy().toBuilder().maxIdleGroups(5).build());

        Deadline.untilAsserted(() -> assertThat(executor.groupKeys()).hasSizeLessThanOrEqualTo(5));
    }

    @Test
    void aGroupThatThePolicyNoLongerNamesMayGo() throws Exception {
        GroupExecutor executor = engines.start(
                keepNone().group("a", GroupLimits.unset().withMaxConcurrency(2)).build());
        use(executor, "a");
        assertThat(executor.groupKeys()).containsExactly("a");

        executor.updatePolicy(engines.witnessed(executor, keepNone().build()));

        Deadline.untilAsserted(() -> assertThat(executor.groupKeys()).isEmpty());
    }

    @Test
    @Tag("G45")
    void theListenerHearsOfGroupsThatGo() throws Exception {
        List<String> removed = new CopyOnWriteArrayList<>();
        GroupExecutor executor = engines.start(
                keepForAMinute()
                        .taskLifecycleListener(new TaskLifecycleListener() {
                            @Override
                            public void onGroupRemoved(String groupKey) {
                                removed.add(groupKey);
                            }
                        })
                        .build(),
                clock);
        use(executor, "idle");
        use(executor, "evicted");
        executor.evictGroup("evicted");
        Deadline.untilAsserted(() -> assertThat(removed).containsExactly("evicted"));

        clock.advance(MINUTE.multipliedBy(2), executor);

        Deadline.untilAsserted(() -> assertThat(removed).containsExactly("evicted", "idle"));
    }

    @Test
    @Tag("K2")
    void removalNeverRacesWithReuse() throws Exception {
        GroupExecutor executor = engines.start(keepNone().build());
        AtomicBoolean stop = new AtomicBoolean();
        Caller<Boolean> evictor = Caller.startPlatform(() -> {
            while (!stop.get()) {
                executor.evictGroup("key-0");
                executor.evictGroup("key-1");
            }
            return true;
        });
        List<Caller<Integer>> users = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            users.add(Caller.start(() -> {
                int done = 0;
                for (int turn = 0; turn < 500; turn++) {
                    String key = "key-" + turn % 3;
                    done += executor.call(key, engines.witness(executor).inside(key, () -> 1));
                    done += executor.submit(key, "task", () -> 1).await().value();
                }
                return done;
            }));
        }

        for (Caller<Integer> user : users) {
            assertThat(user.result()).isEqualTo(1_000);
        }
        stop.set(true);
        evictor.result();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        for (int i = 0; i < 3; i++) {
            assertThat(engines.witness(executor).peakRunning("key-" + i)).isEqualTo(1);
        }
        assertThat(executor.stats().totals().succeeded()).isEqualTo(4_000);
    }
}
