package io.github.kobe.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

class QuietExecutorExtensionTests {

    @Test
    void theTestThatLeavesAPermitOutFailsAndNoOther() {
        Events tests = tests(Leaking.class);

        tests.assertStatistics(statistics -> statistics.succeeded(2).failed(2));
        assertThat(failure(tests, "leavesAPermitOut"))
                .contains("left permits out", "group 'leaked': 1 in flight, 0 waiting", "has a permit", "PERMIT");
        assertThat(failure(tests, "leavesWorkWaiting"))
                .contains("group 'paused': 0 in flight, 1 waiting", "TASK, task 'forgotten'")
                .doesNotContain("leaked");
    }

    @Test
    void workThatIsAboutToEndIsGivenTheTimeForIt() {
        tests(Ending.class)
                .assertStatistics(statistics -> statistics.succeeded(1).failed(0));
    }

    @Test
    void onASpringTestTheExecutorsOfItsContextAreWatched() {
        Events tests = tests(LeakingInSpring.class);

        tests.assertStatistics(statistics -> statistics.succeeded(1).failed(1));
        assertThat(failure(tests, "leavesAPermitOut")).contains("group 'permits': 1 in flight", "PERMIT");
        LeakingInSpring.forgotten.close(); // or its context would wait for it at its end
    }

    private static Events tests(Class<?> type) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(type))
                .execute()
                .testEvents();
    }

    private static String failure(Events tests, String method) {
        List<Event> failures = tests.failed()
                .filter(event -> event.getTestDescriptor().getDisplayName().startsWith(method))
                .toList();
        assertThat(failures).hasSize(1);
        return failures.getFirst()
                .getRequiredPayload(TestExecutionResult.class)
                .getThrowable()
                .orElseThrow()
                .getMessage();
    }

    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class Leaking {

        private static final GroupExecutor EXECUTOR =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());

        @RegisterExtension
        final QuietExecutorExtension quiet = new QuietExecutorExtension(List.of(EXECUTOR), Duration.ofMillis(50));

        @Test
        @Order(1)
        void leavesNothing() throws Exception {
            assertThat(EXECUTOR.call("used", () -> "ran")).isEqualTo("ran");
        }

        @Test
        @Order(2)
        void leavesAPermitOut() throws Exception {
            GroupPermit forgotten = EXECUTOR.acquire("leaked");
            assertThat(forgotten).isNotNull();
        }

        @Test
        @Order(3)
        void comesAfterALeak() throws Exception {
            assertThat(EXECUTOR.call("used", () -> "ran")).isEqualTo("ran");
        }

        @Test
        @Order(4)
        void leavesWorkWaiting() {
            EXECUTOR.pause("paused");
            assertThat(EXECUTOR.submit("paused", "forgotten", () -> "ran").isDone())
                    .isFalse();
        }
    }

    static class Ending {

        private final GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());

        @RegisterExtension
        final QuietExecutorExtension quiet = QuietExecutorExtension.watching(executor);

        @Test
        void leavesWorkThatIsAboutToEnd() {
            Gate gate = new Gate();
            assertThat(executor.submit("ending", gate.then("ran"))).isNotNull();
            gate.open();
        }
    }

    @SpringJUnitConfig(LeakingInSpring.Application.class)
    @AutoConfigureGroupConcurrency
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class LeakingInSpring {

        private static GroupPermit forgotten;

        @RegisterExtension
        final QuietExecutorExtension quiet = new QuietExecutorExtension(List.of(), Duration.ofMillis(50));

        @Autowired
        private GroupExecutor executor;

        @Test
        @Order(1)
        void leavesAPermitOut() throws Exception {
            forgotten = executor.acquire("permits");
        }

        @Test
        @Order(2)
        void leavesNothing() throws Exception {
            assertThat(executor.call("used", () -> "ran")).isEqualTo("ran");
        }

        @Configuration(proxyBeanMethods = false)
        static class Application {}
    }
}
