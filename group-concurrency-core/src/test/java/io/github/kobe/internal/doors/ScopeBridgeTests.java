package io.github.kobe.internal.doors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Engines;
import io.github.kobe.scope.Scopes;
import io.github.kobe.testing.Caller;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ScopeBridgeTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private static long listed(GroupExecutor executor) {
        ScopeBridge bridge = EngineAccess.engine(executor).scopes;
        return ScopeBridge.USED.stream()
                .map(WeakReference::get)
                .filter(known -> known == bridge)
                .count();
    }

    @Test
    void onlyEnginesThatAreUsedWithScopesAreSearchedForForks() {
        GroupExecutor without = engines.start(GroupPolicy.builder().build());
        GroupExecutor with = engines.start(GroupPolicy.builder().build());

        Scopes scopes = Scopes.of(with);

        assertThat(scopes).isNotNull();
        assertThat(listed(without)).isZero();
        assertThat(listed(with)).isEqualTo(1);
    }

    @Test
    void anEngineIsListedOnceWhoeverComesFirst() throws Exception {
        for (int round = 0; round < 200; round++) {
            GroupExecutor executor = engines.start(GroupPolicy.builder().build());
            CountDownLatch all = new CountDownLatch(4);
            List<Caller<Scopes>> callers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                callers.add(Caller.startPlatform(() -> {
                    all.countDown();
                    all.await();
                    return Scopes.of(executor);
                }));
            }
            for (Caller<Scopes> caller : callers) {
                assertThat(caller.result()).isNotNull();
            }

            assertThat(listed(executor)).isEqualTo(1);
        }
    }

    @Test
    void nobodyElseSaysHowAnEngineIsFound() {
        engines.start(GroupPolicy.builder().build()); // by now it has been told

        assertThatIllegalStateException()
                .isThrownBy(() -> ScopeBridge.register(any -> {
                    throw new AssertionError("asked for an engine");
                }));
    }
}
