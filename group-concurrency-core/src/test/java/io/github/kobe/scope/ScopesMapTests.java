package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.testing.Caller;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A function for each item of a list, in one call. */
class ScopesMapTests extends ScopeTestCase {

    @Tag("S42")
    @Test
    void theValuesAreInTheOrderOfTheItems() throws Exception {
        Scopes scopes = Scopes.of(executor(2));
        List<Integer> items = IntStream.range(0, 50).boxed().toList();

        List<String> values = scopes.map("a", items, item -> {
            if (item == 0) {
                Thread.yield();
            }
            return item % 10 == 0 ? null : "value " + item;
        });

        assertThat(values).hasSize(50).isUnmodifiable();
        assertThat(values.get(0)).isNull();
        assertThat(values.get(49)).isEqualTo("value 49");
        assertThat(scopes.map("a", List.<String>of(), String::length)).isEmpty();
        assertThat(scopes.live()).isEmpty();
    }

    @Tag("S42")
    @Test
    void theFirstFailureCancelsTheRest() {
        GroupExecutor executor = executor(2);
        AtomicInteger begun = new AtomicInteger();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> Scopes.of(executor).map("a", List.of(1, 2, 3, 4, 5), item -> {
                    begun.incrementAndGet();
                    if (item == 2) {
                        gate.awaitArrived(1);
                        throw new IOException("no quote");
                    }
                    return interrupted();
                }))
                .withCauseInstanceOf(IOException.class);

        assertThat(begun).hasValue(2);
        assertThat(executor.stats().running()).isZero();
        assertThat(executor.stats().queued()).isZero();
    }

    @Tag("S21")
    @Test
    void anInterruptEndsThemAll() {
        GroupExecutor executor = executor(2);
        Caller<List<String>> caller =
                Caller.start(() -> Scopes.of(executor).map("a", List.of(1, 2, 3), item -> interrupted()));
        gate.awaitArrived(2);
        caller.interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(caller::result);
        assertThat(executor.stats().running()).isZero();
    }

    @Tag("S24")
    @Test
    void theTimeOutOfTheDefaultsApplies() {
        Scopes scopes = Scopes.of(executor(1)).withDefaults(settings -> settings.withTimeout(Duration.ofMillis(20)));

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> scopes.map("a", List.of(1), item -> interrupted()))
                .withCauseInstanceOf(CancelledByTimeoutException.class);
    }

    @Test
    void badArgumentsAreRefused() {
        GroupExecutor executor = executor(1);
        Scopes scopes = Scopes.of(executor);

        assertThatIllegalArgumentException().isThrownBy(() -> scopes.map(" ", List.of(1), item -> item));
        assertThatNullPointerException().isThrownBy(() -> scopes.map(null, List.of(1), item -> item));
        assertThatNullPointerException().isThrownBy(() -> scopes.map("a", null, item -> item));
        assertThatNullPointerException().isThrownBy(() -> scopes.map("a", Arrays.asList(1), null));
        executor.shutdown();
        assertThatIllegalStateException().isThrownBy(() -> scopes.map("a", List.of(1), item -> item));
        assertThat(scopes.live()).isEmpty();
    }
}
