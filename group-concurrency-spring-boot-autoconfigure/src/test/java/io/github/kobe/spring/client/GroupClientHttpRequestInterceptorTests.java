package io.github.kobe.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.testing.Deadline;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

/** Calls of a real server, one at a time and one in all. */
class GroupClientHttpRequestInterceptorTests {

    private static final String GROUP = "partner:localhost";

    private final GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
            GroupPolicy.builder().globalMaxInFlight(1).build());
    private final RestClient client = RestClient.builder()
            .requestInterceptor(GroupClientHttpRequestInterceptor.byHost(executor, "partner:"))
            .build();
    private final Partner partner = new Partner();

    GroupClientHttpRequestInterceptorTests() throws Exception {}

    @AfterEach
    void stop() {
        partner.close();
        executor.close();
    }

    private GroupStats group() {
        return executor.groupStats(GROUP).orElseThrow();
    }

    private String get(String path) {
        return client.get().uri(partner.url(path)).retrieve().body(String.class);
    }

    private CompletableFuture<String> onThreadOfItsOwn(String path) {
        return CompletableFuture.supplyAsync(() -> get(path), Thread::startVirtualThread);
    }

    @Test
    void aCallWaitsForThoseOfItsHost() {
        CompletableFuture<String> first = onThreadOfItsOwn("/halfway");
        partner.asked.passStubbornly();
        CompletableFuture<String> second = onThreadOfItsOwn("/quick");
        Deadline.until("one waits", () -> group().queued() == 1);
        partner.gate.open();

        assertThat(first).succeedsWithin(Deadline.LONG).isEqualTo("first, second");
        assertThat(second).succeedsWithin(Deadline.LONG).isEqualTo("quick");
        assertThat(group().running()).isZero();
        assertThat(group().totals().succeeded()).isEqualTo(2);
    }

    @Test
    void aResponseHoldsThePermitUntilItIsClosed() {
        ClientHttpResponse open =
                client.get().uri(partner.url("/quick")).exchange((request, response) -> response, false);
        assertThat(group().running()).isEqualTo(1);

        open.close();
        open.close();

        assertThat(group().running()).isZero();
    }

    @Test
    void aThreadThatHasAResponseOpenSharesItsPermitForTheNextCall() {
        ClientHttpResponse open =
                client.get().uri(partner.url("/quick")).exchange((request, response) -> response, false);

        assertThat(get("/quick")).isEqualTo("quick");

        assertThat(group().running()).isEqualTo(1);
        open.close();
        assertThat(group().running()).isZero();
        assertThat(get("/quick")).isEqualTo("quick");
    }

    @Test
    void aResponseThatAnotherThreadReadsIsNotSharedByTheNextCallOfItsFirstThread() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            ClientHttpResponse open = pool.submit(() ->
                            client.get().uri(partner.url("/quick")).exchange((request, response) -> response, false))
                    .get(Deadline.SECONDS, TimeUnit.SECONDS);
            assertThat(open.getBody()).hasContent("quick");

            CompletableFuture<String> next = CompletableFuture.supplyAsync(() -> get("/quick"), pool);
            Deadline.until("it waits", () -> group().queued() == 1);
            open.close();

            assertThat(next).succeedsWithin(Deadline.LONG).isEqualTo("quick");
            assertThat(group().running()).isZero();
        } finally {
            Deadline.close(pool);
        }
    }

    @Test
    void aFailedCallGivesItsPermitBack() throws Exception {
        assertThatExceptionOfType(HttpServerErrorException.class).isThrownBy(() -> get("/broken"));
        assertThat(group().running()).isZero();

        String nobody = partner.url("/quick");
        partner.close();
        assertThatExceptionOfType(ResourceAccessException.class)
                .isThrownBy(() -> client.get().uri(nobody).retrieve().toBodilessEntity());
        assertThat(group().running()).isZero();
    }

    @Test
    void aCallInsideAMethodOfItsGroupOrOfAnotherTakesNoSecondPlace() throws Exception {
        assertThat(executor.call(GROUP, () -> get("/quick"))).isEqualTo("quick");
        assertThat(executor.call("outer", () -> get("/quick"))).isEqualTo("quick");
    }

    @Test
    void whatIsNotLetInThrowsTheRejection() throws Exception {
        GroupPermit permit = executor.acquire(GROUP);
        try {
            Thread.currentThread().interrupt();
            assertRejected(RejectionReason.INTERRUPTED);
            assertThat(Thread.interrupted()).isTrue();
        } finally {
            permit.close();
        }
        executor.shutdown();
        assertRejected(RejectionReason.SHUTDOWN);
    }

    private void assertRejected(RejectionReason reason) {
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> get("/quick"))
                .satisfies(rejection -> {
                    assertThat(rejection.reason()).isEqualTo(reason);
                    assertThat(rejection.groupKey()).isEqualTo(GROUP);
                });
    }

    @ParameterizedTest
    @CsvSource({
        "http://slow_partner:8080/a, partner:slow_partner",
        "http://user:secret@SLOW_PARTNER/a, partner:slow_partner",
        "http://LOCALHOST/a, partner:localhost",
        "http://[::1]:8080/a, partner:[::1]"
    })
    void theHostIsThatOfTheAddressHoweverItIsSpelled(URI address, String groupKey) throws Exception {
        ClientHttpRequestInterceptor byHost = GroupClientHttpRequestInterceptor.byHost(executor, "partner:");

        ClientHttpResponse open = byHost.intercept(
                new MockClientHttpRequest(HttpMethod.GET, address),
                new byte[0],
                (request, body) -> new MockClientHttpResponse(new byte[0], HttpStatus.OK));

        assertThat(executor.groupKeys()).containsExactly(groupKey);
        assertThat(executor.stats().running()).isEqualTo(1);
        open.close();
        assertThat(executor.stats().running()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a", "http://:8080/a", "mailto:somebody"})
    void aCallWithoutAHostIsNotLimited(URI address) throws Exception {
        ClientHttpRequestInterceptor byHost = GroupClientHttpRequestInterceptor.byHost(executor, "partner:");

        byHost.intercept(
                        new MockClientHttpRequest(HttpMethod.GET, address),
                        new byte[0],
                        (request, body) -> new MockClientHttpResponse(new byte[0], HttpStatus.OK))
                .close();

        assertThat(executor.groupKeys()).isEmpty();
    }

    @Test
    void theKeyMayBeOnesOwnAndWithoutOneACallIsNotLimited() {
        AtomicBoolean limited = new AtomicBoolean(true);
        RestTemplate template = new RestTemplate();
        template.getInterceptors()
                .add(GroupClientHttpRequestInterceptor.by(
                        executor, request -> limited.get() ? "method:" + request.getMethod() : null));

        assertThat(template.getForObject(partner.url("/quick"), String.class)).isEqualTo("quick");
        limited.set(false);
        assertThat(template.getForObject(partner.url("/quick"), String.class)).isEqualTo("quick");

        assertThat(executor.groupKeys()).containsExactly("method:GET");
        assertThat(executor.stats().totals().submitted()).isEqualTo(1);
    }
}
