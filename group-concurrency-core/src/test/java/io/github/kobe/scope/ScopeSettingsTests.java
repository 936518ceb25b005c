package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScopeSettingsTests extends ScopeTestCase {

    /** What a scope is configured with. */
    private static ScopeSettings configured(Scopes scopes, UnaryOperator<ScopeSettings> change) {
        try (var scope = scopes.open(change)) {
            return scope.settings();
        }
    }

    @Tag("T3")
    @Test
    void eachChangeMakesAnotherConfiguration() {
        ScopeSettings before = configured(Scopes.of(executor(1)), UnaryOperator.identity());

        List<ScopeSettings> changed = List.of(
                before.withName("n"),
                before.withTimeout(Duration.ofSeconds(1)),
                before.withoutTimeout(),
                before.withGroup("g"),
                before.withMaxUnfinished(2),
                before.withRetry(RetryPolicy.attempts(2)),
                before.withListener(new ScopeListener() {}));

        assertThat(changed).doesNotContain(before).doesNotHaveDuplicates();
        assertThat(before.name()).isEmpty();
        assertThat(before.timeout()).contains(Duration.ofSeconds(30));
        assertThat(before.group()).isEmpty();
        assertThat(before.maxUnfinished()).isEmpty();
        assertThat(before.retry()).isEqualTo(RetryPolicy.none());
        assertThat(before.listeners()).isEmpty();
    }

    @Tag("T3")
    @Test
    void aChangeAfterTheOpeningChangesNothing() {
        AtomicReference<ScopeSettings> leaked = new AtomicReference<>();
        try (var scope = Scopes.of(executor(1)).open(settings -> {
            leaked.set(settings);
            return settings.withName("before");
        })) {
            leaked.get().withName("after");
            assertThat(scope.settings().name()).contains("before");
            assertThatThrownBy(() -> scope.settings().listeners().add(new ScopeListener() {}))
                    .isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Tag("T7")
    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void noTimeAtAllIsRefused(long nanos) {
        Duration none = Duration.ofNanos(nanos);
        Scopes scopes = Scopes.of(executor(1));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> scopes.open(settings -> settings.withTimeout(none)))
                .withMessage("timeout must be more than zero, was " + none);
        assertThat(scopes.live()).isEmpty();
    }

    @Tag("T9")
    @Test
    void whatWasSetCanBeReadDefaultsIncluded() {
        ScopeListener first = new ScopeListener() {};
        ScopeListener second = new ScopeListener() {};
        RetryPolicy retry = RetryPolicy.attempts(2);
        Scopes scopes =
                Scopes.of(executor(1)).withDefaults(cf -> cf.withListener(first).withGroup("default"));

        ScopeSettings settings = configured(
                scopes,
                cf -> cf.withName("n")
                        .withTimeout(Duration.ofSeconds(2))
                        .withMaxUnfinished(3)
                        .withRetry(retry)
                        .withListener(second));

        assertThat(settings.name()).contains("n");
        assertThat(settings.timeout()).contains(Duration.ofSeconds(2));
        assertThat(settings.group()).contains("default");
        assertThat(settings.maxUnfinished()).hasValue(3);
        assertThat(settings.retry()).isEqualTo(retry);
        assertThat(settings.listeners()).containsExactly(first, second);
        assertThat(configured(scopes, ScopeSettings::withoutTimeout).timeout()).isEmpty();
    }

    @Tag("S47")
    @Test
    void nobodyBringsAThreadFactory() throws Exception {
        assertThat(Arrays.stream(
                                new Class<?>[] {ScopeSettings.class, Scopes.class, GroupScope.class, ForkOptions.class})
                        .flatMap(type -> Arrays.stream(type.getMethods()))
                        .map(Method::getParameterTypes)
                        .flatMap(Arrays::stream))
                .isNotEmpty()
                .doesNotContain(ThreadFactory.class);

        CountDownLatch both = new CountDownLatch(2);
        try (var scope = Scopes.of(executor(2)).open(Joiner.<Thread>allSuccessfulOrThrow())) {
            for (int i = 0; i < 2; i++) {
                scope.fork("a", () -> {
                    both.countDown();
                    both.await();
                    return Thread.currentThread();
                });
            }
            assertThat(scope.join()).doesNotHaveDuplicates().allMatch(Thread::isVirtual);
        }
    }
}
