package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The JDK's StressCancellation: a fork cancels the scope while up to 15 others run, and up to 15 are being forked. Here also in
 * groups so small that some of them are queued.
 */
class StressCancellationTests {

    private static final int MOST = 16;

    @RegisterExtension
    static final OwnerThread OWNER = OwnerThread.VIRTUAL;

    @RegisterExtension
    final Engines engines = new Engines();

    static Stream<Arguments> cases() {
        return Stream.of(1_000, 3)
                .flatMap(limit ->
                        IntStream.range(0, MOST * MOST).mapToObj(i -> Arguments.of(limit, i % MOST, i / MOST)));
    }

    @Tag("S7")
    @ParameterizedTest
    @MethodSource("cases")
    void test(int limit, int before, int after) throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .group("blocked", GroupLimits.unset().withMaxConcurrency(limit))
                .build());
        Gate gate = new Gate();
        List<Subtask<Boolean>> blocked = new ArrayList<>();
        Subtask<Boolean> cancels;
        try (var scope = Scopes.of(executor).open(Joiner.<Boolean>allUntil(Subtask::get))) {
            for (int i = 0; i < before; i++) {
                blocked.add(scope.fork("blocked", gate.then(false)));
            }
            cancels = scope.fork("cancels", () -> true);
            for (int i = 0; i < after; i++) {
                blocked.add(scope.fork("blocked", gate.then(false)));
            }
            assertThat(scope.join()).hasSize(before + 1 + after);
        }
        assertThat(cancels.get()).isTrue();
        assertThat(blocked).allMatch(subtask -> subtask.phase() == Subtask.Phase.CANCELLED);
        assertThat(executor.stats().running()).isZero();
    }
}
