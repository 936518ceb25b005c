package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.FragileLog;
import io.github.kobe.testing.Gate;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Stages that don't keep to what a stage should do. After each, the audit, and the executor works. */
@Tag("E4")
@SuppressWarnings({"FutureReturnValueIgnored", "OperatorPrecedence"}) // what is handed back is of no interest
class FaultyStagesTests {

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

    /** What is wrong with a stage. */
    private enum Fault {
        NOTHING,
        TELLS_TWICE,
        TELLS_THEN_THROWS,
        THROWS_INSTEAD_OF_TELLING,
        HAS_NO_FUTURE,
        THROWS_INSTEAD_OF_A_FUTURE,
        CANNOT_BE_CANCELLED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    private static final class Stage extends CompletableFuture<String> {
        private final Fault fault;

        private Stage(Fault fault) {
            this.fault = fault;
        }

        @Override
        public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
            if (fault == Fault.THROWS_INSTEAD_OF_TELLING) {
                throw new IllegalStateException("tells nobody");
            }
            CompletableFuture<String> told = super.whenComplete(action);
            if (fault == Fault.TELLS_TWICE) {
                super.whenComplete((value, failure) -> action.accept("again", null));
            }
            if (fault == Fault.TELLS_THEN_THROWS) {
                throw new IllegalStateException("has told, or will");
            }
            return told;
        }

        @Override
        public CompletableFuture<String> toCompletableFuture() {
            return switch (fault) {
                case HAS_NO_FUTURE -> null;
                case THROWS_INSTEAD_OF_A_FUTURE -> throw new UnsupportedOperationException("no future");
                default -> this;
            };
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            if (fault == Fault.CANNOT_BE_CANCELLED) {
                throw new IllegalStateException("can't be cancelled");
            }
            return super.cancel(mayInterruptIfRunning);
        }
    }

    /** How the task with the stage ends. */
    private enum End {
        COMPLETED_BEFORE,
        COMPLETED_AFTER,
        CANCELLED,
        GROUP_SHUT_DOWN,
        RUN_BY_ITS_CALLER;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    static Stream<Arguments> faultsAndEnds() {
        return Stream.of(Fault.values())
                .flatMap(fault -> Stream.of(End.values()).map(end -> arguments(fault, end)));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("faultsAndEnds")
    void whateverTheStageDoesItsTaskEndsOnceAndItsPermitsReturn(Fault fault, End end) throws Exception {
        GroupExecutor executor = engines.start(
                Workload.policy().rejectionPolicy(RejectionPolicy.CALLER_RUNS).build());
        Stage stage = new Stage(fault);
        Gate gate = new Gate();
        if (end == End.COMPLETED_BEFORE) {
            stage.complete("done");
        }
        GroupPermit full = executor.acquire(Ways.FULL);
        TaskHandle<String> handle = executor.submitAsync(end == End.RUN_BY_ITS_CALLER ? Ways.FULL : "a", "1", () -> {
            gate.open();
            return stage;
        });
        CompletableFuture<GroupResult<String>> toldFirst = handle.toCompletableFuture();
        Deadline.until("the stage is there", gate::isOpen);
        Deadline.until("its code has ended", () -> executor.stats().running() == 1);
        TaskStatus expected = expected(fault, end);
        if (expected == TaskStatus.FAILED) {
            // The stage is asked to tell of its end after its code has ended, and throws by itself.
            Deadline.until("what it threw has ended the task", handle::isDone);
        }

        if (end == End.CANCELLED) {
            handle.cancel(true);
        } else if (end == End.GROUP_SHUT_DOWN) {
            executor.shutdownGroup("a");
            Deadline.until("the task has ended", handle::isDone);
        }
        stage.complete("done");

        Deadline.until("the task has ended", handle::isDone);
        assertThat(handle.await().status()).isEqualTo(expected);
        assertThat(handle.await()).isSameAs(toldFirst.get(Deadline.SECONDS, TimeUnit.SECONDS));
        full.close();
        Workload.requireWorking(executor);
    }

    private static TaskStatus expected(Fault fault, End end) {
        if (fault == Fault.THROWS_INSTEAD_OF_TELLING
                || fault == Fault.TELLS_THEN_THROWS && end != End.COMPLETED_BEFORE) {
            // What it threw came first.
            return TaskStatus.FAILED;
        }
        return end == End.CANCELLED || end == End.GROUP_SHUT_DOWN ? TaskStatus.CANCELLED : TaskStatus.SUCCESS;
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(Thrown.class)
    void whateverTheStageFailsWithItsTaskEndsAndItsPermitsReturn(Thrown thrown) throws Exception {
        GroupExecutor executor = engines.start(Workload.policy().build());
        Throwable failure = thrown.make();
        for (boolean wrapped : new boolean[] {false, true}) {
            CompletableFuture<String> stage = new CompletableFuture<>();
            TaskHandle<String> handle = executor.submitAsync("a", "1", () -> stage);

            stage.completeExceptionally(wrapped ? new Wrapper(failure) : failure);

            Deadline.until("the task has ended", handle::isDone);
            assertThat(handle.await().status()).isEqualTo(endingWith(failure));
        }
        Workload.requireWorking(executor);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(Thrown.class)
    void whatTheCallableThrowsInsteadOfAStageEndsItsTask(Thrown thrown) throws Exception {
        GroupExecutor executor = engines.start(Workload.policy().build());

        TaskHandle<String> handle = executor.submitAsync("a", "1", () -> thrown.<CompletionStage<String>>raise());

        Deadline.until("the task has ended", handle::isDone);
        assertThat(handle.await().status()).isEqualTo(endingWith(thrown.make()));
        Workload.requireWorking(executor);
    }

    /** Wraps without asking for the text of what it wraps. */
    @SuppressWarnings("serial")
    private static final class Wrapper extends CompletionException {
        private Wrapper(Throwable cause) {
            super("wrapped");
            initCause(cause);
        }
    }

    private static TaskStatus endingWith(Throwable failure) {
        return failure instanceof InterruptedException || failure instanceof CancellationException
                ? TaskStatus.CANCELLED
                : TaskStatus.FAILED;
    }
}
