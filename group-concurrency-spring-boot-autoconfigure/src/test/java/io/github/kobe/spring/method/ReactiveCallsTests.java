package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupStats;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import io.micrometer.context.ContextRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.context.Context;

/** Methods that return a Mono or a Flux: a permit at each subscription, without a thread that waits. */
class ReactiveCallsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class))
            .withBean(Streams.class);

    @BeforeAll
    static void failWhatNeverEnds() {
        StepVerifier.setDefaultTimeout(Deadline.LONG);
    }

    @AfterAll
    static void resetTimeout() {
        StepVerifier.resetDefaultTimeout();
    }

    private static GroupStats stats(AssertableApplicationContext context) {
        return context.getBean(GroupExecutor.class).groupStats("streams").orElseThrow();
    }

    private static boolean known(AssertableApplicationContext context) {
        return context.getBean(GroupExecutor.class).groupStats("streams").isPresent();
    }

    /** Takes the group's only permit. */
    private static GroupPermit occupy(AssertableApplicationContext context) {
        return context.getBean(GroupExecutor.class)
                .acquireAsync("streams")
                .toCompletableFuture()
                .orTimeout(Deadline.SECONDS, TimeUnit.SECONDS)
                .join();
    }

    private static void assertQuiet(AssertableApplicationContext context) throws InterruptedException {
        assertThat(context.getBean(GroupExecutor.class).awaitQuiet(Deadline.LONG))
                .isTrue();
    }

    @Test
    void aMonoCarriesItsValueAndAFluxAllOfThem() {
        runner.run(context -> {
            Streams streams = context.getBean(Streams.class);

            StepVerifier.create(streams.mono(() -> Mono.just("one")))
                    .expectNext("one")
                    .verifyComplete();
            StepVerifier.create(streams.mono(Mono::empty)).verifyComplete();
            StepVerifier.create(streams.flux(() -> Flux.range(0, 1000)), 3)
                    .expectNext(0, 1, 2)
                    .thenRequest(Long.MAX_VALUE)
                    .expectNextCount(997)
                    .verifyComplete();
            assertQuiet(context);
        });
    }

    @Test
    void nothingIsAskedForBeforeTheSubscription() {
        runner.run(context -> {
            AtomicInteger calls = new AtomicInteger();

            Mono<String> mono = context.getBean(Streams.class).mono(() -> {
                calls.incrementAndGet();
                return Mono.just("one");
            });

            assertThat(known(context)).isFalse();
            assertThat(calls).hasValue(0);
            StepVerifier.create(mono).expectNext("one").verifyComplete();
            assertThat(calls).hasValue(1);
        });
    }

    @Test
    void theKeyIsTheOneOfTheCall() {
        runner.run(context -> {
            List<String> tenant = new CopyOnWriteArrayList<>(List.of("a"));
            Mono<String> mono = context.getBean(Streams.class).keyed(tenant);
            tenant.set(0, "b");

            StepVerifier.create(mono).expectNext("b").verifyComplete();

            assertThat(context.getBean(GroupExecutor.class).groupKeys()).containsExactly("tenant:a");
        });
    }

    @Test
    void eachSubscriptionTakesAPermitOfItsOwnAndRunsTheMethodAnew() {
        runner.run(context -> {
            AtomicInteger calls = new AtomicInteger();
            Mono<Integer> mono = context.getBean(Streams.class).number(() -> Mono.just(calls.incrementAndGet()));

            StepVerifier.create(mono).expectNext(1).verifyComplete();
            StepVerifier.create(mono.repeat(1)).expectNext(2, 3).verifyComplete();

            assertThat(stats(context).totals().succeeded()).isEqualTo(3);
        });
    }

    @Test
    void adviceWithinIsThereAtEachSubscription() {
        runner.withUserConfiguration(AdviceWithin.class).run(context -> {
            Mono<String> mono = context.getBean(Streams.class).mono(() -> Mono.just("one"));

            StepVerifier.create(mono.repeat(2)).expectNextCount(3).verifyComplete();

            assertThat(context.getBean(AdviceWithin.class).calls).hasValue(3);
        });
    }

    @Test
    void thePermitIsHeldUntilTheMonoCompletes() {
        runner.run(context -> {
            Streams streams = context.getBean(Streams.class);
            Sinks.One<String> open = Sinks.one();
            CompletableFuture<String> first = streams.mono(open::asMono).toFuture();
            CompletableFuture<String> second =
                    streams.mono(() -> Mono.just("second")).toFuture();
            assertThat(stats(context).running()).isEqualTo(1);
            assertThat(stats(context).queued()).isEqualTo(1);
            assertThat(second).isNotDone();

            open.tryEmitValue("first").orThrow();

            assertThat(first).isCompletedWithValue("first");
            assertThat(second).succeedsWithin(Deadline.LONG).isEqualTo("second");
            assertQuiet(context);
        });
    }

    @Test
    void thePermitIsHeldUntilTheFluxCompletesNotOnlyUntilItsFirstElement() {
        runner.run(context -> {
            Streams streams = context.getBean(Streams.class);
            Sinks.Many<Integer> open = Sinks.many().unicast().onBackpressureBuffer();
            List<Integer> seen = new CopyOnWriteArrayList<>();
            Disposable subscription = streams.flux(open::asFlux).subscribe(seen::add);
            open.tryEmitNext(1).orThrow();
            assertThat(seen).containsExactly(1);
            assertThat(stats(context).running()).isEqualTo(1);

            open.tryEmitComplete().orThrow();

            assertThat(subscription.isDisposed()).isTrue();
            assertThat(stats(context).running()).isZero();
        });
    }

    @Test
    void thePermitIsHeldForAsLongAsVirtualTimeTakes() {
        runner.run(context -> StepVerifier.withVirtualTime(() -> context.getBean(Streams.class)
                        .number(() -> Mono.delay(Duration.ofHours(1)).map(Long::intValue)))
                .expectSubscription()
                .expectNoEvent(Duration.ofMinutes(59))
                .then(() -> assertThat(stats(context).running()).isEqualTo(1))
                .thenAwait(Duration.ofMinutes(1))
                .expectNext(0)
                .verifyComplete());
    }

    @Test
    void thePermitIsBackBeforeTheEndIsTold() {
        runner.run(context -> {
            Streams streams = context.getBean(Streams.class);
            List<Integer> running = new CopyOnWriteArrayList<>();

            streams.mono(() -> Mono.just("one"))
                    .subscribe(value -> running.add(stats(context).running()));
            streams.flux(() -> Flux.just(1))
                    .subscribe(
                            value -> {},
                            failure -> {},
                            () -> running.add(stats(context).running()));
            streams.mono(() -> Mono.error(new IOException("disk")))
                    .subscribe(
                            value -> {}, failure -> running.add(stats(context).running()));

            assertThat(running).containsExactly(0, 0, 0);
        });
    }

    @Test
    void anErrorOfThePublisherIsItsOwnAndGivesThePermitBack() {
        runner.run(context -> {
            IOException thrown = new IOException("disk");

            StepVerifier.create(context.getBean(Streams.class).mono(() -> Mono.error(thrown)))
                    .verifyErrorSatisfies(error -> assertThat(error).isSameAs(thrown));

            assertThat(stats(context).running()).isZero();
        });
    }

    @Test
    void whatTheMethodThrowsIsAnErrorSignalAndGivesThePermitBack() {
        IllegalArgumentException thrown = new IllegalArgumentException("no");
        runner.run(context -> {
            StepVerifier.create(context.getBean(Streams.class).mono(() -> {
                        throw thrown;
                    }))
                    .verifyErrorSatisfies(error -> assertThat(error).isSameAs(thrown));

            assertThat(stats(context).running()).isZero();
        });
    }

    @Test
    void anErrorThatReactorWouldThrowPastTheSubscriberIsToldInAWrapper() {
        NoClassDefFoundError thrown = new NoClassDefFoundError("gone");
        runner.run(context -> {
            StepVerifier.create(context.getBean(Streams.class).mono(() -> {
                        throw thrown;
                    }))
                    .verifyErrorSatisfies(error -> assertThat(error).hasCause(thrown));

            assertThat(stats(context).running()).isZero();
        });
    }

    @Test
    void aMethodThatReturnsNullFailsItsSubscriber() {
        runner.run(context -> StepVerifier.create(context.getBean(Streams.class).mono(() -> null))
                .verifyErrorMessage("The method Streams.mono returned null instead of a publisher"));
    }

    @Test
    void cancellingASubscriptionCancelsThePublisherAndGivesThePermitBack() {
        runner.run(context -> {
            AtomicInteger runningAtTheCancel = new AtomicInteger(-1);
            Disposable subscription = context.getBean(Streams.class)
                    .mono(() -> Mono.<String>never()
                            .doOnCancel(
                                    () -> runningAtTheCancel.set(stats(context).running())))
                    .subscribe();
            assertThat(stats(context).running()).isEqualTo(1);

            subscription.dispose();

            assertThat(runningAtTheCancel).hasValue(1);
            assertThat(stats(context).running()).isZero();
        });
    }

    @Test
    void aFluxOfWhichOnlySomeIsTakenGivesThePermitBack() {
        runner.run(context -> {
            StepVerifier.create(context.getBean(Streams.class)
                            .flux(() -> Flux.range(0, 1000))
                            .take(2))
                    .expectNext(0, 1)
                    .verifyComplete();

            assertThat(stats(context).running()).isZero();
        });
    }

    @Test
    void aCancelledSubscriptionThatWaitsLeavesTheQueueAndNeverRuns() {
        runner.run(context -> {
            AtomicInteger calls = new AtomicInteger();
            try (GroupPermit permit = occupy(context)) {
                Disposable waiting = context.getBean(Streams.class)
                        .mono(() -> {
                            calls.incrementAndGet();
                            return Mono.just("never");
                        })
                        .subscribe();
                assertThat(stats(context).queued()).isEqualTo(1);

                waiting.dispose();

                assertThat(stats(context).queued()).isZero();
                assertThat(permit.groupKey()).isEqualTo("streams");
            }
            assertQuiet(context);
            assertThat(calls).hasValue(0);
        });
    }

    @Test
    void subscriptionsWaitInOneLineWithTasks() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Streams streams = context.getBean(Streams.class);
            List<String> order = new CopyOnWriteArrayList<>();
            GroupPermit permit = occupy(context);
            TaskHandle<Boolean> first = executor.submit("streams", "1", () -> order.add("task 1"));
            CompletableFuture<Boolean> second = streams.truth(() -> Mono.fromCallable(() -> order.add("mono")))
                    .toFuture();
            TaskHandle<Boolean> third = executor.submit("streams", "3", () -> order.add("task 3"));

            permit.close();

            first.await();
            assertThat(second).succeedsWithin(Deadline.LONG);
            third.await();
            assertThat(order).containsExactly("task 1", "mono", "task 3");
        });
    }

    @Test
    void neverMoreThanTheLimitRunAtOnce() {
        runner.withPropertyValues("group-concurrency.groups.streams.max-concurrency=3")
                .run(context -> {
                    Streams streams = context.getBean(Streams.class);
                    AtomicInteger running = new AtomicInteger();
                    AtomicInteger most = new AtomicInteger();

                    Flux.range(0, 500)
                            .flatMap(
                                    i -> streams.mono(() -> Mono.fromCallable(() -> {
                                                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                                                return "" + i;
                                            })
                                            .subscribeOn(Schedulers.parallel())
                                            .doOnNext(value -> running.decrementAndGet())),
                                    500)
                            .blockLast(Deadline.LONG);

                    assertThat(most.get()).isBetween(1, 3);
                    assertThat(stats(context).totals().succeeded()).isEqualTo(500);
                    assertQuiet(context);
                });
    }

    @Test
    void subscribingReturnsOnAThreadThatMustNotBlockWhileThereIsNoPermit() {
        runner.run(context -> {
            Streams streams = context.getBean(Streams.class);
            GroupPermit permit = occupy(context);
            CompletableFuture<String> value = new CompletableFuture<>();
            CompletableFuture<Boolean> subscribed = new CompletableFuture<>();

            Schedulers.parallel().schedule(() -> {
                streams.mono(() -> Mono.just("one")).subscribe(value::complete, value::completeExceptionally);
                subscribed.complete(Schedulers.isInNonBlockingThread());
            });

            assertThat(subscribed).succeedsWithin(Deadline.LONG).isEqualTo(true);
            assertThat(stats(context).queued()).isEqualTo(1);
            assertThat(value).isNotDone();
            permit.close();
            assertThat(value).succeedsWithin(Deadline.LONG).isEqualTo("one");
        });
    }

    @Test
    void thousandsOfSubscriptionsOfOneThreadWait() {
        runner.run(context -> {
            Streams streams = context.getBean(Streams.class);
            GroupPermit permit = occupy(context);
            CompletableFuture<Long> all = Flux.range(0, 5_000)
                    .flatMap(i -> streams.mono(() -> Mono.just("x")), 5_000)
                    .count()
                    .toFuture();

            assertThat(stats(context).queued()).isEqualTo(5_000);
            assertThat(all).isNotDone();
            permit.close();
            assertThat(all).succeedsWithin(Deadline.LONG).isEqualTo(5_000L);
        });
    }

    @Test
    void aFullQueueIsAnErrorSignal() {
        runner.withPropertyValues("group-concurrency.defaults.queue-threshold=0")
                .run(context -> {
                    try (GroupPermit permit = occupy(context)) {
                        assertRejected(
                                context.getBean(Streams.class).mono(() -> Mono.just("never")),
                                RejectionReason.GROUP_QUEUE_FULL);
                        assertThat(permit.groupKey()).isEqualTo("streams");
                    }
                    assertQuiet(context);
                });
    }

    @Test
    void theQueueTimeoutIsHonoured() {
        runner.run(context -> {
            try (GroupPermit permit = occupy(context)) {
                assertRejected(context.getBean(Streams.class).impatient(), RejectionReason.QUEUE_TIMEOUT);
                assertRejected(context.getBean(Streams.class).withoutWait(), RejectionReason.QUEUE_TIMEOUT);
                assertThat(permit.groupKey()).isEqualTo("streams");
                assertThat(stats(context).queued()).isZero();
            }
        });
    }

    @Test
    void afterAShutdownACallIsToldSo() {
        runner.run(context -> {
            Mono<String> mono = context.getBean(Streams.class).mono(() -> Mono.just("never"));
            context.getBean(GroupExecutor.class).shutdown();

            assertRejected(mono, RejectionReason.SHUTDOWN);
        });
    }

    private static void assertRejected(Mono<?> mono, RejectionReason reason) {
        StepVerifier.create(mono)
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOfSatisfying(RejectedTaskException.class, rejection -> {
                            assertThat(rejection.reason()).isEqualTo(reason);
                            assertThat(rejection.groupKey()).isEqualTo("streams");
                            assertThat(rejection.taskId()).startsWith("Streams.");
                        }))
                .verify(Deadline.LONG);
    }

    @Test
    void theFallbackAnswersForARejectedCall() {
        runner.run(context -> {
            try (GroupPermit permit = occupy(context)) {
                StepVerifier.create(context.getBean(Streams.class).withFallback("a"))
                        .expectNext("a QUEUE_TIMEOUT")
                        .verifyComplete();
                StepVerifier.create(context.getBean(Streams.class).fluxWithFallback())
                        .expectNext(1, 2)
                        .verifyComplete();
                assertThat(permit.groupKey()).isEqualTo("streams");
            }
        });
    }

    @Test
    void aRejectionThatTheMethodTellsOfIsNotTheFallbacks() {
        runner.run(context -> StepVerifier.create(context.getBean(Streams.class).withFallback("elsewhere"))
                .verifyErrorSatisfies(error -> assertThat(error)
                        .isInstanceOfSatisfying(
                                RejectedTaskException.class,
                                rejection -> assertThat(rejection.groupKey()).isEqualTo("elsewhere"))));
    }

    @Test
    void aFallbackThatFailsIsAnErrorSignal() {
        runner.run(context -> {
            try (GroupPermit permit = occupy(context)) {
                StepVerifier.create(context.getBean(Streams.class).withFallback("fail"))
                        .verifyErrorMessage("no answer");
                assertThat(permit.groupKey()).isEqualTo("streams");
            }
        });
    }

    @Test
    void aFallbackThatReturnsNullFailsItsSubscriber() {
        runner.run(context -> {
            try (GroupPermit permit = occupy(context)) {
                StepVerifier.create(context.getBean(Streams.class).unanswered())
                        .verifyErrorMessage("The fallback of Streams.unanswered returned null instead of a publisher");
                assertThat(permit.groupKey()).isEqualTo("streams");
            }
        });
    }

    @Test
    void theReactorContextReachesWhatTheMethodReturns() {
        runner.run(context -> StepVerifier.create(context.getBean(Streams.class)
                        .mono(() -> Mono.deferContextual(view -> Mono.just(view.get("user"))))
                        .contextWrite(view -> view.put("user", "ada")))
                .expectNext("ada")
                .verifyComplete());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theThreadLocalsThatReactorPropagatesAreThereAfterAWait(boolean waits) {
        ThreadLocal<String> tenant = new ThreadLocal<>();
        ContextRegistry.getInstance().registerThreadLocalAccessor("tenant", tenant::get, tenant::set, tenant::remove);
        Hooks.enableAutomaticContextPropagation();
        try {
            runner.run(context -> {
                GroupPermit permit = occupy(context);
                if (!waits) {
                    permit.close();
                }
                CompletableFuture<String> seen = context.getBean(Streams.class)
                        .mono(() -> {
                            String byMethod = tenant.get();
                            return Mono.fromCallable(() -> byMethod + ", " + tenant.get())
                                    .zipWith(Mono.fromSupplier(tenant::get).subscribeOn(Schedulers.boundedElastic()))
                                    .map(both -> both.getT1() + ", " + both.getT2());
                        })
                        .contextWrite(Context.of("tenant", "acme"))
                        .toFuture();
                assertThat(stats(context).queued()).isEqualTo(waits ? 1 : 0);
                permit.close();

                assertThat(seen).succeedsWithin(Deadline.LONG).isEqualTo("acme, acme, acme");
                assertQuiet(context);
            });
        } finally {
            Hooks.disableAutomaticContextPropagation();
            ContextRegistry.getInstance().removeThreadLocalAccessor("tenant");
        }
    }

    @Test
    void whatFailsCountsAsFailedAndWhatIsCancelledAsCancelled() {
        runner.run(context -> {
            Streams streams = context.getBean(Streams.class);

            StepVerifier.create(streams.mono(() -> Mono.error(new IOException("disk"))))
                    .verifyError(IOException.class);
            StepVerifier.create(streams.flux(() -> Flux.range(0, 2).concatWith(Mono.error(new IOException("disk")))))
                    .expectNext(0, 1)
                    .verifyError(IOException.class);
            StepVerifier.create(streams.mono(() -> {
                        throw new IllegalStateException("thrown");
                    }))
                    .verifyError(IllegalStateException.class);
            assertThat(stats(context).totals().failed()).isEqualTo(3);
            streams.mono(Mono::never).subscribe().dispose();
            StepVerifier.create(streams.flux(() -> Flux.range(0, 1000)).take(2))
                    .expectNext(0, 1)
                    .verifyComplete();
            StepVerifier.create(streams.mono(() -> Mono.error(new CancellationException())))
                    .verifyError(CancellationException.class);
            assertThat(stats(context).totals().cancelled()).isEqualTo(3);
            StepVerifier.create(streams.mono(Mono::empty)).verifyComplete();
            assertThat(stats(context).totals().succeeded()).isEqualTo(1);
            assertQuiet(context);
        });
    }

    @Test
    void cancellingRacesWithTheGrantAndLosesNoPermit() {
        runner.run(context -> {
            Streams streams = context.getBean(Streams.class);
            for (int round = 0; round < 200; round++) {
                GroupPermit permit = occupy(context);
                Disposable waiting = streams.mono(Mono::never).subscribe();
                Gate gate = new Gate();
                Caller<Void> closer = Caller.startPlatform(() -> {
                    gate.pass();
                    permit.close();
                    return null;
                });
                gate.open();
                waiting.dispose();
                closer.result();
                assertQuiet(context);
            }
        });
    }

    @SuppressWarnings("UnusedMethod") // the fallbacks, found by their names
    static class Streams {

        @GroupConcurrent(group = "streams")
        <T> Mono<T> mono(Supplier<Mono<T>> work) {
            return work.get();
        }

        @GroupConcurrent(group = "streams")
        Mono<Integer> number(Supplier<Mono<Integer>> work) {
            return work.get();
        }

        @GroupConcurrent(group = "streams")
        Mono<Boolean> truth(Supplier<Mono<Boolean>> work) {
            return work.get();
        }

        @GroupConcurrent(group = "streams")
        Flux<Integer> flux(Supplier<Flux<Integer>> work) {
            return work.get();
        }

        @GroupConcurrent(group = "tenant:#{#tenant[0]}")
        Mono<String> keyed(List<String> tenant) {
            return Mono.fromSupplier(tenant::getFirst);
        }

        @GroupConcurrent(group = "streams", queueTimeout = "1ms")
        Mono<String> impatient() {
            return Mono.just("never");
        }

        @GroupConcurrent(group = "streams", queueTimeout = "0ms")
        Mono<String> withoutWait() {
            return Mono.just("never");
        }

        @GroupConcurrent(group = "streams", queueTimeout = "1ms", fallbackMethod = "instead")
        Mono<String> withFallback(String argument) {
            return Mono.error(new RejectedTaskException("elsewhere", argument, RejectionReason.SHUTDOWN, -1, 0));
        }

        private Mono<String> instead(String argument, RejectedTaskException rejection) {
            if (argument.equals("fail")) {
                throw new IllegalStateException("no answer");
            }
            return Mono.just(argument + " " + rejection.reason());
        }

        @GroupConcurrent(group = "streams", queueTimeout = "1ms", fallbackMethod = "few")
        Flux<Integer> fluxWithFallback() {
            return Flux.never();
        }

        private Flux<Integer> few() {
            return Flux.just(1, 2);
        }

        @GroupConcurrent(group = "streams", queueTimeout = "1ms", fallbackMethod = "nothing")
        Mono<String> unanswered() {
            return Mono.just("never");
        }

        private Mono<String> nothing() {
            return null;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AdviceWithin {

        final AtomicInteger calls = new AtomicInteger();

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        DefaultPointcutAdvisor counting() {
            return new DefaultPointcutAdvisor(
                    AnnotationMatchingPointcut.forMethodAnnotation(GroupConcurrent.class),
                    (MethodInterceptor) invocation -> {
                        calls.incrementAndGet();
                        return invocation.proceed();
                    });
        }
    }
}
