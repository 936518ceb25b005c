package io.github.kobe.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskTrace;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.client.GroupExchangeFilterFunction;
import io.github.kobe.spring.method.GroupConcurrentAspectAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.spring.web.GroupConcurrencyWebAutoConfiguration;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

class GroupTaskObservationsTests {

    private static final String BEAN = "groupConcurrencyTaskObservations";

    private final Notes notes = new Notes();
    private final ObservationRegistry registry = ObservationRegistry.create();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class,
                    GroupConcurrentAspectAutoConfiguration.class,
                    GroupConcurrencyObservationAutoConfiguration.class))
            .withPropertyValues("group-concurrency.observations.mode=always")
            .withBean(ObservationRegistry.class, () -> registry);

    GroupTaskObservationsTests() {
        registry.observationConfig().observationHandler(notes);
    }

    /** Writes down what becomes of observations of work in groups. */
    private static final class Notes implements ObservationHandler<GroupTaskObservationContext> {

        private final List<String> events = new CopyOnWriteArrayList<>();
        private final List<GroupTaskObservationContext> stopped = new CopyOnWriteArrayList<>();

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof GroupTaskObservationContext;
        }

        @Override
        public void onStart(GroupTaskObservationContext context) {
            events.add(context.taskId() + " start");
        }

        @Override
        public void onEvent(Observation.Event event, GroupTaskObservationContext context) {
            events.add(context.taskId() + " " + event.getName());
        }

        @Override
        public void onStop(GroupTaskObservationContext context) {
            events.add(context.taskId() + " stop");
            stopped.add(context);
        }

        GroupTaskObservationContext only() {
            Deadline.untilAsserted(() -> assertThat(stopped).hasSize(1));
            return stopped.getFirst();
        }
    }

    private static List<String> values(KeyValues keyValues) {
        return keyValues.stream()
                .map(value -> value.getKey() + "=" + value.getValue())
                .toList();
    }

    @Test
    void aTaskIsObservedFromItsSubmissionUntilItsPermitsAreBack() {
        runner.withPropertyValues("group-concurrency.group-list[0].key=vip:*").run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Gate gate = new Gate();
            TaskHandle<String> first = executor.submit("vip:1", "first", () -> {
                gate.pass();
                return "done";
            });
            TaskHandle<String> second = executor.submit("vip:1", "second", () -> "done");
            assertThat(notes.events).containsExactly("first start", "second start");

            gate.open();
            first.await();
            second.await();

            assertThat(notes.events)
                    .containsExactlyInAnyOrder("first start", "second start", "first stop", "second stop")
                    .containsSubsequence("first start", "first stop")
                    .containsSubsequence("second start", "second stop");
            GroupTaskObservationContext last = notes.stopped.getLast();
            assertThat(last.getName()).isEqualTo("group.executor.task");
            assertThat(last.getContextualName()).isEqualTo("group vip:*");
            assertThat(values(last.getLowCardinalityKeyValues()))
                    .containsExactlyInAnyOrder("executor=groupExecutor", "group=vip:*", "outcome=success");
            assertThat(values(last.getHighCardinalityKeyValues()))
                    .containsExactlyInAnyOrder("group.key=vip:1", "task.id=" + last.taskId());
        });
    }

    @Test
    void theGroupsKeyCanBeLeftOut() {
        runner.withPropertyValues("group-concurrency.observations.group-key=false")
                .withBean(GroupTaskObservationConvention.class, DefaultGroupTaskObservationConvention::new)
                .run(context -> {
                    context.getBean(GroupExecutor.class)
                            .submit("key:secret", "1", () -> "done")
                            .await();

                    GroupTaskObservationContext observed = notes.only();
                    assertThat(values(observed.getHighCardinalityKeyValues())).containsExactly("task.id=1");
                    assertThat(observed.getAllKeyValues().toString() + observed.getContextualName())
                            .doesNotContain("secret");
                });
    }

    @Test
    void theParentIsTheSubmittersObservationAndTheTasksCodeRunsInItsOwn() {
        runner.run(context -> {
            Observation request = Observation.start("request", registry);
            Observation inside;
            try (Observation.Scope scope = request.openScope()) {
                assertThat(scope.getCurrentObservation()).isSameAs(request);
                inside = context.getBean(GroupExecutor.class)
                        .submit("a", "1", registry::getCurrentObservation)
                        .await()
                        .value();
            } finally {
                request.stop();
            }

            assertThat(inside.getContext()).isSameAs(notes.only());
            assertThat(notes.only().getParentObservation()).isSameAs(request);
        });
    }

    @Test
    void aCallOnTheCallersThreadIsObservedAndLeavesTheCallersObservationCurrent() {
        runner.run(context -> {
            Observation request = Observation.start("request", registry);
            try (Observation.Scope scope = request.openScope()) {
                Observation inside = context.getBean(GroupExecutor.class).call("a", registry::getCurrentObservation);

                assertThat(inside.getContext()).isSameAs(notes.only());
                assertThat(registry.getCurrentObservation()).isSameAs(scope.getCurrentObservation());
            } finally {
                request.stop();
            }
            assertThat(notes.only().getParentObservation()).isSameAs(request);
            assertThat(values(notes.only().getHighCardinalityKeyValues())).containsExactly("group.key=a");
        });
    }

    @Test
    void anAnnotatedMethodsFutureIsObservedUntilItEnds() {
        runner.withBean(Exports.class).run(context -> {
            CompletableFuture<String> open = new CompletableFuture<>();
            CompletableFuture<String> returned = context.getBean(Exports.class).future(open);
            assertThat(notes.events).containsExactly("Exports.future start");

            open.complete("done");

            assertThat(returned).succeedsWithin(Deadline.LONG);
            assertThat(values(notes.only().getLowCardinalityKeyValues())).contains("outcome=success");
        });
    }

    @Test
    void aSubscriptionIsObservedUntilItEnds() {
        runner.withBean(Exports.class).run(context -> {
            Disposable subscription = context.getBean(Exports.class).mono().subscribe();
            assertThat(notes.events).containsExactly("Exports.mono start");

            subscription.dispose();

            assertThat(notes.only().taskId()).isEqualTo("Exports.mono");
        });
    }

    @Test
    void aPermitIsObservedUntilItIsClosed() {
        runner.run(context -> {
            GroupPermit permit = context.getBean(GroupExecutor.class).acquire("a");
            assertThat(notes.stopped).isEmpty();

            permit.close();

            assertThat(values(notes.only().getLowCardinalityKeyValues())).contains("outcome=success");
        });
    }

    @Test
    void aFailureIsTheObservationsError() {
        IOException thrown = new IOException("disk");
        runner.run(context -> {
            context.getBean(GroupExecutor.class)
                    .submit("a", "1", () -> {
                        throw thrown;
                    })
                    .await();

            assertThat(notes.only().getError()).isSameAs(thrown);
            assertThat(values(notes.only().getLowCardinalityKeyValues())).contains("outcome=failed");
        });
    }

    @Test
    void whatIsCancelledInTheQueueIsToldSo() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.pause("a");

            executor.submit("a", "1", () -> "never").cancel(true);

            assertThat(values(notes.only().getLowCardinalityKeyValues())).contains("outcome=cancelled");
            assertThat(notes.only().getError()).isNull();
        });
    }

    @Test
    void whatIsNotLetInIsToldSo() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.pause("a");

            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> executor.call("a", Duration.ZERO, () -> "never"));

            assertThat(values(notes.only().getLowCardinalityKeyValues())).contains("outcome=rejected");
        });
    }

    @Test
    void aRejectedTaskThatItsCallerRunsIsOutsideItsObservation() {
        runner.withPropertyValues(
                        "group-concurrency.rejection-policy=caller-runs",
                        "group-concurrency.defaults.queue-threshold=0")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    executor.pause("a");

                    assertThat(executor.submit("a", "1", () -> registry.getCurrentObservation() == null)
                                    .await()
                                    .value())
                            .isTrue();
                    assertThat(values(notes.only().getLowCardinalityKeyValues()))
                            .contains("outcome=rejected");
                });
    }

    @Test
    void theGroupIsTheRuleWhateverTheMetersTell() {
        runner.withPropertyValues(
                        "group-concurrency.metrics.group-tag=all", "group-concurrency.group-list[0].key=tenant:*")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    executor.call("tenant:a", () -> "done");
                    executor.call("b", () -> "done");

                    assertThat(notes.stopped)
                            .extracting(GroupTaskObservationContext::groupTag)
                            .containsExactly("tenant:*", "_default");
                });
    }

    @Test
    void keysAreCutAndInOneLineAsInLogs() {
        runner.run(context -> {
            String longKey = "a\nb" + "x".repeat(1_000);
            context.getBean(GroupExecutor.class)
                    .submit(longKey, longKey, () -> "done")
                    .await();

            assertThat(notes.only().getHighCardinalityKeyValues())
                    .extracting(KeyValue::getValue)
                    .hasSize(2)
                    .allMatch(value -> value.startsWith("a_bx") && value.length() == 128);
        });
    }

    @Test
    void withATracerWorkIsObservedWhereItsSubmitterIs() {
        tracing().run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.call("a", () -> "done");
            assertThat(notes.events).isEmpty();

            Observation request = Observation.start("request", registry);
            try (Observation.Scope scope = request.openScope()) {
                executor.call("a", scope::getCurrentObservation);
            }
            assertThat(notes.only().getParentObservation()).isSameAs(request);
        });
    }

    @Test
    void withoutATracerNothingFollowsTheWork() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class, GroupConcurrencyObservationAutoConfiguration.class))
                .withBean(ObservationRegistry.class, () -> registry)
                .run(context -> {
                    assertThat(context).doesNotHaveBean(BEAN);
                    assertThat(context.getBean(GroupExecutor.class).policy().taskTracers())
                            .noneMatch(GroupTaskObservations.class::isInstance);
                });
    }

    @Test
    void noMetersAreMadeOfObservations() {
        for (boolean traced : new boolean[] {false, true}) {
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            ApplicationContextRunner application = new ApplicationContextRunner()
                    .withConfiguration(
                            BootAutoConfigurations.named("ObservationAutoConfiguration", "MetricsAutoConfiguration"))
                    .withConfiguration(AutoConfigurations.of(
                            GroupConcurrencyAutoConfiguration.class,
                            GroupConcurrencyObservationAutoConfiguration.class))
                    .withPropertyValues("group-concurrency.observations.mode=always")
                    .withBean(MeterRegistry.class, () -> meters);
            if (traced) {
                application = application
                        .withBean(Tracer.class, () -> Tracer.NOOP)
                        .withBean(
                                DefaultTracingObservationHandler.class,
                                () -> new DefaultTracingObservationHandler(Tracer.NOOP));
            }
            application.run(context -> {
                ObservationRegistry boots = context.getBean(ObservationRegistry.class);
                boots.observationConfig().observationHandler(notes);
                Observation.start("something.else", boots).stop();

                context.getBean(GroupExecutor.class).call("a", () -> "done");

                Deadline.untilAsserted(() -> assertThat(notes.stopped).isNotEmpty());
                assertThat(meters.getMeters())
                        .extracting(meter -> meter.getId().getName())
                        .contains("something.else")
                        .noneMatch(name -> name.startsWith("group.executor.task"));
            });
        }
    }

    @Test
    void theParentOfASubscriptionIsInReactorsContextAndItsOwnComesThere() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Observation request = Observation.start("request", registry);
            Mono<Object> inside = Mono.deferContextual(view -> {
                ReactorObservation observation = ReactorObservation.of(view);
                return Mono.fromCompletionStage(observation.around(() -> executor.acquireAsync("a")))
                        .flatMap(permit -> Mono.deferContextual(inner -> {
                            permit.close();
                            return Mono.just(inner.get(ObservationThreadLocalAccessor.KEY));
                        }))
                        .contextWrite(observation::addTo);
            });

            Object found = inside.contextWrite(Context.of(ObservationThreadLocalAccessor.KEY, request))
                    .block(Deadline.LONG);

            assertThat(notes.only().getParentObservation()).isSameAs(request);
            assertThat(((Observation) found).getContext()).isSameAs(notes.only());
        });
    }

    @Test
    void anAnnotatedMethodsSubscriptionIsObservedBetweenItsSubscriberAndWhatItCalls() {
        runner.withBean(Exports.class).run(context -> {
            Observation request = Observation.start("request", registry);

            Observation inside = context.getBean(Exports.class)
                    .observed()
                    .contextWrite(Context.of(ObservationThreadLocalAccessor.KEY, request))
                    .block(Deadline.LONG);

            assertThat(notes.only().getParentObservation()).isSameAs(request);
            assertThat(inside.getContext()).isSameAs(notes.only());
        });
    }

    @Test
    void aCallOfAWebClientIsObservedBetweenTheClientAndWhatComesAfterTheFilter() {
        tracing().run(context -> {
            Observation request = Observation.start("request", registry);
            AtomicReference<Observation> inside = new AtomicReference<>();
            WebClient.Builder client = limitedClient(context.getBean(GroupExecutor.class))
                    .observationRegistry(registry)
                    .filter((asked, next) -> Mono.deferContextual(view -> {
                        inside.set(view.get(ObservationThreadLocalAccessor.KEY));
                        return next.exchange(asked);
                    }));

            callWithin(request, client);

            assertThat(notes.only().getParentObservation().getContextView().getParentObservation())
                    .isSameAs(request);
            assertThat(inside.get().getContext()).isSameAs(notes.only());
        });
    }

    /** Such a client hides the observation of its caller. */
    @Test
    void aCallOfAWebClientThatObservesNothingBeginsNoTrace() {
        tracing().run(context -> {
            callWithin(Observation.start("request", registry), limitedClient(context.getBean(GroupExecutor.class)));

            assertThat(notes.events).isEmpty();
        });
    }

    private ApplicationContextRunner tracing() {
        return runner.withPropertyValues("group-concurrency.observations.mode=tracing")
                .withBean(Tracer.class, () -> Tracer.NOOP);
    }

    private static WebClient.Builder limitedClient(GroupExecutor executor) {
        return WebClient.builder()
                .filter(GroupExchangeFilterFunction.by(executor, asked -> "a"))
                .exchangeFunction(asked -> Mono.just(
                        ClientResponse.create(HttpStatus.OK).body("done").build()));
    }

    private static void callWithin(Observation request, WebClient.Builder client) {
        Mono<String> call = client.build().get().retrieve().bodyToMono(String.class);
        assertThat(call.contextWrite(Context.of(ObservationThreadLocalAccessor.KEY, request))
                        .block(Deadline.LONG))
                .isEqualTo("done");
    }

    @Test
    void aRequestOfWebFluxIsObservedBetweenItsServerAndItsHandler() {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class,
                        GroupConcurrencyObservationAutoConfiguration.class,
                        GroupConcurrencyWebAutoConfiguration.class))
                .withPropertyValues(
                        "group-concurrency.web.filter.enabled=true",
                        "group-concurrency.web.filter.rules[0].key-source=header",
                        "group-concurrency.web.filter.rules[0].name=X-Tenant")
                .withBean(ObservationRegistry.class, () -> registry)
                .withBean(Tracer.class, () -> Tracer.NOOP)
                .run(context -> {
                    Observation request = Observation.start("request", registry);
                    AtomicReference<Observation> inside = new AtomicReference<>();
                    WebFilterChain handler = exchange -> Mono.deferContextual(view -> {
                        inside.set(view.get(ObservationThreadLocalAccessor.KEY));
                        return Mono.empty();
                    });

                    context.getBean(WebFilter.class)
                            .filter(
                                    MockServerWebExchange.from(
                                            MockServerHttpRequest.get("/").header("X-Tenant", "a")),
                                    handler)
                            .contextWrite(Context.of(ObservationThreadLocalAccessor.KEY, request))
                            .block(Deadline.LONG);

                    assertThat(notes.only().getParentObservation()).isSameAs(request);
                    assertThat(inside.get().getContext()).isSameAs(notes.only());
                });
    }

    @Test
    void withoutAnObservationInItsContextASubscriptionHasTheThreads() {
        runner.run(context -> {
            Observation request = Observation.start("request", registry);
            try (Observation.Scope scope = request.openScope()) {
                assertThat(scope.getCurrentObservation()).isSameAs(request);
                ReactorObservation observation = ReactorObservation.of(Context.empty());
                observation
                        .around(() -> context.getBean(GroupExecutor.class).acquireAsync("a"))
                        .toCompletableFuture()
                        .join()
                        .close();
            }
            assertThat(notes.only().getParentObservation()).isSameAs(request);
        });
    }

    @Test
    void aConventionOfTheApplicationsOwnNamesEverything() {
        GroupTaskObservationConvention own = new DefaultGroupTaskObservationConvention() {
            @Override
            public String getName() {
                return "work";
            }

            @Override
            public KeyValues getHighCardinalityKeyValues(GroupTaskObservationContext context) {
                return KeyValues.of(KeyValue.of("tenant", context.groupKey()));
            }
        };
        runner.withBean(GroupTaskObservationConvention.class, () -> own).run(context -> {
            context.getBean(GroupExecutor.class).call("a", () -> "done");

            assertThat(notes.only().getName()).isEqualTo("work");
            assertThat(values(notes.only().getHighCardinalityKeyValues())).containsExactly("tenant=a");
        });
    }

    @Test
    void theDocumentationNamesWhatIsObserved() {
        runner.run(context -> {
            context.getBean(GroupExecutor.class).submit("a", "1", () -> "done").await();

            GroupTaskObservationDocumentation documented = GroupTaskObservationDocumentation.TASK;
            assertThat(keys(notes.only().getLowCardinalityKeyValues()))
                    .containsExactlyInAnyOrderElementsOf(keys(documented.getLowCardinalityKeyNames()));
            assertThat(keys(notes.only().getHighCardinalityKeyValues()))
                    .containsExactlyInAnyOrderElementsOf(keys(documented.getHighCardinalityKeyNames()));
            assertThat(documented.getEvents()).isEmpty();
            assertThat(documented.getDefaultConvention()).isEqualTo(DefaultGroupTaskObservationConvention.class);
        });
    }

    private static List<String> keys(KeyValues keyValues) {
        return keyValues.stream().map(KeyValue::getKey).toList();
    }

    private static List<String> keys(KeyName[] names) {
        return Arrays.stream(names).map(KeyName::asString).toList();
    }

    @Test
    void withNobodyListeningNothingFollowsTheWork() {
        for (ObservationRegistry silent : Stream.of(ObservationRegistry.NOOP, ObservationRegistry.create())
                .toList()) {
            new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(
                            GroupConcurrencyAutoConfiguration.class,
                            GroupConcurrencyObservationAutoConfiguration.class))
                    .withPropertyValues("group-concurrency.observations.mode=always")
                    .withBean(ObservationRegistry.class, () -> silent)
                    .run(context -> assertThat(context.getBean(GroupExecutor.class).policy().taskTracers().stream()
                                    .filter(GroupTaskObservations.class::isInstance)
                                    .map(observations -> observations.trace("a", "1")))
                            .containsExactly((TaskTrace) null));
        }
    }

    @Test
    void aPredicateOfTheRegistryCanLeaveWorkOut() {
        registry.observationConfig().observationPredicate((name, context) -> !name.equals("group.executor.task"));
        runner.run(context -> {
            context.getBean(GroupExecutor.class).call("a", () -> "done");

            assertThat(notes.events).isEmpty();
        });
    }

    @Test
    void theRegistryThatSpringBootSetsUpIsFound() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyObservationAutoConfiguration.class, GroupConcurrencyAutoConfiguration.class))
                .withConfiguration(BootAutoConfigurations.named("ObservationAutoConfiguration"))
                .withPropertyValues("group-concurrency.observations.mode=always")
                .run(context -> assertThat(context).hasBean(BEAN));
    }

    @Test
    void onePropertySwitchesObservationsOff() {
        runner.withPropertyValues("group-concurrency.observations.mode=never")
                .run(context -> assertThat(context).doesNotHaveBean(BEAN));
    }

    @Test
    void withoutMicrometersObservationsThereAreNone() {
        runner.withClassLoader(new FilteredClassLoader(ObservationRegistry.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
    }

    static class Exports {

        @GroupConcurrent(group = "exports")
        CompletableFuture<String> future(CompletableFuture<String> end) {
            return end;
        }

        @GroupConcurrent(group = "exports")
        Mono<Observation> observed() {
            return Mono.deferContextual(context -> Mono.just(context.get(ObservationThreadLocalAccessor.KEY)));
        }

        @GroupConcurrent(group = "exports")
        Mono<String> mono() {
            return Mono.never();
        }
    }
}
