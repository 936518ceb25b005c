package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.rollout.http.HttpStages;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class StagesTests extends RolloutsTestCase {

    private final List<String> done = new CopyOnWriteArrayList<>();

    private TaskInfo ran(Rollouts rollouts) throws InterruptedException {
        settled(rollouts, rollouts.start(plan("x", Samples.change("acme"))).planId());
        return rollouts.task(TenantId.of("acme"));
    }

    @Test
    @Tag("R133")
    void whatTakesTooLongIsInterruptedAndFails() throws Exception {
        Gate never = new Gate();
        Stage slow = Stage.named("A").step(ctx -> never.pass()).timeout(Duration.ofMillis(20));

        TaskInfo task = ran(rollouts(slow));

        assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(task.failure()).isEqualTo(new FailureInfo("TimeoutException", "stage A took longer than PT0.02S"));
    }

    @Test
    @Tag("R133")
    void aStageInTimeIsNotInterruptedLater() throws Exception {
        Stage quick = Stage.named("A").step(ctx -> done.add("A")).timeout(Duration.ofMinutes(1));
        Stage next = Stage.named("B")
                .step(ctx -> done.add("B " + Thread.currentThread().isInterrupted()));

        assertThat(ran(rollouts(quick, next)).status()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(done).containsExactly("A", "B false");
    }

    @Test
    @Tag("R133")
    void aTimeoutIsOneEvenIfTheStepDoesntMind() throws Exception {
        Stage deaf = Stage.named("A")
                .step(ctx -> {
                    while (!Thread.interrupted()) {
                        Thread.onSpinWait();
                    }
                })
                .timeout(Duration.ofMillis(5));

        assertThat(ran(rollouts(deaf)).failure())
                .extracting(FailureInfo::errorType)
                .isEqualTo("TimeoutException");
    }

    /** Ten seconds more than all requests, attempts and intervals may take one after the other. */
    @Test
    @Tag("R133")
    void theStagesOfTheConfigurationSwitchHaveATimeout() {
        String[] twenty = Collections.nCopies(20, "http://h:1").toArray(String[]::new);
        TenantChange change = Samples.change("acme").endpoints(twenty);
        Map<String, String> settings = Map.of("http.timeout", "4s", "health.timeout", "1s", "health.interval", "5s");

        assertThat(timeouts(change, settings))
                .containsExactly(Duration.ofSeconds(34), Duration.ofSeconds(22), Duration.ofSeconds(65));
        assertThat(timeouts(change, Map.of("http.stage-timeout", "1m")))
                .containsExactly(Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMinutes(1));
    }

    private static List<Duration> timeouts(TenantChange change, Map<String, String> settings) {
        return HttpStages.configSwitch()
                .stages(
                        Samples.task(TaskStatus.PENDING).info(),
                        change,
                        new RolloutSettings(Map.of(), settings),
                        url -> Map.of())
                .stream()
                .map(stage -> stage.timeout().orElseThrow())
                .toList();
    }

    @Test
    @Tag("R6")
    void aStageWithNothingToDoIsRecordedAsSkipped() throws Exception {
        Stage skipped = Stage.named("A")
                .step(ctx -> done.add("A"))
                .skipIf(ctx -> ctx.tenantId().value().equals("acme"));
        Rollouts rollouts = rollouts(skipped, Stage.named("B").step(ctx -> done.add("B")));

        TaskInfo task = ran(rollouts);

        assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(done).containsExactly("B");
        assertThat(told(task.taskId())).contains("StageSkipped");
    }

    @Test
    @Tag("R6")
    @Tag("R72")
    void whatHasBegunAndHasNothingLeftToDoIsRolledBack() throws Exception {
        AtomicBoolean migrated = new AtomicBoolean();
        AtomicInteger halves = new AtomicInteger();
        Stage migrate = Stage.named("Migrate")
                .step(ctx -> migrated.set(true))
                .step(ctx -> {
                    if (halves.getAndDecrement() > 0) {
                        throw new IllegalStateException("half-way");
                    }
                })
                .rollback(ctx -> migrated.set(false))
                .skipIf(ctx -> migrated.get())
                .retry(1, Duration.ofMillis(1));
        Stage check = Stage.named("Check").step(ctx -> {
            throw new IllegalStateException("broken");
        });
        Rollouts rollouts = rollouts(migrate, check);

        TaskInfo twice = ran(rollouts);
        rollouts.retry(twice.planId(), false);
        settled(rollouts, twice.planId());
        assertThat(migrated).isTrue();
        rollouts.rollback(twice.planId());
        assertThat(settled(rollouts, twice.planId()).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(migrated).isFalse();
        assertThat(told(twice.taskId())).doesNotContain("StageSkipped");

        halves.set(1);
        PlanId halfWay = rollouts.start(plan("y", Samples.change("acme"))).planId();
        settled(rollouts, halfWay);
        assertThat(migrated).isTrue();
        rollouts.rollback(halfWay);
        assertThat(settled(rollouts, halfWay).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(migrated).isFalse();
    }

    @Test
    @Tag("R6")
    @Tag("R72")
    void whatHadNothingToDoInAnyRunIsNotRolledBack() throws Exception {
        Stage skipped = Stage.named("A").rollback(ctx -> done.add("undo A")).skipIf(ctx -> true);
        Stage check = Stage.named("B").rollback(ctx -> done.add("undo B")).step(ctx -> {
            throw new IllegalStateException("broken");
        });
        Rollouts rollouts = rollouts(skipped, check);

        TaskInfo task = ran(rollouts);
        rollouts.retry(task.planId(), false);
        settled(rollouts, task.planId());
        rollouts.rollback(task.planId());

        assertThat(settled(rollouts, task.planId()).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(done).containsExactly("undo B");
    }

    @Test
    @Tag("R133")
    void aConditionThatTakesTooLongIsInterruptedToo() throws Exception {
        Gate never = new Gate();
        Stage slow = Stage.named("A").skipIf(ctx -> hasPassed(never)).timeout(Duration.ofMillis(20));

        assertThat(ran(rollouts(slow)).failure())
                .isEqualTo(new FailureInfo("TimeoutException", "stage A took longer than PT0.02S"));
    }

    private static boolean hasPassed(Gate gate) {
        try {
            gate.pass();
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Tag("R4")
    @Tag("R55")
    @Tag("R125")
    void aStepIsToldWhatItIsDoneFor() throws Exception {
        Rollouts rollouts = rollouts(
                Stage.named("A")
                        .step(ctx -> {
                            done.add(ctx.planId() + " " + ctx.tenantId() + " " + ctx.stageName() + " " + ctx.attempt());
                            done.add(ctx.config() + " " + ctx.isRollingBack() + " " + ctx.endpoints());
                            done.add(ctx.change().unit().name() + " "
                                    + ctx.previous().isPresent());
                            ctx.data().put("seen", ctx.idempotencyKey());
                        })
                        .rollback(ctx -> done.add("back to " + ctx.config() + " " + ctx.attempt())),
                Stage.named("B").step(ctx -> done.add(ctx.data().get("seen") + " " + (ctx.fencingToken() > 0))));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme").endpoints("http://h:1")))
                .planId();
        settled(rollouts, planId);
        rollouts.rollback(planId);
        settled(rollouts, planId);

        TaskId taskId = onlyTask(rollouts, planId);
        assertThat(done)
                .containsExactly(
                        "plan-x acme A 1",
                        "{\"version\":42} false [http://h:1]",
                        "blue true",
                        taskId + "/1/A/1 true",
                        "back to {\"version\":41} 2");
    }

    @Test
    @Tag("R125")
    void eachRequestOfATaskHasAKeyOfItsOwn() throws Exception {
        Step noting = ctx -> {
            done.add(ctx.idempotencyKey());
            done.add(ctx.idempotencyKey("1"));
            done.add(ctx.idempotencyKey("http://h:1/x"));
            done.add(ctx.idempotencyKey("\u5207\u6362"));
        };
        Rollouts rollouts = rollouts(builder -> builder.stages(
                        Stage.named("A")
                                .step(noting)
                                .step(noting)
                                .rollback(noting)
                                .rollback(noting),
                        Stage.named("A/1").step(noting),
                        Stage.named("verification").step(noting).rollback(noting),
                        Stage.named("\u5207 \u6362").skipIf(ctx -> {
                            done.add(ctx.idempotencyKey());
                            return true;
                        }))
                .verifier((ctx, health) -> {
                    done.add(ctx.idempotencyKey());
                    return true;
                }));
        TaskInfo task = ran(rollouts);
        rollouts.rollback(task.taskId());
        awaitStatus(rollouts, task.taskId(), TaskStatus.ROLLED_BACK);

        assertThat(done)
                .hasSize(7 * 4 + 2)
                .doesNotHaveDuplicates()
                .contains(task.taskId() + "/1/A/2", task.taskId() + "/2/A/1/1")
                .allSatisfy(
                        key -> assertThat(key).startsWith(task.taskId() + "/").matches("[!-~]+"));
    }

    @Test
    @Tag("R125")
    void aPartOfAKeyThatSaysNothingIsRefused() throws Exception {
        assertThat(ran(rollouts(Stage.named("A").step(ctx -> ctx.idempotencyKey(" "))))
                        .failure())
                .extracting(FailureInfo::message)
                .isEqualTo("the part of an idempotency key is ' '; it must not be blank");
    }

    @Test
    @Tag("R74")
    void whatIsNotFoundHealthyAfterItsRollbackHasFailedIt() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Rollouts rollouts = rollouts(builder -> builder.stages(Stage.named("A").rollback(ctx -> done.add("undo A")))
                .verifier((ctx, health) -> {
                    done.add("verify " + ctx.config());
                    return switch (asked.incrementAndGet()) {
                        case 1 -> false;
                        case 2 -> throw new IllegalStateException("can't tell");
                        default -> true;
                    };
                }));
        TaskInfo task = ran(rollouts);

        for (int tries = 1; tries <= 2; tries++) {
            rollouts.rollback(task.taskId());
            int attempt = 1 + tries;
            Deadline.until("tried", () -> {
                TaskInfo now = rollouts.task(task.taskId());
                return now.attempt() == attempt && now.status() == TaskStatus.ROLLBACK_FAILED;
            });
            assertThat(rollouts.task(task.taskId()).failure())
                    .extracting(FailureInfo::errorType)
                    .isEqualTo(FailureInfo.NOT_VERIFIED);
            assertThat(store.findTenant(TenantId.of("acme")).lastKnownGood()).isNull();
            assertThat(rollouts.isRunning(TenantId.of("acme"))).isFalse();
        }
        rollouts.rollback(task.taskId());
        awaitStatus(rollouts, task.taskId(), TaskStatus.ROLLED_BACK);

        assertThat(done)
                .containsExactly(
                        "undo A", "verify {\"version\":41}", "verify {\"version\":41}", "verify {\"version\":41}");
        assertThat(lastKnownGood(TenantId.of("acme"))).isEqualTo(new ConfigSnapshot(Samples.GREEN, "{\"version\":41}"));
    }

    @Test
    @Tag("R105")
    void aWorkerStandsAroundTheRunOfATask() throws Exception {
        Rollouts rollouts = rollouts(builder -> builder.stages(Stage.named("A").step(ctx -> done.add("A")))
                .workers((task, run) -> () -> {
                    done.add("before " + task.tenantId());
                    run.run();
                    done.add("after");
                }));

        assertThat(ran(rollouts).status()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(done).startsWith("before acme", "A");
    }

    @Test
    @Tag("R105")
    void aWorkerThatFailsFailsTheTask() throws Exception {
        Rollouts rollouts = rollouts(builder -> builder.stages(Stage.named("A")).workers((task, run) -> () -> {
            throw new IllegalStateException("no tools");
        }));
        assertThat(ran(rollouts).failure()).isEqualTo(new FailureInfo("IllegalStateException", "no tools"));

        Rollouts lazy = rollouts(builder -> builder.stages(Stage.named("A")).workers((task, run) -> () -> {}));
        PlanId planId = lazy.start(plan("y", Samples.change("acme"))).planId();
        settled(lazy, planId);
        assertThat(lazy.task(TenantId.of("acme")).failure())
                .extracting(FailureInfo::message)
                .isEqualTo("the TaskWorker didn't run the task");
    }

    @Test
    @Tag("R129")
    void aTaskWhoseStagesHaveChangedFails() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Rollouts rollouts = rollouts(builder -> builder.waitForStages(Duration.ZERO)
                .stages((task, change, settings, health) -> List.of(Stage.named("A" + asked.getAndIncrement()))));

        TaskInfo task = ran(rollouts);

        assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(task.failure())
                .isEqualTo(new FailureInfo(
                        FailureInfo.STAGES_CHANGED,
                        "the stages have changed from [A0] to [A1], and no other node has come that has them"));
    }

    @Test
    @Tag("deep")
    @Tag("R129")
    void aTaskWithOtherStagesFailsAfterAWhileAndCutsOffNoOther() throws Exception {
        Gate gate = new Gate();
        AtomicInteger asked = new AtomicInteger();
        TenantId zorg = TenantId.of("zorg");
        List<Stage> ofOthers = Stream.of("A", "B")
                .map(name -> Stage.named(name).step(ctx -> {
                    done.add(name);
                    gate.pass();
                }))
                .toList();
        Rollouts older = builder(executor, store)
                .stages((task, change, settings, health) ->
                        task.tenantId().equals(zorg) ? List.of(Stage.named("Before")) : ofOthers)
                .buildClosed();
        PlanId planId = older.start(plan("x", 2, Samples.change("acme"), Samples.change("zorg")))
                .planId();
        Rollouts newer = rollouts(builder -> builder.waitForStages(Duration.ofMillis(1))
                .stages((task, change, settings, health) -> {
                    if (task.tenantId().equals(zorg)) {
                        gate.awaitArrived(asked.incrementAndGet());
                        return List.of(Stage.named("After"));
                    }
                    return ofOthers;
                }));
        Deadline.until(
                "the stages are found to be others",
                () -> gate.arrived() == 1
                        && asked.get() == 1
                        && executor.stats().running() == 1);
        gate.open();

        assertThat(settled(newer, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(newer.task(zorg).failure())
                .extracting(FailureInfo::errorType)
                .isEqualTo(FailureInfo.STAGES_CHANGED);
        assertThat(newer.task(TenantId.of("acme")).status()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(done).containsExactly("A", "B");
        assertThat(store.findPlan(planId).orElseThrow().drive().strandedSince())
                .as("a retry waits anew")
                .isNull();
    }

    @Test
    @Tag("R55")
    @Tag("R60")
    @Tag("R106")
    void checkpointsCanBeKeptApart() throws Exception {
        CheckpointStore checkpoints = CheckpointStore.inMemory();
        Gate gate = new Gate();
        AtomicInteger failures = new AtomicInteger(1);
        Rollouts rollouts = rollouts(builder -> builder.stages(
                        Stage.named("A").step(ctx -> ctx.data().put("k", "v")),
                        Stage.named("B").step(ctx -> {
                            gate.pass();
                            if (failures.getAndDecrement() > 0) {
                                throw new IllegalStateException("broken");
                            }
                        }))
                .checkpoints(checkpoints));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        gate.awaitArrived(1);
        TaskId taskId = onlyTask(rollouts, planId);

        Checkpoint checkpoint = checkpoints.load(taskId).orElseThrow();
        assertThat(checkpoint.lastCompletedStageIndex()).isZero();
        assertThat(checkpoint.completedStageNames()).containsExactly("A");
        assertThat(checkpoint.data()).containsEntry("k", "v");
        assertThat(checkpoint.run()).isEqualTo(1);
        assertThat(rollouts.checkpoint(taskId)).contains(checkpoint);
        TaskId other = Samples.taskId(planId);
        assertThat(checkpoints.load(other)).isEmpty();
        assertThat(checkpoints.loadMultiple(List.of(other, taskId))).containsExactly(checkpoint);
        gate.open();
        settled(rollouts, planId);
        assertThat(checkpoints.load(taskId)).isPresent();

        rollouts.giveUp(planId);
        assertThat(checkpoints.load(taskId)).isEmpty();
    }

    @Test
    @Tag("R59")
    @Tag("R136")
    void checkpointsThatAreKeptApartAreRemovedWithTheirPlan() throws Exception {
        CheckpointStore checkpoints = CheckpointStore.inMemory();
        Gate gate = new Gate();
        Rollouts rollouts = rollouts(builder -> builder.stages(
                        Stage.named("A"), Stage.named("B").step(ctx -> {
                            gate.pass();
                            throw new IllegalStateException("broken");
                        }))
                .checkpoints(checkpoints)
                .retention(Duration.ofMillis(50)));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        gate.awaitArrived(1);
        TaskId taskId = onlyTask(rollouts, planId);
        assertThat(checkpoints.load(taskId)).isPresent();

        gate.open();

        Deadline.until("the plan is gone", () -> rollouts.plans().isEmpty());
        Deadline.until("so is its checkpoint", () -> checkpoints.load(taskId).isEmpty());
    }

    @Test
    @Tag("R59")
    @Tag("R64")
    void aStoreOfCheckpointsThatFailsFailsTheTask() throws Exception {
        CheckpointStore broken = new CheckpointStore() {
            @Override
            public void save(Checkpoint checkpoint) {
                throw new IllegalStateException("disk full");
            }

            @Override
            public Optional<Checkpoint> load(TaskId taskId) {
                return Optional.empty();
            }

            @Override
            public void remove(TaskId taskId) {
                throw new IllegalStateException("disk full");
            }
        };
        TaskInfo task = ran(rollouts(
                builder -> builder.stages(Stage.named("A"), Stage.named("B")).checkpoints(broken)));

        assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(task.failure()).extracting(FailureInfo::errorType).isEqualTo("CheckpointException");
        assertThat(task.completedStages()).isZero();
    }

    @Test
    @Tag("R63")
    void aCheckpointThatDoesntFitBeginsANewRun() throws Exception {
        CheckpointStore checkpoints = CheckpointStore.inMemory();
        AtomicInteger failures = new AtomicInteger(1);
        Rollouts rollouts = rollouts(builder -> builder.stages(
                        Stage.named("A").step(ctx -> done.add("A")),
                        Stage.named("B").step(ctx -> {
                            if (failures.getAndDecrement() > 0) {
                                throw new IllegalStateException("broken");
                            }
                        }))
                .checkpoints(checkpoints));
        TaskInfo task = ran(rollouts);
        for (List<String> names : List.of(List.of("Z"), List.<String>of(), List.of("A", "B", "C"))) {
            Checkpoint odd = new Checkpoint(
                    task.taskId(), names.size() - 1, names, Samples.NOW, 1, 1, 1, false, java.util.Map.of());
            assertThat(odd.fits(List.of("A", "B"))).isFalse();
        }
        checkpoints.save(
                new Checkpoint(task.taskId(), 0, List.of("Z"), Samples.NOW, 1, 1, 1, false, java.util.Map.of()));

        rollouts.retry(task.taskId(), true);
        settled(rollouts, task.planId());

        assertThat(done).containsExactly("A", "A");
        assertThat(store.findById(task.taskId()).orElseThrow().run()).isEqualTo(2);
    }

    @Test
    void aStageSaysWhatIsWrongWithIt() {
        assertThatIllegalArgumentException().isThrownBy(() -> Stage.named(" "));
        assertThatIllegalArgumentException().isThrownBy(() -> Stage.named("A").timeout(Duration.ZERO));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Rollouts.builder(executor).maxConcurrency(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Rollouts.builder(executor).progressInterval(Duration.ZERO))
                .withMessageContaining("progressInterval");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Rollouts.builder(executor).shutdownGrace(Duration.ofSeconds(-1)));
        assertThat(Stage.named("A")).hasToString("Stage[A]");
    }
}
