package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StageRetriesTests extends RolloutsTestCase {

    private static final TenantId ACME = TenantId.of("acme");
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration LONG = Duration.ofMinutes(5);

    private final List<String> done = new CopyOnWriteArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();

    /** Fails as often as was set. */
    private void work(StageContext ctx) throws IOException {
        done.add(ctx.idempotencyKey() + " with token " + ctx.fencingToken());
        ctx.data().put("run", String.valueOf(done.size()));
        if (failures.getAndDecrement() > 0) {
            throw new IOException("status 503 to number " + done.size());
        }
    }

    private PlanId start(Rollouts rollouts) {
        return rollouts.start(plan("x", Samples.change("acme"))).planId();
    }

    private void awaitWait(int tries) {
        Deadline.until(
                "it waits",
                () -> done.size() >= tries
                        && events.stream()
                                        .filter(event -> event.occurrence() instanceof Occurrence.StageRetrying)
                                        .count()
                                >= tries);
    }

    @Test
    @Tag("R140")
    void aStageThatFailsRunsAgainInTheSameAttemptWithTheSameKeyAndToken() throws Exception {
        failures.set(2);
        Rollouts rollouts = rollouts(
                Stage.named("A").step(this::work).retry(2, SHORT),
                Stage.named("B")
                        .step(ctx -> done.add("A passed in run " + ctx.data().get("run"))));

        assertThat(settled(rollouts, start(rollouts)).status()).isEqualTo(PlanStatus.COMPLETED);

        TaskInfo task = rollouts.task(ACME);
        String once = task.taskId() + "/1/A/1 with token 1";
        assertThat(done).containsExactly(once, once, once, "A passed in run 3");
        assertThat(task.retryCount()).isZero();
        assertThat(task.attempt()).isOne();
        assertThat(events)
                .extracting(RolloutEvent::occurrence)
                .containsSubsequence(
                        new Occurrence.StageStarted("A", 0),
                        new Occurrence.StageRetrying(
                                "A", 1, new FailureInfo("IOException", "status 503 to number 1"), SHORT),
                        new Occurrence.StageRetrying(
                                "A",
                                2,
                                new FailureInfo("IOException", "status 503 to number 2"),
                                SHORT.multipliedBy(2)),
                        new Occurrence.StageCompleted("A", 0));
        assertThat(told(task.taskId())).doesNotContain("StageFailed");
    }

    @Test
    @Tag("R140")
    void afterItsLastRetryItFailsWithTheLastFailureAndAnErrorIsNotRetried() throws Exception {
        failures.set(3);
        Rollouts rollouts = rollouts(Stage.named("A").step(this::work).retry(2, SHORT));
        PlanId planId = start(rollouts);
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(rollouts.task(ACME).failure()).isEqualTo(new FailureInfo("IOException", "status 503 to number 3"));

        rollouts.retry(planId, true);
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(done).hasSize(4).last().asString().contains("/2/A");

        Rollouts broken = rollouts(Stage.named("A")
                .step(ctx -> {
                    done.add("error");
                    throw new AssertionError("wrong");
                })
                .retry(2, SHORT));
        settled(broken, broken.start(plan("y", Samples.change("zorg"))).planId());
        assertThat(done).containsOnlyOnce("error");
    }

    @Test
    @Tag("R140")
    void eachStageHasItsOwnRetriesAndSoHasItsRollback() throws Exception {
        AtomicInteger stuck = new AtomicInteger(1);
        Step once = ctx -> {
            done.add(ctx.stageName() + (ctx.isRollingBack() ? " back" : ""));
            if (stuck.getAndUpdate(count -> 1 - count) > 0) {
                throw new IOException("busy");
            }
        };
        Rollouts rollouts = rollouts(
                Stage.named("A").step(once).rollback(once).retry(1, SHORT),
                Stage.named("B").step(once).rollback(once).retry(1, SHORT));
        PlanId planId = start(rollouts);
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);

        rollouts.rollback(planId);

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(done).containsExactly("A", "A", "B", "B", "B back", "B back", "A back", "A back");
        assertThat(told(onlyTask(rollouts, planId)))
                .endsWith(
                        "StageRollingBack",
                        "StageRetrying",
                        "StageRolledBack",
                        "StageRollingBack",
                        "StageRetrying",
                        "StageRolledBack",
                        "TaskRolledBack");
    }

    @ParameterizedTest
    @EnumSource(
            value = Wish.Kind.class,
            names = {"PAUSE", "CANCEL", "ROLLBACK"})
    @Tag("R140")
    void whatSomebodyWantsEndsTheWait(Wish.Kind kind) throws Exception {
        failures.set(1);
        Rollouts rollouts = rollouts(Stage.named("A").step(this::work).retry(1, LONG), Stage.named("B"));
        PlanId planId = start(rollouts);
        awaitWait(1);

        switch (kind) {
            case PAUSE -> rollouts.pause(ACME);
            case CANCEL -> rollouts.cancel(ACME);
            default -> rollouts.rollback(ACME);
        }

        awaitStatus(
                rollouts,
                ACME,
                switch (kind) {
                    case PAUSE -> TaskStatus.PAUSED;
                    case CANCEL -> TaskStatus.CANCELLED;
                    default -> TaskStatus.ROLLED_BACK;
                });
        assertThat(done).as(kind.name().toLowerCase(Locale.ROOT)).hasSize(1);
        if (kind == Wish.Kind.PAUSE) {
            rollouts.resume(ACME);
            assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
            assertThat(done).hasSize(2);
        }
    }

    @Test
    @Tag("R140")
    void whoLeavesItsThreadInterruptedWaitsForItsNextTryToo() throws Exception {
        failures.set(1);
        Rollouts rollouts = rollouts(Stage.named("A")
                .step(ctx -> {
                    Thread.currentThread().interrupt();
                    work(ctx);
                })
                .retry(1, LONG));
        PlanId planId = start(rollouts);
        awaitWait(1);

        rollouts.pause(ACME);

        awaitStatus(rollouts, ACME, TaskStatus.PAUSED);
        assertThat(done).hasSize(1);
        rollouts.cancel(planId);
        settled(rollouts, planId);
    }

    @Test
    @Tag("R127")
    @Tag("R140")
    void aNodeThatStopsWaitsForNoRetryAndTheNextOneBeginsTheStageAnew() throws Exception {
        failures.set(2);
        Rollouts first = rollouts(builder ->
                builder.stages(Stage.named("A").step(this::work).retry(1, LONG)).shutdownGrace(Deadline.LONG));
        PlanId planId = start(first);
        awaitWait(1);
        long start = System.nanoTime();
        first.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Deadline.LONG);
        assertThat(first.task(ACME).status()).isEqualTo(TaskStatus.RUNNING);

        Rollouts second = rollouts(Stage.named("A").step(this::work).retry(1, SHORT));

        assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(done).hasSize(3);
    }

    @Test
    @Tag("R140")
    void eachWaitIsTwiceAsLongUpToFiveMinutesUnlessTheFailureTellsALongerOne() {
        Stage stage = Stage.named("A").retry(9, Duration.ofSeconds(50));
        Exception failure = new IOException("busy");
        assertThat(stage.retries()).isEqualTo(9);
        assertThat(List.of(1, 2, 3, 4, 9))
                .extracting(retry -> stage.waitBefore(retry, failure).toSeconds())
                .containsExactly(50L, 100L, 200L, 300L, 300L);

        assertThat(stage.waitBefore(1, later(Duration.ofSeconds(49)))).hasSeconds(50);
        assertThat(stage.waitBefore(1, later(Duration.ofMinutes(20)))).hasMinutes(20);
        assertThat(stage.waitBefore(1, new IllegalStateException(later(Duration.ofMinutes(20)))))
                .hasMinutes(20);
        assertThat(stage.waitBefore(1, later(Duration.ofDays(2)))).hasHours(1);
    }

    private static RetryAfterException later(Duration time) {
        return new RetryAfterException("busy", time);
    }

    @Test
    void aRetryHasItsRanges() {
        Stage stage = Stage.named("A");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> stage.retry(-1, SHORT))
                .withMessage("times is -1; it must be from 0 to 100");
        assertThatIllegalArgumentException().isThrownBy(() -> stage.retry(101, SHORT));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> stage.retry(1, Duration.ZERO))
                .withMessage("firstWait is PT0S; it must be more than zero, up to PT5M");
        assertThatIllegalArgumentException().isThrownBy(() -> stage.retry(1, LONG.plusNanos(1)));
        assertThat(stage.retries()).isZero();
    }
}
