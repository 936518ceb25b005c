package io.github.kobe.rollout.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.HealthCheckClient;
import io.github.kobe.rollout.HttpTransport;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.http.Instance.Ill;
import io.github.kobe.testing.BodyServer;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No answer keeps a stage for longer than its time limit, or takes more memory than 64 kB. */
class HttpTimeLimitsTests extends HttpTestCase {

    @Test
    @Tag("R5")
    void anInstanceThatSendsHeadersAndNoBodyHasNotAnsweredInTime() throws Exception {
        try (BodyServer silent = BodyServer.silent()) {
            TaskInfo task = ran(rollouts(builder -> builder.setting("http.timeout", "200ms")), change(silent.url()));

            assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
            assertThat(message(task)).contains("PUT " + silent.url() + "/config failed: ", "no answer in PT0.2S");
            Deadline.until("the connection has ended", () -> silent.open() == 0);
        }
    }

    @Test
    @Tag("R5")
    void anEndlessAnswerIsAFailureThatSaysSo() throws Exception {
        try (BodyServer endless = BodyServer.endless()) {
            TaskInfo task = ran(rollouts(builder -> builder.setting("http.timeout", "1h")), change(endless.url()));

            assertThat(message(task))
                    .isEqualTo("PUT " + endless.url()
                            + "/config failed: java.io.IOException: the answer is longer than 65536 bytes");
            Deadline.until("the connection has ended", () -> endless.open() == 0);
        }
    }

    @Test
    @Tag("R69")
    void anEndlessAnswerIsNotHealthy() throws Exception {
        try (BodyServer endless = BodyServer.endless()) {
            Instance instance = instance(Ill.WELL);
            TaskInfo task = ran(
                    rollouts(builder -> builder.health(url -> overJdk().get(endless.url()))
                            .setting("health.max-attempts", "1")
                            .setting("health.timeout", "1h")),
                    change(instance));

            assertThat(task.stage()).isEqualTo("HealthCheck");
            assertThat(message(task)).contains(instance.url(), "the answer is longer than 65536 bytes");
        }
    }

    @Test
    @Tag("R69")
    void anAnswerMayHave65536Bytes() throws Exception {
        try (BodyServer longest = BodyServer.sized(65_536);
                BodyServer longer = BodyServer.sized(65_537)) {
            assertThat(Deadline.within(() -> overJdk().get(longest.url()))).isEqualTo(Map.of("version", 42L));
            assertThat(Deadline.within(() -> {
                        try {
                            return overJdk().get(longer.url());
                        } catch (IOException e) {
                            return e.getMessage();
                        }
                    }))
                    .isEqualTo("the answer is longer than 65536 bytes");
        }
    }

    private static HealthCheckClient overJdk() {
        return HealthCheckClient.over(HttpTransport.jdk());
    }

    @Test
    @Tag("R133")
    void aStageWhoseTimeIsUpHasEndedItsRequests() throws Exception {
        try (BodyServer silent = BodyServer.silent()) {
            HttpTransport jdk = HttpTransport.jdk();
            AtomicInteger under = new AtomicInteger();
            HttpTransport counting = call -> {
                under.incrementAndGet();
                try {
                    return jdk.send(call);
                } finally {
                    // takes a while to end
                    CompletableFuture.runAsync(
                                    under::decrementAndGet,
                                    CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS))
                            .join();
                }
            };

            TaskInfo task = ran(
                    rollouts(builder -> builder.stages(HttpStages.configSwitch(counting))
                            .setting("http.timeout", "1h")
                            .setting("http.stage-timeout", "2s")),
                    change(silent.url(), silent.url(), silent.url()));

            assertThat(under).hasValue(0);
            assertThat(message(task)).isEqualTo("stage ConfigUpdate took longer than PT2S");
            assertThat(silent.seen()).isEqualTo(3);
            Deadline.until("the connections have ended", () -> silent.open() == 0);
        }
    }

    /** A request of it may still be under way. */
    @Test
    @Tag("R5")
    void aTransportThatIgnoresInterruptsKeepsNoStage() throws Exception {
        Gate never = new Gate();
        HttpTransport deaf = call -> {
            never.passStubbornly();
            throw new IOException("too late");
        };
        try {
            TaskInfo task = ran(
                    rollouts(builder ->
                            builder.stages(HttpStages.configSwitch(deaf)).setting("http.timeout", "10ms")),
                    change("http://h:1"));

            assertThat(message(task)).contains("no answer in PT0.01S");
        } finally {
            never.open();
        }
    }

    @Test
    @Tag("R115")
    void aTimeLimitOfMoreThanAYearIsRefused() {
        assertThat(refusal(change("http://h:1")
                        .setting("http.stage-timeout", Duration.ofDays(366).toString())))
                .contains("http.stage-timeout is 'PT8784H'; it must be a duration of more than zero, up to 365 days");
    }
}
