package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.internal.memory.MemoryStore;
import io.github.kobe.rollout.internal.rules.DriveState;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.rollout.internal.rules.TaskRules;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A node is killed at each of its commits, before it or after it; another one goes on with the same store. */
class DurabilityTests extends RolloutsTestCase {

    /** What is played up to the kill, and after it. */
    enum Play {
        FORWARD,
        RETRY,
        ROLLBACK
    }

    private final List<String> runs = new CopyOnWriteArrayList<>();
    private final List<Long> tokens = new CopyOnWriteArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();

    private List<Stage> stages() {
        return Stream.of("A", "B", "C")
                .map(name -> Stage.named(name)
                        .step(ctx -> record(name, ctx))
                        .step(ctx -> {
                            if (name.equals("B") && failures.getAndDecrement() > 0) {
                                throw new IllegalStateException("broken");
                            }
                        })
                        .rollback(ctx -> record("undo " + name, ctx)))
                .toList();
    }

    private void record(String what, StageContext ctx) {
        runs.add(what + " " + ctx.attempt());
        tokens.add(ctx.fencingToken());
    }

    /** Before a commit the store has what it has after the one before, so a short build takes half of them. */
    static Stream<Boolean> beforeOrAfter() {
        return Depth.pick(Stream.of(true), Stream.of(true, false), Stream.of(true, false));
    }

    static Stream<Arguments> kills() {
        return Stream.of(Play.values())
                .flatMap(play -> beforeOrAfter()
                        .flatMap(before ->
                                IntStream.rangeClosed(1, 9).mapToObj(commit -> arguments(play, before, commit))));
    }

    @ParameterizedTest(name = "{0}, before the commit: {1}, number {2}")
    @MethodSource("kills")
    @Tag("R57")
    @Tag("R82")
    @Tag("R121")
    @Tag("R122")
    @Tag("R125")
    void whoTakesOverGoesOnFromTheLastCommit(Play play, boolean before, int commit) throws Exception {
        PlanId planId = PlanId.of("plan-x");
        HaltingStore halting = new HaltingStore(store);
        try (GroupExecutor doomed =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            Rollouts first = builder(doomed, halting)
                    .stages(stages())
                    .sink(events::add)
                    .shutdownGrace(Duration.ZERO)
                    .build();
            prepare(first, play);
            halting.haltAt(commit, before);
            begin(first, play);
            Deadline.until("killed or at rest", () -> halting.isHalted() || isAtRest(planId));
            halting.halt();
            first.close();
        }

        Rollouts second = rollouts(builder -> builder.stages(stages()));
        if (store.findPlan(planId).orElseThrow().status() == PlanStatus.READY
                || (play != Play.FORWARD && !hasBegun(planId, play))) {
            begin(second, play);
        }
        PlanInfo plan = settled(second, planId);

        assertThat(plan.status()).isEqualTo(play == Play.ROLLBACK ? PlanStatus.ROLLED_BACK : PlanStatus.COMPLETED);
        assertRunsInOrder(play);
        assertThat(tokens).isSorted();
        TaskRecord task = store.findByPlanId(planId).getFirst();
        assertEachEventOnce(task.id(), task.sequence());
        assertThat(second.isRunning(TenantId.of("acme"))).isFalse();
    }

