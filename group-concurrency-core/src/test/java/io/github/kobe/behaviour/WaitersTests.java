package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupWaiter;
import io.github.kobe.GroupWaiter.Kind;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("E12")
class WaitersTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private final Gate gate = new Gate();

    private GroupExecutor held(GroupPolicy policy) {
        GroupExecutor executor = engines.start(policy, clock);
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        return executor;
    }

    private static void awaitQueued(GroupExecutor executor, int count) {
        Deadline.until("they wait", () -> executor.stats().queued() == count);
    }

    @Test
    void allKindsAreShownTheOldestFirst() throws Exception {
        GroupExecutor executor = held(GroupPolicy.builder().build());
        executor.submit("a", "task", () -> "done");
        clock.advance(SECOND);
        Caller<String> named = Caller.startPlatform(() -> executor.call("a", "call", Deadline.LONG, () -> "done"));
        awaitQueued(executor, 2);
        clock.advance(SECOND);
        Caller<?> permit = Caller.startPlatform(() -> {
            executor.acquire("a").close();
            return null;
        });
        awaitQueued(executor, 3);
        CompletableFuture<GroupPermit> asked =
                executor.acquireAsync("a", "later", Deadline.LONG).toCompletableFuture();
        clock.advance(SECOND);

        assertThat(executor.waiters("a", 10))
                .containsExactly(
                        new GroupWaiter("task", SECOND.multipliedBy(3), Kind.TASK, Optional.empty(), List.of()),
                        new GroupWaiter("call", SECOND.multipliedBy(2), Kind.THREAD, Optional.of("caller"), List.of()),
                        new GroupWaiter("", SECOND, Kind.THREAD, Optional.of("caller"), List.of()),
                        new GroupWaiter("later", SECOND, Kind.ASYNC, Optional.empty(), List.of()));
        assertThat(executor.waiters("a", 2)).extracting(GroupWaiter::taskId).containsExactly("task", "call");

        gate.open();
        named.result();
        permit.result();
        asked.get().close();
        assertThat(executor.waiters("a", 10)).isEmpty();
    }

    @Test
    @Tag("RA3")
    void aThreadIsShownWithTheGroupsWhosePermitsItKeepsWhileItWaits() throws Exception {
        GroupExecutor executor = held(GroupPolicy.builder().build());
        Caller<String> nested = Caller.start(() -> executor.call(
                "outer",
                () -> executor.call("middle", () -> executor.call("middle", () -> executor.call("a", () -> "done")))));
        awaitQueued(executor, 1);
        CompletableFuture<GroupPermit> asked;
        try (GroupPermit permit = executor.acquire("other")) {
            asked = permit.acquireAsync("a").toCompletableFuture();
        }
        Caller<String> alone = Caller.start(() -> executor.call("a", () -> "done"));
        awaitQueued(executor, 3);

        assertThat(executor.waiters("a", 10))
                .extracting(GroupWaiter::inside)
                .containsExactly(List.of("middle", "outer"), List.of(), List.of());

        gate.open();
        assertThat(nested.result()).isEqualTo("done");
        asked.get(Deadline.SECONDS, TimeUnit.SECONDS).close();
        assertThat(alone.result()).isEqualTo("done");
    }

    @Test
    void whatHasLeftIsNotShownHoweverManyThatAre() {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().build(), clock.environment().withPortion(10));
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        executor.submit("a", "first", () -> "done");
        List<TaskHandle<String>> gone = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            gone.add(executor.submit("a", "gone-" + i, () -> "no"));
        }
        for (int i = 0; i < 300; i++) {
            executor.submit("a", "later-" + i, () -> "done");
        }
        gone.forEach(handle -> handle.cancel(true));

        assertThat(executor.waiters("a", 3))
                .extracting(GroupWaiter::taskId)
                .containsExactly("first", "later-0", "later-1");
        assertThat(executor.waiters("a", 1_000)).hasSize(301);

        executor.submit("a", "last", () -> "done");
        assertThat(executor.waiters("a", 1_000))
                .last()
                .extracting(GroupWaiter::taskId)
                .isEqualTo("last");
        gate.open();
    }

    @Test
    void ofTheTailThatHasLeftNothingIsShownAndWhatComesNextIs() {
        GroupExecutor executor = held(GroupPolicy.builder().build());
        executor.submit("a", "first", () -> "done");
        executor.submit("a", "gone", () -> "no").cancel(true);

        assertThat(executor.waiters("a", 10)).extracting(GroupWaiter::taskId).containsExactly("first");
        TaskHandle<String> next = executor.submit("a", "next", () -> "done");
        assertThat(executor.waiters("a", 10)).extracting(GroupWaiter::taskId).containsExactly("first", "next");

        gate.open();
        assertThat(next.join().value()).isEqualTo("done");
    }

    @Test
    void theyAreShownAlsoWhereTheGlobalLimitIsShort() throws Exception {
        GroupExecutor executor = held(GroupPolicy.builder().globalMaxInFlight(1).build());
        TaskHandle<String> other = executor.submit("b", "1", () -> "done");

        assertThat(executor.waiters("b", 1)).extracting(GroupWaiter::taskId).containsExactly("1");

        gate.open();
        assertThat(other.await().value()).isEqualTo("done");
    }

    @Test
    void ofAGroupThatNobodyKnowsThereAreNone() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        assertThat(executor.waiters("unknown", 1)).isEmpty();
        assertThat(executor.groupKeys()).isEmpty();
    }

    @Test
    void aLimitOutOfItsRangeIsNamed() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        assertThatIllegalArgumentException()
                .isThrownBy(() -> executor.waiters("a", 0))
                .withMessage("limit is 0; allowed: from 1 to 1000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> executor.waiters("a", 1_001))
                .withMessageContaining("1001");
        assertThatNullPointerException()
                .isThrownBy(() -> executor.waiters(null, 1))
                .withMessage("groupKey");
    }
}
