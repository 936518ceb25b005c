package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.client.GroupExchangeFilterFunction;
import io.github.kobe.spring.internal.context.EnclosingPermit;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Annotated methods within annotated methods, with one permit in all and one of each group: each comes to its end. */
class NestedCallsTests {

    private static final String GROUP = "outer";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class))
            .withPropertyValues(
                    "group-concurrency.global.max-in-flight=1", "group-concurrency.defaults.max-concurrency=1")
            .withBean(Service.class);

    /** How a method runs, and how one within it is used. */
    enum Style {
        BLOCKING {
            @Override
            String call(Service service, String key, Uses inner) throws Exception {
                return service.blocking(key, inner::blocking);
            }

            @Override
            CompletableFuture<String> start(Service service, String key) {
                return CompletableFuture.completedFuture(service.answer(key));
            }

            @Override
            Mono<String> mono(Service service, String key) {
                return Mono.fromCallable(() -> service.answer(key));
            }
        },

        DISPATCHED {
            @Override
            String call(Service service, String key, Uses inner) throws Exception {
                return service.dispatched(key, inner::future).join();
            }

            @Override
            CompletableFuture<String> start(Service service, String key) {
                return service.dispatchedAnswer(key);
            }

            @Override
            Mono<String> mono(Service service, String key) {
                return Mono.fromFuture(() -> service.dispatchedAnswer(key));
            }
        },

        REACTIVE {
            @Override
            String call(Service service, String key, Uses inner) {
                return service.reactive(key, inner::mono).block();
            }

            @Override
            CompletableFuture<String> start(Service service, String key) {
                return service.reactiveAnswer(key).toFuture();
            }

            @Override
            Mono<String> mono(Service service, String key) {
                return service.reactiveAnswer(key);
            }
        };

        /** Calls a method of this style, and waits for it. */
        abstract String call(Service service, String key, Uses inner) throws Exception;

        /** Has a method of this style answer by a future. */
        abstract CompletableFuture<String> start(Service service, String key);

        /** Has a method of this style answer by a Mono. */
        abstract Mono<String> mono(Service service, String key);

        Uses within(Service service, String key) {
            Style inner = this;
            return new Uses() {
                @Override
                public String blocking() {
                    return inner.start(service, key).join();
                }

                @Override
                public CompletableFuture<String> future() {
                    return inner.start(service, key);
                }

                @Override
                public Mono<String> mono() {
                    return Mono.defer(() -> inner.mono(service, key));
                }
            };
        }
    }

    /** What an outer method does with the inner one. */
    interface Uses {
        String blocking();

        CompletableFuture<String> future();

        Mono<String> mono();
    }

    enum Threads {
        PLATFORM,
        VIRTUAL;

        <T> T run(Callable<T> work) throws Exception {
            Caller<T> caller = this == PLATFORM ? Caller.startPlatform(work) : Caller.start(work);
            return caller.result();
        }
    }

    static Stream<Arguments> pairs() {
        return Arrays.stream(Style.values())
                .flatMap(outer -> inners().map(inner -> {
                    Object[] rest = inner.get();
                    return Arguments.of(outer, rest[0], rest[1], rest[2]);
                }));
    }

    static Stream<Arguments> inners() {
        List<Arguments> inners = new ArrayList<>();
        for (Style inner : Style.values()) {
            for (Threads threads : Threads.values()) {
                inners.add(Arguments.of(inner, threads, GROUP));
                inners.add(Arguments.of(inner, threads, "other"));
            }
        }
        return inners.stream();
    }

    private static void assertQuiet(ApplicationContext context) throws InterruptedException {
        GroupExecutor executor = context.getBean(GroupExecutor.class);
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        // And all permits are back.
        assertThat(executor.acquireAsync(GROUP).toCompletableFuture()).isCompletedWithValueMatching(permit -> {
            permit.close();
            return true;
        });
    }

    @ParameterizedTest(name = "{0} > {1}, {2}, {3}")
    @MethodSource("pairs")
    void oneWithinAnotherEnds(Style outer, Style inner, Threads threads, String key) {
        runner.run(context -> {
            Service service = context.getBean(Service.class);

            assertThat(threads.run(() -> outer.call(service, GROUP, inner.within(service, key))))
                    .isEqualTo("answer");

            assertQuiet(context);
        });
    }

    /** What a web filter does: it holds a permit while a controller's answer is open, and no thread waits. */
    @ParameterizedTest(name = "{0}, {1}, {2}")
    @MethodSource("inners")
    void oneWithinAPermitThatIsHeldForItEnds(Style inner, Threads threads, String key) {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            GroupPermit permit = new EnclosingPermit(executor, executor.acquire(GROUP), null);

            CompletableFuture<String> answer = threads.run(() -> permit.call(() -> inner.start(service, key)));

            assertThat(answer).succeedsWithin(Deadline.LONG).isEqualTo("answer");
            permit.close();
            assertQuiet(context);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"on purpose", "A GroupTaskDecorator returned null"})
    void aDecoratorThatFailsLeavesNoPermitOut(String message) {
        AtomicBoolean fails = new AtomicBoolean();
        GroupTaskDecorator decorator = (key, task) -> {
            if (fails.get() && message.equals("on purpose")) {
                throw new AssertionError(message);
            }
            return fails.get() ? null : task;
        };
        runner.withBean(GroupTaskDecorator.class, () -> decorator).run(context -> {
            Service service = context.getBean(Service.class);
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            GroupPermit permit = new EnclosingPermit(executor, executor.acquire(GROUP), null);
            fails.set(true);

            CompletableFuture<String> answer = permit.call(() -> service.dispatchedAnswer("other"));

            permit.close();
            assertThat(answer)
                    .failsWithin(Deadline.LONG)
                    .withThrowableThat()
                    .havingCause()
                    .withMessage(message);
            fails.set(false);
            assertQuiet(context);
        });
    }

    @ParameterizedTest(name = "{0}, {1}, {2}")
    @MethodSource("inners")
    void oneOnASchedulerWithinAMonoEnds(Style inner, Threads threads, String key) {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            Mono<String> mono = service.reactive(
                    GROUP,
                    () -> Mono.just("go")
                            .publishOn(Schedulers.single())
                            .flatMap(go -> inner.mono(service, key).subscribeOn(Schedulers.boundedElastic())));

            String answer = threads.run(mono::block);

            assertThat(answer).isEqualTo("answer");

            assertQuiet(context);
        });
    }

    @ParameterizedTest
    @CsvSource({"outer", "other"})
    void severalAtOnceWithinAFluxEnd(String key) {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            Flux<String> flux = service.flux(
                    GROUP,
                    () -> Flux.range(0, 30)
                            .flatMap(i ->
                                    Style.values()[i % 3].mono(service, key).subscribeOn(Schedulers.boundedElastic())));

            assertThat(flux.count().block(Deadline.LONG)).isEqualTo(30L);

            assertQuiet(context);
        });
    }

    @ParameterizedTest
    @MethodSource("deep")
    void whatIsDeeperFindsTheGroupThatItIsIn(Style outer, Style between, Style inner) {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            Uses innermost = inner.within(service, GROUP);

            String answer = Deadline.within(() -> outer.call(service, GROUP, new Uses() {
                @Override
                public String blocking() {
                    return called();
                }

                @Override
                public CompletableFuture<String> future() {
                    return CompletableFuture.completedFuture(called());
                }

                @Override
                public Mono<String> mono() {
                    return between == Style.REACTIVE
                            ? service.reactive("between", innermost::mono).subscribeOn(Schedulers.boundedElastic())
                            : Mono.fromCallable(this::called);
                }

                private String called() {
                    try {
                        return between.call(service, "between", innermost);
                    } catch (Exception failure) {
                        throw new IllegalStateException(failure);
                    }
                }
            }));

            assertThat(answer).isEqualTo("answer");
            assertQuiet(context);
        });
    }

    /** What runs on the same thread or in the same subscription; a task that waits for a task is a cycle of limits. */
    static Stream<Arguments> deep() {
        return Stream.of(
                Arguments.of(Style.BLOCKING, Style.BLOCKING, Style.BLOCKING),
                Arguments.of(Style.BLOCKING, Style.REACTIVE, Style.BLOCKING),
                Arguments.of(Style.REACTIVE, Style.BLOCKING, Style.REACTIVE),
                Arguments.of(Style.REACTIVE, Style.REACTIVE, Style.BLOCKING),
                Arguments.of(Style.REACTIVE, Style.REACTIVE, Style.DISPATCHED),
                Arguments.of(Style.REACTIVE, Style.REACTIVE, Style.REACTIVE));
    }

    @ParameterizedTest
    @EnumSource
    void oneThatAFilterOfAClientCallsFindsTheGroupOfTheCall(Style inner) {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            Uses token = inner.within(service, "other");
            WebClient client = client(
                    context,
                    (request, next) -> Mono.just("go")
                            .publishOn(Schedulers.single())
                            .then(service.reactive(
                                    "between",
                                    () -> Mono.just("go")
                                            .publishOn(Schedulers.boundedElastic())
                                            .flatMap(go -> token.mono())))
                            .flatMap(found -> next.exchange(request)));

            String answer = service.reactive(
                            GROUP, () -> client.get().retrieve().bodyToMono(String.class))
                    .block(Deadline.LONG);

            assertThat(answer).isEqualTo("answer");
            assertQuiet(context);
        });
    }

    @Test
    void oneThatAFilterOfAClientSubscribesToIsInTheCallAndNotOnlyInWhatMadeTheCall() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            WebClient client = client(
                    context,
                    (request, next) -> Mono.just("go")
                            .publishOn(Schedulers.single())
                            .flatMap(go -> service.reactiveAnswer("other"))
                            .flatMap(found -> next.exchange(request)));

            String answer = service.reactive(
                            GROUP, () -> client.get().retrieve().bodyToMono(String.class))
                    .block(Deadline.LONG);

            assertThat(answer).isEqualTo("answer");
            assertQuiet(context);
        });
    }

    /** The call doesn't know what made it, since who waits or subscribes in another way passes on no context. */
    @Test
    void oneThatAFilterOfAClientSubscribesToIsInTheCallThatNothingIsKnownToHaveMade() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            WebClient client = client(
                    context,
                    (request, next) -> Mono.just("go")
                            .publishOn(Schedulers.single())
                            .flatMap(go -> service.reactiveAnswer("other"))
                            .flatMap(found -> next.exchange(request)));

            String answer = service.reactive(
                            GROUP,
                            () -> Mono.fromCallable(() -> client.get()
                                            .retrieve()
                                            .bodyToMono(String.class)
                                            .block())
                                    .subscribeOn(Schedulers.boundedElastic()))
                    .block(Deadline.LONG);

            assertThat(answer).isEqualTo("answer");
            assertQuiet(context);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCallThatAScheduledMethodOfItsFilterLeadsToGivesItsPermitBackBeforeItsCallerGoesOn(boolean nested) {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            WebClient client = client(
                    context,
                    (request, next) -> service.reactive(
                                    "between",
                                    () -> Mono.delay(Duration.ofMillis(50)).thenReturn("token"))
                            .flatMap(token -> next.exchange(request)));
            Mono<String> call = client.get()
                    .retrieve()
                    .bodyToMono(String.class)
                    .map(answer -> executor.groupStats("other").orElseThrow().inFlight() + " in flight");

            String found = (nested ? service.reactive(GROUP, () -> call) : call).block(Deadline.LONG);

            assertThat(found).isEqualTo("0 in flight");
            assertQuiet(context);
        });
    }

    @Test
    void aCallDoesNotWaitForWhatATimeOutInItsFilterHasLeftBehind() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            Gate gate = new Gate();
            WebClient client = client(
                    context,
                    (request, next) -> service.reactive(
                                    "between",
                                    () -> Mono.fromCallable(gate.stubbornlyThen("token"))
                                            .subscribeOn(Schedulers.boundedElastic()))
                            .timeout(Duration.ofMillis(50), Mono.just("none"))
                            .flatMap(token -> next.exchange(request)));

            assertThat(client.get().retrieve().bodyToMono(String.class).block(Deadline.LONG))
                    .isEqualTo("answer");

            assertThat(gate.isOpen()).isFalse();
            gate.open();
            assertQuiet(context);
        });
    }

    /** {@return a client whose calls are limited, then filtered, and answered at once} */
    private static WebClient client(ApplicationContext context, ExchangeFilterFunction inner) {
        return WebClient.builder()
                .filter(GroupExchangeFilterFunction.by(context.getBean(GroupExecutor.class), request -> "other"))
                .filter(inner)
                .exchangeFunction(request -> Mono.just(
                        ClientResponse.create(HttpStatus.OK).body("answer").build()))
                .build();
    }

    @Test
    void whoWaitsForWhatWasMadeOfAFutureLendsToo() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);

            String answer = Deadline.within(() -> service.blocking(
                    GROUP,
                    () -> service.dispatchedAnswer(GROUP)
                            .thenApply(text -> text + "!")
                            .thenCompose(text -> CompletableFuture.completedFuture(text + "?"))
                            .get()));

            assertThat(answer).isEqualTo("answer!?");
            assertQuiet(context);
        });
    }

    @Test
    void aJoinThatIsInterruptedGoesOnAndKeepsTheFlag() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            CompletableFuture<String> open = new CompletableFuture<>();
            CompletableFuture<String> future = service.dispatched(GROUP, () -> open);
            Caller<Boolean> caller = Caller.start(() -> {
                assertThat(future.join()).isEqualTo("answer");
                return Thread.currentThread().isInterrupted();
            });

            caller.interrupt();
            open.complete("answer");

            assertThat(caller.result()).isTrue();
            assertQuiet(context);
        });
    }

    @Test
    void afterItsEndAMonoHasNothingToDoWithWhatFollows() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);
            GroupExecutor executor = context.getBean(GroupExecutor.class);

            Boolean inside = service.reactiveAnswer(GROUP)
                    .map(answer -> executor.enclosingPermit(GROUP).isPresent()
                            || executor.stats().inFlight() != 0)
                    .block(Deadline.LONG);

            assertThat(inside).isFalse();
        });
    }

    static class Service {

        @GroupConcurrent(group = "#key")
        String blocking(String key, Callable<String> work) throws Exception {
            return work.call();
        }

        @GroupConcurrent(group = "#key")
        CompletableFuture<String> dispatched(String key, Supplier<CompletableFuture<String>> work) {
            return work.get();
        }

        @GroupConcurrent(group = "#key")
        Mono<String> reactive(String key, Supplier<Mono<String>> work) {
            return work.get();
        }

        @GroupConcurrent(group = "#key")
        Flux<String> flux(String key, Supplier<Flux<String>> work) {
            return work.get();
        }

        @GroupConcurrent(group = "#key")
        String answer(String key) {
            return "answer";
        }

        @GroupConcurrent(group = "#key")
        CompletableFuture<String> dispatchedAnswer(String key) {
            return CompletableFuture.completedFuture("answer");
        }

        @GroupConcurrent(group = "#key")
        Mono<String> reactiveAnswer(String key) {
            return Mono.just("answer");
        }
    }
}
