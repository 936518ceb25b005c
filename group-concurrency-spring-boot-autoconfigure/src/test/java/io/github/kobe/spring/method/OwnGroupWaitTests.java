package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What the log says of a thread that waits for a method of its own group in a way that can't be seen. */
@ExtendWith(OutputCaptureExtension.class)
class OwnGroupWaitTests {

    private static final String WARNING = "A thread inside the group 'reports' waits, and ";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class))
            // What hangs doesn't delay the next test.
            .withPropertyValues("group-concurrency.shutdown.await-termination-period=1ms")
            .withBean(Reports.class);

    @Test
    void aThreadThatWaitsForAllOfItsOwnGroupIsToldOfOnceWithItsStack(CapturedOutput output) {
        runner.run(context -> {
            Reports reports = context.getBean(Reports.class);

            Caller<Object> caller = Caller.start(() -> reports.inside(() -> {
                Future<String> notWaitedFor = reports.log();
                CompletableFuture.allOf(reports.build(), reports.build()).join();
                return notWaitedFor;
            }));

            Deadline.until("told", () -> output.getOut().contains(WARNING));
            allowTwo(context.getBean(GroupExecutor.class));
            caller.result();
            assertThat(output.getOut())
                    .containsOnlyOnce(WARNING)
                    .contains(
                            WARNING + Reports.class.getName() + ".build(), which it has called, waits for a permit of")
                    .contains("Where the thread waits")
                    .contains("at " + Reports.class.getName() + ".inside(");
        });
    }

    @Test
    void soIsOneThatWaitsAtALatch(CapturedOutput output) {
        runner.run(context -> {
            Reports reports = context.getBean(Reports.class);

            Caller<Boolean> caller = Caller.startPlatform(() -> reports.inside(() -> {
                CountDownLatch ended = new CountDownLatch(1);
                CompletableFuture<String> unused = reports.build().whenComplete((text, failure) -> ended.countDown());
                ended.await();
                return unused.isDone();
            }));

            Deadline.until("told", () -> output.getOut().contains(WARNING));
            allowTwo(context.getBean(GroupExecutor.class));
            assertThat(caller.result()).isNotNull();
        });
    }

    private static void allowTwo(GroupExecutor executor) {
        executor.setLimits("reports", GroupLimits.unset().withMaxConcurrency(2));
    }

    static class Reports {

        @GroupConcurrent(group = "reports")
        <T> T inside(Callable<T> work) throws Exception {
            return work.call();
        }

        @GroupConcurrent(group = "reports")
        CompletableFuture<String> build() {
            return CompletableFuture.completedFuture("report");
        }

        @GroupConcurrent(group = "reports")
        Future<String> log() {
            return CompletableFuture.completedFuture("logged");
        }
    }
}
