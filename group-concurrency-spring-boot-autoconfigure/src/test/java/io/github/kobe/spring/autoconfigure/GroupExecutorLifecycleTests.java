package io.github.kobe.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

@ExtendWith(OutputCaptureExtension.class)
class GroupExecutorLifecycleTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class));

    @Test
    void aCloseWaitsForWhatRunsAndWhatThatStillAsksFor() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Gate gate = new Gate();
            TaskHandle<String> outer = executor.submit("g", "outer", () -> {
                gate.pass();
                return executor.call("other", () -> "inner");
            });
            TaskHandle<String> queued = executor.submit("g", "queued", () -> "queued");
            Caller<?> closing = Caller.startPlatform(Executors.callable(context.getSourceApplicationContext()::close));
            Deadline.until(
                    "a thread of the lifecycle waits for quiet",
                    () -> Thread.getAllStackTraces().entrySet().stream()
                            .filter(thread -> thread.getKey().getName().equals("group-concurrency-stop"))
                            .flatMap(thread -> Stream.of(thread.getValue()))
                            .anyMatch(frame -> frame.getMethodName().equals("awaitQuiet")));
            assertThat(executor.isShutdown()).isFalse();

            gate.open();

            assertThat(outer.await(Deadline.SECONDS, TimeUnit.SECONDS).value()).isEqualTo("inner");
            assertThat(queued.await(Deadline.SECONDS, TimeUnit.SECONDS).value()).isEqualTo("queued");
            closing.result();
            assertThat(executor.isShutdown()).isTrue();
            assertThat(executor.isTerminated()).isTrue();
        });
    }

    @Test
    @Tag("K7")
    void whatIsNotDoneInTimeIsToldAndCancelled(CapturedOutput output) {
        runner.withPropertyValues("group-concurrency.shutdown.await-termination-period=1ms")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    Gate gate = new Gate();
                    Gate running = new Gate();
                    TaskHandle<Object> stuck = executor.submit("line\nbreak", "stuck", () -> {
                        running.open();
                        gate.pass();
                        return null;
                    });
                    TaskHandle<Object> queued = executor.submit("line\nbreak", "queued", () -> null);
                    running.pass();

                    context.getSourceApplicationContext().close();

                    assertThat(stuck.await(Deadline.SECONDS, TimeUnit.SECONDS).status())
                            .isEqualTo(TaskStatus.CANCELLED);
                    assertThat(queued.await(Deadline.SECONDS, TimeUnit.SECONDS).status())
                            .isEqualTo(TaskStatus.CANCELLED);
                    assertThat(output)
                            .contains("The executor groupExecutor is not quiet after PT0.001S: 'line_break' (1 running,"
                                    + " 1 in flight, 1 queued,");
                });
    }

    @Test
    void aLongKeyIsCutWhereItIsTold(CapturedOutput output) {
        runner.withPropertyValues(
                        "group-concurrency.shutdown.await-termination-period=1ms",
                        "group-concurrency.max-key-length=100000")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    Gate gate = new Gate();
                    executor.submit("k".repeat(100_000), "stuck", () -> {
                        gate.pass();
                        return null;
                    });

                    context.getSourceApplicationContext().close();

                    assertThat(output)
                            .contains("The executor groupExecutor is not quiet after PT0.001S: '" + "k".repeat(128)
                                    + "' (");
                });
    }

    @Test
    void ofManyBusyGroupsTheBusiestAreToldAndTheOthersCounted(CapturedOutput output) {
        runner.withPropertyValues("group-concurrency.shutdown.await-termination-period=1ms")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    for (int i = 0; i < 100; i++) {
                        executor.pause("tenant-" + i);
                        executor.submit("tenant-" + i, () -> null);
                    }
                    executor.submit("tenant-99", () -> null);

                    context.getSourceApplicationContext().close();

                    String line = output.getOut()
                            .lines()
                            .filter(text -> text.contains("quiet after PT0.001S"))
                            .findFirst()
                            .orElseThrow();
                    assertThat(line)
                            .contains("PT0.001S: 'tenant-99' (0 running, 0 in flight, 2 queued")
                            .contains(", and 80 more groups; it is shut down anyway");
                    assertThat(line.split("'tenant-")).hasSize(21);
                });
    }

    @Test
    void springGoesOnWhenTheTimeOfItsPhaseIsUp(CapturedOutput output) {
        runner.withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
                .withPropertyValues(
                        "spring.lifecycle.timeout-per-shutdown-phase=1ms",
                        "group-concurrency.shutdown.await-termination-period=1h")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    Gate gate = new Gate();
                    executor.submit("g", "stuck", () -> {
                        gate.pass();
                        return null;
                    });

                    Caller<?> closing =
                            Caller.startPlatform(Executors.callable(context.getSourceApplicationContext()::close));
                    closing.result();

                    assertThat(executor.isShutdown()).isTrue();
                    assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
                });
    }

    @Test
    void withLazyInitializationTheLifecycleIsThereFromTheStart() {
        runner.withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> {
                    assertThat(context.getSourceApplicationContext()
                                    .getBeanFactory()
                                    .containsSingleton("groupConcurrencyLifecycle"))
                            .isTrue();
                });
    }

    @Test
    void aStopWithoutACloseLeavesTheExecutorUsable() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            context.getSourceApplicationContext().stop();
            context.getSourceApplicationContext().start();

            assertThat(executor.submit("g", "1", () -> "usable")
                            .await(Deadline.SECONDS, TimeUnit.SECONDS)
                            .value())
                    .isEqualTo("usable");
        });
    }

    @Test
    void theCloseOfAnotherContextLeavesTheExecutorUsable() {
        runner.run(context -> {
            try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
                child.setParent(context.getSourceApplicationContext());
                child.refresh();
            }
            context.getSourceApplicationContext().stop();

            assertThat(context.getBean(GroupExecutor.class).isShutdown()).isFalse();
        });
    }

    @Test
    void itStopsAfterTheWebServerAndTheListenerContainers() {
        runner.run(context -> assertThat(
                        context.getBean(GroupExecutorLifecycle.class).getPhase())
                .isEqualTo(Integer.MAX_VALUE / 2 - 1024)
                .isLessThan(SmartLifecycle.DEFAULT_PHASE - 2048));
    }

    @Test
    void aPeriodThatIsNotBelowSpringsOwnIsWarnedOf(CapturedOutput output) {
        runner.withPropertyValues(
                        "spring.lifecycle.timeout-per-shutdown-phase=10s",
                        "group-concurrency.shutdown.await-termination-period=10s")
                .run(context -> assertThat(output)
                        .contains("group-concurrency.shutdown.await-termination-period (PT10S) should be shorter than"
                                + " spring.lifecycle.timeout-per-shutdown-phase (PT10S)"));
    }

    @Test
    void theDefaultPeriodIsNotWarnedOf(CapturedOutput output) {
        runner.run(context -> assertThat(output).doesNotContain("should be shorter than"));
    }
}
