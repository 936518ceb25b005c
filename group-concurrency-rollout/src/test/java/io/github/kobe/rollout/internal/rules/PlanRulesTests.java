package io.github.kobe.rollout.internal.rules;

import static io.github.kobe.rollout.PlanStatus.CANCELLED;
import static io.github.kobe.rollout.PlanStatus.COMPLETED;
import static io.github.kobe.rollout.PlanStatus.CREATED;
import static io.github.kobe.rollout.PlanStatus.FAILED;
import static io.github.kobe.rollout.PlanStatus.PARTIAL_FAILED;
import static io.github.kobe.rollout.PlanStatus.PAUSED;
import static io.github.kobe.rollout.PlanStatus.READY;
import static io.github.kobe.rollout.PlanStatus.ROLLED_BACK;
import static io.github.kobe.rollout.PlanStatus.ROLLING_BACK;
import static io.github.kobe.rollout.PlanStatus.RUNNING;
import static io.github.kobe.rollout.PlanStatus.VALIDATING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.TaskOperationException;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.internal.rules.PlanRules.Changed;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PlanRulesTests {

    /** With a task that waits, which keeps a plan open. */
    private static final Map<PlanCommand, Map<PlanStatus, PlanStatus>> TABLE = new EnumMap<>(Map.of(
            PlanCommand.VALIDATE, Map.of(CREATED, VALIDATING),
            PlanCommand.ACCEPT, Map.of(VALIDATING, READY),
            PlanCommand.REFUSE, Map.of(VALIDATING, FAILED),
            PlanCommand.START, Map.of(READY, RUNNING),
            PlanCommand.PAUSE, Map.of(RUNNING, PAUSED),
            PlanCommand.RESUME, Map.of(PAUSED, RUNNING),
            PlanCommand.CANCEL, Map.of(READY, CANCELLED, RUNNING, PAUSED, PAUSED, PAUSED),
            PlanCommand.ROLL_BACK,
                    Map.of(
                            RUNNING, ROLLING_BACK,
                            PAUSED, ROLLING_BACK,
                            PARTIAL_FAILED, ROLLING_BACK,
                            COMPLETED, ROLLING_BACK),
            PlanCommand.RETRY, Map.of(RUNNING, RUNNING, PAUSED, PAUSED, PARTIAL_FAILED, PARTIAL_FAILED),
            PlanCommand.GIVE_UP, Map.of(PARTIAL_FAILED, FAILED)));

    static {
        TABLE.put(
                PlanCommand.ROLL_BACK_FAILED, Map.of(RUNNING, RUNNING, PAUSED, PAUSED, PARTIAL_FAILED, PARTIAL_FAILED));
        TABLE.put(PlanCommand.ADD, Map.of(READY, READY, RUNNING, RUNNING, PAUSED, PAUSED));
    }

    static Stream<Arguments> pairs() {
        return Stream.of(PlanCommand.values())
                .flatMap(command -> Stream.of(PlanStatus.values()).map(status -> arguments(status, command)));
    }

    private static PlanRecord plan(PlanStatus status, Map<TaskStatus, Integer> tasks) {
        return Samples.plan(status).with(edit -> edit.tally = tasks);
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("pairs")
    @Tag("R25")
    @Tag("R26")
    @Tag("R27")
    @Tag("R28")
    @Tag("R29")
    @Tag("R30")
    @Tag("R32")
    @Tag("R130")
    void aCommandLeadsWhereTheTableSaysOrThrows(PlanStatus from, PlanCommand command) {
        PlanRecord plan = plan(from, Map.of(TaskStatus.PENDING, 1));
        PlanStatus to = TABLE.get(command).get(from);

        if (to == null) {
            assertThatThrownBy(() -> PlanRules.apply(plan, command, Samples.NOW))
                    .isInstanceOf(TaskOperationException.class)
                    .hasMessageContaining(from.name());
        } else {
            assertThat(PlanRules.apply(plan, command, Samples.NOW).plan().status())
                    .isEqualTo(to);
        }
    }

    @Test
    @Tag("R7")
    void aPlanWithoutTasksIsNotReady() {
        assertThatThrownBy(() -> PlanRules.apply(plan(VALIDATING, Map.of()), PlanCommand.ACCEPT, Samples.NOW))
                .hasMessageContaining("no tasks");
    }

    @Test
    @Tag("R32")
    void threeStatesAreFinal() {
        assertThat(PlanStatus.values())
                .filteredOn(PlanStatus::isFinal)
                .containsExactlyInAnyOrder(FAILED, ROLLED_BACK, CANCELLED);
    }

    static Stream<Arguments> derivations() {
        return Stream.of(
                arguments(RUNNING, false, Map.of(TaskStatus.COMPLETED, 2), COMPLETED),
                arguments(RUNNING, false, Map.of(TaskStatus.COMPLETED, 1, TaskStatus.PENDING, 1), RUNNING),
                arguments(RUNNING, false, Map.of(TaskStatus.COMPLETED, 1, TaskStatus.FAILED, 1), PARTIAL_FAILED),
                arguments(RUNNING, false, Map.of(TaskStatus.COMPLETED, 1, TaskStatus.CANCELLED, 1), PARTIAL_FAILED),
                arguments(RUNNING, false, Map.of(TaskStatus.CANCELLED, 2), CANCELLED),
                arguments(RUNNING, false, Map.of(TaskStatus.ROLLED_BACK, 1, TaskStatus.CANCELLED, 1), ROLLED_BACK),
                arguments(RUNNING, false, Map.of(TaskStatus.ROLLBACK_FAILED, 1), PARTIAL_FAILED),
                arguments(RUNNING, true, Map.of(TaskStatus.RUNNING, 1, TaskStatus.PAUSED, 1), RUNNING),
                arguments(RUNNING, true, Map.of(TaskStatus.PENDING, 1, TaskStatus.PAUSED, 1), PAUSED),
                arguments(PAUSED, true, Map.of(TaskStatus.RUNNING, 1), RUNNING),
                arguments(PAUSED, true, Map.of(TaskStatus.FAILED, 1, TaskStatus.COMPLETED, 1), PARTIAL_FAILED),
                arguments(PARTIAL_FAILED, false, Map.of(TaskStatus.RUNNING, 1), RUNNING),
                arguments(PARTIAL_FAILED, false, Map.of(TaskStatus.ROLLED_BACK, 2), ROLLED_BACK));
    }

    @ParameterizedTest
    @MethodSource("derivations")
    @Tag("R33")
    void aPlansStateFollowsFromThoseOfItsTasks(
            PlanStatus from, boolean pauseAsked, Map<TaskStatus, Integer> tasks, PlanStatus to) {
        PlanRecord plan = plan(from, tasks).with(edit -> edit.pauseAsked = pauseAsked);

        assertThat(PlanRules.derive(plan, 0, Samples.NOW).plan().status()).isEqualTo(to);
    }

    static Stream<Arguments> endsOfARollback() {
        return Stream.of(
                arguments(Map.of(TaskStatus.ROLLED_BACK, 2), 0, 0, ROLLED_BACK),
                arguments(Map.of(TaskStatus.ROLLED_BACK, 1, TaskStatus.CANCELLED, 1), 0, 0, ROLLED_BACK),
                arguments(Map.of(TaskStatus.CANCELLED, 2), 0, 0, ROLLED_BACK),
                arguments(Map.of(TaskStatus.ROLLED_BACK, 1, TaskStatus.CANCELLED, 2), 1, 0, PARTIAL_FAILED),
                arguments(Map.of(TaskStatus.ROLLED_BACK, 1, TaskStatus.COMPLETED, 1), 0, 0, PARTIAL_FAILED),
                arguments(Map.of(TaskStatus.ROLLED_BACK, 1, TaskStatus.FAILED, 1), 0, 0, PARTIAL_FAILED),
                arguments(Map.of(TaskStatus.ROLLED_BACK, 1, TaskStatus.FAILED, 1), 0, 1, ROLLED_BACK),
                arguments(Map.of(TaskStatus.ROLLED_BACK, 1, TaskStatus.FAILED, 2), 0, 1, PARTIAL_FAILED),
                arguments(Map.of(TaskStatus.FAILED, 1, TaskStatus.CANCELLED, 1), 0, 0, PARTIAL_FAILED),
                arguments(Map.of(TaskStatus.FAILED, 1, TaskStatus.CANCELLED, 1), 1, 1, PARTIAL_FAILED),
                arguments(Map.of(TaskStatus.ROLLED_BACK, 1, TaskStatus.ROLLBACK_FAILED, 1), 0, 0, PARTIAL_FAILED),
                arguments(Map.of(TaskStatus.ROLLING_BACK, 1, TaskStatus.ROLLBACK_FAILED, 1), 0, 0, ROLLING_BACK));
    }

    @ParameterizedTest
    @MethodSource("endsOfARollback")
    @Tag("R31")
    @Tag("R33")
    void aPlanIsRolledBackOnlyIfEachTaskIsOrNeverBegan(
            Map<TaskStatus, Integer> tasks, int abandoned, int untouched, PlanStatus to) {
        PlanRecord plan = plan(ROLLING_BACK, tasks).with(edit -> {
            edit.rollingBack = true;
            edit.abandoned = abandoned;
        });

        assertThat(PlanRules.derive(plan, untouched, Samples.NOW).plan().status())
                .isEqualTo(to);
    }

    @Test
    void onlyATaskThatHadBegunIsAbandonedWhenItIsCancelled() {
        TaskRecord running = Samples.task(TaskStatus.RUNNING);
        TaskRecord waiting = Samples.task(TaskStatus.PENDING).with(edit -> edit.stagesStarted = 0);
        PlanRecord plan = plan(RUNNING, Map.of(TaskStatus.RUNNING, 1, TaskStatus.PENDING, 1));

        PlanRecord both = plan.counting(waiting, waiting.with(edit -> edit.status = TaskStatus.CANCELLED))
                .counting(running, running.with(edit -> edit.status = TaskStatus.CANCELLED));

        assertThat(both.count(TaskStatus.CANCELLED)).isEqualTo(2);
        assertThat(both.abandoned()).isOne();
    }

    /** A node of an earlier version, beside this one, counts so too. */
    @Test
    void aTaskThatFailedBeforeAnyStageIsNotCountedWithThoseThatAreAbandoned() {
        TaskRecord waiting = Samples.task(TaskStatus.PENDING).with(edit -> edit.stagesStarted = 0);
        PlanRecord plan = plan(RUNNING, Map.of(TaskStatus.PENDING, 1));

        PlanRecord failed = plan.counting(waiting, waiting.with(edit -> edit.status = TaskStatus.FAILED));

        assertThat(failed.count(TaskStatus.FAILED)).isOne();
        assertThat(failed.abandoned()).isZero();
    }

    @Test
    @Tag("R33")
    void whereNoDirectWayLeadsThePlanPassesThroughTheStatesBetween() {
        Changed changed = PlanRules.derive(plan(RUNNING, Map.of(TaskStatus.CANCELLED, 1)), 0, Samples.NOW);

        assertThat(entered(changed)).containsExactly(PAUSED, CANCELLED);
        assertThat(entered(PlanRules.derive(plan(PAUSED, Map.of(TaskStatus.ROLLED_BACK, 1)), 0, Samples.NOW)))
                .containsExactly(RUNNING, ROLLING_BACK, ROLLED_BACK);
    }

    private static List<PlanStatus> entered(Changed changed) {
        return changed.told().stream()
                .map(occurrence -> ((Occurrence.PlanEntered) occurrence).status())
                .toList();
    }

    @Test
    @Tag("R33")
    void whatIsCompletedOrFinalFollowsNoMore() {
        for (PlanStatus status : Set.of(COMPLETED, FAILED, ROLLED_BACK, CANCELLED)) {
            PlanRecord plan = plan(status, Map.of(TaskStatus.RUNNING, 1));
            assertThat(PlanRules.derive(plan, 0, Samples.NOW).plan()).isEqualTo(plan);
        }
    }
}
