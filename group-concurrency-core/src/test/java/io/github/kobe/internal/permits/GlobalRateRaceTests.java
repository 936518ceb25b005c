package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.Rate;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A global rate, where one thread stands still or comes too late. */
@Tag("RA5")
class GlobalRateRaceTests {

    private static final Duration PERIOD = Duration.ofMillis(1);

    /** Six of its starts lie in stripes. */
    private static final Rate RATE = Rate.of(200, PERIOD).withBurst(51);

    private static GroupPolicy.Builder policy() {
        return GroupPolicy.builder()
                .globalRate(RATE)
                .defaults(GroupLimits.unset().withMaxConcurrency(1_000));
    }

    @Test
    @Tag("RA3")
    void whatALeaseThatIsOverRefusesUsesUpNothing() {
        ManualClock clock = new ManualClock();
        Leases leases = new Leases();
        List<String> granted = new ArrayList<>();
        try (Asker asker = new Asker(Leases.shared(policy()).build(), granted::add, clock.environment(), leases)) {
            leases.leaseFor(asker.executor());
            leases.lease("shared", 10);
            assertThat(asker.ask("shared", false)).isTrue();
            asker.giveBack("shared");
            granted.clear();
            clock.advance(Duration.ofMillis(10), asker.executor());
            leases.lapse();

            for (int i = 0; i < 200; i++) {
                for (int j = 0; j < 6; j++) {
                    assertThat(asker.ask("shared", false)).isFalse();
                }
                asker.ask("other", false);
            }

            assertThat(granted).as("all of a burst but what may lie in stripes").hasSizeGreaterThanOrEqualTo(45);
        }
    }

    /** A thread stands still while it is about to refill the stripes, and others take what is there. */
    @Test
    @Tag("RA1")
    void whatIsRefilledIsChargedNoEarlierThanWhatOthersTookBeforeHasStarted() {
        ManualClock clock = new ManualClock();
        List<Long> starts = new ArrayList<>();
        AtomicBoolean meddle = new AtomicBoolean();
        Runnable[] others = new Runnable[1];
        LongSupplier meddlingClock = () -> {
            long reading = clock.getAsLong();
            if (isRefilling() && meddle.compareAndSet(true, false)) {
                clock.advance(Duration.ofNanos(40_000));
                others[0].run();
            }
            return reading;
        };
        try (Asker asker = new Asker(
                policy().globalMaxInFlight(4).build(),
                key -> starts.add(clock.getAsLong()),
                new Surroundings(meddlingClock, TaskThreads.VIRTUAL, false),
                ClusterSignals.NONE)) {
            others[0] = () -> {
                for (int i = 0; i < 5; i++) {
                    asker.giveBack("a");
                    asker.ask("a", false);
                }
            };
            takeAll(asker, clock);
            clock.advance(PERIOD.multipliedBy(3));
            int before = starts.size();

            meddle.set(true);
            assertThat(asker.ask("a", false)).isFalse();
            assertThat(meddle).as("it was about to refill").isFalse();

            long from = starts.size() > before ? starts.get(before) : clock.getAsLong();
            asker.giveBack("a");
            while (clock.getAsLong() - from < PERIOD.toNanos()) {
                while (asker.ask("a", false)) {
                    asker.giveBack("a");
                }
                clock.advance(Duration.ofNanos(200));
            }
            long inWindow = starts.stream()
                    .filter(start -> start >= from && start < from + PERIOD.toNanos())
                    .count();
            assertThat(inWindow).isLessThanOrEqualTo(RATE.limit());
        }
    }

    private static boolean isRefilling() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals("refill")));
    }

    /** Has all four permits out, and the stripes full of starts. */
    private static void takeAll(Asker asker, ManualClock clock) {
        for (int i = 0; i < 4; i++) {
            assertThat(asker.ask("a", false)).isTrue();
        }
        assertThat(asker.ask("a", false)).isFalse();
        Group group = asker.group("a");
        clock.advance(PERIOD.multipliedBy(3));
        asker.giveBack("a");
        for (int i = 0; i < 1_000 && group.ledger.isOn(); i++) {
            group.enter();
            group.exit(new Batch(EngineAccess.engine(asker.executor())));
        }
        assertThat(group.ledger.isOn()).isFalse();
        assertThat(asker.ask("a", false)).isTrue();
    }
}
