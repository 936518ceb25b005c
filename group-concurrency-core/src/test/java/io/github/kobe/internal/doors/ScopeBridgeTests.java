package io.github.kobe.internal.doors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Engines;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.scope.Scopes;
import io.github.kobe.testing.Caller;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
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

    /** Code that runs amid a wait may wait too: the thread rests once. */
    @Test
    @Tag("E13")
    void anOwnerThatOffersTwiceCountsOnceAsWaiting() throws Exception {
        GroupExecutor executor =
                engines.startPlain(GroupPolicy.builder().globalMaxInFlight(1).build());
        assertThat(Scopes.of(executor)).isNotNull(); // from now on it is searched for what its threads hold
        GroupPermit permit = executor.acquire("a");
        permit.call(() -> {
            Object outer = ScopeBridge.offer(new Family());
            Object inner = ScopeBridge.offer(new Family());
            assertThat(Caller.start(() -> permit.call(() -> "inside")).result()).isEqualTo("inside");
            ScopeBridge.withdraw(Objects.requireNonNull(inner), () -> {});
            assertThat(executor.submit("b", "amid", () -> "amid").await().value())
                    .isEqualTo("amid");
            ScopeBridge.withdraw(Objects.requireNonNull(outer), () -> {});
            return null;
        });

        String lent = permit.call(
                () -> executor.submit("b", "borrows", () -> "lent").await().value());
        permit.close();

        assertThat(lent).isEqualTo("lent");
        assertThat(executor.stats().inFlight()).isZero();
        assertThat(executor.<String>call("c", () -> "free again")).isEqualTo("free again");
    }

    private static final class Family implements Lineage {
        private final Thread owner = Thread.currentThread();

        @Override
        public Lineage parent() {
            return null;
        }

        @Override
        public Thread owner() {
            return owner;
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
