package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What forks cost in memory; the caller's own closure is shared here. */
@Tag("deep")
class ScopeFootprintTests extends ScopeTestCase {

    private static final int FORKS = 200_000;

    private static long used() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aQueuedForkTakesNoMoreThanAHundredAndTwelveBytesAndOneThatHasEndedNone(boolean counted) throws Exception {
        GroupExecutor executor = engines.startPlain(policy(1));
        Callable<Object> nothing = () -> null;
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll(), settings -> {
            ScopeSettings chosen = settings.withoutTimeout();
            return counted ? chosen.withListener(new OfScopes()) : chosen;
        })) {
            scope.fork("a", gate.then("x"));
            gate.awaitArrived(1);
            long before = used();
            for (int i = 0; i < FORKS; i++) {
                scope.fork("a", nothing);
            }
            long queued = used();
            assertThat((queued - before) / (double) FORKS).isLessThanOrEqualTo(112);
            gate.open();
            scope.join();

            assertThat((used() - before) / (double) FORKS).isLessThan(2);
        }
    }

    /** Hears what the meters of the starter hear. */
    private static final class OfScopes implements ScopeListener {
        @Override
        public void onOpened(ScopeInfo scope, Supplier<ScopeTotals> totals) {}

        @Override
        public void onClosed(ScopeInfo scope, ScopeTotals totals) {}
    }
}
