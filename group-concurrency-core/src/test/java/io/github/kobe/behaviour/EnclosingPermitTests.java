package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** E15: what a thread is inside of, to be handed on. */
@Tag("E15")
class EnclosingPermitTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private GroupExecutor executor;

    @BeforeEach
    void start() {
        executor = engines.startPlain(GroupPolicy.builder().globalMaxInFlight(1).build());
    }

    private boolean isFree(String key) throws Exception {
        return Deadline.within(() -> {
            Optional<GroupPermit> permit = executor.tryAcquire(key, Duration.ZERO);
            permit.ifPresent(GroupPermit::close);
            return permit.isPresent();
        });
    }

    @Test
    void outsideThereIsNone() throws Exception {
        assertThat(executor.enclosingPermit("a")).isEmpty();
        executor.call("a", () -> ""); // after which its hold is parked
        assertThat(executor.enclosingPermit("a")).isEmpty();
        assertThatNullPointerException().isThrownBy(() -> executor.enclosingPermit(null));
    }

    @Test
    void ofACallItKeepsThePermitOutAndTheThreadIsOutside() throws Exception {
        GroupPermit shared =
                executor.call("a", () -> executor.enclosingPermit("a").orElseThrow());

        assertThat(shared.groupKey()).isEqualTo("a");
        assertThat(executor.enclosingPermit("a")).isEmpty();
        assertThat(isFree("a")).isFalse();
        shared.close();
        assertThat(isFree("a")).isTrue();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    void ofATaskItOutlivesTheTask() throws Exception {
        GroupPermit shared = executor.submit(
                        "a", () -> executor.enclosingPermit("b").orElseThrow())
                .await()
                .valueOrThrow();

        assertThat(shared.groupKey()).isEqualTo("a");
        assertThat(isFree("a")).isFalse();
        shared.close();
        assertThat(isFree("a")).isTrue();
    }

    @Test
    void ofAPermitThatWasEnteredItLeavesTheThreadOutside() throws Exception {
        GroupPermit permit = executor.acquire("a");
        GroupPermit shared = permit.call(() -> executor.enclosingPermit("a").orElseThrow());

        assertThat(executor.enclosingPermit("a")).isEmpty();
        permit.close();
        assertThat(isFree("a")).isFalse();
        assertThat(Deadline.within(() -> shared.call(() -> executor.call("a", () -> "inside"))))
                .isEqualTo("inside");
        shared.close();
        assertThat(isFree("a")).isTrue();
    }

    @Test
    void ofSeveralItIsThatOfTheGroupThenOneThatWasEnteredThenTheInnermost() throws Exception {
        try (GroupPermit permit = executor.acquire("a")) {
            permit.call(() -> executor.call(
                    "b",
                    () -> executor.call("c", () -> {
                        assertThat(keyOfCurrent("b")).isEqualTo("b");
                        assertThat(keyOfCurrent("c")).isEqualTo("c");
                        assertThat(keyOfCurrent("d")).isEqualTo("a");
                        return null;
                    })));
        }
        executor.call(
                "a",
                () -> executor.call("b", () -> {
                    assertThat(keyOfCurrent("d")).isEqualTo("b");
                    return null;
                }));
    }

    private String keyOfCurrent(String groupKey) {
        try (GroupPermit current = executor.enclosingPermit(groupKey).orElseThrow()) {
            return current.groupKey();
        }
    }

    @Test
    void whatIsAskedOfItSharesTheGlobalPermit() throws Exception {
        GroupPermit inner = executor.call("a", () -> {
            try (GroupPermit current = executor.enclosingPermit("b").orElseThrow()) {
                CompletionStage<GroupPermit> stage = current.acquireAsync("b", "7", GroupLimits.NO_TIMEOUT);
                return stage.toCompletableFuture().join();
            }
        });

        assertThat(executor.enclosingPermit("b")).isEmpty();
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        assertThat(executor.holders("b"))
                .singleElement()
                .satisfies(holder -> assertThat(holder.taskId()).isEqualTo("7"));
        inner.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    void aCallThatHasEndedIsOverThoughItsPermitIsOut() throws Exception {
        GroupPermit shared =
                executor.call("a", () -> executor.enclosingPermit("a").orElseThrow());

        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> executor.call("a", Duration.ZERO, () -> "never"));
        shared.close();
        assertThat(executor.call("a", Duration.ZERO, () -> "inside")).isEqualTo("inside");
    }

    @Test
    void ofWhatIsSharedEachUseKeepsItOut() throws Exception {
        GroupPermit first =
                executor.call("a", () -> executor.enclosingPermit("a").orElseThrow());
        GroupPermit second = first.acquireAsync("a").toCompletableFuture().join();
        first.close();
        first.close();
        assertThat(isFree("a")).isFalse();
        GroupPermit third = second.call(() -> {
            second.close();
            assertThat(executor.enclosingPermit("a")).isEmpty();
            return executor.call("b", () -> executor.enclosingPermit("b").orElseThrow());
        });
        assertThat(executor.groupStats("a").orElseThrow().running()).isZero();
        assertThat(isFree("a")).isFalse(); // for want of a global permit

        third.close();

        assertThat(isFree("a")).isTrue();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    void onceThePermitIsClosedThereIsNoneOfIt() throws Exception {
        GroupPermit permit = executor.acquire("a");
        permit.call(() -> {
            permit.close();
            assertThat(executor.enclosingPermit("a")).isEmpty();
            return null;
        });
    }

    @Test
    @Tag("E3")
    void whatIsAskedOfAPermitWaitsNoLongerThanItWants() throws Exception {
        try (GroupPermit permit = executor.acquire("a");
                GroupPermit inner =
                        permit.acquireAsync("b").toCompletableFuture().join()) {
            assertThat(inner.groupKey()).isEqualTo("b");
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> permit.acquireAsync("b", "", Duration.ZERO)
                            .toCompletableFuture()
                            .get())
                    .withCauseInstanceOf(RejectedTaskException.class);
            assertThatNullPointerException().isThrownBy(() -> permit.acquireAsync("b", null, Duration.ZERO));
            assertThatNullPointerException().isThrownBy(() -> permit.acquireAsync("b", "", null));
        }
    }
}
