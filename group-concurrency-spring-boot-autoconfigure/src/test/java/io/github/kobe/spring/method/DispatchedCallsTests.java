package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupStats;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Methods that return a future: dispatched to their group. */
class DispatchedCallsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class))
            .withBean(Exports.class);

    @Test
    void theMethodRunsOnAVirtualThreadOfItsOwn() {
        runner.run(context -> {
            Exports exports = context.getBean(Exports.class);

            Thread ran = exports.future(Thread::currentThread).get(Deadline.SECONDS, TimeUnit.SECONDS);

            assertThat(ran.isVirtual()).isTrue();
            assertThat(ran).isNotSameAs(Thread.currentThread());
            assertThat(ran.getName()).isEqualTo("exports");
        });
    }

    @Test
    void stagesCompletableFuturesAndFuturesAllCarryTheValue() {
        runner.run(context -> {
            Exports exports = context.getBean(Exports.class);
            assertThat(exports.stage(CompletableFuture.completedFuture("stage"))
                            .toCompletableFuture()
                            .get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo("stage");
            assertThat(exports.future(() -> "future").get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo("future");
            FutureTask<String> done = new FutureTask<>(() -> "plain");
            done.run();
            assertThat(exports.plainFuture(done).get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo("plain");
        });
    }

    @Test
    void everyPermitIsHeldUntilTheStageHasEnded() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Exports exports = context.getBean(Exports.class);
            CompletableFuture<String> open = new CompletableFuture<>();
            CompletionStage<String> first = exports.stage(open);
            CompletionStage<String> second = exports.stage(CompletableFuture.completedFuture("second"));
            Deadline.until(
                    "one runs and one waits",
                    () -> exports(executor).running() == 1 && exports(executor).queued() == 1);
            assertThat(second.toCompletableFuture()).isNotDone();

            open.complete("first");

            assertThat(first.toCompletableFuture().get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo("first");
            assertThat(second.toCompletableFuture().get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo("second");
            assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        });
    }

    @Test
    void theFutureCarriesTheMethodsOwnException() {
        runner.run(context -> {
            Exports exports = context.getBean(Exports.class);
            IOException thrown = new IOException("disk");
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> exports.future(() -> {
                                throw thrown;
                            })
                            .get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .havingCause()
                    .isSameAs(thrown);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> exports.stage(
                                    CompletableFuture.failedFuture(thrown).thenApply(Object::toString))
                            .toCompletableFuture()
                            .get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .havingCause()
                    .isSameAs(thrown);
        });
    }

    @Test
    void aMethodThatReturnsNullFailsItsFuture() {
        runner.run(context -> assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> context.getBean(Exports.class)
                        .stage(null)
                        .toCompletableFuture()
                        .get(Deadline.SECONDS, TimeUnit.SECONDS))
                .havingCause()
                .withMessage("The method Exports.stage returned null instead of a future"));
    }

    @Test
    void aFallbackThatReturnsNullFailsTheFutureOfTheCall() {
        runner.run(context -> {
            context.getBean(GroupExecutor.class).pause("exports");

            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(
                            () -> context.getBean(Exports.class).unanswered().get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .havingCause()
                    .withMessage("The fallback of Exports.unanswered returned null instead of a future");
        });
    }

    @Test
    void cancellingTheFutureOfAQueuedCallTakesItOutOfTheQueue() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.pause("exports");
            CompletableFuture<String> queued = context.getBean(Exports.class).future(() -> "never");
            assertThat(exports(executor).queued()).isEqualTo(1);

            assertThat(queued.cancel(true)).isTrue();

            assertThat(queued).isCancelled();
            assertThat(exports(executor).queued()).isZero();
        });
    }

    @Test
    void cancellingTheFutureOfARunningCallCancelsWhatTheMethodReturned() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            CompletableFuture<String> open = new CompletableFuture<>();
            Gate called = new Gate();
            CompletionStage<String> running = context.getBean(Exports.class).stage(called, open);
            called.pass();

            running.toCompletableFuture().cancel(true);

            Deadline.until("the stage is cancelled", open::isCancelled);
            assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        });
    }

    @ParameterizedTest
    @EnumSource(RejectionPolicy.class)
    void aRejectedCallsFutureCarriesTheRejectionUnderEveryPolicy(RejectionPolicy policy) {
        runner.withPropertyValues(
                        "group-concurrency.rejection-policy=" + policy, "group-concurrency.defaults.queue-threshold=0")
                .run(context -> {
                    context.getBean(GroupExecutor.class).pause("exports");

                    assertRejected(
                            context.getBean(Exports.class).future(() -> "never"), RejectionReason.GROUP_QUEUE_FULL);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"abort", "discard"})
    void theGlobalQueuesRejectionIsTold(String policy) {
        runner.withPropertyValues(
                        "group-concurrency.rejection-policy=" + policy, "group-concurrency.global.queue-threshold=0")
                .run(context -> {
                    context.getBean(GroupExecutor.class).pause("exports");

                    assertRejected(
                            context.getBean(Exports.class).future(() -> "never"), RejectionReason.GLOBAL_QUEUE_FULL);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"abort", "discard"})
    void aCallThatWaitedTooLongIsToldSo(String policy) {
        runner.withPropertyValues("group-concurrency.rejection-policy=" + policy)
                .run(context -> {
                    context.getBean(GroupExecutor.class).pause("exports");

                    assertRejected(context.getBean(Exports.class).impatient(), RejectionReason.QUEUE_TIMEOUT);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"abort", "discard"})
    void aCallThatWantsNoWaitIsToldSo(String policy) {
        runner.withPropertyValues("group-concurrency.rejection-policy=" + policy)
                .run(context -> {
                    context.getBean(GroupExecutor.class).pause("exports");

                    assertRejected(context.getBean(Exports.class).nowOrNever(), RejectionReason.QUEUE_TIMEOUT);
                });
    }

    @Test
    void aRejectionHandlerDoesNotSpeakForACall() {
        AtomicInteger asked = new AtomicInteger();
        runner.withBean(RejectionHandler.class, () -> (group, id, task) -> {
                    asked.incrementAndGet();
                    return GroupResult.success(group, id, 17, 0, 0); // of another type than the method's
                })
                .run(context -> {
                    Exports exports = context.getBean(Exports.class);
                    context.getBean(GroupExecutor.class).pause("exports");

                    assertRejected(exports.impatient(), RejectionReason.QUEUE_TIMEOUT);
                    assertThat(exports.answered("a").toCompletableFuture().get(Deadline.SECONDS, TimeUnit.SECONDS))
                            .isEqualTo("a: QUEUE_TIMEOUT");
                    assertThat(asked).hasValue(0);
                });
    }

    @Test
    void afterAShutdownTheFutureCarriesTheRejection() {
        runner.run(context -> {
            context.getBean(GroupExecutor.class).shutdown();

            assertRejected(context.getBean(Exports.class).future(() -> "never"), RejectionReason.SHUTDOWN);
        });
    }

    @Test
    void theFallbacksFutureAnswersARejectedCall() {
        runner.run(context -> {
            Exports exports = context.getBean(Exports.class);
            context.getBean(GroupExecutor.class).pause("exports");

            assertThat(exports.answered("a").toCompletableFuture().get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo("a: QUEUE_TIMEOUT");
            assertThat(exports.answeredByFuture("b").get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo("b: rejected");
        });
    }

    @Test
    void oneOfTwoCallsRunsAtATime() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Exports exports = context.getBean(Exports.class);
            Gate gate = new Gate();
            CompletableFuture<String> first = exports.future(() -> {
                gate.pass();
                return "first";
            });
            CompletableFuture<String> second = exports.future(() -> "second");
            Deadline.until("one runs", () -> exports(executor).running() == 1);
            assertThat(exports(executor).queued()).isEqualTo(1);

            gate.open();

            assertThat(first.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("first");
            assertThat(second.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("second");
        });
    }

    private static void assertRejected(Future<?> future, RejectionReason reason) {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> future.get(Deadline.SECONDS, TimeUnit.SECONDS))
                .havingCause()
                .isInstanceOfSatisfying(
                        RejectedTaskException.class,
                        rejection -> assertThat(rejection.reason()).isEqualTo(reason));
    }

    private static GroupStats exports(GroupExecutor executor) {
        return executor.groupStats("exports").orElseThrow();
    }

    interface Body<T> {
        T run() throws Exception;
    }

    static class Exports {
        @GroupConcurrent(group = "exports")
        <T> CompletableFuture<T> future(Body<T> body) throws Exception {
            return CompletableFuture.completedFuture(body.run());
        }

        @GroupConcurrent(group = "exports")
        CompletionStage<String> stage(Gate called, CompletionStage<String> stage) {
            called.open();
            return stage(stage);
        }

        @GroupConcurrent(group = "exports")
        CompletionStage<String> stage(CompletionStage<String> stage) {
            return stage;
        }

        @GroupConcurrent(group = "exports")
        Future<String> plainFuture(Future<String> future) {
            return future;
        }

        @GroupConcurrent(group = "exports", queueTimeout = "1ms")
        CompletableFuture<String> impatient() {
            return CompletableFuture.completedFuture("ran");
        }

        @GroupConcurrent(group = "exports", queueTimeout = "0s")
        CompletableFuture<String> nowOrNever() {
            return CompletableFuture.completedFuture("ran");
        }

        @GroupConcurrent(group = "exports", queueTimeout = "1ms", fallbackMethod = "busy")
        CompletionStage<String> answered(String name) {
            return CompletableFuture.completedFuture("ran");
        }

        @GroupConcurrent(group = "exports", queueTimeout = "1ms", fallbackMethod = "busyFuture")
        Future<String> answeredByFuture(String name) {
            return CompletableFuture.completedFuture("ran");
        }

        @GroupConcurrent(group = "exports", queueTimeout = "1ms", fallbackMethod = "nothing")
        CompletableFuture<String> unanswered() {
            return CompletableFuture.completedFuture("ran");
        }

        @SuppressWarnings("UnusedMethod") // called as a fallback
        private CompletableFuture<String> nothing() {
            return null;
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called as a fallback
        private CompletionStage<String> busy(String name, RejectedTaskException rejection) {
            return CompletableFuture.completedFuture(name + ": " + rejection.reason());
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called as a fallback
        private Future<String> busyFuture(String name) {
            FutureTask<String> done = new FutureTask<>(() -> name + ": rejected");
            done.run();
            return done;
        }
    }
}
