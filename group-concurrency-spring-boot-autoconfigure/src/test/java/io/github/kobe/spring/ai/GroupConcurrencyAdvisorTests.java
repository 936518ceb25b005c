package io.github.kobe.spring.ai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupStats;
import io.github.kobe.RateStats;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.observation.GroupTaskObservationContext;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationView;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.ClassUtils;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** Calls of a model over HTTP, by an application's client. */
@Tag("springai")
class GroupConcurrencyAdvisorTests {

    private static final String GROUP = "llm:a";
    private static final int USED = ModelServer.PROMPT_TOKENS + ModelServer.ANSWER_TOKENS;

    private static ModelServer server;
    private static Assistant assistant;
    private static GroupExecutor executor;

    @BeforeAll
    static void start() throws IOException {
        server = new ModelServer();
        assistant = new Assistant(
                server,
                "group-concurrency.global.max-in-flight=2",
                "group-concurrency.groups[llm:*].max-concurrency=1",
                "group-concurrency.groups[llm:*].queue-threshold=1",
                "group-concurrency.groups[llm:*].rates[0]=tokens 10000 per 30d burst 5000",
                "group-concurrency.groups[apart].rates[0]=input 10000 per 30d burst 5000",
                "group-concurrency.groups[apart].rates[1]=output 10000 per 30d burst 5000");
        executor = assistant.executor();
    }

    @AfterAll
    static void stop() {
        server.close();
        assistant.close();
    }

    @BeforeEach
    void begin() {
        server.begin();
    }

    @AfterEach
    void forgetTheGroups() throws Exception {
        server.open();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        executor.groupKeys().forEach(executor::evictGroup);
        Deadline.untilAsserted(() -> assertThat(executor.groupKeys()).isEmpty());
    }

    private GroupStats group() {
        return executor.groupStats(GROUP).orElseThrow();
    }

    /** {@return how many tokens are charged} At this pace one comes back each eight minutes. */
    private int charged() {
        return group().rateStats().getFirst().used();
    }

    private void awaitBack() {
        Deadline.until("the permit is back", () -> group().inFlight() == 0);
    }

    private void awaitOneWaits() {
        Deadline.until("one waits", () -> group().queued() == 1);
    }

    private static String all(Flux<String> answer) {
        List<String> parts = answer.collectList().block(Deadline.LONG);
        return String.join("", parts);
    }

    @Test
    void aCallHoldsItsPermitUntilTheModelHasAnswered() throws Exception {
        Caller<String> first = Caller.start(() -> assistant.client().ask(GROUP, "wait"));
        server.awaitAsked();
        Caller<String> second = Caller.start(() -> assistant.client().ask(GROUP, "next"));
        awaitOneWaits();
        assertThat(server.requests()).isEqualTo(1);
        server.open();

        assertThat(first.result()).isEqualTo("answer");
        assertThat(second.result()).isEqualTo("answer");
        assertThat(group().inFlight()).isZero();
        assertThat(group().totals().succeeded()).isEqualTo(2);
    }

    @Test
    void aStreamHoldsItsPermitToItsEnd() {
        CompletableFuture<List<String>> first =
                assistant.client().stream(GROUP, "halfway").collectList().toFuture();
        server.awaitAsked();
        CompletableFuture<List<String>> second =
                assistant.client().stream(GROUP, "next").collectList().toFuture();
        awaitOneWaits();
        assertThat(server.requests()).isEqualTo(1);
        server.open();

        assertThat(first)
                .succeedsWithin(Deadline.LONG)
                .satisfies(parts -> assertThat(String.join("", parts)).isEqualTo("answer of it"));
        assertThat(second).succeedsWithin(Deadline.LONG);
        awaitBack();
        assertThat(group().totals().succeeded()).isEqualTo(2);
    }

