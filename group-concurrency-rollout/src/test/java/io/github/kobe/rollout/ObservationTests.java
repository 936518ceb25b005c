package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class ObservationTests extends RolloutsTestCase {

    private final Gate gate = new Gate();

    @Test
    @Tag("R56")
    @Tag("R81")
    @Tag("R82")
    @Tag("R83")
    @Tag("R84")
    @Tag("R85")
    @Tag("R86")
    @Tag("R89")
    void theEventsOfATaskTellItsStoryInOrder() throws Exception {
        Rollouts rollouts = rollouts(Stage.named("A"), Stage.named("B").skipIf(ctx -> true), Stage.named("C"));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        settled(rollouts, planId);
        TaskId taskId = onlyTask(rollouts, planId);

        List<RolloutEvent> ofTask =
                events.stream().filter(event -> taskId.equals(event.taskId())).toList();
        assertThat(ofTask.stream().map(RolloutEvent::sequenceId))
                .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L, 13L, 14L);
        assertThat(ofTask.stream().map(event -> event.occurrence().toString().replaceAll("duration=[^,]*, ", "")))
                .containsExactly(
                        "TaskCreated[]",
                        "TaskValidated[]",
                        "TaskStarted[totalStages=3]",
                        "TaskProgress[completed=0, total=3]",
                        "StageStarted[stage=A, index=0]",
                        "StageCompleted[stage=A, index=0]",
                        "TaskProgress[completed=1, total=3]",
                        "StageStarted[stage=B, index=1]",
                        "StageSkipped[stage=B, index=1]",
                        "TaskProgress[completed=2, total=3]",
                        "StageStarted[stage=C, index=2]",
                        "StageCompleted[stage=C, index=2]",
                        "TaskProgress[completed=3, total=3]",
                        "TaskCompleted[stages=[A, B, C]]");
        RolloutEvent started = ofTask.get(2);
        assertThat(started.planId()).isEqualTo(planId);
        assertThat(started.tenantId()).isEqualTo(TenantId.of("acme"));
        assertThat(started.status()).isEqualTo(TaskStatus.RUNNING);
        assertThat(started.message()).isEqualTo("task started");
        assertThat(started.timestamp()).isNotNull();
        assertThat(toldOfPlan(planId))
                .containsExactly(
                        PlanStatus.CREATED,
                        PlanStatus.VALIDATING,
                        PlanStatus.READY,
                        PlanStatus.RUNNING,
                        PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R81")
    @Tag("R118")
    void aFailureIsInTheEventAndInTheLog() throws Exception {
        Rollouts rollouts = rollouts(Stage.named("A").step(ctx -> {
            throw new IllegalStateException("broken");
        }));
        try (CapturedLog log = CapturedLog.open()) {
            PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
            settled(rollouts, planId);
            assertThat(log.thrown()).anySatisfy(thrown -> assertThat(thrown).hasMessage("broken"));
            assertThat(log.warnings()).anySatisfy(line -> assertThat(line).contains("Stage A", "failed"));
        }
        assertThat(events)
                .filteredOn(event -> event.occurrence() instanceof Occurrence.TaskFailed)
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.failure()).isEqualTo(new FailureInfo("IllegalStateException", "broken"));
                    assertThat(event.message()).isEqualTo("task failed: broken");
                });
    }

    @Test
    @Tag("R90")
    void aListenerThatLeavesItsThreadInterruptedDisturbsNoOther() throws Exception {
        List<Boolean> interrupted = new CopyOnWriteArrayList<>();
        Rollouts rollouts = rollouts(builder -> builder.stages(Stage.named("A"), Stage.named("B"))
                .sink(event -> {
                    interrupted.add(Thread.currentThread().isInterrupted());
                    Thread.currentThread().interrupt();
                }));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(interrupted).isNotEmpty().containsOnly(false);
    }

    @Test
    @Tag("R90")
    @Tag("R107")
    void metricsThatFailBreakNothing() throws Exception {
        MetricsRegistry broken = new MetricsRegistry() {
            @Override
            public void incrementCounter(String name, PlanId planId) {
                throw new AssertionError("no counters");
            }

            @Override
            public void setGauge(String name, PlanId planId, double value) {
                throw new AssertionError("no gauges");
            }
        };
        Rollouts rollouts = rollouts(builder -> builder.stages(Stage.named("A")).metrics(broken));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R90")
    @Tag("R127")
    void theEventThatIsBeingToldIsToldToItsEndBeforeRolloutsAreClosed() throws Exception {
        AtomicReference<Thread> closing = new AtomicReference<>();
        AtomicBoolean closedMeanwhile = new AtomicBoolean();
        Gate entered = new Gate();
        Rollouts rollouts = rollouts(builder -> builder.stages(Stage.named("A")).sink(event -> {
            events.add(event);
            if (event.occurrence() instanceof Occurrence.TaskCompleted) {
                entered.passStubbornly();
                closedMeanwhile.set(hasEnded(closing.get()));
            }
        }));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        entered.awaitArrived(1);
        closing.set(Thread.ofVirtual().start(rollouts::close));
        entered.open();
        assertThat(closing.get().join(Deadline.LONG)).isTrue();

        assertThat(closedMeanwhile).isFalse();
        assertThat(store.findUnpublished(planId, 10))
                .noneMatch(event -> event.occurrence() instanceof Occurrence.TaskCompleted);
        rollouts.open();
        settled(rollouts, planId);
        assertThat(told(onlyTask(rollouts, planId))).containsOnlyOnce("TaskCompleted");
    }

    private static boolean hasEnded(Thread thread) {
        try {
            return thread.join(Duration.ofMillis(100));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Tag("R91")
    @Tag("R92")
    @Tag("R95")
    @Tag("R96")
    @Tag("R107")
    void runningTasksReportTheirProgressNowAndThen() throws Exception {
        Map<String, Double> gauges = new ConcurrentHashMap<>();
        List<String> counters = new CopyOnWriteArrayList<>();
        MetricsRegistry metrics = new MetricsRegistry() {
            @Override
            public void incrementCounter(String name, PlanId planId) {
                counters.add(name);
            }

            @Override
            public void setGauge(String name, PlanId planId, double value) {
                gauges.put(name, value);
            }
        };
        Rollouts rollouts = rollouts(builder -> builder.stages(
                        Stage.named("A"), Stage.named("B").step(ctx -> gate.pass()), Stage.named("C"))
                .progressInterval(Duration.ofMillis(20))
                .metrics(metrics));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        gate.awaitArrived(1);

        Deadline.until(
                "told three times",
                () -> events.stream()
                                .filter(event -> event.occurrence().equals(new Occurrence.TaskProgress(1, 3)))
                                .count()
                        >= 3);
        assertThat(gauges).contains(entry("heartbeat_lag", 2.0), entry("task_active", 1.0));
        rollouts.pause(planId);
        gate.open();
        awaitStatus(rollouts, planId, PlanStatus.PAUSED);
        rollouts.resume(planId);
        settled(rollouts, planId);
        rollouts.rollback(planId);
        settled(rollouts, planId);

        assertThat(counters).containsExactly("task_paused", "task_completed", "rollback_count");
        Deadline.until("nothing is active", () -> gauges.get("task_active") == 0.0);
    }

    @Test
    @Tag("R95")
    @Tag("R127")
    void whatADriveThatWasReplacedShowsAtItsEndHidesNothingOfTheNext() throws Exception {
        Gate stubborn = new Gate();
        List<Double> active = new CopyOnWriteArrayList<>();
        List<Thread> drives = new CopyOnWriteArrayList<>();
        MetricsRegistry metrics = new MetricsRegistry() {
            @Override
            public void incrementCounter(String name, PlanId planId) {}

            @Override
            public void setGauge(String name, PlanId planId, double value) {
                if (name.equals("task_active")) {
                    active.add(value);
                    if (value > 0) {
                        drives.add(Thread.currentThread());
                    }
                }
            }
        };
        Rollouts rollouts = rollouts(builder -> builder.store(RolloutStore.inMemory())
                .stages(Stage.named("A").step(ctx -> {
                    if (stubborn.arrived() == 0) {
                        stubborn.passStubbornly();
                    } else {
                        gate.pass();
                    }
                }))
                .shutdownGrace(Duration.ZERO)
                .metrics(metrics));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        stubborn.awaitArrived(1);
        Thread closing = Thread.ofVirtual().start(rollouts::close);
        Deadline.until("the stop waits", () -> closing.getState() == Thread.State.TIMED_WAITING);
        rollouts.open();
        Deadline.until("the next drive shows its task", () -> drives.size() == 2);

        stubborn.open();
        gate.awaitArrived(1);
        Deadline.join(drives.getFirst());

        assertThat(active.getLast()).isEqualTo(1);
        gate.open();
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        Deadline.join(closing);
    }

    @Test
    @Tag("R95")
    void failuresAndCancellationsAreCounted() throws Exception {
        List<String> counters = new CopyOnWriteArrayList<>();
        Rollouts rollouts = rollouts(builder -> builder.stages(Stage.named("A").step(ctx -> {
                    gate.pass();
                    throw new IllegalStateException("broken");
                }))
                .metrics(new MetricsRegistry() {
                    @Override
                    public void incrementCounter(String name, PlanId planId) {
                        counters.add(name);
                        throw new IllegalStateException("no counters");
                    }

                    @Override
                    public void setGauge(String name, PlanId planId, double value) {
                        throw new IllegalStateException("no gauges");
                    }
                }));
        PlanId planId = rollouts.start(plan("x", 1, Samples.change("acme"), Samples.change("zorg")))
                .planId();
        gate.awaitArrived(1);
        rollouts.cancel(TenantId.of("zorg"));
        awaitStatus(rollouts, TenantId.of("zorg"), TaskStatus.CANCELLED);
        gate.open();
        settled(rollouts, planId);

        assertThat(counters).containsExactly("task_cancelled", "task_failed");
    }

    @Test
    @Tag("R93")
    @Tag("R94")
    void aStageFindsItsNamesInTheLoggingContextAndLeavesItAsItWas() throws Exception {
        List<Map<String, String>> seen = new ArrayList<>();
        AtomicReference<Map<String, String>> after = new AtomicReference<>();
        Rollouts rollouts = rollouts(builder -> builder.stages(Stage.named("A").step(ctx -> {
                    seen.add(MDC.getCopyOfContextMap());
                    throw new IllegalStateException("broken");
                }))
                .workers((task, run) -> () -> {
                    MDC.put("mine", "kept");
                    run.run();
                    after.set(MDC.getCopyOfContextMap());
                }));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        settled(rollouts, planId);

        assertThat(seen)
                .containsExactly(Map.of(
                        "planId",
                        "plan-x",
                        "taskId",
                        onlyTask(rollouts, planId).value(),
                        "tenantId",
                        "acme",
                        "stageName",
                        "A",
                        "mine",
                        "kept"));
        assertThat(after.get()).isEqualTo(Map.of("mine", "kept"));
    }
}
