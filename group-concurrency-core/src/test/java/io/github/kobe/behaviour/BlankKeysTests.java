package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupTask;
import io.github.kobe.audit.Engines;
import io.github.kobe.scope.GroupScope;
import io.github.kobe.scope.Scopes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("G12")
class BlankKeysTests {

    @RegisterExtension
    final Engines engines = new Engines();

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\u2003"})
    void noGroupIsMadeForABlankKeyWhateverAsksForIt(String blank) throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        List<ThrowingCallable> ways = List.of(
                () -> executor.submit(blank, () -> "never"),
                () -> executor.submit(new GroupTask<>(blank, "1", () -> "never")),
                () -> executor.executeAll(List.of(new GroupTask<>(blank, "1", () -> "never"))),
                () -> executor.submitAsync(blank, "1", () -> CompletableFuture.completedStage("never")),
                () -> executor.call(blank, () -> "never"),
                () -> executor.acquire(blank),
                () -> executor.tryAcquire(blank, Duration.ZERO),
                () -> executor.acquireAsync(blank),
                () -> executor.rejectLate(blank, "1"),
                () -> executor.asExecutorService(blank),
                () -> executor.setLimits(blank, GroupLimits.unset().withWeight(2)),
                () -> executor.pause(blank));
        for (ThrowingCallable way : ways) {
            refuses(way);
        }
        try (GroupScope<Object, Void, ExecutionException> scope =
                Scopes.of(executor).open()) {
            refuses(() -> scope.fork(blank, () -> "never"));
            scope.join();
        }

        assertThat(executor.groupKeys()).isEmpty();
        assertThat(executor.stats().totals().submitted()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void noLimitsAreSetForABlankKey(String blank) {
        refuses(() -> GroupPolicy.builder().group(blank, GroupLimits.unset()));
        refuses(() -> GroupPolicy.builder().perGroupMaxConcurrency(Map.of(blank, 2)));
    }

    private static void refuses(ThrowingCallable way) {
        assertThatIllegalArgumentException()
                .isThrownBy(way)
                .withMessageMatching("The group key '.*' is blank; allowed: a text that is more than white space");
    }
}
