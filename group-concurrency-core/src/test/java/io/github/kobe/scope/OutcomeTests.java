package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The values that tell how forks have ended. */
class OutcomeTests {

    private final Exception first = new Exception("first");
    private final Exception second = new Exception("second");

    @Test
    void whatNeitherSucceededNorWasCancelledHasFailed() {
        Outcome outcome = new Outcome(10, 6, 2, List.of(first, second));

        assertThat(outcome.failed()).isEqualTo(2);
        assertThat(outcome.hasFailures()).isTrue();
    }

    @Test
    void anOutcomeWithoutFailuresThrowsNothing() {
        Outcome outcome = new Outcome(3, 2, 1, List.of());

        assertThat(outcome.failed()).isZero();
        assertThat(outcome.hasFailures()).isFalse();
        assertThatNoException().isThrownBy(outcome::throwIfFailed);
    }

    @Test
    void anOutcomeWithFailuresThrowsThem() {
        assertThatExceptionOfType(ForksFailedException.class)
                .isThrownBy(new Outcome(3, 1, 0, List.of(first, second))::throwIfFailed)
                .withMessage("2 of 3 forks failed")
                .withCause(first)
                .satisfies(thrown -> assertThat(thrown.failures()).containsExactly(first, second));
    }

    @Test
    void theFailuresAreCopied() {
        List<Throwable> failures = new ArrayList<>(List.of(first));
        Outcome outcome = new Outcome(1, 0, 0, failures);

        failures.clear();

        assertThat(outcome.failures()).containsExactly(first).isUnmodifiable();
    }

    @ParameterizedTest
    @CsvSource({
        "-1, 0, 0, 'total must be at least 0, was -1'",
        "1, -1, 0, 'succeeded must be at least 0, was -1'",
        "1, 0, -1, 'cancelled must be at least 0, was -1'",
        "3, 2, 2, 'total must be succeeded + cancelled + failures, 4, was 3'",
        "3, 1, 1, 'total must be succeeded + cancelled + failures, 2, was 3'",
        "2147483647, 2147483647, 2147483647, 'total must be succeeded + cancelled + failures, 4294967294, was"
                + " 2147483647'"
    })
    void numbersThatCannotBeAreRefused(int total, int succeeded, int cancelled, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Outcome(total, succeeded, cancelled, List.of()))
                .withMessage(message);
    }

    @Test
    void moreFailuresThanForksAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Outcome(1, 0, 0, List.of(first, second)));
    }

    @Test
    void theFailuresMayNotBeNull() {
        assertThatNullPointerException().isThrownBy(() -> new Outcome(0, 0, 0, null));
        assertThatNullPointerException().isThrownBy(() -> new ForksFailedException("failed", null));
    }

    @Test
    void aStackTraceShowsTenFailuresAndTheExceptionHasThemAll() {
        List<Exception> failures = IntStream.range(0, 12)
                .mapToObj(i -> new Exception("failure " + i))
                .toList();

        ForksFailedException thrown = new ForksFailedException("12 of 12 forks failed", failures);

        assertThat(thrown.failures()).containsExactlyElementsOf(failures).isUnmodifiable();
        assertThat(thrown).hasCause(failures.getFirst());
        assertThat(thrown.getSuppressed()).containsExactlyElementsOf(failures.subList(1, 10));
    }

    @Test
    void theSameFailureMayComeTwice() {
        ForksFailedException thrown = new ForksFailedException("2 of 2 forks failed", List.of(first, first));

        assertThat(thrown.failures()).containsExactly(first, first);
    }

    @Test
    void totalsAddUp() {
        ScopeTotals totals = new Tally.Totals(5, 3, 2, 1, Duration.ofSeconds(12), Duration.ofSeconds(5), false);

        assertThat(totals.completed()).isEqualTo(6);
        assertThat(totals.average()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void nothingTookNoTime() {
        assertThat(new Tally.Totals(0, 0, 0, 0, Duration.ZERO, Duration.ZERO, false).average())
                .isZero();
    }
}
