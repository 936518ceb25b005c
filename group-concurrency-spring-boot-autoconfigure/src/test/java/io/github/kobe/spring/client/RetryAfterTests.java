package io.github.kobe.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.client.Partner.Refusal;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.client.HttpStatusCodeException;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientResponseException;

/** A real server that says when it wants to be asked again, and the group of those who ask, one at a time. */
@Tag("RA10")
@ExtendWith(OutputCaptureExtension.class)
class RetryAfterTests {

    private static final String GROUP = "partner:localhost";
    private static final String SETTING = "group-concurrency.client.honour-retry-after=5m";
    private static final Duration LONGEST = Duration.ofMinutes(5);

    private final Partner partner = new Partner();
    private final ApplicationContextRunner unset = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyClientAutoConfiguration.class));
    private final ApplicationContextRunner set = unset.withPropertyValues(SETTING);

    RetryAfterTests() throws Exception {}

    @AfterEach
    void stop() {
        partner.close();
    }

    /** How the server is called. */
    private enum Client {
        REST,
        WEB;

        /** {@return the body of the answer} */
        private String get(GroupExecutor executor, String url) {
            return this == REST
                    ? String.valueOf(RestClient.builder()
                            .requestInterceptor(GroupClientHttpRequestInterceptor.byHost(executor, "partner:"))
                            .build()
                            .get()
                            .uri(url)
                            .retrieve()
                            .body(String.class))
                    : String.valueOf(WebClient.builder()
                            .filter(GroupExchangeFilterFunction.byHost(executor, "partner:"))
                            .build()
                            .get()
                            .uri(url)
                            .retrieve()
                            .bodyToMono(String.class)
                            .block(Deadline.LONG));
        }

        private static int statusOf(Throwable failure) {
            return failure instanceof HttpStatusCodeException ofRest
                    ? ofRest.getStatusCode().value()
                    : ((WebClientResponseException) failure).getStatusCode().value();
        }

        private static String bodyOf(Throwable failure) {
            return failure instanceof HttpStatusCodeException ofRest
                    ? ofRest.getResponseBodyAsString()
                    : ((WebClientResponseException) failure).getResponseBodyAsString();
        }
    }

    private static ContextConsumer<AssertableApplicationContext> withExecutor(Use use) {
        return context -> use.of(context.getBean(GroupExecutor.class));
    }

    private interface Use {
        void of(GroupExecutor executor) throws Exception;
    }

    private CompletableFuture<String> later(Client client, GroupExecutor executor) {
        return CompletableFuture.supplyAsync(
                () -> client.get(executor, partner.url("/busy")), Thread::startVirtualThread);
    }

    /** The next call is refused, at once. */
    private void refuse(Client client, GroupExecutor executor, int status, @Nullable String retryAfter) {
        partner.refusals.add(new Refusal(status, retryAfter, false));
        partner.gate.open();
        assertRefused(catchThrowable(() -> client.get(executor, partner.url("/busy"))), status);
    }

    private static void assertRefused(@Nullable Throwable failure, int status) {
        assertThat(failure)
                .isInstanceOfAny(HttpStatusCodeException.class, WebClientResponseException.class)
                .satisfies(refusal -> {
                    assertThat(Client.statusOf(refusal)).isEqualTo(status);
                    assertThat(Client.bodyOf(refusal)).isEqualTo("busy");
                });
    }

    private static void inside(String group, GroupExecutor executor, Runnable calls) throws Exception {
        executor.call(group, () -> {
            calls.run();
            return null;
        });
    }

    private static Throwable failureOf(CompletableFuture<String> call) throws Exception {
        return Deadline.within(() -> catchThrowable(call::join)).getCause();
    }

    private static GroupStats group(GroupExecutor executor) {
        return executor.groupStats(GROUP).orElseThrow();
    }

    private static Duration pauseOf(GroupExecutor executor) {
        return group(executor).pauseEndsIn().orElse(Duration.ZERO);
    }

    @ParameterizedTest
    @EnumSource
    void whatWaitsIsNotSentBeforeTheTimeThatTheAnswerAsksFor(Client client) {
        set.run(withExecutor(executor -> {
            partner.refusals.add(new Refusal(429, "1", false));
            CompletableFuture<String> first = later(client, executor);
            partner.asked.passStubbornly();
            CompletableFuture<String> second = later(client, executor);
            CompletableFuture<String> third = later(client, executor);
            Deadline.until("two wait", () -> group(executor).queued() == 2);
            partner.gate.open();

            assertRefused(failureOf(first), 429);
            assertThat(second).succeedsWithin(Deadline.LONG).isEqualTo("at last");
            assertThat(third).succeedsWithin(Deadline.LONG).isEqualTo("at last");
            assertThat(partner.arrivals).hasSize(3);
            assertThat(Duration.ofNanos(partner.arrivals.get(1) - partner.refused.get()))
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        }));
    }

    /** Else the next one would begin with the permit of the one that was refused. */
    @ParameterizedTest
    @EnumSource
    void theGroupIsPausedBeforeThePermitIsBack(Client client) {
        set.run(withExecutor(executor -> {
            partner.refusals.add(new Refusal(503, "120", false));
            CompletableFuture<String> first = later(client, executor);
            partner.asked.passStubbornly();
            CompletableFuture<String> second = later(client, executor);
            CompletableFuture<String> third = later(client, executor);
            Deadline.until("two wait", () -> group(executor).queued() == 2);
            partner.gate.open();

            assertRefused(failureOf(first), 503);
            Deadline.until("the permit is back", () -> group(executor).inFlight() == 0);
            assertThat(pauseOf(executor)).isBetween(Duration.ofSeconds(90), Duration.ofSeconds(120));
            assertThat(group(executor).queued()).isEqualTo(2);
            assertThat(partner.arrivals).hasSize(1);

            executor.resume(GROUP);
            assertThat(second).succeedsWithin(Deadline.LONG);
            assertThat(third).succeedsWithin(Deadline.LONG);
        }));
    }

    @ParameterizedTest
    @EnumSource
    void thePauseBeginsWithTheAnswerAndNotWithTheEndOfItsBody(Client client) {
        set.run(withExecutor(executor -> {
            partner.refusals.add(new Refusal(429, "120", true));
            CompletableFuture<String> call = later(client, executor);

            Deadline.until(
                    "the group is paused",
                    () -> executor.groupStats(GROUP).map(GroupStats::paused).orElse(false));
            assertThat(group(executor).inFlight()).isEqualTo(1);

            partner.gate.open();
            assertRefused(failureOf(call), 429);
        }));
    }

    @ParameterizedTest
    @EnumSource
    void aDateCountsAsTheTimeUntilThen(Client client) {
        set.run(withExecutor(executor -> {
            String inTwoMinutes = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                    ZonedDateTime.now(ZoneOffset.UTC).plusMinutes(2));

            refuse(client, executor, 429, inTwoMinutes);

            assertThat(pauseOf(executor)).isBetween(Duration.ofSeconds(90), Duration.ofSeconds(120));
        }));
    }

    @ParameterizedTest
    @EnumSource
    void noAnswerPausesAGroupForLongerThanTheSettingAllows(Client client) {
        set.run(withExecutor(executor -> {
            refuse(client, executor, 503, "99999999999999999999");

            assertThat(pauseOf(executor)).isBetween(LONGEST.minusSeconds(30), LONGEST);
        }));
    }

    @ParameterizedTest
    @CsvSource(nullValues = "none", textBlock = """
        REST, 429, none
        REST, 429, 0
        REST, 503, soon
        REST, 500, 120
        REST, 403, 120
        WEB, 429, none
        WEB, 503, -120
        WEB, 429, 1.5
        WEB, 500, 120
        """)
    void noOtherAnswerPausesAnything(Client client, int status, @Nullable String retryAfter) {
        set.run(withExecutor(executor -> {
            refuse(client, executor, status, retryAfter);

            assertThat(group(executor).paused()).isFalse();
            assertThat(client.get(executor, partner.url("/busy"))).isEqualTo("at last");
        }));
    }

    @ParameterizedTest
    @EnumSource
    void withoutTheSettingNothingIsPaused(Client client) {
        unset.run(withExecutor(executor -> {
            refuse(client, executor, 429, "120");

            assertThat(group(executor).paused()).isFalse();
        }));
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheGroupOfTheCallIsPausedAndNoneAroundIt(Client client) {
        set.run(withExecutor(executor -> {
            inside("outer", executor, () -> refuse(client, executor, 429, "120"));

            assertThat(group(executor).paused()).isTrue();
            assertThat(executor.groupStats("outer").orElseThrow().paused()).isFalse();
        }));
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatSharesThePermitOfItsGroupPausesTheGroupToo(Client client) {
        set.run(withExecutor(executor -> {
            inside(GROUP, executor, () -> refuse(client, executor, 429, "120"));

            assertThat(group(executor).paused()).isTrue();
        }));
    }

    @ParameterizedTest
    @EnumSource
    void aPauseThatIsLongerStaysAsItIs(Client client) {
        set.run(withExecutor(executor -> inside(GROUP, executor, () -> {
            executor.pause(GROUP, Duration.ofHours(1));
            refuse(client, executor, 429, "120");
            assertThat(pauseOf(executor)).isGreaterThan(Duration.ofMinutes(59));

            executor.pause(GROUP);
            refuse(client, executor, 429, "120");
            assertThat(group(executor).paused()).isTrue();
            assertThat(group(executor).pauseEndsIn()).isEmpty();
        })));
    }

    @Test
    void aRetryFurtherOutWaitsForTheEndOfThePause() {
        set.run(withExecutor(executor -> {
            partner.refusals.add(new Refusal(429, "120", false));
            CompletableFuture<String> call = WebClient.builder()
                    .filter(GroupExchangeFilterFunction.byHost(executor, "partner:"))
                    .build()
                    .get()
                    .uri(partner.url("/busy"))
                    .retrieve()
                    .bodyToMono(String.class)
                    .retry(1)
                    .toFuture();
            partner.gate.open();

            Deadline.until(
                    "the second attempt waits",
                    () -> executor.groupStats(GROUP)
                            .filter(group -> group.queued() == 1 && group.paused())
                            .isPresent());
            assertThat(partner.arrivals).hasSize(1);

            executor.resume(GROUP);
            assertThat(call).succeedsWithin(Deadline.LONG).isEqualTo("at last");
        }));
    }

    @Test
    void theLogTellsOnceThatAGroupIsPaused(CapturedOutput output) {
        set.run(withExecutor(executor -> inside(GROUP, executor, () -> {
            refuse(Client.REST, executor, 503, "7");
            refuse(Client.WEB, executor, 503, "3600");

            assertThat(output.getOut())
                    .containsOnlyOnce("Group 'partner:localhost' is paused for PT7S, since a call was answered with"
                            + " status 503 and Retry-After")
                    .doesNotContain("PT5M");
        })));
    }

    @ParameterizedTest
    @EnumSource
    void aFailureInPausingIsLoggedAndChangesNoAnswer(Client client, CapturedOutput output) {
        unset.run(withExecutor(executor -> {
            RetryAfter.allow(executor, Duration.ZERO); // which the executor refuses

            refuse(client, executor, 429, "120");

            assertThat(group(executor).paused()).isFalse();
            assertThat(output.getOut())
                    .containsOnlyOnce("Group 'partner:localhost' isn't paused, whatever an answer asked for");
        }));
    }

    @Test
    void anAnswerThatCantBeReadIsLeftToItsReader() {
        set.run(withExecutor(executor -> {
            RetryAfter.honour(
                    executor,
                    GROUP,
                    () -> {
                        throw new IOException("gone");
                    },
                    HttpHeaders::new);
            RetryAfter.honour(executor, GROUP, () -> HttpStatusCode.valueOf(429), () -> {
                throw new LinkageError("gone");
            });

            assertThat(executor.groupStats(GROUP)).isEmpty();
        }));
    }

    @Test
    void executorsOfTheApplicationsOwnArePausedToo() {
        set.withBean(
                        "own",
                        GroupExecutor.class,
                        () -> GroupExecutor.newVirtualThreadExecutor(
                                GroupPolicy.builder().build()))
                .run(withExecutor(executor -> {
                    refuse(Client.REST, executor, 429, "120");

                    assertThat(group(executor).paused()).isTrue();
                }));
    }

    @Test
    void whereNothingIsSetOrNobodyCanCallThereIsNoBeanForIt() {
        unset.run(context -> assertThat(context).doesNotHaveBean(PausableExecutors.class));
        set.run(context -> assertThat(context).hasSingleBean(PausableExecutors.class));
        set.withClassLoader(new FilteredClassLoader(HttpHeaders.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(PausableExecutors.class));
        set.withPropertyValues("group-concurrency.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(PausableExecutors.class));
    }

    private static final Instant NOW = Instant.parse("1994-11-06T08:49:30Z");

    private static HttpHeaders headers(String... values) {
        HttpHeaders headers = new HttpHeaders();
        for (String value : values) {
            headers.add("retry-after", value);
        }
        return headers;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        120                              | PT2M
        007                              | PT7S
        999999999                        | PT277777H46M39S
        Sun, 06 Nov 1994 08:49:37 GMT    | PT7S
        Sun Nov 06 08:49:37 1994         | PT7S
        Sunday, 06-Nov-44 08:49:30 GMT   | PT438312H
        """)
    void secondsAndDatesInAllFormsOfHttpAreRead(String header, Duration time) {
        assertThat(RetryAfter.in(headers(header), NOW)).contains(time);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "0",
                "000",
                "-1",
                "+1",
                "1.5",
                "1e3",
                "5s",
                "PT5S",
                "5, 10",
                "٥",
                "soon",
                "Sun, 06 Nov 1994 08:49:30 GMT",
                "Sun, 06 Nov 1994 08:49:29 GMT",
                "Mon, 06 Nov 1994 08:49:37 GMT",
                "1994-11-06T08:49:37Z"
            })
    void zeroDatesInThePastAndNonsenseAreNoTime(String header) {
        assertThat(RetryAfter.in(headers(header), NOW)).isEmpty();
    }

    @Test
    void ofSeveralHeadersTheFirstCounts() {
        assertThat(RetryAfter.in(headers("7", "120"), NOW)).contains(Duration.ofSeconds(7));
        assertThat(RetryAfter.in(headers("soon", "120"), NOW)).isEmpty();
        assertThat(RetryAfter.in(headers(), NOW)).isEmpty();
    }
}
