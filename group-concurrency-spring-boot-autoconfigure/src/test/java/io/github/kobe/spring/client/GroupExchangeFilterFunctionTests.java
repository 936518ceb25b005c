package io.github.kobe.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.internal.context.EnclosingPermit;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.reactive.function.BodyExtractors;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** Calls of a real server, one at a time and one in all. */
class GroupExchangeFilterFunctionTests {

    private static final String GROUP = "partner:localhost";

    private final GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
            GroupPolicy.builder().globalMaxInFlight(1).build());
    private final WebClient client = WebClient.builder()
            .filter(GroupExchangeFilterFunction.byHost(executor, "partner:"))
            .build();
    private final Partner partner = new Partner();

    GroupExchangeFilterFunctionTests() throws Exception {}

    @AfterEach
    void stop() {
        partner.close();
        executor.close();
    }

    private GroupStats group() {
        return executor.groupStats(GROUP).orElseThrow();
    }

    private void awaitBack() {
        Deadline.until("the permit is back", () -> group().inFlight() == 0);
    }

    private Mono<String> get(String path) {
        return client.get().uri(partner.url(path)).retrieve().bodyToMono(String.class);
    }

    @Test
    void aCallWaitsUntilTheBodyOfTheOneBeforeItIsComplete() {
        CompletableFuture<String> first = get("/halfway").toFuture();
        partner.asked.passStubbornly();
        CompletableFuture<String> second = get("/quick").toFuture();
        Deadline.until("one waits", () -> group().queued() == 1);
        partner.gate.open();

        assertThat(first).succeedsWithin(Deadline.LONG).isEqualTo("first, second");
        assertThat(second).succeedsWithin(Deadline.LONG).isEqualTo("quick");
        awaitBack();
    }

    @Test
    void aResponseWhoseBodyNobodyWantsGivesItsPermitBack() {
        assertThat(client.get()
                        .uri(partner.url("/quick"))
                        .exchangeToMono(response -> Mono.just(response.statusCode()))
                        .block(Deadline.LONG))
                .isEqualTo(HttpStatusCode.valueOf(200));
        awaitBack();

        client.get().uri(partner.url("/quick")).retrieve().toBodilessEntity().block(Deadline.LONG);
        awaitBack();
    }

    @Test
    void aFailedCallGivesItsPermitBack() {
        assertThatExceptionOfType(WebClientResponseException.class)
                .isThrownBy(() -> get("/broken").block(Deadline.LONG));
        awaitBack();

        Mono<String> nobody = get("/quick");
        partner.close();
        assertThatExceptionOfType(WebClientRequestException.class).isThrownBy(() -> nobody.block(Deadline.LONG));
        awaitBack();
    }

    @Test
    void aCancelledCallLeavesTheQueueOrGivesItsPermitBack() {
        Disposable first = get("/halfway").subscribe();
        partner.asked.passStubbornly();
        Disposable second = get("/quick").subscribe();
        Deadline.until("one waits", () -> group().queued() == 1);

        second.dispose();
        assertThat(group().queued()).isZero();
        assertThat(group().inFlight()).isEqualTo(1);

        first.dispose();
        awaitBack();
    }

    @Test
    void whoIsCancelledHearsOfItUnderItsPermit() {
        AtomicInteger atCancel = new AtomicInteger();
        GroupExchangeFilterFunction filter = GroupExchangeFilterFunction.by(executor, request -> "cancelled");
        ClientRequest request = ClientRequest.create(HttpMethod.GET, URI.create("http://partner"))
                .build();
        Runnable look = () -> atCancel.set(inFlight("cancelled"));

        Disposable call = filter.filter(
                        request, sent -> Mono.<ClientResponse>never().doOnCancel(look))
                .subscribe();
        Deadline.until("it is sent", () -> inFlight("cancelled") == 1);
        call.dispose();
        assertThat(atCancel.getAndSet(0)).isEqualTo(1);
        Deadline.until("the permit is back", () -> inFlight("cancelled") == 0);

        Flux<DataBuffer> body = Flux.<DataBuffer>never().doOnCancel(look);
        Disposable response = filter.filter(
                        request,
                        sent -> Mono.just(
                                ClientResponse.create(HttpStatus.OK).body(body).build()))
                .flatMapMany(answer -> answer.body(BodyExtractors.toDataBuffers()))
                .subscribe();
        Deadline.until("the body is awaited", () -> inFlight("cancelled") == 1);
        response.dispose();
        assertThat(atCancel).hasValue(1);
        Deadline.until("the permit is back", () -> inFlight("cancelled") == 0);
    }

    private int inFlight(String key) {
        return executor.groupStats(key).map(GroupStats::inFlight).orElse(0);
    }

    @Test
    void aCallUnderAnEnclosingPermitTakesNoSecondPlace() throws Exception {
        try (GroupPermit permit = executor.acquire("outer")) {
            EnclosingPermit enclosing = new EnclosingPermit(executor, permit, null);

            assertThat(permit.call(() -> get("/quick").block(Deadline.LONG))).isEqualTo("quick");
            assertThat(get("/quick")
                            .contextWrite(Context.of(EnclosingPermit.class, enclosing))
                            .block(Deadline.LONG))
                    .isEqualTo("quick");
        }
    }

    @Test
    void aCallInsideAMethodOfItsGroupSharesThePermit() throws Exception {
        assertThat(executor.call(GROUP, () -> get("/quick").block(Deadline.LONG)))
                .isEqualTo("quick");
        awaitBack();
    }

    @Test
    void whatAFilterFurtherInCallsIsInsideTheCall() {
        WebClient signed = client.mutate()
                .filter((request, next) -> get("/quick").then(next.exchange(request)))
                .build();

        assertThat(signed.get()
                        .uri(partner.url("/quick"))
                        .retrieve()
                        .bodyToMono(String.class)
                        .block(Deadline.LONG))
                .isEqualTo("quick");
        awaitBack();
    }

    @Test
    void aFilterFurtherInMayCallInAnotherGroup() {
        WebClient tokens = WebClient.builder()
                .filter(GroupExchangeFilterFunction.by(executor, request -> "tokens"))
                .build();
        WebClient signed = client.mutate()
                .filter((request, next) -> tokens.get()
                        .uri(partner.url("/quick"))
                        .retrieve()
                        .bodyToMono(String.class)
                        .then(next.exchange(request)))
                .build();

        assertThat(signed.get()
                        .uri(partner.url("/quick"))
                        .retrieve()
                        .bodyToMono(String.class)
                        .block(Deadline.LONG))
                .isEqualTo("quick");
        awaitBack();
    }

    @Test
    void whatAFilterFurtherInDoesBeforeItReturnsIsInsideTheCall() {
        WebClient signed = client.mutate()
                .filter((request, next) -> {
                    executor.enclosingPermit(GROUP).orElseThrow().close();
                    return next.exchange(request);
                })
                .build();

        assertThat(signed.get()
                        .uri(partner.url("/quick"))
                        .retrieve()
                        .bodyToMono(String.class)
                        .block(Deadline.LONG))
                .isEqualTo("quick");
        awaitBack();
    }

    /** {@return calls that are answered on the thread that subscribes to them} */
    private static Mono<String> getAtOnce(GroupExecutor executor, ExchangeFunction server) {
        return WebClient.builder()
                .filter(GroupExchangeFilterFunction.by(executor, request -> GROUP))
                .exchangeFunction(server)
                .build()
                .get()
                .retrieve()
                .bodyToMono(String.class);
    }

    private static Mono<ClientResponse> answer() {
        return Mono.just(ClientResponse.create(HttpStatus.OK).body("quick").build());
    }

    @Test
    void aCallThatIsAnsweredAtOnceGivesItsPermitBackBeforeItsCallerGoesOn() throws Exception {
        try (GroupExecutor full = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .defaults(GroupLimits.unset().withMaxConcurrency(1).withQueueThreshold(0))
                .build())) {
            Mono<String> get = getAtOnce(full, request -> answer());

            assertThat(get.flatMap(first -> get).block(Deadline.LONG)).isEqualTo("quick");
            assertThat(get.flatMap(first -> get.subscribeOn(Schedulers.boundedElastic()))
                            .block(Deadline.LONG))
                    .isEqualTo("quick");
            assertThat(Deadline.within(() -> get.map(first -> get.block()).block()))
                    .isEqualTo("quick");
        }
    }

    @Test
    void aCallThatAnotherThreadAnswersMeanwhileGivesItsPermitBackBeforeItsCallerGoesOn() {
        try (GroupExecutor full = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .defaults(GroupLimits.unset().withMaxConcurrency(1).withQueueThreshold(0))
                .build())) {
            Mono<String> get = getAtOnce(
                    full,
                    request -> Mono.create(sink -> {
                        CompletableFuture<Disposable> answered =
                                CompletableFuture.supplyAsync(() -> answer().subscribe(sink::success));
                        assertThat(answered).succeedsWithin(Deadline.LONG);
                    }));

            assertThat(get.flatMap(first -> get).block(Deadline.LONG)).isEqualTo("quick");
        }
    }

    @Test
    void aCallThatFailsAtOnceGivesItsPermitBackBeforeItsCallerGoesOn() {
        try (GroupExecutor full = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .defaults(GroupLimits.unset().withMaxConcurrency(1).withQueueThreshold(0))
                .build())) {
            AtomicInteger tries = new AtomicInteger();
            Mono<String> get = getAtOnce(
                    full,
                    request -> tries.incrementAndGet() == 1 ? Mono.error(new IOException("on purpose")) : answer());

            assertThat(get.onErrorResume(failure -> get).block(Deadline.LONG)).isEqualTo("quick");
            assertThat(full.stats().totals().failed()).isEqualTo(1);
        }
    }

    @Test
    void whatIsNotLetInEndsWithTheRejection() throws Exception {
        GroupPermit permit = executor.acquire(GROUP);
        CompletableFuture<String> waiting = get("/quick").toFuture();
        Deadline.until("one waits", () -> group().queued() == 1);
        executor.shutdown();

        assertThat(waiting)
                .failsWithin(Deadline.LONG)
                .withThrowableThat()
                .havingCause()
                .satisfies(GroupExchangeFilterFunctionTests::assertShutDown);
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> get("/quick").block(Deadline.LONG))
                .satisfies(GroupExchangeFilterFunctionTests::assertShutDown);
        permit.close();
    }

    private static void assertShutDown(Throwable failure) {
        assertThat(failure)
                .isInstanceOfSatisfying(
                        RejectedTaskException.class,
                        rejection -> assertThat(rejection.reason()).isEqualTo(RejectionReason.SHUTDOWN));
    }

    @ParameterizedTest
    @CsvSource({"http://slow_partner:8080/a, partner:slow_partner", "http://LOCALHOST/a, partner:localhost"})
    void theHostIsThatOfTheAddressHoweverItIsSpelled(URI address, String groupKey) {
        String answer = client.mutate()
                .exchangeFunction(request -> answer())
                .build()
                .get()
                .uri(address)
                .retrieve()
                .bodyToMono(String.class)
                .block(Deadline.LONG);

        assertThat(answer).isEqualTo("quick");
        assertThat(executor.groupKeys()).containsExactly(groupKey);
    }

    @Test
    void theKeyMayBeOnesOwnAndWithoutOneACallIsNotLimited() {
        WebClient own = WebClient.builder()
                .filter(GroupExchangeFilterFunction.by(
                        executor,
                        request -> request.headers().getFirst("X-Free") != null ? null : "method:" + request.method()))
                .build();

        own.get()
                .uri(partner.url("/quick"))
                .exchangeToMono(ClientResponse::releaseBody)
                .block(Deadline.LONG);
        own.get()
                .uri(partner.url("/quick"))
                .header("X-Free", "yes")
                .exchangeToMono(ClientResponse::releaseBody)
                .block(Deadline.LONG);

        assertThat(executor.groupKeys()).containsExactly("method:GET");
        assertThat(executor.stats().totals().submitted()).isEqualTo(1);
    }
}
