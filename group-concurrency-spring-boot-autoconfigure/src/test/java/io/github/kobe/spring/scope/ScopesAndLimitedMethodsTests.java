package io.github.kobe.spring.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.scope.GroupScope;
import io.github.kobe.scope.Scopes;
import io.github.kobe.scope.Subtask;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.method.GroupConcurrentAspectAutoConfiguration;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Annotated methods in forks. Every group has a limit of 1. */
class ScopesAndLimitedMethodsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class,
                    GroupConcurrencyScopeAutoConfiguration.class,
                    GroupConcurrentAspectAutoConfiguration.class))
            .withBean(Reports.class);

    @Test
    void aMethodOfTheForksOwnGroupGoesOnUnderItsPermit() {
        runner.run(context -> {
            Reports reports = context.getBean(Reports.class);
            assertThat(forked(context.getBean(Scopes.class), "tenant:a", () -> reports.build("a")))
                    .isEqualTo("tenant:a runs 1");
        });
    }

    @Test
    void aMethodOfAnotherGroupTakesAPermitOfThatToo() {
        runner.run(context -> {
            Reports reports = context.getBean(Reports.class);
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            assertThat(forked(
                            context.getBean(Scopes.class),
                            "other",
                            () -> reports.build("a") + ", other runs " + running(executor, "other")))
                    .isEqualTo("tenant:a runs 1, other runs 1");
        });
    }

    @Test
    void aMethodThatOpensAScopeLendsItsPermitToForksIntoItsOwnGroup() {
        runner.run(context -> assertThat(context.getBean(Reports.class).inForks("a"))
                .isEqualTo("tenant:a runs 1 and tenant:a runs 1"));
    }

    @Test
    void theFutureOfAMethodIsNotTheScopes() {
        runner.run(context -> {
            Reports reports = context.getBean(Reports.class);
            Gate gate = new Gate();
            CompletableFuture<String> future =
                    forked(context.getBean(Scopes.class), "other", () -> reports.buildLater("a", gate));

            assertThat(context.getBean(Scopes.class).live()).isEmpty();
            assertThat(future).isNotDone();
            gate.open();
            assertThat(future.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("tenant:a runs 1");
        });
    }

    @Test
    void cancellingTheScopeLeavesTheFutureOfAMethodRunning() {
        runner.run(context -> {
            Reports reports = context.getBean(Reports.class);
            Gate gate = new Gate();
            AtomicReference<CompletableFuture<String>> future = new AtomicReference<>();
            try (GroupScope<String, ?, ExecutionException> scope =
                    context.getBean(Scopes.class).open()) {
                scope.fork("other", () -> {
                    future.set(reports.buildLater("a", gate));
                    return future.get().get();
                });
                gate.awaitArrived(1);
                scope.cancel();
                assertThatExceptionOfType(ExecutionException.class)
                        .isThrownBy(scope::join)
                        .withCauseInstanceOf(CancellationException.class);
            }
            assertThat(future.get()).isNotDone();
            gate.open();
            assertThat(future.get().get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("tenant:a runs 1");
        });
    }

    @Test
    void aForkThatWaitsForTheFutureOfAMethodOfItsOwnGroupLendsItItsPermit() {
        runner.run(context -> {
            Reports reports = context.getBean(Reports.class);
            Gate gate = new Gate();
            gate.open();
            assertThat(forked(
                            context.getBean(Scopes.class),
                            "tenant:a",
                            () -> reports.buildLater("a", gate).get()))
                    .isEqualTo("tenant:a runs 1");
        });
    }

    private static int running(GroupExecutor executor, String group) {
        return executor.groupStats(group).map(GroupStats::running).orElse(0);
    }

    private static <T> T forked(Scopes scopes, String group, Callable<T> task) throws Exception {
        try (GroupScope<T, ?, ExecutionException> scope = scopes.open()) {
            Subtask<T> fork = scope.fork(group, task);
            scope.join();
            return fork.get();
        }
    }

    static class Reports {

        private final GroupExecutor executor;
        private final Scopes scopes;

        Reports(GroupExecutor executor, Scopes scopes) {
            this.executor = executor;
            this.scopes = scopes;
        }

        @GroupConcurrent(group = "tenant:#{#tenantId}")
        public String build(String tenantId) {
            String group = "tenant:" + tenantId;
            return group + " runs " + running(executor, group);
        }

        @GroupConcurrent(group = "tenant:#{#tenantId}")
        public CompletableFuture<String> buildLater(String tenantId, Gate gate) throws InterruptedException {
            gate.pass();
            return CompletableFuture.completedFuture(build(tenantId));
        }

        @GroupConcurrent(group = "tenant:#{#tenantId}")
        public String inForks(String tenantId) throws ExecutionException, InterruptedException {
            try (GroupScope<String, ?, ExecutionException> scope = scopes.open()) {
                Subtask<String> first = scope.fork("tenant:" + tenantId, () -> build(tenantId));
                Subtask<String> second = scope.fork("tenant:" + tenantId, () -> build(tenantId));
                scope.join();
                return first.get() + " and " + second.get();
            }
        }
    }
}
