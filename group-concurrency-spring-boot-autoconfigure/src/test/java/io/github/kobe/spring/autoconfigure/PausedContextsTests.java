package io.github.kobe.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.testing.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.SpringVersion;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/**
 * Three classes of tests, the first and the last with one context, as Spring caches it between them. From Framework 7 on
 * a context that isn't in use is stopped, and started again.
 */
class PausedContextsTests {

    private static final List<GroupExecutor> SEEN = new ArrayList<>();

    @BeforeEach
    void forget() {
        SEEN.clear();
        Stops.count = 0;
    }

    @Test
    void anExecutorOutlivesThePauseOfItsContext() {
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        for (Class<?> type : List.of(First.class, Second.class, Third.class)) {
            LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                    .selectors(DiscoverySelectors.selectClass(type))
                    .build();
            LauncherFactory.create().execute(request, summary);
            assertThat(summary.getSummary().getFailures()).isEmpty();
            assertThat(summary.getSummary().getTestsSucceededCount()).isEqualTo(1);
        }

        assertThat(SEEN).hasSize(3);
        assertThat(SEEN.getLast()).isSameAs(SEEN.getFirst());
        assertThat(SEEN.get(1)).isNotSameAs(SEEN.getFirst());
        assertThat(SEEN).noneMatch(GroupExecutor::isShutdown);
        boolean pauses = !SpringVersion.getVersion().startsWith("6.");
        assertThat(Stops.count > 0).as("contexts were paused").isEqualTo(pauses);
    }

    @SpringJUnitConfig(Application.class)
    abstract static class UsesTheExecutor {

        @Autowired
        private GroupExecutor executor;

        @Test
        void runsWork() throws Exception {
            SEEN.add(executor);
            assertThat(executor.submit("group", "1", () -> "ran")
                            .await(Deadline.SECONDS, TimeUnit.SECONDS)
                            .value())
                    .isEqualTo("ran");
            assertThat(executor.call("group", () -> "called")).isEqualTo("called");
        }
    }

    static class First extends UsesTheExecutor {}

    @TestPropertySource(properties = "group-concurrency.global.max-in-flight=2")
    static class Second extends UsesTheExecutor {}

    static class Third extends UsesTheExecutor {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(GroupConcurrencyAutoConfiguration.class)
    @Import(Stops.class)
    static class Application {}

    /** Counts how often a context is stopped. */
    static class Stops implements SmartLifecycle {

        private static int count;

        private boolean running;

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            count++;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }
}
