package io.github.kobe.internal.doors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.Waits;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.testing.Caller;
import java.lang.ref.WeakReference;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ScopeBridgeTests {

    @RegisterExtension
    final Engines engines = new Engines();

    /** {@return by what an engine was known that is closed, and that nobody refers to} */
    private static WeakReference<ScopeBridge> knownBefore() {
        try (GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            ScopeBridge bridge = EngineAccess.engine(executor).scopes;
            return ScopeBridge.KNOWN.stream()
                    .filter(known -> known.refersTo(bridge))
                    .findAny()
                    .orElseThrow();
        }
    }

    @Test
    void anEngineIsKnownAsLongAsSomebodyRefersToIt() {
        WeakReference<ScopeBridge> known = knownBefore();
        Waits.awaitCollected(known);
        engines.start(GroupPolicy.builder().build());

        assertThat(ScopeBridge.KNOWN).doesNotContain(known);
    }

    /** Code that runs amid a wait may wait too: the thread rests once. */
    @Test
    @Tag("E13")
    void anOwnerThatOffersTwiceCountsOnceAsWaiting() throws Exception {
        GroupExecutor executor =
                engines.startPlain(GroupPolicy.builder().globalMaxInFlight(1).build());
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
