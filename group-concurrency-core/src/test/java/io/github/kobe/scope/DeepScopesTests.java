package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Scopes inside each other, each opened in a fork of the one before, to a depth at which a recursion would overflow. */
class DeepScopesTests extends ScopeTestCase {

    private static final int LEVELS = Depth.pick(5_000, 20_000, 20_000);

    private final ManualClock clock = new ManualClock();
    private final GroupExecutor executor = engines.startPlain(policy(LEVELS), clock.environment());
    private final Scopes scopes = Scopes.of(executor);
    private final AtomicReference<GroupScope<?, ?, ?>> outermost = new AtomicReference<>();
    private final AtomicInteger closed = new AtomicInteger();

    /** Opens them all, and waits in the innermost fork. */
    private Caller<Object> owner() {
        Caller<Object> owner = Caller.start(() -> open(LEVELS));
        gate.awaitArrived(1);
        return owner;
    }

    private Object open(int levels) throws Exception {
        try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
            outermost.compareAndSet(null, scope);
            scope.fork("a", levels == 1 ? this::interrupted : () -> open(levels - 1));
            return scope.join();
        } finally {
            closed.incrementAndGet();
        }
    }

    private void assertAllEnd(Caller<Object> owner) {
        try {
            owner.result();
        } catch (Exception cancelled) {
            // As join had it.
        }
        assertThat(closed).hasValue(LEVELS);
        assertThat(executor.stats().running()).isZero();
        assertThat(scopes.live()).isEmpty();
    }

    @Tag("S24")
    @Test
    void theTimeOutEndsScopesAtAnyDepth() {
        Caller<Object> owner = owner();
        clock.advance(Duration.ofSeconds(30), executor);
        assertAllEnd(owner);
    }

    @Tag("S7")
    @Test
    void theTokenCancelsScopesAtAnyDepth() {
        Caller<Object> owner = owner();
        outermost.get().token().cancel();
        assertAllEnd(owner);
    }

    @Tag("S21")
    @Test
    void theOwnersInterruptCancelsScopesAtAnyDepth() {
        Caller<Object> owner = owner();
        owner.interrupt();
        assertAllEnd(owner);
    }

    @Tag("L5")
    @Test
    void scopesAreShownToACertainDepthAndTheSnapshotSaysWhereItIsCut() {
        Caller<Object> owner = owner();
        assertIsCut(scopes.live().getFirst(), scope -> scope.forks().getFirst().scopes());
        assertIsCut(
                outermost.get().snapshot(), scope -> scope.forks().getFirst().scopes());
        outermost.get().token().cancel();
        assertAllEnd(owner);
    }

    private static void assertIsCut(ScopeSnapshot shown, Function<ScopeSnapshot, List<ScopeSnapshot>> inside) {
        int levels = 1;
        ScopeSnapshot at = shown;
        for (; !inside.apply(at).isEmpty(); levels++) {
            assertThat(at.truncated()).isFalse();
            at = inside.apply(at).getFirst();
        }
        assertThat(levels).isEqualTo(ScopeView.MOST_LEVELS);
        assertThat(at.truncated()).isTrue();
        assertThat(shown.toString()).contains("truncated=true");
    }

    /** All by one thread, each while it has the one before open. */
    private GroupScope<?, ?, ?> openOnThisThread() {
        GroupScope<?, ?, ?> outer = scopes.open();
        for (int i = 1; i < LEVELS; i++) {
            scopes.open();
        }
        return outer;
    }

    @Tag("S18")
    @Test
    void theOutermostClosesThoseThatItsOwnerHasOpenedInsideItAtAnyDepth() {
        GroupScope<?, ?, ?> outer = openOnThisThread();
        assertIsCut(outer.snapshot(), ScopeSnapshot::scopes);
        assertThatThrownBy(outer::close).isInstanceOf(ScopeStructureException.class);
        assertThat(scopes.live()).isEmpty();
    }

    @Tag("S24")
    @Test
    void theTimeOutCancelsThoseThatAnOwnerHasOpenedInsideEachOtherAtAnyDepth() {
        GroupScope<?, ?, ?> outer = openOnThisThread();
        OpenScope<?, ?, ?> innermost = Objects.requireNonNull(ScopeTree.innermost(Thread.currentThread()));
        clock.advance(Duration.ofSeconds(30), executor);
        Deadline.until("all are cancelled", innermost::isCancelled);
        assertThatThrownBy(outer::close).isInstanceOf(ScopeStructureException.class);
        assertThat(scopes.live()).isEmpty();
    }
}
