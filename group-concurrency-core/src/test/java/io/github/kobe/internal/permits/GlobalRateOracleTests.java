package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.Rate;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A global rate that is seldom short: much of it is taken from stripes. Random histories of many short starts, each checked by a
 * log: no window of a period has more than the limit. What waits for one group's permits is passed on there.
 */
@Tag("RA1")
@Tag("RA5")
@Tag("RA11")
class GlobalRateOracleTests {

    private static final int HISTORIES = Depth.pick(200, 2_000, 50_000);
    private static final int STEPS = 300;
    private static final Duration PERIOD = Duration.ofMillis(1);

    /** No policy warns of it, and six starts lie in stripes. */
    private static final Rate LARGE = Rate.of(200, PERIOD).withBurst(51);

    private static final Rate SMALL = Rate.of(60, PERIOD).withBurst(16);

    @Test
    void noWindowHasMoreStartsThanTheLimit() {
        long seed = Depth.seed();
        long spread = 0;
        for (int history = 0; history < HISTORIES; history++) {
            spread += new History(seed + history).play();
        }
        assertThat(spread).as("starts while the ledger was loose").isGreaterThan(HISTORIES);
    }

    private static final class History {

        private final long seed;
        private final Random random;
        private final ManualClock clock = new ManualClock();
        private final Asker asker;
        private final Deque<Long> starts = new ArrayDeque<>();
        private final List<String> out = new ArrayList<>();
        private Rate rate;

        /** The larger of two that were in force in the last period, and until when it counts. */
        private int limitBefore;

        private long limitUntil;
        private long spread;

        History(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.rate = random.nextBoolean() ? LARGE : SMALL;
            this.asker = new Asker(policy(), this::granted, clock.environment(), ClusterSignals.NONE);
        }

        private GroupPolicy policy() {
            return GroupPolicy.builder()
                    .globalRate(rate)
                    .group("one", GroupLimits.unset().withMaxConcurrency(1))
                    .defaults(GroupLimits.unset().withMaxConcurrency(1_000))
                    .build();
        }

        long play() {
            try (asker) {
                for (int step = 0; step < STEPS; step++) {
                    step();
                }
                for (int left = 10_000; left > 0 && asker.executor().stats().queued() > 0; left--) {
                    endAll();
                    pass(PERIOD.toNanos());
                }
                endAll();
                assertThat(asker.executor().stats().queued()).isZero();
                return spread;
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("seed " + seed, failure);
            }
        }

        private void step() {
            switch (random.nextInt(12)) {
                case 0 -> pass(random.nextLong(2 * PERIOD.toNanos()));
                case 1 -> endAll();
                case 2 -> {
                    if (random.nextInt(10) == 0) {
                        change();
                    }
                }
                case 3, 4, 5 -> pass(random.nextLong(PERIOD.toNanos() / 20));
                default -> {
                    String key = random.nextInt(3) == 0 ? "one" : "many";
                    boolean waits = random.nextInt(8) == 0;
                    for (int i = random.nextInt(10); i >= 0; i--) {
                        boolean loose = !asker.group(key).ledger.isOn();
                        boolean isIn = asker.ask(key, waits);
                        spread += loose && isIn ? 1 : 0;
                        if (random.nextBoolean()) {
                            end();
                        }
                    }
                }
            }
        }

        private void change() {
            limitBefore = Math.max(rate.limit(), now() < limitUntil ? limitBefore : 0);
            limitUntil = now() + PERIOD.toNanos();
            rate = rate.equals(LARGE) ? SMALL : LARGE;
            asker.executor().updatePolicy(policy());
        }

        private long now() {
            return asker.now();
        }

        private void pass(long nanos) {
            clock.advance(Duration.ofNanos(nanos), asker.executor());
            EngineAccess.runDue(asker.executor());
        }

        private void end() {
            if (!out.isEmpty()) {
                asker.giveBack(out.removeLast());
            }
        }

        private void endAll() {
            while (!out.isEmpty()) {
                end();
            }
        }

        private void granted(String key) {
            out.add(key);
            long now = now();
            starts.add(now);
            while (starts.getFirst() <= now - PERIOD.toNanos()) {
                starts.removeFirst();
            }
            assertThat(starts.size())
                    .as("starts in the period until %s", now)
                    .isLessThanOrEqualTo(Math.max(rate.limit(), now < limitUntil ? limitBefore : 0));
        }
    }
}
