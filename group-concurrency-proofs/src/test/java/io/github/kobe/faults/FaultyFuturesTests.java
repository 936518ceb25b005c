package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.FaultyThreads;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.FragileLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Futures and dependents of the user's own that throw when they are told of an end: everyone else is told all the same. */
class FaultyFuturesTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private FragileLog log;

    @BeforeEach
    void openLog() {
        log = FragileLog.open();
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    /** Throws when it is cancelled, or done. */
    private static FutureTask<String> throwing(Thrown thrown) {
        return new FutureTask<>(() -> "no") {
            @Override
            protected void done() {
                thrown.raise();
            }
        };
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(Thrown.class)
    @Tag("E7")
    @Tag("G43")
    void aFutureInAViewThatThrowsWhenItIsCancelledKeepsNobodyElseFromTheirEnd(Thrown thrown) throws Exception {
        GroupExecutor executor = engines.start(Workload.policy().build());
        GroupPermit permit = executor.acquire("a");
        ExecutorService view = executor.asExecutorService("a");
        view.execute(throwing(thrown));
        TaskHandle<String> behind = engines.watch(executor, executor.submit("a", "behind", () -> "no"));

        executor.shutdownGroup("a");

        Deadline.until("the one behind it has ended", behind::isDone);
        Deadline.until("what it threw is logged", () -> log.asked() > 0);
        view.shutdown();
        assertThat(view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        permit.close();
        Workload.requireWorking(executor);
    }

    @Test
    @Tag("E7")
    @Tag("P3")
    void aFutureInAViewThatThrowsAsItsThreadFailsLeavesTheGroupAlive() throws Exception {
        FaultyThreads threads = new FaultyThreads(FaultyThreads.Fault.STARTING_IT_THROWS, number -> number == 1);
        GroupExecutor executor =
                engines.start(Workload.policy().build(), new Surroundings(System::nanoTime, threads, true));
        ExecutorService view = executor.asExecutorService("a");

        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> view.execute(throwing(Thrown.AN_EXCEPTION)));

        Workload.requireWorking(executor);
        view.shutdown();
        assertThat(view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(Thrown.class)
    @Tag("G36")
    void aDependentThatThrowsKeepsNobodyElseFromTheEnd(Thrown thrown) throws Exception {
        GroupExecutor executor = engines.start(Workload.policy().build());
        GroupPermit permit = executor.acquire("a");
        TaskHandle<String> handle = engines.watch(executor, executor.submit("a", "1", () -> "done"));
        Caller<GroupResult<String>> waits = Caller.start(handle::await).awaitBlockedOn(handle);
        CompletableFuture<?> before = handle.toCompletableFuture();
        CompletableFuture<?> chained = handle.toCompletableFuture().thenApply(result -> thrown.raise());
        CompletableFuture<?> after = handle.toCompletableFuture();

        permit.close();

        assertThat(waits.result().value()).isEqualTo("done");
        before.get(Deadline.SECONDS, TimeUnit.SECONDS);
        after.get(Deadline.SECONDS, TimeUnit.SECONDS);
        Workload.requireWorking(executor);
        assertThat(chained.isDone() && !chained.isCompletedExceptionally()).isFalse();
    }
}
