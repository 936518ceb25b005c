package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
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

class ConfigurationTests extends ScopeTestCase {

    /** What a scope is configured with. */
    private static Configuration configured(Scopes scopes, UnaryOperator<Configuration> change) {
        try (var scope = scopes.open(change)) {
            return scope.configuration();
        }
    }

    @Tag("T3")
    @Test
    void eachChangeMakesAnotherConfiguration() {
        Configuration before = configured(Scopes.of(executor(1)), UnaryOperator.identity());

        List<Configuration> changed = List.of(
                before.withName("n"),
                before.withTimeout(Duration.ofSeconds(1)),
                before.withoutTimeout(),
                before.withGroup("g"),
                before.withMaxConcurrency(2),
                before.withRetry(RetryPolicy.attempts(2)),
                before.withListener(new ScopeListener() {}));

        assertThat(changed).doesNotContain(before).doesNotHaveDuplicates();
        assertThat(before.name()).isEmpty();
        assertThat(before.timeout()).contains(Duration.ofSeconds(30));
        assertThat(before.group()).isEmpty();
        assertThat(before.maxConcurrency()).isEmpty();
        assertThat(before.retry()).isEqualTo(RetryPolicy.none());
        assertThat(before.listeners()).isEmpty();
    }

    @Tag("T3")
    @Test
    void aChangeAfterTheOpeningChangesNothing() {
        AtomicReference<Configuration> leaked = new AtomicReference<>();
        try (var scope = Scopes.of(executor(1)).open(configuration -> {
            leaked.set(configuration);
            return configuration.withName("before");
        })) {
            leaked.get().withName("after");
            assertThat(scope.configuration().name()).contains("before");
            assertThatThrownBy(() -> scope.configuration().listeners().add(new ScopeListener() {}))
                    .isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Tag("T7")
    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void noTimeIsExpiredAndIsNoMistake(long nanos) throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open(Joiners.<Object>awaitAll(), cf -> cf.withTimeout(Duration.ofNanos(nanos)))) {
            Subtask<Object> fork = scope.fork("a", () -> "never");
            assertThat(fork.phase()).isEqualTo(Subtask.Phase.CANCELLED);
            assertThatThrownBy(scope::join).isInstanceOf(CancelledByTimeoutException.class);
        }
    }

    @Tag("T9")
    @Test
    void whatWasSetCanBeReadDefaultsIncluded() {
        ScopeListener first = new ScopeListener() {};
        ScopeListener second = new ScopeListener() {};
        RetryPolicy retry = RetryPolicy.attempts(2);
        Scopes scopes =
                Scopes.of(executor(1)).withDefaults(cf -> cf.withListener(first).withGroup("default"));

        Configuration configuration = configured(
                scopes,
                cf -> cf.withName("n")
                        .withTimeout(Duration.ofSeconds(2))
                        .withMaxConcurrency(3)
                        .withRetry(retry)
                        .withListener(second));

        assertThat(configuration.name()).contains("n");
        assertThat(configuration.timeout()).contains(Duration.ofSeconds(2));
        assertThat(configuration.group()).contains("default");
        assertThat(configuration.maxConcurrency()).hasValue(3);
        assertThat(configuration.retry()).isEqualTo(retry);
        assertThat(configuration.listeners()).containsExactly(first, second);
        assertThat(configured(scopes, Configuration::withoutTimeout).timeout()).isEmpty();
    }

    @Tag("S47")
    @Test
    void nobodyBringsAThreadFactory() throws Exception {
        assertThat(Arrays.stream(
                                new Class<?>[] {Configuration.class, Scopes.class, GroupScope.class, ForkOptions.class})
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