    @Test
    void aStreamThatIsAnsweredAtOnceGivesItsPermitBackBeforeItsSubscriberGoesOn() {
        assertThat(assistant.clientThatAnswersAtOnce().stream(GROUP, "hello")
                        .count()
                        .map(parts -> group().inFlight())
                        .block(Deadline.LONG))
                .isZero();
        assertThat(group().totals().succeeded()).isEqualTo(1);
        assertThat(server.requests()).isZero();
    }

    @Test
    void aStreamIsObservedBetweenTheObservationInItsContextAndTheModel() {
        try (Assistant observed = new Assistant(server, "group-concurrency.observations.mode=always")) {
            List<Observation.Context> own = new CopyOnWriteArrayList<>();
            List<ObservationView> enclosing = new CopyOnWriteArrayList<>();
            observed.observations()
                    .observationConfig()
                    .observationHandler(new ObservationHandler<GroupTaskObservationContext>() {
                        @Override
                        public boolean supportsContext(Observation.Context context) {
                            return context instanceof GroupTaskObservationContext;
                        }

                        @Override
                        public void onStart(GroupTaskObservationContext context) {
                            own.add(context);
                            Observation.ContextView each = context;
                            while (each.getParentObservation() != null) {
                                enclosing.add(each.getParentObservation());
                                each = each.getParentObservation().getContextView();
                            }
                        }
                    });
            Observation request = Observation.start("request", observed.observations());

            assertThat(all(observed.clientThatAnswersAtOnce().stream(GROUP, "hello")
                            .contextWrite(Context.of(ObservationThreadLocalAccessor.KEY, request))))
                    .isEqualTo("answer");

            assertThat(enclosing).contains(request);
            assertThat(own).hasSize(1);
            // Spring AI observes the advisor that answers in place of the model.
            assertThat(observed.observed().getContext().getParentObservation().getContextView())
                    .isSameAs(own.get(0));
        }
    }

    @Test
    void whatTheAnswerSaysItHasTakenIsSettled() {
        assertThat(assistant.client().ask(GROUP, "x".repeat(4_000))).isEqualTo("answer");
        assertThat(charged()).isEqualTo(USED);

        assertThat(all(assistant.client().stream(GROUP, "short"))).isEqualTo("answer of it");
        awaitBack();
        assertThat(charged()).isEqualTo(2 * USED);
    }

    @Test
    void whereTheAnswerDoesNotSayItTheEstimateStands() {
        int estimate = "uncounted".length() / 4 + 1;

        assertThat(assistant.client().ask(GROUP, "uncounted")).isEqualTo("answer");
        assertThat(charged()).isEqualTo(estimate);

        assertThat(all(assistant.client().stream(GROUP, "uncounted"))).isEqualTo("answer of it");
        awaitBack();
        assertThat(charged()).isEqualTo(2 * estimate);
    }