    @Test
    void aTakeoverWritesNoTaskButThoseThatRun() throws Exception {
        Gate gate = new Gate();
        Rollouts first = rollouts(builder ->
                builder.stages(Stage.named("A").step(ctx -> gate.pass())).shutdownGrace(Duration.ZERO));
        PlanId planId = first.start(plan("x", 1, Samples.change("acme"), Samples.change("zorg")))
                .planId();
        gate.awaitArrived(1);
        List<TaskRecord> before = store.findByPlanId(planId);
        first.close();
        Rollouts second = rollouts(Stage.named("A").step(ctx -> gate.pass()));
        gate.awaitArrived(2);

        List<TaskRecord> after = store.findByPlanId(planId);
        PlanRecord plan = store.findPlan(planId).orElseThrow();
        assertThat(after.getFirst().epoch())
                .isEqualTo(plan.epoch())
                .isNotEqualTo(before.getFirst().epoch());
        assertThat(after.getLast()).isEqualTo(before.getLast());
        gate.open();
        assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    private void prepare(Rollouts rollouts, Play play) throws InterruptedException {
        failures.set(play == Play.RETRY ? 1 : 0);
        PlanId planId = rollouts.create(plan("x", Samples.change("acme"))).planId();
        if (play != Play.FORWARD) {
            rollouts.start(planId);
            settled(rollouts, planId);
        }
        Deadline.until(
                "at rest", () -> store.findPlan(planId).orElseThrow().drive().phase() == DriveState.Phase.OVER);
    }

    private static void begin(Rollouts rollouts, Play play) {
        PlanId planId = PlanId.of("plan-x");
        try {
            switch (play) {
                case FORWARD -> rollouts.start(planId);
                case RETRY -> rollouts.retry(planId, true);
                case ROLLBACK -> rollouts.rollback(planId);
            }
        } catch (HaltingStore.Halt e) {
            assertThat(e).isNotNull();
        }
    }

    private boolean isAtRest(PlanId planId) {
        return store.findPlan(planId).orElseThrow().isAtRest();
    }

    private boolean hasBegun(PlanId planId, Play play) {
        TaskRecord task = store.findByPlanId(planId).getFirst();
        return task.wish() != null || task.attempt() > 1 || task.status() != startOf(play);
    }

    private static TaskStatus startOf(Play play) {
        return play == Play.RETRY ? TaskStatus.FAILED : TaskStatus.COMPLETED;
    }

    /** A stage may have run twice in a row, with the same attempt and so the same key; none comes back after a later one. */
    private void assertRunsInOrder(Play play) {
        List<String> expected = switch (play) {
            case FORWARD -> List.of("A 1", "B 1", "C 1");
            case RETRY -> List.of("A 1", "B 1", "B 2", "C 2");
            case ROLLBACK -> List.of("A 1", "B 1", "C 1", "undo C 2", "undo B 2", "undo A 2");
        };
        List<String> once = new ArrayList<>();
        for (String run : runs) {
            if (once.isEmpty() || !once.getLast().equals(run)) {
                once.add(run);
            }
        }
        assertThat(once).as("all runs: %s", runs).isEqualTo(expected);
        boolean neverAgain = hasCheckpoints() && play != Play.ROLLBACK;
        assertThat(runs).hasSizeLessThanOrEqualTo(expected.size() + (neverAgain ? 0 : 1));
    }

    @Test
    @Tag("R126")
    void aTakeoverIsToldOnceWithItsNodeAndStageThoughTheAnswerToItsCommitIsLost() throws Exception {
        Gate gate = new Gate();
        HaltingStore halting = new HaltingStore(store);
        Stage slow = Stage.named("A").step(ctx -> gate.pass());
        GroupExecutor doomed =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        Rollouts first = builder(doomed, halting)
                .stages(slow)
                .shutdownGrace(Duration.ZERO)
                .build();
        PlanId planId = first.start(plan("x", Samples.change("acme"))).planId();
        gate.awaitArrived(1);
        halting.halt();
        first.close();
        doomed.close();

        HaltingStore deaf = new HaltingStore(store);
        deaf.afterCommits(() -> {
            deaf.afterCommits(() -> {});
            throw new IllegalStateException("no answer");
        });
        Rollouts second = rollouts(builder -> builder.store(deaf).stages(slow).node("n2"));
        gate.awaitArrived(2);
        assertThat(store.findByPlanId(planId).getFirst().lostWith()).hasSize(1);
        gate.open();
        settled(second, planId);

        assertThat(events)
                .extracting(RolloutEvent::occurrence)
                .containsOnlyOnce(new Occurrence.TaskRecovered("n2", "A"));
    }

    static Stream<Arguments> wishes() {
        return Stream.of(
                arguments(null, PlanStatus.PARTIAL_FAILED),
                arguments(Wish.Kind.ROLLBACK, PlanStatus.ROLLED_BACK),
                arguments(Wish.Kind.CANCEL_NOW, PlanStatus.CANCELLED));
    }

    @ParameterizedTest
    @MethodSource("wishes")
    @Tag("R16")
    @Tag("R126")
    @Tag("R141")
    void aTaskWithWhichAFourthNodeIsLostFailsUnlessSomethingElseWasAccepted(
            Wish.@Nullable Kind kind, PlanStatus expected) throws Exception {
        Gate gate = new Gate();
        Stage slow = Stage.named("A").step(ctx -> gate.pass()).rollback(ctx -> record("undo A", ctx));
        Rollouts operator = builder(executor, store).stages(slow).buildClosed();
        PlanId planId = operator.start(plan("x", Samples.change("acme"))).planId();
        for (int lost = 1; lost <= TaskRules.MOST_LOST + 1; lost++) {
            HaltingStore halting = new HaltingStore(store);
            try (GroupExecutor doomed =
                    GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
                Rollouts node = builder(doomed, halting)
                        .stages(slow)
                        .shutdownGrace(Duration.ZERO)
                        .build();
                gate.awaitArrived(lost);
                halting.halt();
                node.close();
            }
        }
        if (kind == Wish.Kind.ROLLBACK) {
            operator.rollback(planId);
        } else if (kind == Wish.Kind.CANCEL_NOW) {
            operator.cancelNow(planId);
        }

        Rollouts last = rollouts(slow);

        assertThat(settled(last, planId).status()).isEqualTo(expected);
        assertThat(Optional.ofNullable(last.task(TenantId.of("acme")).failure()).map(FailureInfo::errorType))
                .isEqualTo(kind == null ? Optional.of(FailureInfo.RECOVERY) : Optional.empty());
        assertThat(runs).hasSize(kind == Wish.Kind.ROLLBACK ? 1 : 0);
        assertThat(gate.arrived()).isEqualTo(TaskRules.MOST_LOST + 1);
    }

    /** What the stage does that a node is in when it loses the plan. */
    enum End {
        ENDS_THE_TASK,
        PASSES,
        FAILS
    }

    @ParameterizedTest
    @EnumSource
    @Tag("R121")
    void whoHasLostThePlanWritesNothingMore(End end) throws Exception {
        // A database leaves a plan with the node that has it, as long as that lives.
        store = new MemoryStore(InstantSource.system());
        HaltingStore unaware = new HaltingStore(store);
        Gate looks = new Gate();
        Gate old = new Gate();
        Gate now = new Gate();
        AtomicInteger calls = new AtomicInteger();
        Stage slow = Stage.named("A").step(ctx -> {
            tokens.add(ctx.fencingToken());
            boolean isFirst = calls.incrementAndGet() == 1;
            (isFirst ? old : now).passStubbornly();
            if (isFirst && end == End.FAILS) {
                throw new IllegalStateException("broken");
            }
        });
        List<Stage> stages = Stream.of(slow, Stage.named("B"))
                .limit(end == End.ENDS_THE_TASK ? 1 : 2)
                .toList();
        Rollouts first = rollouts(
                builder -> builder.store(unaware).stages(stages).node("old").shutdownGrace(Duration.ZERO));
        PlanId planId = first.start(plan("x", Samples.change("acme"))).planId();
        old.awaitArrived(1);
        unaware.afterPlanRead(looks::passStubbornly);
        Rollouts second = rollouts(builder -> builder.stages(stages).node("new"));
        now.awaitArrived(1);
        TaskRecord before = store.findByPlanId(planId).getFirst();

        old.open();
        Deadline.until("the old one is over", () -> executor.stats().running() == 1);
        looks.open();
        Deadline.until(
                "it has said so",
                () -> store.findById(before.id()).orElseThrow().lostWith().isEmpty());

        assertThat(before.lostWith()).hasSize(1);
        assertThat(store.findById(before.id())).as("no more than that it lives").contains(Samples.notLost(before));
        now.open();
        assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(tokens).hasSize(2).isSorted().doesNotHaveDuplicates();
    }

    @Test
    @Tag("R121")
    void aTaskThatStillWaitsForItsThreadAfterATakeoverIsNoLongerThatOfTheDriveBefore() throws Exception {
        store = new MemoryStore(InstantSource.system());
        HaltingStore unaware = new HaltingStore(store);
        Gate looks = new Gate();
        Gate old = new Gate();
        Gate now = new Gate();
        AtomicInteger calls = new AtomicInteger();
        Stage slow = Stage.named("A").step(ctx -> (calls.incrementAndGet() <= 2 ? old : now).passStubbornly());
        try (GroupExecutor doomed =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            Rollouts first = builder(doomed, unaware)
                    .stages(slow, Stage.named("B"))
                    .shutdownGrace(Duration.ZERO)
                    .build();
            PlanId planId = first.start(plan("x", 2, Samples.change("acme"), Samples.change("zorg")))
                    .planId();
            old.awaitArrived(2);
            first.changeConcurrency(planId, 1);
            unaware.afterPlanRead(looks::passStubbornly);
            Rollouts second = rollouts(slow, Stage.named("B"));
            now.awaitArrived(1);

            old.open();
            Deadline.until("the old ones are over", () -> doomed.stats().running() == 0);
            assertThat(store.findByPlanId(planId))
                    .extracting(TaskRecord::stagesDone)
                    .containsExactly(0, 0);

            looks.open();
            now.open();
            assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.COMPLETED);
            first.close();
        }
    }

