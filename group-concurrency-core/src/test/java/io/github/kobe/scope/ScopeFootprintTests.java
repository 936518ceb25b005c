package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

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

    @Test
    void aQueuedForkTakesLessThanAHundredAndTwentyBytesAndOneThatHasEndedNone() throws Exception {
        GroupExecutor executor = engines.startPlain(policy(1));
        Callable<Object> nothing = () -> null;
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll(), ScopeSettings::withoutTimeout)) {
            scope.fork("a", gate.then("x"));
            gate.awaitArrived(1);
            long before = used();
            for (int i = 0; i < FORKS; i++) {
                scope.fork("a", nothing);
            }
            long queued = used();
            assertThat((queued - before) / (double) FORKS).isLessThan(120);
            gate.open();
            scope.join();

            assertThat((used() - before) / (double) FORKS).isLessThan(2);
        }
    }
}
