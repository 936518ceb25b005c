package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
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
class CurrentPermitTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private GroupExecutor executor;

    @BeforeEach
    void start() {
        executor = engines.startPlain(GroupPolicy.builder().globalMaxInFlight(1).build());
    }

    private boolean isFree(String key) throws Exception {
        return Deadline.within(() -> {
            Optional<GroupPermit> permit = executor.tryAcquireUnbound(key, Duration.ZERO);
            permit.ifPresent(GroupPermit::close);
            return permit.isPresent();
        });
    }

    @Test
    void outsideThereIsNone() throws Exception {
        assertThat(executor.currentPermit("a")).isEmpty();
        executor.call("a", () -> ""); // after which its hold is parked
        assertThat(executor.currentPermit("a")).isEmpty();
        assertThatNullPointerException().isThrownBy(() -> executor.currentPermit(null));
    }

    @Test
    void ofACallItIsBoundAndKeepsThePermitOut() throws Exception {
        GroupPermit shared =
                executor.call("a", () -> executor.currentPermit("a").orElseThrow());

        assertThat(shared.isBound()).isTrue();
        assertThat(shared.groupKey()).isEqualTo("a");
        assertThat(isFree("a")).isFalse();
        shared.close();
        assertThat(isFree("a")).isTrue();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    void ofATaskItOutlivesTheTask() throws Exception {
        GroupPermit shared = executor.submit(
                        "a", () -> executor.currentPermit("b").orElseThrow())
                .await()
                .valueOrThrow();

        assertThat(shared.groupKey()).isEqualTo("a");
        assertThat(isFree("a")).isFalse();
        shared.close();
        assertThat(isFree("a")).isTrue();
    }

    @Test
    void ofAPermitThatWasEnteredItLeavesTheThreadOutside() throws Exception {
        GroupPermit permit = executor.acquireUnbound("a");
        assertThat(permit.isBound()).isFalse();
        GroupPermit shared = permit.call(() -> executor.currentPermit("a").orElseThrow());

        assertThat(shared.isBound()).isFalse();
        assertThat(executor.currentPermit("a")).isEmpty();
        permit.close();
        assertThat(isFree("a")).isFalse();
        assertThat(Deadline.within(() -> shared.call(() -> executor.call("a", () -> "inside"))))
                .isEqualTo("inside");
        shared.close();
        assertThat(isFree("a")).isTrue();
    }

    @Test
    void ofSeveralItIsThatOfTheGroupThenOneThatWasEnteredThenTheInnermost() throws Exception {
        try (GroupPermit permit = executor.acquireUnbound("a")) {
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
        try (GroupPermit current = executor.currentPermit(groupKey).orElseThrow()) {
            return current.groupKey();
        }
    }

    @Test
    void whatIsAskedOfItSharesTheGlobalPermit() throws Exception {
        GroupPermit inner = executor.call("a", () -> {
            try (GroupPermit current = executor.currentPermit("b").orElseThrow()) {
                CompletionStage<GroupPermit> stage = current.acquireAsync("b", "7", GroupLimits.NO_TIMEOUT);
                return stage.toCompletableFuture().join();
            }
        });

        assertThat(executor.currentPermit("b")).isEmpty();
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        assertThat(executor.holders("b"))
                .singleElement()
                .satisfies(holder -> assertThat(holder.taskId()).isEqualTo("7"));
        inner.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    void onceThePermitIsClosedThereIsNoneOfIt() throws Exception {
        GroupPermit permit = executor.acquireUnbound("a");
        permit.call(() -> {
            permit.close();
            assertThat(executor.currentPermit("a")).isEmpty();
            return null;
        });
    }

    @Test
    @Tag("E3")
    void whatIsAskedOfAPermitWaitsNoLongerThanItWants() throws Exception {
        try (GroupPermit permit = executor.acquireUnbound("a");
                GroupPermit inner =
                        permit.acquireAsync("b").toCompletableFuture().join()) {
            assertThat(inner.groupKey()).isEqualTo("b");
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> permit.acquireAsync("b", "", Duration.ZERO)
                            .toCompletableFuture()
                            .get())
                    .withCauseInstanceOf(RejectedTaskException.class);
            GroupTask<String> impatient = new GroupTask<>("b", "task", () -> "never").withQueueTimeout(Duration.ZERO);
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> permit.submit(impatient).await())
                    .satisfies(rejected -> assertThat(rejected.reason()).isEqualTo(RejectionReason.QUEUE_TIMEOUT));
            GroupTask<String> patient = new GroupTask<>("c", "task", () -> "ran");
            assertThat(permit.submit(patient).await().valueOrThrow()).isEqualTo("ran");
            assertThatNullPointerException().isThrownBy(() -> permit.submit(null));
            assertThatNullPointerException().isThrownBy(() -> permit.acquireAsync("b", null, Duration.ZERO));
            assertThatNullPointerException().isThrownBy(() -> permit.acquireAsync("b", "", null));
        }
    }
}
