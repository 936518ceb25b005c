package io.github.kobe.rollout.internal.rules;

import static io.github.kobe.rollout.TaskStatus.CANCELLED;
import static io.github.kobe.rollout.TaskStatus.COMPLETED;
import static io.github.kobe.rollout.TaskStatus.CREATED;
import static io.github.kobe.rollout.TaskStatus.FAILED;
import static io.github.kobe.rollout.TaskStatus.PAUSED;
import static io.github.kobe.rollout.TaskStatus.PENDING;
import static io.github.kobe.rollout.TaskStatus.ROLLBACK_FAILED;
import static io.github.kobe.rollout.TaskStatus.ROLLED_BACK;
import static io.github.kobe.rollout.TaskStatus.ROLLING_BACK;
import static io.github.kobe.rollout.TaskStatus.RUNNING;
import static io.github.kobe.rollout.TaskStatus.VALIDATING;
import static io.github.kobe.rollout.TaskStatus.VALIDATION_FAILED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.TaskOperationException;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.internal.rules.TaskRules.Changed;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TaskRulesTests {

    private static final Instant LATER = Samples.NOW.plusSeconds(5);
    private static final FailureInfo FAILURE = new FailureInfo("IOException", "no route");

    /** What each command leads to, from each state that it is allowed in. */
    private record Row(TaskCommand command, Map<TaskStatus, TaskStatus> to, Consumer<TaskRecord.Edit> given) {}

    private static Row row(TaskCommand command, Map<TaskStatus, TaskStatus> to) {
        return new Row(command, to, edit -> {});
    }

    private static Map<TaskStatus, TaskStatus> unchanged() {
        return Stream.of(TaskStatus.values()).collect(Collectors.toMap(status -> status, status -> status));
    }

    private static final List<Row> TABLE = List.of(
            row(new TaskCommand.Validate(), Map.of(CREATED, VALIDATING)),
            row(new TaskCommand.Accept(), Map.of(VALIDATING, PENDING)),
            row(new TaskCommand.Refuse(List.of("wrong")), Map.of(VALIDATING, VALIDATION_FAILED)),
            row(new TaskCommand.Begin(null), Map.of(PENDING, RUNNING)),
            row(new TaskCommand.PassStage(false, false, Map.of()), Map.of(RUNNING, RUNNING)),
            row(new TaskCommand.OpenStage(), Map.of(RUNNING, RUNNING)),
            row(
                    new TaskCommand.RetryStage("A", 1, FAILURE, Duration.ofSeconds(1)),
                    Map.of(RUNNING, RUNNING, ROLLING_BACK, ROLLING_BACK)),
            row(new TaskCommand.Restart(), Map.of(RUNNING, RUNNING)),
            row(new TaskCommand.Report(), Map.of(RUNNING, RUNNING)),
            row(new TaskCommand.Recover("n2", "n1"), Map.of(RUNNING, RUNNING, ROLLING_BACK, ROLLING_BACK)),
            row(new TaskCommand.Return("n1"), unchanged()),
            new Row(new TaskCommand.Complete(), Map.of(RUNNING, COMPLETED), edit -> edit.stagesDone = 2),
            row(new TaskCommand.Fail(FAILURE, true), Map.of(RUNNING, FAILED)),
            row(new TaskCommand.Forget(), Map.of(FAILED, FAILED)),
            row(new TaskCommand.Pause("ann"), Map.of(RUNNING, PAUSED)),
            row(new TaskCommand.Resume("ann"), Map.of(PAUSED, RUNNING)),
            row(new TaskCommand.Cancel("ann", null), Map.of(PENDING, CANCELLED, RUNNING, CANCELLED, PAUSED, CANCELLED)),
            row(new TaskCommand.Retry(true), Map.of(FAILED, RUNNING)),
            row(new TaskCommand.Retry(false), Map.of(FAILED, RUNNING)),
            row(
                    new TaskCommand.RollBack("ann"),
                    Map.of(
                            RUNNING, ROLLING_BACK,
                            PAUSED, ROLLING_BACK,
                            FAILED, ROLLING_BACK,
                            COMPLETED, ROLLING_BACK,
                            ROLLBACK_FAILED, ROLLING_BACK)),
            row(new TaskCommand.UndoStage(0), Map.of(ROLLING_BACK, ROLLING_BACK)),
            row(new TaskCommand.MissStage(0, FAILURE), Map.of(ROLLING_BACK, ROLLING_BACK)),
            new Row(
                    new TaskCommand.EndRollback(null),
                    Map.of(ROLLING_BACK, ROLLED_BACK),
                    edit -> edit.settled = Set.of("A")),
            row(new TaskCommand.EndRollback(FAILURE), Map.of(ROLLING_BACK, ROLLBACK_FAILED)));

    static Stream<Arguments> pairs() {
        return TABLE.stream().flatMap(row -> Stream.of(TaskStatus.values()).map(status -> arguments(status, row)));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("pairs")
    @Tag("R9")
    @Tag("R10")
    @Tag("R11")
    @Tag("R12")
    @Tag("R13")
    @Tag("R14")
    @Tag("R15")
    @Tag("R16")
    @Tag("R17")
    @Tag("R18")
    @Tag("R19")
    @Tag("R20")
    @Tag("R21")
    @Tag("R22")
    void aCommandLeadsWhereTheTableSaysOrThrows(TaskStatus from, Row row) {
        TaskRecord task = Samples.task(from).with(row.given());
        TaskStatus to = row.to().get(from);

        if (to == null) {
            assertThatThrownBy(() -> TaskRules.apply(task, row.command(), LATER))
                    .isInstanceOf(TaskOperationException.class)
                    .hasMessageContaining(from.name())
                    .hasMessageContaining(task.id().value());
        } else {
            assertThat(apply(task, row.command()).task().status()).isEqualTo(to);
        }
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("pairs")
    @Tag("R23")
    void whatEndsHasATimeOfItsEnd(TaskStatus from, Row row) {
        TaskRecord task = Samples.task(from).with(row.given());
        TaskStatus to = row.to().get(from);

        if (to != null && to != from) {
            TaskRecord after = apply(task, row.command()).task();
            boolean ends = Set.of(COMPLETED, FAILED, ROLLED_BACK, ROLLBACK_FAILED, CANCELLED)
                    .contains(to);
            assertThat(after.endedAt()).isEqualTo(ends ? LATER : null);
            assertThat(after.info().durationMillis()).isEqualTo(ends ? 5_000L : null);
        }
    }

    private static Changed apply(TaskRecord task, TaskCommand command) {
        return TaskRules.apply(task, command, LATER);
    }

    @Test
    @Tag("R22")
    void threeStatesAreFinal() {
        assertThat(TaskStatus.values())
                .filteredOn(TaskStatus::isFinal)
                .containsExactlyInAnyOrder(CANCELLED, VALIDATION_FAILED, ROLLED_BACK);
    }

    @Test
    @Tag("R11")
    void theStartTimeIsTakenOnce() {
        TaskRecord failed = Samples.task(FAILED);

        assertThat(apply(failed, new TaskCommand.Retry(false)).task().startedAt())
                .isEqualTo(Samples.NOW);
        TaskRecord waiting = Samples.task(PENDING).with(edit -> edit.startedAt = null);
        assertThat(apply(waiting, new TaskCommand.Begin(null)).task().startedAt())
                .isEqualTo(LATER);
    }

    @Test
    @Tag("R13")
    @Tag("R51")
    void aTaskIsCompletedOnceAllStagesAreDoneAndNeverBefore() {
        TaskRecord task = Samples.task(RUNNING);
        assertThatThrownBy(() -> apply(task, new TaskCommand.Complete())).hasMessageContaining("stages are left");

        TaskRecord done = task.with(edit -> edit.stagesDone = 2);
        for (TaskCommand late : List.of(new TaskCommand.Pause("ann"), new TaskCommand.Cancel("ann", null))) {
            assertThatThrownBy(() -> apply(done, late)).hasMessageContaining("all its stages are done");
        }
    }

    @Test
    @Tag("R18")
    void withoutARetryLeftNothingIsTriedAgain() {
        TaskRecord task = Samples.task(FAILED).with(edit -> edit.retries = 3);

        assertThatThrownBy(() -> apply(task, new TaskCommand.Retry(true)))
                .isInstanceOfSatisfying(
                        TaskOperationException.class,
                        e -> assertThat(e.errorType()).isEqualTo("NO_RETRY_LEFT"));
    }

    @Test
    @Tag("R71")
    void withoutASnapshotNothingIsTakenBack() {
        TaskRecord task = Samples.task(FAILED).with(edit -> edit.previous = null);

        assertThatThrownBy(() -> apply(task, new TaskCommand.RollBack("ann")))
                .isInstanceOfSatisfying(
                        TaskOperationException.class,
                        e -> assertThat(e.errorType()).isEqualTo("NO_SNAPSHOT"));
    }

    @Test
    @Tag("R24")
    void whatWasTakenBackHasItsFormerUnitAgain() {
        TaskRecord task = Samples.task(ROLLING_BACK).with(edit -> edit.settled = Set.of("A"));

        assertThat(apply(task, new TaskCommand.EndRollback(null)).task().unit()).isEqualTo(Samples.GREEN);
    }

    @Test
    @Tag("R59")
    void aCheckpointIsKeptAsLongAsARetryIsLeft() {
        TaskRecord task = Samples.task(RUNNING);
        TaskCommand fail = new TaskCommand.Fail(FAILURE, true);

        assertThat(apply(task, fail).task().checkpoint()).isPresent();
        assertThat(apply(task.with(edit -> edit.retries = 3), fail).task().checkpoint())
                .isEmpty();
        assertThat(apply(task, new TaskCommand.Cancel("ann", null)).task().checkpoint())
                .isEmpty();
        assertThat(apply(Samples.task(FAILED), new TaskCommand.Forget()).task().checkpoint())
                .isEmpty();
        assertThat(apply(task.with(edit -> edit.stagesDone = 2), new TaskCommand.Complete())
                        .task()
                        .checkpoint())
                .isEmpty();
    }

    @Test
    @Tag("R58")
    @Tag("R78")
    @Tag("R79")
    void aRetryGoesOnFromTheCheckpointOrBeginsAnew() {
        TaskRecord task = Samples.task(FAILED).with(edit -> edit.endedAt = Samples.NOW);

        TaskRecord goingOn = apply(task, new TaskCommand.Retry(true)).task();
        assertThat(goingOn.stagesDone()).isEqualTo(1);
        assertThat(goingOn.run()).isEqualTo(1);
        assertThat(goingOn.retries()).isEqualTo(1);
        assertThat(goingOn.attempt()).isEqualTo(2);
        assertThat(goingOn.endedAt()).isNull();

        TaskRecord anew = apply(task, new TaskCommand.Retry(false)).task();
        assertThat(anew.stagesDone()).isZero();
        assertThat(anew.run()).isEqualTo(2);
        assertThat(anew.checkpoint()).isEmpty();
        assertThat(anew.stagesStarted()).isEqualTo(1);
    }

    /** {@return the task after nodes with these numbers, up to the last, were lost with it} */
    private static TaskRecord lostWith(TaskRecord task, int first, int last) {
        TaskRecord lost = task;
        for (int node = first; node <= last; node++) {
            lost = apply(lost, new TaskCommand.Recover("n", "n" + node)).task();
        }
        return lost;
    }

    @Test
    @Tag("R126")
    void aBoundaryForgetsWhichNodesWereLost() {
        TaskRecord task = lostWith(Samples.task(RUNNING), 1, 3);

        TaskRecord passed =
                apply(task, new TaskCommand.PassStage(false, false, Map.of())).task();
        assertThat(passed.lostWith()).isEmpty();
    }

    @Test
    @Tag("R126")
    void aNodeThatLivesWasNotLost() {
        TaskRecord task = lostWith(Samples.task(RUNNING), 1, 3);

        TaskRecord after = apply(task, new TaskCommand.Return("n2")).task();

        assertThat(after.lostWith()).containsExactlyInAnyOrder("n1", "n3");
        assertThat(lostWith(after, 4, 4).lostWith()).containsExactlyInAnyOrder("n1", "n3", "n4");
    }

    @Test
    @Tag("R72")
    void whatHasBegunInAnyRunIsTakenBackInReverse() {
        TaskRecord task = Samples.task(RUNNING).with(edit -> {
            edit.run = 2;
            edit.stagesDone = 0;
            edit.stagesStarted = 2;
        });

        assertThat(apply(task, new TaskCommand.RollBack("ann")).task().toUndo()).containsExactly(1, 0);
    }

    @Test
    @Tag("R72")
    void whatWasSkippedInOneRunAndBegunInTheNextIsTakenBack() {
        TaskRecord failed = Samples.task(FAILED).with(edit -> edit.settled = Set.of("A"));
        TaskRecord retried = apply(failed, new TaskCommand.Retry(false)).task();
        TaskRecord again = apply(retried, new TaskCommand.OpenStage()).task();

        assertThat(apply(again, new TaskCommand.RollBack("ann")).task().toUndo())
                .containsExactly(0);
    }

    @Test
    @Tag("R6")
    @Tag("R72")
    void whatWasSkippedIsNotTakenBack() {
        TaskRecord skipped = apply(
                        Samples.task(RUNNING).with(edit -> edit.stagesStarted = 2),
                        new TaskCommand.PassStage(true, false, Map.of()))
                .task();

        assertThat(apply(skipped, new TaskCommand.RollBack("ann")).task().toUndo())
                .containsExactly(0);
    }
}
