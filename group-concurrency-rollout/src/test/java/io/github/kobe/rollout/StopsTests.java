package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.internal.memory.MemoryStore;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.rollout.internal.rules.TaskRules;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node is stopped in the middle of a stage; another one goes on with the same store. */
class StopsTests extends RolloutsTestCase {

    private static final PlanId PLAN = PlanId.of("plan-x");

    private final List<String> runs = new CopyOnWriteArrayList<>();
    private final Gate gate = new Gate();
    private final Stage slow =
            Stage.named("A").step(ctx -> runs.add("A")).step(ctx -> gate.pass()).rollback(ctx -> gate.pass());

    private Rollouts impatient(Stage stage) {
        return rollouts(builder -> builder.stages(stage).shutdownGrace(Duration.ZERO));
    }

    private TaskRecord task() {
        return store.findByPlanId(PLAN).getFirst();
    }

    @Test
    @Tag("R127")
    void aStopLetsTheStageEndAndTheNextNodeGoOn() throws Exception {
        List<Stage> both = List.of(slow, Stage.named("B").step(ctx -> runs.add("B")));
        Rollouts first = rollouts(builder -> builder.stages(both).shutdownGrace(Deadline.LONG));
        first.start(plan("x", Samples.change("acme")));
        gate.awaitArrived(1);
        Thread closing = Thread.ofVirtual().start(first::close);
        Deadline.until("closing waits", () -> closing.getState() == Thread.State.TIMED_WAITING);
        gate.open();
        assertThat(closing.join(Deadline.LONG)).isTrue();
        assertThat(runs).containsExactly("A");
        assertThat(task().stagesDone()).isEqualTo(1);

        Rollouts second = rollouts(builder -> builder.stages(both));
        assertThat(settled(second, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(runs).containsExactly("A", "B");
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE / 1_000_000_000, Long.MAX_VALUE})
    @Tag("R127")
    void aStopMayGiveTimeForEver(long seconds) throws Exception {
        Rollouts node = rollouts(builder -> builder.stages(slow).shutdownGrace(Duration.ofSeconds(seconds)));
        node.start(plan("x", Samples.change("acme")));
        gate.awaitArrived(1);
        Thread closing = Thread.ofVirtual().start(node::close);
        Deadline.until("closing waits", () -> closing.getState() == Thread.State.TIMED_WAITING);
        gate.open();

        assertThat(closing.join(Deadline.LONG)).isTrue();
        assertThat(node.plan(PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R127")
    @Tag("R141")
    void whatIsToBeCancelledNowIsInterruptedAlsoWhileAStopGivesItTime() throws Exception {
        Stage noted = Stage.named("A").step(ctx -> {
            try {
                gate.pass();
            } catch (InterruptedException e) {
                runs.add("interrupted");
            }
        });
        Rollouts first = rollouts(
                builder -> builder.stages(noted, Stage.named("B")).shutdownGrace(Deadline.LONG.multipliedBy(2)));
        first.start(plan("x", Samples.change("acme")));
        gate.awaitArrived(1);
        Thread closing = Thread.ofVirtual().start(first::close);
        Deadline.until("closing waits", () -> closing.getState() == Thread.State.TIMED_WAITING);

        builder(executor, store).stages(noted).buildClosed().cancelNow(PLAN);

        Deadline.until("it is interrupted", () -> !runs.isEmpty());
        assertThat(closing.join(Deadline.LONG)).isTrue();
        assertThat(task().status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    @Tag("R127")
    void whatDoesntEndInTimeIsInterruptedAndNothingIsWrittenOfIt() throws Exception {
        Rollouts first = impatient(slow);
        first.start(plan("x", Samples.change("acme")));
        gate.awaitArrived(1);
        TaskRecord before = task();

        first.close();

        assertThat(executor.stats().running()).isZero();
        assertThat(task()).isEqualTo(before);
        gate.open();
        assertThat(settled(impatient(slow), PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(runs).containsExactly("A", "A");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("R126")
    @Tag("R127")
    void howeverOftenNodesAreStoppedInAStageItsTaskGoesOn(boolean forward) throws Exception {
        Rollouts node = impatient(forward ? slow : Stage.named("A"));
        node.start(plan("x", Samples.change("acme")));
        if (!forward) {
            settled(node, PLAN);
            node.close();
            node = impatient(slow);
            node.rollback(PLAN);
        }
        for (int stop = 1; stop <= TaskRules.MOST_LOST + 2; stop++) {
            gate.awaitArrived(stop);
            node.close();
            node = impatient(slow);
        }
        gate.open();

        assertThat(settled(node, PLAN).status()).isEqualTo(forward ? PlanStatus.COMPLETED : PlanStatus.ROLLED_BACK);
        assertThat(told(task().id())).doesNotContain("TaskRecovered");
    }

    @ParameterizedTest(name = "before the plan is handed over: {0}")
    @ValueSource(booleans = {true, false})
    @Tag("R126")
    @Tag("R127")
    void aNodeThatIsKilledWhileItStopsIsLostUntilItHasHandedOver(boolean before) throws Exception {
        HaltingStore halting = new HaltingStore(store);
        Rollouts first = rollouts(builder -> builder.store(halting).stages(slow).shutdownGrace(Duration.ZERO));
        first.start(plan("x", Samples.change("acme")));
        gate.awaitArrived(1);
        halting.haltAt(1, before);
        first.close();
        assertThat(halting.isHalted()).isTrue();

        Rollouts second = impatient(slow);
        gate.open();

        assertThat(settled(second, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(told(task().id()).contains("TaskRecovered")).isEqualTo(before);
    }

    @Test
    @Tag("R127")
    @Tag("R129")
    void whatANodeWithOtherStagesCouldNotHandOverIsLeftToTheNextOne() throws Exception {
        HaltingStore halting = new HaltingStore(store);
        Rollouts older = rollouts(stage("Before"));
        older.close();
        older.start(plan("x", Samples.change("acme")));
        Rollouts newer = rollouts(builder -> builder.store(halting).stages((task, change, settings, health) -> {
            halting.failNext(Integer.MAX_VALUE);
            return List.of(stage("After"));
        }));
        Deadline.until("it is not handed over", () -> halting.failed() > 0);
        newer.close();

        older.open();

        assertThat(settled(older, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(runs).containsExactly("Before");
    }

    private Stage stage(String name) {
        return Stage.named(name).step(ctx -> runs.add(name));
    }

    @Test
    @Tag("R121")
    @Tag("R127")
    void whoHasLostThePlanHandsNothingOver() throws Exception {
        // A database leaves a plan with the node that has it, as long as that lives.
        store = new MemoryStore(InstantSource.system());
        Gate old = new Gate();
        Rollouts first = impatient(Stage.named("A").step(ctx -> old.passStubbornly()));
        first.start(plan("x", Samples.change("acme")));
        old.awaitArrived(1);
        Thread closing = Thread.ofVirtual().start(first::close);
        Deadline.until("closing waits", () -> closing.getState() == Thread.State.TIMED_WAITING);
        Rollouts second = impatient(slow);
        gate.awaitArrived(1);
        PlanRecord before = store.findPlan(PLAN).orElseThrow();

        old.open();
        assertThat(closing.join(Deadline.LONG)).isTrue();

        assertThat(store.findPlan(PLAN)).contains(before);
        gate.open();
        assertThat(settled(second, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(told(task().id())).containsOnlyOnce("TaskRecovered");
    }
}