    @Test
    @Tag("R126")
    void aNodeThatLivesIsNotLostHoweverOftenAnotherTakesItsPlanOver() throws Exception {
        // A database leaves a plan with the node that has it, as long as that lives.
        store = new MemoryStore(InstantSource.system());
        Gate gate = new Gate();
        PlanId planId = PlanId.of("plan-x");
        Rollouts node = rollouts(Stage.named("A").step(ctx -> gate.pass()));
        node.start(plan("x", Samples.change("acme")));
        for (int takeover = 1; takeover <= TaskRules.MOST_LOST + 1; takeover++) {
            gate.awaitArrived(takeover);
            Rollouts before = node;
            node = rollouts(Stage.named("A").step(ctx -> gate.pass()));
            gate.awaitArrived(takeover + 1);
            // Its drive looks at once.
            before.pause(planId);
            before.resume(planId);
            Deadline.until("the one before is over", () -> executor.stats().running() == 1);
        }
        gate.open();

        assertThat(settled(node, planId).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R121")
    void whoOpensAgainRunsNoStageBesideOneThatHasNotEnded() throws Exception {
        // A database leaves a plan with the drive that has it, as long as that lives.
        HaltingStore halting = new HaltingStore(new MemoryStore(InstantSource.system()));
        store = halting;
        Gate gate = new Gate();
        CountDownLatch closes = new CountDownLatch(1);
        halting.beforeClose(closes::countDown);
        AtomicInteger present = new AtomicInteger();
        List<Integer> presences = new CopyOnWriteArrayList<>();
        Rollouts rollouts = rollouts(builder -> builder.stages(Stage.named("A").step(ctx -> {
                    presences.add(present.incrementAndGet());
                    try {
                        gate.passStubbornly();
                    } finally {
                        present.decrementAndGet();
                    }
                }))
                .shutdownGrace(Duration.ZERO));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        gate.awaitArrived(1);
        long before = epoch(planId);
        Thread closing = Thread.ofVirtual().start(rollouts::close);
        assertThat(closes.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();

        rollouts.open();
        Deadline.until("taken over", () -> epoch(planId) > before);
        Deadline.until("both have their permits", () -> executor.stats().running() == 2);
        gate.open();

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(closing.join(Deadline.LONG)).isTrue();
        assertThat(presences).containsExactly(1, 1);
    }

    private long epoch(PlanId planId) {
        return store.findPlan(planId).orElseThrow().epoch();
    }

    @Test
    @Tag("R127")
    void whoOpensWhileAnotherIsAboutToCloseHasThemOpen() throws Exception {
        HaltingStore halting = new HaltingStore(store);
        Rollouts rollouts = rollouts(
                builder -> builder.store(halting).stages(Stage.named("A").step(ctx -> {})));
        Thread opening = Thread.ofPlatform().unstarted(rollouts::open);
        halting.beforeClose(() -> {
            opening.start();
            Deadline.until(
                    "it has opened them, or waits",
                    () -> opening.getState() == Thread.State.WAITING || !opening.isAlive());
        });

        rollouts.close();
        Deadline.join(opening);
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R83")
    @Tag("R121")
    void whoHasLostThePlanTellsNothingOfWhatItHasRead() throws Exception {
        // A database leaves a plan with the node that has it, as long as that lives.
        store = new MemoryStore(InstantSource.system());
        HaltingStore halting = new HaltingStore(store);
        Gate reading = new Gate();
        AtomicReference<Thread> reader = new AtomicReference<>();
        halting.afterRead(() -> {
            reading.passStubbornly();
            reader.set(Thread.currentThread());
        });
        Gate gate = new Gate();
        Gate stubborn = new Gate();
        Rollouts first = rollouts(builder -> builder.store(halting)
                .stages(Stage.named("A").step(ctx -> {
                    try {
                        gate.pass();
                    } catch (InterruptedException e) {
                        stubborn.passStubbornly();
                    }
                }))
                .shutdownGrace(Duration.ZERO));
        PlanId planId = first.start(plan("x", Samples.change("acme"))).planId();
        reading.awaitArrived(1);
        gate.awaitArrived(1);
        Rollouts second = rollouts(Stage.named("A").step(ctx -> {}));
        assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        List<RolloutEvent> before = List.copyOf(events);

        stubborn.awaitArrived(1);
        reading.open();
        Deadline.until(
                "it waits for more",
                () -> reader.get() != null && reader.get().getState() == Thread.State.TIMED_WAITING);
        stubborn.open();
        first.close();

        assertThat(events).isEqualTo(before);
    }

    @Test
    @Tag("R121")
    void whoHasLostThePlanMarksNoEvents() {
        PlanRecord taken = Samples.plan(PlanStatus.RUNNING, 3);
        List<RolloutEvent> told = List.of(Samples.event(taken, new Occurrence.PlanEntered(PlanStatus.RUNNING), 1));
        store.transact(transaction -> {
            transaction.save(taken);
            told.forEach(transaction::append);
            return taken;
        });

        store.markPublished(taken.id(), 2, told);
        assertThat(store.findUnpublished(taken.id(), 10)).isEqualTo(told);

        store.markPublished(taken.id(), 3, told);
        assertThat(store.findUnpublished(taken.id(), 10)).isEmpty();
    }

    @Test
    @Tag("R122")
    void aStoreThatFailsForAWhileFailsNoTask() throws Exception {
        HaltingStore flaky = new HaltingStore(store);
        Gate gate = new Gate();
        Rollouts rollouts = rollouts(builder -> builder.store(flaky)
                .stages(
                        Stage.named("A").step(ctx -> gate.pass()),
                        Stage.named("B").step(ctx -> record("B", ctx))));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        gate.awaitArrived(1);
        flaky.failNext(3);
        gate.open();

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(flaky.failed()).isEqualTo(3);
        assertThat(runs).containsExactly("B 1");
    }

    @Test
    @Tag("R127")
    void whatIsCutOffWhileItSavesItsCheckpointIsNotFailed() throws Exception {
        Gate never = new Gate();
        CheckpointStore slow = new SavingStore(CheckpointStore.inMemory(), () -> {
            try {
                never.pass();
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted", e);
            }
        });
        Rollouts first = rollouts(
                builder -> builder.stages(Stage.named("A")).checkpoints(slow).shutdownGrace(Duration.ofMillis(10)));
        PlanId planId = first.start(plan("x", Samples.change("acme"))).planId();
        never.awaitArrived(1);

        first.close();
        Deadline.until("interrupted", () -> executor.stats().running() == 0);

        assertThat(store.findByPlanId(planId).getFirst().status()).isEqualTo(TaskStatus.RUNNING);
    }

    /** A node that is killed as soon as a checkpoint is saved, and what the next one makes of it. */
    private PlanId killedAfterItsCheckpoint(CheckpointStore checkpoints, List<Stage> stages) throws Exception {
        HaltingStore halting = new HaltingStore(store);
        try (GroupExecutor doomed =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            Rollouts first = Rollouts.builder(doomed)
                    .store(halting)
                    .checkpoints(new SavingStore(checkpoints, halting::halt))
                    .stages(stages)
                    .shutdownGrace(Duration.ZERO)
                    .build();
            first.create(plan("x", Samples.change("acme")));
            begin(first, Play.FORWARD);
            Deadline.until("killed", halting::isHalted);
            first.close();
        }
        return PlanId.of("plan-x");
    }

    @Test
    @Tag("R56")
    @Tag("R57")
    @Tag("R121")
    void aCheckpointOneAheadIsMadeUpAndItsStageNotRepeated() throws Exception {
        CheckpointStore checkpoints = CheckpointStore.inMemory();
        PlanId planId = killedAfterItsCheckpoint(checkpoints, stages());

        Rollouts second = rollouts(builder -> builder.stages(stages()).checkpoints(checkpoints));
        assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(runs).containsExactly("A 1", "B 1", "C 1");
        assertThat(told(onlyTask(second, planId))).containsOnlyOnce("TaskCompleted");
        assertThat(checkpoints.load(onlyTask(second, planId))).isEmpty();
    }

    @Test
    @Tag("R56")
    void aCheckpointIsSavedBeforeTheStagesEndIsRecorded() throws Exception {
        List<Integer> recorded = new CopyOnWriteArrayList<>();
        PlanId planId = PlanId.of("plan-x");
        CheckpointStore looking = new SavingStore(
                CheckpointStore.inMemory(),
                () -> recorded.add(store.findByPlanId(planId).getFirst().stagesDone()));
        Rollouts rollouts = rollouts(builder -> builder.stages(stages()).checkpoints(looking));
        rollouts.start(plan("x", Samples.change("acme")));
        settled(rollouts, planId);

        assertThat(recorded).containsExactly(0, 1, 2);
    }

    @Test
    @Tag("R57")
    @Tag("R75")
    void whatAStageConfirmedIsMadeUpToo() throws Exception {
        CheckpointStore checkpoints = CheckpointStore.inMemory();
        Stage looks = Stage.named("A").step(ctx -> record("A", ctx)).confirmsHealth();
        PlanId planId = killedAfterItsCheckpoint(checkpoints, List.of(looks));

        Rollouts second = rollouts(builder -> builder.stages(looks).checkpoints(checkpoints));
        assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(runs).containsExactly("A 1");
        assertThat(lastKnownGood(TenantId.of("acme")))
                .isEqualTo(Samples.change("acme").target());
    }

    @Test
    @Tag("R57")
    @Tag("R72")
    void whatWasSkippedIsMadeUpAsSkipped() throws Exception {
        CheckpointStore checkpoints = CheckpointStore.inMemory();
        Stage skipped = Stage.named("A")
                .step(ctx -> record("A", ctx))
                .rollback(ctx -> record("undo A", ctx))
                .skipIf(ctx -> true)
                .confirmsHealth();
        PlanId planId = killedAfterItsCheckpoint(checkpoints, List.of(skipped));

        Rollouts second = rollouts(builder -> builder.stages(skipped).checkpoints(checkpoints));
        settled(second, planId);
        assertThat(store.findTenant(TenantId.of("acme")).lastKnownGood()).isNull();
        second.rollback(planId);
        assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(runs).isEmpty();
        assertThat(told(onlyTask(second, planId))).contains("StageSkipped").doesNotContain("StageCompleted");
    }

    @Test
    @Tag("R72")
    @Tag("R75")
    void whatANodeWasLostWithAndHasNothingLeftToDoIsRolledBackAndConfirmsNothing() throws Exception {
        Stage once = Stage.named("A")
                .step(ctx -> record("A", ctx))
                .rollback(ctx -> record("undo A", ctx))
                .skipIf(ctx -> !runs.isEmpty())
                .confirmsHealth();
        PlanId planId = killedAfterItsCheckpoint(CheckpointStore.inMemory(), List.of(once));

        Rollouts second = rollouts(once);
        assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(store.findTenant(TenantId.of("acme")).lastKnownGood()).isNull();
        second.rollback(planId);
        assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(runs).containsExactly("A 1", "undo A 2");
    }

    /** Does something each time after a checkpoint was saved. */
    private record SavingStore(CheckpointStore store, Runnable afterwards) implements CheckpointStore {

        @Override
        public void save(Checkpoint checkpoint) {
            store.save(checkpoint);
            afterwards.run();
        }

        @Override
        public Optional<Checkpoint> load(TaskId taskId) {
            return store.load(taskId);
        }

        @Override
        public void remove(TaskId taskId) {
            store.remove(taskId);
        }
    }
}
