package io.github.kobe.spring.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.RolloutStore;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/** When rollouts begin and end with their application. */
@Tag("R127")
@ExtendWith(OutputCaptureExtension.class)
class RolloutsLifecycleTests {

    private static final PlanId PLAN = PlanId.of("plan-of-this-test");

    private final Gate gate = new Gate();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRolloutAutoConfiguration.class))
            .withPropertyValues("group-concurrency.rollout.store=memory")
            .withBean("held", Stage.class, () -> Stage.named("Held").step(context -> gate.pass()))
            .withBean("next", Stage.class, () -> Stage.named("Next"));

    @Test
    void nothingBeginsBeforeTheContextIsUp() {
        gate.open();
        Early early = new Early();
        runner.withBean(Early.class, () -> early).run(context -> {
            assertThat(early.waiting).isEqualTo(TaskStatus.PENDING);
            assertThat(context.getBean(Rollouts.class)
                            .await(PLAN, Deadline.LONG)
                            .status())
                    .isEqualTo(PlanStatus.COMPLETED);
        });
    }

    /** Starts a plan before rollouts open. */
    static final class Early implements SmartLifecycle {

        TaskStatus waiting;

        @Autowired
        private Rollouts rollouts;

        @Override
        public void start() {
            rollouts.start(plan());
            waiting = rollouts.task(TenantId.of("acme")).status();
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return waiting != null;
        }

        @Override
        public int getPhase() {
            return RolloutsLifecycle.PHASE - 1;
        }
    }

    @Test
    void aStageThatRunsHasItsTimeAndNoFurtherOneBegins(CapturedOutput output) {
        RolloutStore store = RolloutStore.inMemory();
        runner.withBean(RolloutStore.class, () -> store).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            context.getBean(Rollouts.class).start(plan());
            gate.awaitArrived(1);
            Caller<?> closing = Caller.startPlatform(Executors.callable(context.getSourceApplicationContext()::close));
            Deadline.until("the rollouts are stopping, and wait for the stage", () -> stopping() == 1);

            gate.open();
            closing.result();

            assertThat(executor.isTerminated()).isTrue();
            assertThat(output).doesNotContain("is not quiet");
            TaskInfo task = task(store);
            assertThat(task.status()).isEqualTo(TaskStatus.RUNNING);
            assertThat(task.completedStages()).isEqualTo(1);
        });
        runner.withBean(RolloutStore.class, () -> store)
                .run(context -> assertThat(context.getBean(Rollouts.class)
                                .await(PLAN, Deadline.LONG)
                                .status())
                        .as("the next application goes on")
                        .isEqualTo(PlanStatus.COMPLETED));
    }

    @Test
    void aStageThatTakesTooLongIsInterruptedAndNothingIsWrittenOfIt() {
        RolloutStore store = RolloutStore.inMemory();
        runner.withBean(RolloutStore.class, () -> store)
                .withPropertyValues("group-concurrency.rollout.shutdown-grace=50ms")
                .run(context -> {
                    context.getBean(Rollouts.class).start(plan());
                    gate.awaitArrived(1);

                    context.getSourceApplicationContext().close();

                    TaskInfo task = task(store);
                    assertThat(task.status()).isEqualTo(TaskStatus.RUNNING);
                    assertThat(task.completedStages()).isZero();
                    assertThat(task.failure()).isNull();
                });
    }

    @Test
    void severalStopAtTheSameTime() {
        Gate other = new Gate();
        AtomicInteger further = new AtomicInteger();
        try (GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            Rollouts one = rollouts(executor, Stage.named("Held").step(context -> gate.pass()));
            Rollouts two = rollouts(
                    executor,
                    Stage.named("Held").step(context -> other.pass()),
                    Stage.named("Next").step(context -> further.incrementAndGet()));
            runner.withBean("one", Rollouts.class, () -> one)
                    .withBean("two", Rollouts.class, () -> two)
                    .run(context -> {
                        one.start(plan());
                        two.start(plan());
                        gate.awaitArrived(1);
                        other.awaitArrived(1);
                        Caller<?> closing =
                                Caller.startPlatform(Executors.callable(context.getSourceApplicationContext()::close));
                        Deadline.until("both are stopping, and wait for their stages", () -> stopping() == 2);

                        other.open();
                        Deadline.until(
                                "the stage of the second has passed",
                                () -> two.task(TenantId.of("acme")).completedStages() == 1);
                        gate.open();
                        closing.result();

                        assertThat(two.task(TenantId.of("acme")).status()).isEqualTo(TaskStatus.RUNNING);
                        assertThat(further).hasValue(0);
                    });
        }
    }

    private static Rollouts rollouts(GroupExecutor executor, Stage... stages) {
        return Rollouts.builder(executor)
                .stages(stages)
                .shutdownGrace(Deadline.LONG)
                .buildClosed();
    }

    /** {@return how many rollouts are stopping, and wait for a stage} */
    private static long stopping() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("group-concurrency-rollout-stop")
                        && thread.getState() == Thread.State.TIMED_WAITING)
                .count();
    }

    private static TaskInfo task(RolloutStore store) {
        try (GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            return Rollouts.builder(executor).store(store).buildClosed().task(TenantId.of("acme"));
        }
    }

    @Test
    void whatIsStoppedAndStartedAgainGoesOn() {
        runner.run(context -> {
            ConfigurableApplicationContext paused = context.getSourceApplicationContext();
            Rollouts rollouts = context.getBean(Rollouts.class);
            gate.open();
            paused.stop();
            rollouts.start(plan());
            assertThat(rollouts.task(TenantId.of("acme")).status()).isEqualTo(TaskStatus.PENDING);

            paused.start();

            assertThat(rollouts.await(PLAN, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
        });
    }

    @Test
    void rolloutsOfTheApplicationsOwnEndBeforeTheirExecutorToo(CapturedOutput output) {
        runner.withUserConfiguration(GroupConcurrencyRolloutAutoConfigurationTests.Own.class)
                .withBean(Stage.class, () -> Stage.named("Held").step(context -> gate.pass()))
                .run(context -> {
                    Rollouts own = context.getBean(Rollouts.class);
                    context.getSourceApplicationContext().close();
                    own.start(plan());
                    assertThat(own.task(TenantId.of("acme")).status()).isEqualTo(TaskStatus.PENDING);
                    assertThat(output).doesNotContain("is not quiet");
                });
    }

    @Test
    void aGraceThatIsNotShorterThanThePhaseOfTheLifecycleIsWarnedOf(CapturedOutput output) {
        runner.withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
                .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=20s")
                .run(context -> assertThat(output)
                        .contains("group-concurrency.rollout.shutdown-grace (PT20S) should be shorter than"
                                + " spring.lifecycle.timeout-per-shutdown-phase (PT20S)"));
    }

    private static RolloutPlan plan() {
        return RolloutPlan.named(PLAN.value())
                .add(TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), "{}"))
                .build();
    }
}
