package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ForkOptionsTests {

    @Test
    void theGroupIsAllThatIsSetAtFirst() {
        ForkOptions options = ForkOptions.in("a");

        assertThat(options.group()).isEqualTo("a");
        assertThat(options.name()).isNull();
        assertThat(options.timeout()).isNull();
        assertThat(options.startAfter()).isZero();
        assertThat(options.retry()).isNull();
    }

    @Test
    void optionsWithoutAGroupBeginWithANameOrADelay() {
        assertThat(ForkOptions.named("one").name()).isEqualTo("one");
        assertThat(ForkOptions.named("one").group()).isNull();
        assertThat(ForkOptions.named("one").startAfter()).isZero();
        assertThat(ForkOptions.after(Duration.ofSeconds(1)).startAfter()).isEqualTo(Duration.ofSeconds(1));
        assertThat(ForkOptions.after(Duration.ofSeconds(1)).group()).isNull();
        assertThat(ForkOptions.after(Duration.ZERO).name()).isNull();
    }

    @Test
    void eachSettingIsKept() {
        RetryPolicy retry = RetryPolicy.attempts(2);

        ForkOptions options = ForkOptions.in("a")
                .withRetry(retry)
                .withStartAfter(Duration.ofSeconds(1))
                .withTimeout(Duration.ofSeconds(2))
                .withName("one");

        assertThat(options.group()).isEqualTo("a");
        assertThat(options.name()).isEqualTo("one");
        assertThat(options.timeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(options.startAfter()).isEqualTo(Duration.ofSeconds(1));
        assertThat(options.retry()).isSameAs(retry);
    }

    @Test
    void optionsDoNotChange() {
        ForkOptions options = ForkOptions.in("a");

        options.withName("one").withTimeout(Duration.ofSeconds(1));

        assertThat(options.name()).isNull();
        assertThat(options.timeout()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S"})
    void aTimeoutThatIsUpAtOnceIsRefused(Duration timeout) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ForkOptions.in("a").withTimeout(timeout))
                .withMessage("timeout must be more than zero, was " + timeout);
    }

    @Test
    void aStartInThePastIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ForkOptions.in("a").withStartAfter(Duration.ofMillis(-5)))
                .withMessage("startAfter must be zero or more, was PT-0.005S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ForkOptions.after(Duration.ofMillis(-5)))
                .withMessage("startAfter must be zero or more, was PT-0.005S");
    }

    @Test
    void aStartAtOnceMayBeSaid() {
        assertThat(ForkOptions.in("a").withStartAfter(Duration.ZERO).startAfter())
                .isZero();
    }

    @Test
    void nothingMayBeNull() {
        ForkOptions options = ForkOptions.in("a");

        assertThatNullPointerException().isThrownBy(() -> ForkOptions.in(null));
        assertThatNullPointerException().isThrownBy(() -> ForkOptions.named(null));
        assertThatNullPointerException().isThrownBy(() -> ForkOptions.after(null));
        assertThatNullPointerException().isThrownBy(() -> options.withName(null));
        assertThatNullPointerException()
                .isThrownBy(() -> options.withTimeout(null))
                .withMessage("timeout");
        assertThatNullPointerException()
                .isThrownBy(() -> options.withStartAfter(null))
                .withMessage("startAfter");
        assertThatNullPointerException().isThrownBy(() -> options.withRetry(null));
    }

    @Test
    void theyShowWhatIsSet() {
        assertThat(ForkOptions.in("a").withName("one"))
                .hasToString("ForkOptions[group=a, name=one, timeout=null, startAfter=PT0S, retry=null]");
    }
}
