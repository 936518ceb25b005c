package io.github.kobe.rollout.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchException;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RetryAfterException;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.StageFactory;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.http.Instance.Ill;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An instance that has no time now, and says when it will. */
@Tag("R152")
class RetryAfterTests extends HttpTestCase {

    /** {@return what the first step of the switch throws} */
    private Exception thrown(Instance... instances) throws Exception {
        AtomicReference<Exception> thrown = new AtomicReference<>();
        StageFactory watched = (task, change, settings, health) -> {
            Stage first = HttpStages.configSwitch()
                    .stages(task, change, settings, health)
                    .getFirst();
            return List.of(Stage.named("ConfigUpdate").step(context -> {
                Exception failure =
                        catchException(() -> first.steps().getFirst().execute(context));
                thrown.set(failure);
                if (failure != null) {
                    throw failure;
                }
            }));
        };
        TaskInfo task = ran(rollouts(builder -> builder.stages(watched)), change(instances));
        assertThat(message(task)).isEqualTo(thrown.get().getMessage());
        return thrown.get();
    }

    private Instance refusing(int status, String retryAfter) {
        Instance instance = instance(Ill.REFUSING);
        instance.refuseWith(status, retryAfter);
        return instance;
    }

    @ParameterizedTest
    @CsvSource({"503, 7, 7", "429, 0, 0", "503, 99999999999999999999, 86400"})
    void secondsAreTold(int status, String header, long seconds) throws Exception {
        Instance instance = refusing(status, header);

        assertThat(thrown(instance))
                .hasMessage("PUT " + instance.url() + "/config was answered with status " + status
                        + "; try again after " + Duration.ofSeconds(seconds))
                .isInstanceOfSatisfying(
                        RetryAfterException.class,
                        failure -> assertThat(failure.retryAfter()).isEqualTo(Duration.ofSeconds(seconds)));
    }

    @Test
    void aDateIsTheTimeUntilThen() throws Exception {
        String inAMinute = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                ZonedDateTime.now(ZoneOffset.UTC).plus(Duration.ofMinutes(2)));
        assertThat(thrown(refusing(503, inAMinute)))
                .isInstanceOfSatisfying(
                        RetryAfterException.class,
                        failure -> assertThat(failure.retryAfter())
                                .isBetween(Duration.ofMinutes(2).minus(Deadline.LONG), Duration.ofMinutes(2)));

        assertThat(thrown(refusing(503, "Sun, 06 Nov 1994 08:49:37 GMT")))
                .isInstanceOfSatisfying(
                        RetryAfterException.class,
                        failure -> assertThat(failure.retryAfter()).isZero());
    }

    @ParameterizedTest
    @CsvSource({"503, soon", "503, -1", "503, 1.5", "503, ''", "500, 7", "404, 7"})
    void anythingElseIsAFailureLikeOthers(int status, String header) throws Exception {
        assertThat(thrown(refusing(status, header)))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(RetryAfterException.class)
                .hasMessageEndingWith("status " + status);
    }

    @Test
    void ofSeveralInstancesTheLongestTimeCounts() throws Exception {
        assertThat(thrown(refusing(503, "5"), refusing(503, "60"), refusing(500, "")))
                .hasMessageStartingWith("3 of 3 requests failed: ")
                .isInstanceOfSatisfying(
                        RetryAfterException.class,
                        failure -> assertThat(failure.retryAfter()).isEqualTo(Duration.ofMinutes(1)));
    }

    @Test
    @Tag("R140")
    void whatIsRefusedIsSentAgainWhereASettingSaysSo() throws Exception {
        Instance busy = refusing(503, "0");
        Rollouts rollouts = rollouts(builder -> builder.stages(HttpStages.configSwitch())
                .setting("http.retries", "100")
                .setting("http.retry-wait", "1ms"));
        PlanId planId = rollouts.start(
                        RolloutPlan.named("plan-x").add(change(busy)).build())
                .planId();
        Deadline.until("it was refused, and has asked again", () -> {
            return Collections.frequency(busy.requests(), "PUT /config") > 1;
        });
        busy.become(Ill.WELL);

        assertThat(rollouts.await(planId, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        http.retries    | -1   | a number from 0 to 100
        http.retries    | 101  | a number from 0 to 100
        http.retries    | many | a number from 0 to 100
        http.retry-wait | 0s   | a duration of more than zero, up to 5 minutes, such as 500ms, 3s or PT3S
        http.retry-wait | 301s | a duration of more than zero, up to 5 minutes, such as 500ms, 3s or PT3S
        """)
    void howOftenIsANumberInItsRange(String setting, String value, String allowed) {
        assertThat(refusal(change("http://h:1").setting(setting, value)))
                .contains(setting + " is '" + value + "'; it must be " + allowed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http.retires", "http.Retries", "http.headers.X-Key", "health.pth"})
    void aSettingThatThereIsNotIsRefused(String misspelt) {
        assertThat(refusal(change("http://h:1").setting(misspelt, "1")))
                .contains("there is no setting " + misspelt + "; there are health.interval, health.max-attempts,")
                .contains("http.header.NAME, http.parallel, http.retries,");
    }

    @Test
    void aTimeOfLessThanZeroIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryAfterException("not now", Duration.ofSeconds(-1)))
                .withMessage("retryAfter is PT-1S; it must not be negative");
    }
}
