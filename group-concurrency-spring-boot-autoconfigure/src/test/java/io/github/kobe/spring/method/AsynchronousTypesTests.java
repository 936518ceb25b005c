package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskTotals;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.testing.Deadline;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.FlowAdapters;
import org.reactivestreams.Publisher;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What Spring's adapters know is limited as a Mono or a Flux is. */
class AsynchronousTypesTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class))
            .withBean(Sources.class);

    enum Type {
        PUBLISHER(Publisher.class) {
            @Override
            Object call(Sources sources, Mono<String> work) {
                return sources.publisher(work);
            }
        },
        FLOW_PUBLISHER(Flow.Publisher.class) {
            @Override
            Object call(Sources sources, Mono<String> work) {
                return sources.flowPublisher(work);
            }
        },
        SINGLE(Single.class) {
            @Override
            Object call(Sources sources, Mono<String> work) {
                return sources.single(work);
            }
        },
        MAYBE(Maybe.class) {
            @Override
            Object call(Sources sources, Mono<String> work) {
                return sources.maybe(work);
            }
        },
        COMPLETABLE(Completable.class) {
            @Override
            Object call(Sources sources, Mono<String> work) {
                return sources.completable(work);
            }
        },
        OBSERVABLE(Observable.class) {
            @Override
            Object call(Sources sources, Mono<String> work) {
                return sources.observable(work);
            }
        },
        FLOWABLE(Flowable.class) {
            @Override
            Object call(Sources sources, Mono<String> work) {
                return sources.flowable(work);
            }
        },
        UNI(Uni.class) {
            @Override
            Object call(Sources sources, Mono<String> work) {
                return sources.uni(work);
            }
        },
        MULTI(Multi.class) {
            @Override
            Object call(Sources sources, Mono<String> work) {
                return sources.multi(work);
            }
        };

        private final Class<?> type;

        Type(Class<?> type) {
            this.type = type;
        }

        abstract Object call(Sources sources, Mono<String> work);

        /** What the method returned, for Reactor; of a Completable there is no more than its end. */
        Flux<Object> flux(ApplicationContext context, Mono<String> work) {
            Object returned = call(context.getBean(Sources.class), work);
            return Flux.from(
                    ReactiveAdapterRegistry.getSharedInstance().getAdapter(type).toPublisher(returned));
        }
    }

    private static GroupExecutor executor(ApplicationContext context) {
        return context.getBean(GroupExecutor.class);
    }

    private static TaskTotals totals(ApplicationContext context) {
        return executor(context).groupStats("sources").orElseThrow().totals();
    }

    private static long running(ApplicationContext context) {
        return executor(context).groupStats("sources").orElseThrow().running();
    }

    @ParameterizedTest
    @EnumSource
    void thePermitIsHeldFromTheSubscriptionToTheEnd(Type type) {
        runner.run(context -> {
            Sinks.One<String> open = Sinks.one();
            Flux<Object> cold = type.flux(context, open.asMono());
            assertThat(executor(context).groupStats("sources")).isEmpty();

            CompletableFuture<Long> first = cold.count().toFuture();
            CompletableFuture<Long> second = cold.count().toFuture();

            assertThat(running(context)).isEqualTo(1);
            assertThat(executor(context).groupStats("sources").orElseThrow().queued())
                    .isEqualTo(1);
            assertThat(second).isNotDone();
            open.tryEmitValue("value").orThrow();
            long elements = type == Type.COMPLETABLE ? 0 : 1;
            assertThat(first).succeedsWithin(Deadline.LONG).isEqualTo(elements);
            assertThat(second).succeedsWithin(Deadline.LONG).isEqualTo(elements);
            assertThat(executor(context).awaitQuiet(Deadline.LONG)).isTrue();
            assertThat(totals(context).succeeded()).isEqualTo(2);
        });
    }

    @ParameterizedTest
    @EnumSource
    void howItEndsIsCounted(Type type) {
        runner.run(context -> {
            IOException thrown = new IOException("disk");
            assertThat(type.flux(context, Mono.error(thrown)).count().toFuture())
                    .failsWithin(Deadline.LONG)
                    .withThrowableThat()
                    .withCause(thrown);
            assertThat(totals(context).failed()).isEqualTo(1);

            Disposable open = type.flux(context, Mono.never()).subscribe();
            assertThat(running(context)).isEqualTo(1);
            open.dispose();

            assertThat(executor(context).awaitQuiet(Deadline.LONG)).isTrue();
            assertThat(totals(context).cancelled()).isEqualTo(1);
        });
    }

    @Test
    void theFallbackAnswersInTheSameType() {
        runner.run(context -> {
            try (GroupPermit permit = executor(context)
                    .acquireAsync("sources")
                    .toCompletableFuture()
                    .join()) {
                assertThat(context.getBean(Sources.class).impatient().blockingGet())
                        .isEqualTo("QUEUE_TIMEOUT");
                assertThat(permit.groupKey()).isEqualTo("sources");
            }
        });
    }

    @Test
    void aMethodThatReturnsNullFailsItsSubscriber() {
        runner.run(
                context -> assertThat(context.getBean(Sources.class).nothing().toFuture())
                        .failsWithin(Deadline.LONG)
                        .withThrowableThat()
                        .withMessageContaining("The method Sources.nothing returned null instead of a publisher"));
    }

    @ParameterizedTest
    @ValueSource(classes = {Quotes.class, QuoteClientFactory.class})
    void aReturnTypeThatTheBeansTypeDecidesIsTakenAsWhatItIs(Class<?> bean) {
        runner.withBean(bean).run(context -> {
            Mono<?> cold = (Mono<?>) context.getBean(Fetching.class).fetch();
            assertThat(executor(context).groupStats("sources")).isEmpty();

            Disposable open = cold.subscribe();

            assertThat(running(context)).isEqualTo(1);
            open.dispose();
            assertThat(executor(context).awaitQuiet(Deadline.LONG)).isTrue();
            assertThat(totals(context).cancelled()).isEqualTo(1);
        });
    }

    @ExtendWith(OutputCaptureExtension.class)
    @Test
    void aStreamIsTakenWithAWarning(CapturedOutput output) {
        runner.withBean(Streams.class).run(context -> {
            assertThat(context.getBean(Streams.class).lines()).containsExactly("one");
            assertThat(output.getOut()
                            .split("AsynchronousTypesTests\\$Streams\\.lines limits the making of the Stream"))
                    .hasSize(2);
            assertThat(output)
                    .contains("Streams.bytes limits the making of the InputStream that it returns, but not reading it")
                    .contains("Streams.page limits the making of the Resource")
                    .doesNotContain("Streams.list limits");
        });
    }

    interface Fetching<R> {

        @GroupConcurrent(group = "sources")
        R fetch();
    }

    abstract static class Partner<R> implements Fetching<R> {

        private final R answer;

        Partner(R answer) {
            this.answer = answer;
        }

        @Override
        @GroupConcurrent(group = "sources", fallbackMethod = "busy")
        public R fetch() {
            return answer;
        }

        R busy() {
            return answer;
        }
    }

    static class Quotes extends Partner<Mono<String>> {

        Quotes() {
            super(Mono.never());
        }
    }

    interface QuoteClient extends Fetching<Mono<String>> {}

    /** Makes a client as HTTP interfaces are made. */
    static class QuoteClientFactory implements FactoryBean<QuoteClient> {

        @Override
        public QuoteClient getObject() {
            return (QuoteClient) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {QuoteClient.class},
                    (proxy, method, arguments) -> Mono.never());
        }

        @Override
        public Class<?> getObjectType() {
            return QuoteClient.class;
        }
    }

    static class Streams {

        @GroupConcurrent(group = "lines")
        Stream<String> lines() {
            return Stream.of("one");
        }

        @GroupConcurrent(group = "bytes")
        InputStream bytes() {
            return InputStream.nullInputStream();
        }

        @GroupConcurrent(group = "page")
        Resource page() {
            return new ByteArrayResource(new byte[0]);
        }

        @GroupConcurrent(group = "list")
        List<String> list() {
            return List.of("one");
        }
    }

    @GroupConcurrent(group = "sources")
    static class Sources {

        Publisher<String> publisher(Mono<String> work) {
            return work;
        }

        Flow.Publisher<String> flowPublisher(Mono<String> work) {
            return FlowAdapters.toFlowPublisher(work);
        }

        Single<String> single(Mono<String> work) {
            return Single.fromPublisher(work);
        }

        Maybe<String> maybe(Mono<String> work) {
            return Maybe.fromPublisher(work);
        }

        Completable completable(Mono<String> work) {
            return Completable.fromPublisher(work);
        }

        Observable<String> observable(Mono<String> work) {
            return Observable.fromPublisher(work);
        }

        Flowable<String> flowable(Mono<String> work) {
            return Flowable.fromPublisher(work);
        }

        Uni<String> uni(Mono<String> work) {
            return Uni.createFrom().publisher(FlowAdapters.toFlowPublisher(work));
        }

        Multi<String> multi(Mono<String> work) {
            return Multi.createFrom().publisher(FlowAdapters.toFlowPublisher(work));
        }

        @GroupConcurrent(group = "sources", queueTimeout = "1ms", fallbackMethod = "busy")
        Single<String> impatient() {
            return Single.just("never");
        }

        Single<String> busy(RejectedTaskException rejection) {
            return Single.just(rejection.reason().name());
        }

        Mono<String> nothing() {
            return null;
        }
    }
}