    @Test
    void aCallWhoseEstimateIsAboveTheLimitIsRejected() {
        String text = "x".repeat(4 * 10_001);

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> assistant.client().ask(GROUP, text))
                .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(RejectionReason.RATE_LIMITED))
                .withMessageContaining("10001");
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> all(assistant.client().stream(GROUP, text)))
                .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(RejectionReason.RATE_LIMITED));
        assertThat(server.requests()).isZero();
    }

    @Test
    void aCallForWhichTheQueueHasNoRoomIsRejected() throws Exception {
        Caller<String> first = Caller.start(() -> assistant.client().ask(GROUP, "wait"));
        server.awaitAsked();
        Caller<String> second = Caller.start(() -> assistant.client().ask(GROUP, "next"));
        awaitOneWaits();

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> assistant.client().ask(GROUP, "more"))
                .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL));
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> all(assistant.client().stream(GROUP, "more")))
                .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL));
        server.open();
        first.result();
        second.result();
    }

    @Test
    void aFailedCallGivesItsPermitBackAndItsEstimateStands() {
        assertThatThrownBy(() -> assistant.client().ask(GROUP, "refuse")).isNotInstanceOf(RejectedTaskException.class);
        assertThat(group().inFlight()).isZero();
        assertThatThrownBy(() -> all(assistant.client().stream(GROUP, "refuse")))
                .isNotInstanceOf(RejectedTaskException.class);
        awaitBack();

        assertThat(group().totals().failed()).isEqualTo(2);
        assertThat(charged()).isEqualTo(2 * 2);
    }

    @Test
    void aStreamThatBreaksOffGivesItsPermitBack() {
        assertThatThrownBy(() -> all(assistant.client().stream(GROUP, "cut")))
                .isNotInstanceOf(RejectedTaskException.class);
        awaitBack();

        assertThat(group().totals().failed()).isEqualTo(1);
        assertThat(charged()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"wait", "halfway"})
    void aStreamThatIsCancelledGivesItsPermitBackBeforeItsFirstPartAndAfterIt(String text) {
        Gate begun = new Gate();
        Disposable stream = assistant.client().stream(GROUP, text)
                .doOnNext(part -> begun.open())
                .subscribe();
        server.awaitAsked();
        if (text.equals("halfway")) {
            begun.passStubbornly();
        }
        assertThat(group().inFlight()).isEqualTo(1);

        stream.dispose();
        awaitBack();
        assertThat(group().totals().cancelled()).isEqualTo(1);
        assertThat(charged()).isEqualTo(text.length() / 4 + (text.length() % 4 == 0 ? 0 : 1));
    }

    @Test
    void aStreamThatIsCancelledWhileItWaitsLeavesTheQueue() throws Exception {
        GroupPermit held = executor.acquire(GROUP);
        Disposable stream = assistant.client().stream(GROUP, "next").subscribe();
        awaitOneWaits();

        stream.dispose();
        assertThat(group().queued()).isZero();
        held.close();
        assertThat(server.requests()).isZero();
    }

    @Test
    void anInterruptEndsAWaitingCallAndAWaitForAStream() throws Exception {
        GroupPermit held = executor.acquire(GROUP);
        Caller<Boolean> waiting = Caller.start(() -> {
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> assistant.client().ask(GROUP, "next"))
                    .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(RejectionReason.INTERRUPTED));
            return Thread.interrupted();
        });
        awaitOneWaits();
        waiting.interrupt();
        assertThat(waiting.result()).isTrue();
        held.close();

        Caller<String> blocked = Caller.start(() -> all(assistant.client().stream(GROUP, "halfway")));
        server.awaitAsked();
        blocked.awaitBlocked().interrupt();
        assertThatThrownBy(blocked::result).isNotNull();
        awaitBack();
    }

    @Test
    void aWaitingStreamBlocksNoThread() throws Exception {
        Scheduler one = Schedulers.newParallel("one", 1);
        GroupPermit held = executor.acquire(GROUP);
        try {
            CompletableFuture<List<String>> stream = Flux.defer(() -> assistant.client().stream(GROUP, "next"))
                    .subscribeOn(one)
                    .collectList()
                    .toFuture();
            awaitOneWaits();
            CountDownLatch free = new CountDownLatch(1);
            one.schedule(free::countDown);

            assertThat(free.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            held.close();
            assertThat(stream).succeedsWithin(Deadline.LONG);
        } finally {
            held.close();
            one.dispose();
        }
    }

    @Test
    void afterAShutdownCallsAreRejected() {
        try (Assistant stopped = new Assistant(server)) {
            stopped.executor().shutdown();

            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> stopped.client().ask(GROUP, "late"))
                    .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(RejectionReason.SHUTDOWN));
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> all(stopped.client().stream(GROUP, "late")))
                    .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(RejectionReason.SHUTDOWN));
        }
    }

    @Test
    void insideOfWorkOfItsGroupACallCostsNothingMoreAndThatWorkSettles() throws Exception {
        executor.call(GROUP, () -> {
            assistant.client().ask(GROUP, "once");
            assistant.client().ask(GROUP, "twice");
            assertThat(all(assistant.client().stream(GROUP, "and as a stream"))).isEqualTo("answer of it");
            assertThat(charged()).isEqualTo(1);
            executor.settle("tokens", 3 * USED);
            return null;
        });

        assertThat(charged()).isEqualTo(3 * USED);
        assertThat(group().totals().submitted()).isEqualTo(1);
    }

    @Test
    void aCallWithoutAGroupFailsAndSaysWhatIsMissing() {
        assertThatIllegalStateException()
                .isThrownBy(() -> assistant.client().ask(null, "hello"))
                .withMessage("A call of a language model has no group: its advisor parameter 'group-concurrency.group'"
                        + " is missing. Give it the group's key, or the advisor a function that gives keys");
        assertThatIllegalStateException()
                .isThrownBy(() -> all(assistant.client().stream(" ", "hello")))
                .withMessageContaining("is blank");
        assertThat(server.requests()).isZero();
    }

    @Test
    void aCallForWhichOnesOwnFunctionGivesNoKeyIsNotLimited() {
        Assistant.Client client = assistant.clientOf(GROUP);

        assertThat(client.ask("other", "hello")).isEqualTo("answer");
        assertThat(all(client.stream(null, "hello"))).isEqualTo("answer of it");
        assertThat(executor.groupKeys()).isEmpty();

        assertThat(client.ask(GROUP, "hello")).isEqualTo("answer");
        assertThat(executor.groupKeys()).containsExactly(GROUP);
    }

    @Test
    void tokensInAndTokensOutMayBeCountedApart() {
        assertThat(assistant.clientThatCountsBothWays().ask("apart", "hello")).isEqualTo("answer");

        assertThat(executor.groupStats("apart").orElseThrow().rateStats())
                .extracting(RateStats::used)
                .containsExactly(ModelServer.PROMPT_TOKENS, ModelServer.ANSWER_TOKENS);
    }

    @Test
    void eachCallOfALoopThatRunsToolsHasATurnOfItsOwn() {
        assertThat(assistant.clientWithTools().askWithTool(GROUP, "tool")).contains("0 in flight");

        assertThat(server.requests()).isEqualTo(2);
        assertThat(group().totals().succeeded()).isEqualTo(2);
        assertThat(charged()).isEqualTo(2 * USED);
    }

    @Test
    void toolsRunWithinATurnWhereTheModelItselfRunsThem() {
        boolean ofModel = !ClassUtils.isPresent(
                "org.springframework.ai.chat.client.advisor.ToolCallingAdvisor",
                getClass().getClassLoader());
        String result = ofModel ? "1 in flight" : "0 in flight";

        assertThat(assistant.client().askWithTool(GROUP, "tool")).contains(result);
        assertThat(all(assistant.client().streamWithTool(GROUP, "tool"))).contains(result);
        awaitBack();

        assertThat(server.requests()).isEqualTo(4);
        assertThat(group().totals().succeeded()).isEqualTo(ofModel ? 2 : 4);
        assertThat(charged()).isEqualTo(4 * USED);
    }

    /** With one left of the global limit, the inner call would wait for the outer one, which waits for it. */
    @Test
    void anInnerTurnSharesTheGlobalPermitOfAnOuterOne() throws Exception {
        try (GroupPermit other = executor.acquire("other")) {
            assertThat(assistant.clientWithAccount("account").ask(GROUP, "hello"))
                    .isEqualTo("answer");
            assertThat(all(assistant.clientWithAccount("account").stream(GROUP, "hello")))
                    .isEqualTo("answer of it");
            assertThat(other.groupKey()).isEqualTo("other");
        }
        awaitBack();
        assertThat(executor.groupStats("account").orElseThrow().totals().succeeded())
                .isEqualTo(2);
    }
}
