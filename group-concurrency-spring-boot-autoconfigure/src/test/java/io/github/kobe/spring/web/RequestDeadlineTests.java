package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestDeadlineTests {

    /** Far more than it takes to read a header. */
    private static final Duration CLOSE = Duration.ofMinutes(1);

    @ParameterizedTest
    @CsvSource({
        "7200000, PT2H",
        "' 7200000 ', PT2H",
        "2H, PT2H",
        "120M, PT2H",
        "7200S, PT2H",
        "7200000m, PT2H",
        "7200000000u, PT2H",
        "7200000000000n, PT2H"
    })
    void aNumberIsATimeFromNowOnInMillisecondsOrInItsUnit(String said, Duration left) {
        assertThat(RequestDeadline.of(null, said).left()).isBetween(left.minus(CLOSE), left);
    }

    @ParameterizedTest
    @ValueSource(strings = {"999999999999999999H", "+1000000000-12-31T23:59:59Z"})
    void whatIsTooFarAwayIsLongAfterAllElse(String said) {
        assertThat(RequestDeadline.of(null, said).left()).isGreaterThan(Duration.ofDays(50_000));
    }

    @Test
    void anInstantIsItself() {
        RequestDeadline deadline =
                RequestDeadline.of(null, Instant.now().plus(Duration.ofHours(2)).toString());

        assertThat(deadline.left()).isBetween(Duration.ofHours(2).minus(CLOSE), Duration.ofHours(2));
        assertThat(deadline.isPassed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0m", "1970-01-01T00:00:00Z", "-1000000000-01-01T00:00:00Z"})
    void whatHasPassedHasPassed(String said) {
        assertThat(RequestDeadline.of(null, said).isPassed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "-5", "5s", "1.5", "12:00", "9999999999999999999", "٣٠٠٠"})
    void whatCannotBeReadIsNoDeadline(String said) {
        assertThat(RequestDeadline.of(null, said)).isNull();
    }

    @Test
    void whatTheApplicationHasSetCountsBeforeTheHeader() {
        assertThat(RequestDeadline.of(Instant.MIN, "7200000").isPassed()).isTrue();
        assertThat(RequestDeadline.of(Instant.MAX, "0").isPassed()).isFalse();
        assertThat(RequestDeadline.of("0", null)).isNull();
    }
}
