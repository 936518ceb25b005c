package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Who waits inside a group for what was made of several futures of its annotated methods, at the default limits. */
class CombinedFuturesTests {

    private static final String GROUP = "reports";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class))
            // What hangs doesn't delay the next test.
            .withPropertyValues("group-concurrency.shutdown.await-termination-period=1ms")
            .withBean(Service.class);

    /** What is made of two futures. */
    enum Combination {
        THEN_COMBINE {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.thenCombine(b, String::concat);
            }
        },
        THEN_COMBINE_ASYNC {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.thenCombineAsync(b, String::concat);
            }
        },
        THEN_COMBINE_ASYNC_BY {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.thenCombineAsync(b, String::concat, Runnable::run);
            }
        },
        THEN_ACCEPT_BOTH {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.thenAcceptBoth(b, (x, y) -> {});
            }
        },
        THEN_ACCEPT_BOTH_ASYNC {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.thenAcceptBothAsync(b, (x, y) -> {});
            }
        },
        THEN_ACCEPT_BOTH_ASYNC_BY {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.thenAcceptBothAsync(b, (x, y) -> {}, Runnable::run);
            }
        },
        RUN_AFTER_BOTH {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.runAfterBoth(b, () -> {});
            }
        },
        RUN_AFTER_BOTH_ASYNC {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.runAfterBothAsync(b, () -> {});
            }
        },
        RUN_AFTER_BOTH_ASYNC_BY {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.runAfterBothAsync(b, () -> {}, Runnable::run);
            }
        },
        APPLY_TO_EITHER {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.applyToEither(b, text -> text);
            }
        },
        APPLY_TO_EITHER_ASYNC {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.applyToEitherAsync(b, text -> text);
            }
        },
        APPLY_TO_EITHER_ASYNC_BY {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.applyToEitherAsync(b, text -> text, Runnable::run);
            }
        },
        ACCEPT_EITHER {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.acceptEither(b, text -> {});
            }
        },
        ACCEPT_EITHER_ASYNC {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.acceptEitherAsync(b, text -> {});
            }
        },
        ACCEPT_EITHER_ASYNC_BY {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.acceptEitherAsync(b, text -> {}, Runnable::run);
            }
        },
        RUN_AFTER_EITHER {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.runAfterEither(b, () -> {});
            }
        },
        RUN_AFTER_EITHER_ASYNC {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.runAfterEitherAsync(b, () -> {});
            }
        },
        RUN_AFTER_EITHER_ASYNC_BY {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.runAfterEitherAsync(b, () -> {}, Runnable::run);
            }
        },
        THEN_COMPOSE {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.thenCompose(text -> b);
            }
        },
        THEN_COMPOSE_ASYNC {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.thenComposeAsync(text -> b);
            }
        },
        THEN_COMPOSE_ASYNC_BY {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return a.thenComposeAsync(text -> b, Runnable::run);
            }
        },
        ALL_OF {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return GroupFutures.allOf(a, b);
            }
        },
        ALL_OF_THE_OTHER_FIRST {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return GroupFutures.allOf(b, a);
            }
        },
        EXCEPTIONALLY_COMPOSE {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return failing(a).exceptionallyCompose(failure -> b);
            }
        },
        EXCEPTIONALLY_COMPOSE_ASYNC {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return failing(a).exceptionallyComposeAsync(failure -> b);
            }
        },
        EXCEPTIONALLY_COMPOSE_ASYNC_BY {
            @Override
            CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b) {
                return failing(a).exceptionallyComposeAsync(failure -> b, Runnable::run);
            }
        };

        abstract CompletableFuture<?> of(CompletableFuture<String> a, CompletableFuture<String> b);

        private static CompletableFuture<String> failing(CompletableFuture<String> future) {
            return future.thenApply(text -> {
                throw new IllegalStateException(text);
            });
        }
    }

    enum Wait {
        GET {
            @Override
            Object on(CompletableFuture<?> future) throws Exception {
                return future.get();
            }
        },
        JOIN {
            @Override
            Object on(CompletableFuture<?> future) {
                return future.join();
            }
        };

        abstract Object on(CompletableFuture<?> future) throws Exception;
    }

    static Stream<Arguments> waits() {
        return Arrays.stream(Combination.values())
                .flatMap(combination -> Arrays.stream(Wait.values()).map(wait -> Arguments.of(combination, wait)));
    }

    @ParameterizedTest
    @MethodSource("waits")
    void aWaitForTwoOfTheOwnGroupEnds(Combination combination, Wait wait) {
        runner.run(context -> {
            Service service = context.getBean(Service.class);

            ended(() -> service.inside(GROUP, () -> wait.on(combination.of(service.ask(GROUP), service.ask(GROUP)))));

            assertQuiet(context);
        });
    }

    @ParameterizedTest
    @EnumSource(Combination.class)
    void aWaitForTwoOfAnotherGroupEndsWithOneGlobalPermit(Combination combination) {
        runner.withPropertyValues("group-concurrency.global.max-in-flight=1").run(context -> {
            Service service = context.getBean(Service.class);

            ended(() -> service.inside(
                    GROUP,
                    () -> combination
                            .of(service.ask("other"), service.ask("other"))
                            .join()));

            assertQuiet(context);
        });
    }

    @ParameterizedTest
    @EnumSource(Combination.class)
    void aWaitForOneOfTheOwnGroupAndAnyOtherFutureEnds(Combination combination) {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            CompletableFuture<String> plain = CompletableFuture.completedFuture("plain");

            ended(() -> service.inside(
                    GROUP, () -> combination.of(service.ask(GROUP), plain).join()));

            assertQuiet(context);
        });
    }

    @ParameterizedTest
    @EnumSource(Combination.class)
    void anAnnotatedMethodThatReturnsSuchAFutureEnds(Combination combination) {
        runner.run(context -> {
            Service service = context.getBean(Service.class);

            ended(() -> service.dispatched(GROUP, () -> combination.of(service.ask(GROUP), service.ask(GROUP)))
                    .join());

            assertQuiet(context);
        });
    }

    @Test
    void whatIsMadeOfSuchFuturesIsWaitedForInTheSameWay() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);

            String answer = ended(() -> service.inside(
                    GROUP,
                    () -> Stream.generate(() -> service.ask(GROUP))
                            .limit(50)
                            .reduce((one, next) -> one.thenCombine(next, (x, y) -> y))
                            .orElseThrow()
                            .thenCompose(text -> service.ask(GROUP).thenCompose(more -> service.ask(GROUP)))
                            .thenApply(text -> text + "!")
                            .join()));

            assertThat(answer).isEqualTo("answer!");
            assertQuiet(context);
        });
    }

    @Test
    void allOfManyIsCompleteWhenTheLastOneIs() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            CompletableFuture<String> last = new CompletableFuture<>();

            ended(() -> service.inside(GROUP, () -> {
                CompletableFuture<?>[] asked =
                        Stream.generate(() -> service.ask(GROUP)).limit(1_000).toArray(CompletableFuture<?>[]::new);
                CompletableFuture<Void> all = GroupFutures.allOf(asked);
                all.join();
                assertThat(asked).allMatch(CompletableFuture::isDone);
                return null;
            }));

            CompletableFuture<Void> all = GroupFutures.allOf(
                    last, service.ask(GROUP), CompletableFuture.failedFuture(new IOException("disk")));
            assertThat(all).isNotDone();
            last.complete("last");
            assertThat(all).failsWithin(Deadline.LONG).withThrowableThat().withRootCauseInstanceOf(IOException.class);
            assertThat(GroupFutures.allOf()).isCompleted();
            assertQuiet(context);
        });
    }

    @Test
    void aLongChainNeedsNoDeepStack() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);

            Integer length = ended(() -> service.inside(GROUP, () -> {
                CompletableFuture<Integer> chain = service.ask(GROUP).thenApply(text -> 0);
                for (int i = 0; i < 20_000; i++) {
                    chain = chain.thenApply(n -> n + 1);
                }
                return chain.join();
            }));

            assertThat(length).isEqualTo(20_000);
        });
    }

    @Test
    void theSecondTaskIsComposedOnlyAfterTheFirstHasEnded() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);

            String answer = ended(() -> service.inside(
                    GROUP,
                    () -> service.ask(GROUP)
                            .thenCompose(text -> service.ask(GROUP))
                            .join()));

            assertThat(answer).isEqualTo("answer");
            assertQuiet(context);
        });
    }

    @ParameterizedTest
    @EnumSource(Wait.class)
    void aFailureOfTheSecondIsThrownOnceBothHaveEnded(Wait wait) {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            IOException thrown = new IOException("disk");

            assertThatExceptionOfType(wait == Wait.GET ? ExecutionException.class : CompletionException.class)
                    .isThrownBy(() -> ended(() -> service.inside(
                            GROUP,
                            () -> wait.on(service.ask(GROUP).thenCombine(service.fail(GROUP, thrown), (x, y) -> y)))))
                    .havingCause()
                    .isSameAs(thrown);

            assertQuiet(context);
        });
    }

    @Test
    void aComposedFunctionThatThrowsEndsTheWait() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            IllegalStateException thrown = new IllegalStateException("no second");

            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(() -> ended(() -> service.inside(
                            GROUP,
                            () -> service.ask(GROUP)
                                    .thenCompose(text -> {
                                        throw thrown;
                                    })
                                    .join())))
                    .havingCause()
                    .isSameAs(thrown);

            assertQuiet(context);
        });
    }

    @Test
    void cancellingTheCombinedFutureEndsTheWaitOnceTheMethodThatIsLentToHasEnded() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            Gate gate = new Gate();
            CompletableFuture<CompletableFuture<String>> combined = new CompletableFuture<>();
            Caller<Object> caller = Caller.start(() -> service.inside(GROUP, () -> {
                combined.complete(service.pass(GROUP, gate).thenCombine(service.ask(GROUP), (x, y) -> y));
                return combined.join().join();
            }));
            gate.awaitArrived(1);

            combined.get(Deadline.SECONDS, TimeUnit.SECONDS).cancel(true);
            gate.open();

            assertThatExceptionOfType(CancellationException.class).isThrownBy(caller::result);
            assertQuiet(context);
        });
    }

    @Test
    void cancellingOneOfTheTwoEndsTheWait() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);

            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(() -> ended(() -> service.inside(GROUP, () -> {
                        CompletableFuture<String> second = service.ask(GROUP);
                        CompletableFuture<String> both = service.ask(GROUP).thenCombine(second, (x, y) -> y);
                        second.cancel(true);
                        return both.join();
                    })))
                    .withCauseInstanceOf(CancellationException.class);

            assertQuiet(context);
        });
    }

    @Test
    void anInterruptEndsAGetWithAllPermitsBack() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            Gate gate = new Gate();
            Caller<Object> caller = Caller.start(() -> service.inside(
                    GROUP,
                    () -> service.pass(GROUP, gate)
                            .thenCombine(service.ask(GROUP), (x, y) -> y)
                            .get()));
            gate.awaitArrived(1);

            caller.interrupt();
            gate.open();

            assertThatExceptionOfType(InterruptedException.class).isThrownBy(caller::result);
            assertQuiet(context);
        });
    }

    @Test
    void aWaitForEitherEndsWithTheFirst() {
        runner.withPropertyValues("group-concurrency.defaults.max-concurrency=3")
                .run(context -> {
                    Service service = context.getBean(Service.class);
                    Gate never = new Gate();
                    Gate first = new Gate();
                    Caller<Object> caller = Caller.start(() -> service.inside(GROUP, () -> {
                        CompletableFuture<String> slow = service.pass(GROUP, never);
                        CompletableFuture<String> quick = service.pass(GROUP, first);
                        return slow.applyToEither(quick, text -> text).join();
                    }));
                    never.awaitArrived(1);
                    first.awaitArrived(1);
                    caller.awaitBlocked();

                    first.open();

                    assertThat(caller.result()).isEqualTo("passed");
                    never.open();
                    assertQuiet(context);
                });
    }

    @Test
    void aWaitOutsideEveryGroupEndsAsSoonAsTheFutureIsDone() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.pause(GROUP);
            CompletableFuture<String> impatient = service.ask(GROUP).thenApply(text -> text + "!");

            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(() -> ended(
                            () -> impatient.orTimeout(1, TimeUnit.MILLISECONDS).join()))
                    .withCauseInstanceOf(TimeoutException.class);

            executor.resume(GROUP);
            assertQuiet(context);
        });
    }

    private static <T> T ended(Callable<T> work) throws Exception {
        return Deadline.within(work);
    }

    private static void assertQuiet(ApplicationContext context) throws InterruptedException {
        GroupExecutor executor = context.getBean(GroupExecutor.class);
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(executor.acquireAsync(GROUP).toCompletableFuture()).isCompletedWithValueMatching(permit -> {
            boolean alone = executor.groupStats(GROUP).orElseThrow().running() == 1
                    && executor.stats().inFlight() == 1;
            permit.close();
            return alone;
        });
    }

    static class Service {

        @GroupConcurrent(group = "#key")
        <T> T inside(String key, Callable<T> work) throws Exception {
            return work.call();
        }

        @GroupConcurrent(group = "#key")
        CompletableFuture<?> dispatched(String key, Callable<CompletableFuture<?>> work) throws Exception {
            return work.call();
        }

        @GroupConcurrent(group = "#key")
        CompletableFuture<String> ask(String key) {
            return CompletableFuture.completedFuture("answer");
        }

        @GroupConcurrent(group = "#key")
        CompletableFuture<String> pass(String key, Gate gate) throws InterruptedException {
            gate.pass();
            return CompletableFuture.completedFuture("passed");
        }

        @GroupConcurrent(group = "#key")
        CompletableFuture<String> fail(String key, Exception thrown) throws Exception {
            throw thrown;
        }
    }
}
