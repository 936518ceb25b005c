package io.github.kobe.internal.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.testing.CapturedLog;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("CL61")
class ClusterSignalsTests {

    private static final class Signals extends ClusterSignals {
        private RuntimeException failure;

        @Override
        protected void wake() {
            if (failure != null) {
                throw failure;
            }
        }
    }

    private final Signals signals = new Signals();
    private final List<String> taken = new ArrayList<>();

    private Lease touched(String key) {
        Lease lease = new Lease(key);
        tell(lease);
        return lease;
    }

    private void tell(Lease lease) {
        lease.limitsChanged();
        if (lease.leaves(0, false, false, 0, true)) {
            signals.touched(lease);
        }
    }

    @Test
    void theEldestIsTakenFirstAndEachOnce() {
        Lease a = touched("a");
        touched("b");
        tell(a);

        signals.take(taken::add);
        signals.take(taken::add);

        assertThat(taken).containsExactly("a", "b");
    }

    @Test
    void whatHappensWhileItIsTakenIsToldAnew() {
        Lease a = touched("a");
        signals.take(key -> {
            taken.add(key);
            tell(a);
        });
        assertThat(taken).containsExactly("a");

        signals.take(taken::add);
        assertThat(taken).containsExactly("a", "a");
    }

    @Test
    void oneThatFailsAndThoseAfterItAreStillToBeTaken() {
        touched("a");
        touched("b");
        touched("c");

        assertThatIllegalStateException()
                .isThrownBy(() -> signals.take(key -> {
                    throw new IllegalStateException(key);
                }));
        signals.take(taken::add);

        assertThat(taken).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void aWakeThatFailsLosesNothing() {
        signals.failure = new IllegalStateException("expected by a test");
        try (CapturedLog log = CapturedLog.open()) {
            touched("a");
            assertThat(log.thrown()).containsExactly(signals.failure);
        }

        signals.take(taken::add);
        assertThat(taken).containsExactly("a");
    }

    @Test
    void whatNobodyCouldTellIsToldByTheNextSection() {
        Lease lease = new Lease("a");
        lease.entered(3, false, false);
        assertThat(lease.leaves(2, false, false, 1, false)).isFalse();

        lease.entered(2, false, false);
        assertThat(lease.leaves(2, false, false, 1, true)).isTrue();
    }

    @Test
    void theDeadlineIsOverUntilOneIsSet() {
        assertThat(ClusterSignals.NONE.isOver(1)).isTrue();
        assertThat(signals.setDeadline(5)).isZero();
        assertThat(signals.isOver(4)).isFalse();
        assertThat(signals.isOver(5)).isTrue();
    }
}
