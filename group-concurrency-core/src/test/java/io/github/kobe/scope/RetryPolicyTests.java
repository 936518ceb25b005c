package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("T38")
class RetryPolicyTests {

    private static final Duration FIRST = Duration.ofMillis(100);

    private final IOException failure = new IOException("failed");

    @Test
    void noneAllowsOneAttempt() {
        assertThat(RetryPolicy.none().allowsAnother(1, failure)).isFalse();
    }

    @Test
    void soManyAttemptsAreAllowedAndNoMore() {
        RetryPolicy policy = RetryPolicy.attempts(3);

        assertThat(policy.allowsAnother(1, failure)).isTrue();
        assertThat(policy.allowsAnother(2, failure)).isTrue();
        assertThat(policy.allowsAnother(3, failure)).isFalse();
    }

    @Test
    void oneToAHundredAttemptsCanBeAskedFor() {
        assertThat(RetryPolicy.attempts(1).allowsAnother(1, failure)).isFalse();
        assertThat(RetryPolicy.attempts(100).allowsAnother(99, failure)).isTrue();
        assertThat(RetryPolicy.attempts(100).allowsAnother(100, failure)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 101, Integer.MAX_VALUE})
    void otherNumbersOfAttemptsAreRefused(int attempts) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryPolicy.attempts(attempts))
                .withMessage("attempts must be 1 to 100, was " + attempts);
    }

    @Test
    void thereIsNoPauseAtFirst() {
        RetryPolicy policy = RetryPolicy.attempts(3);

        assertThat(policy.delayNanos(1)).isZero();
        assertThat(policy.delayNanos(2)).isZero();
    }

    @Test
    void aDelayIsTheSameAfterEachAttempt() {
        RetryPolicy policy = RetryPolicy.attempts(9).withDelay(FIRST);

        assertThat(policy.delayNanos(1)).isEqualTo(FIRST.toNanos());
        assertThat(policy.delayNanos(8)).isEqualTo(FIRST.toNanos());
    }

    @ParameterizedTest
    @CsvSource({"1, 100", "2, 200", "3, 400", "4, 800", "5, 1000", "99, 1000"})
    void anExponentialDelayGrowsUpToTheLongest(int attempt, long millis) {
        RetryPolicy policy = RetryPolicy.attempts(100).withExponentialDelay(FIRST, 2, Duration.ofSeconds(1));

        assertThat(policy.delayNanos(attempt)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void theLastDelaySetCounts() {
        RetryPolicy exponential = RetryPolicy.attempts(3)
                .withDelay(Duration.ofSeconds(9))
                .withExponentialDelay(FIRST, 3, Duration.ofSeconds(1));

        assertThat(exponential.delayNanos(2)).isEqualTo(FIRST.multipliedBy(3).toNanos());
        assertThat(exponential.withDelay(FIRST).delayNanos(2)).isEqualTo(FIRST.toNanos());
    }

    /** What is too long for a number of nanoseconds lasts for as long as the number can say. */
    @Test
    void aDelayWithoutEndDoesNotOverflow() {
        RetryPolicy policy = RetryPolicy.attempts(100)
                .withExponentialDelay(
                        Duration.ofSeconds(Long.MAX_VALUE), Double.MAX_VALUE, Duration.ofSeconds(Long.MAX_VALUE));

        assertThat(policy.delayNanos(1)).isEqualTo(Long.MAX_VALUE);
        assertThat(policy.delayNanos(99)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void noDelayGrowsToNone() {
        RetryPolicy policy =
                RetryPolicy.attempts(100).withExponentialDelay(Duration.ZERO, Double.MAX_VALUE, Duration.ofDays(1));

        assertThat(policy.delayNanos(99)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"0, 100", "0.5, 75", "1, 50"})
    void jitterShortensADelayByUpToItsShare(double random, long millis) {
        RetryPolicy policy = RetryPolicy.attempts(3).withDelay(FIRST).withJitter(0.5);

        assertThat(policy.delayNanos(1, random)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void jitterIsRandom() {
        RetryPolicy policy = RetryPolicy.attempts(3).withJitter(1).withDelay(Duration.ofDays(1));

        long one = policy.delayNanos(1);

        assertThat(one).isBetween(0L, Duration.ofDays(1).toNanos());
        assertThat(policy.delayNanos(1)).isNotEqualTo(one);
    }

    @Test
    void aNegativeDelayIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryPolicy.attempts(2).withDelay(Duration.ofNanos(-1)))
                .withMessage("delay must be zero or more, was PT-0.000000001S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryPolicy.attempts(2).withExponentialDelay(Duration.ofNanos(-1), 2, FIRST))
                .withMessageStartingWith("first must be zero or more");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.99, 0, -1, Double.NaN, Double.POSITIVE_INFINITY})
    void aFactorThatDoesNotGrowIsRefused(double factor) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryPolicy.attempts(2).withExponentialDelay(FIRST, factor, FIRST))
                .withMessage("factor must be a finite number of at least 1, was " + factor);
    }

    @Test
    void aLongestDelayBelowTheFirstIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryPolicy.attempts(2).withExponentialDelay(FIRST, 2, FIRST.minusNanos(1)))
                .withMessage("longest must be at least first, PT0.1S, was PT0.099999999S");
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.01, 1.01, Double.NaN})
    void aJitterOutsideNothingAndAllIsRefused(double share) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryPolicy.attempts(2).withJitter(share))
                .withMessage("jitter must be 0 to 1, was " + share);
    }

    @Test
    void everyExceptionIsTriedAgainUnlessSaidOtherwise() {
        RetryPolicy policy = RetryPolicy.attempts(2);

        assertThat(policy.allowsAnother(1, new RuntimeException())).isTrue();
        assertThat(policy.allowsAnother(1, new CancellationException())).isTrue();
        assertThat(policy.allowsAnother(1, new Throwable())).isFalse();
    }

    @Test
    void theConditionDecides() {
        RetryPolicy policy = RetryPolicy.attempts(2).retryIf(IOException.class::isInstance);

        assertThat(policy.allowsAnother(1, failure)).isTrue();
        assertThat(policy.allowsAnother(1, new RuntimeException())).isFalse();
    }

    @Test
    void errorsInterruptsAndShutdownsAreNeverTriedAgain() {
        RetryPolicy policy = RetryPolicy.attempts(2).retryIf(any -> true);

        assertThat(policy.allowsAnother(1, new AssertionError())).isFalse();
        assertThat(policy.allowsAnother(1, new InterruptedException())).isFalse();
        assertThat(policy.allowsAnother(1, rejection(RejectionReason.SHUTDOWN))).isFalse();
        assertThat(policy.allowsAnother(1, rejection(RejectionReason.GROUP_QUEUE_FULL)))
                .isTrue();
        assertThat(policy.allowsAnother(1, new Throwable())).isTrue();
    }

    private static RejectedTaskException rejection(RejectionReason reason) {
        return new RejectedTaskException("a", "1", reason, 1, 1);
    }

    static Stream<Throwable> whatAConditionMayThrow() {
        return Stream.of(new IllegalStateException(), new AssertionError(), new IOException(), new Throwable());
    }

    @ParameterizedTest
    @MethodSource("whatAConditionMayThrow")
    void aConditionThatThrowsSaysNoAndIsNotLost(Throwable thrown) {
        RetryPolicy policy = RetryPolicy.attempts(2).retryIf(ScopeTestCase.throwing(thrown));

        assertThat(policy.allowsAnother(1, failure)).isFalse();
        assertThat(failure).hasSuppressedException(thrown);
    }

    @Test
    @SuppressWarnings("ThrowableEqualsHashCode") // so that only the identity tells
    void aConditionThatThrowsTheFailureSaysNo() {
        IllegalStateException same = new IllegalStateException() {
            @Override
            public boolean equals(Object other) {
                return false;
            }

            @Override
            public int hashCode() {
                return 0;
            }
        };
        RetryPolicy policy = RetryPolicy.attempts(2).retryIf(any -> {
            throw same;
        });

        assertThat(policy.allowsAnother(1, same)).isFalse();
        assertThat(same).hasNoSuppressedExceptions();
    }

    @Test
    void policiesDoNotChange() {
        RetryPolicy policy = RetryPolicy.attempts(3);

        policy.withDelay(FIRST).withJitter(1).retryIf(any -> false);

        assertThat(policy.delayNanos(1)).isZero();
        assertThat(policy.allowsAnother(1, failure)).isTrue();
    }

    @Test
    void nothingMayBeNull() {
        RetryPolicy policy = RetryPolicy.attempts(3);

        assertThatNullPointerException()
                .isThrownBy(() -> policy.withDelay(null))
                .withMessage("delay");
        assertThatNullPointerException()
                .isThrownBy(() -> policy.withExponentialDelay(null, 2, FIRST))
                .withMessage("first");
        assertThatNullPointerException()
                .isThrownBy(() -> policy.withExponentialDelay(FIRST, 2, null))
                .withMessage("longest");
        assertThatNullPointerException().isThrownBy(() -> policy.retryIf(null));
    }

    @Test
    void itShowsItsNumbers() {
        assertThat(RetryPolicy.attempts(3).withDelay(FIRST).withJitter(0.5))
                .hasToString("RetryPolicy[attempts=3, first=PT0.1S, factor=1.0, longest=PT0.1S, jitter=0.5]");
    }
}
