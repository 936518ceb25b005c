package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.base.Tempo;
import io.github.kobe.testing.Depth;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random histories of a {@link GlobalRate} that is used as much as it allows, now from its stripes, now under the lock, checked
 * by a log of the starts: no window of a period has more than the largest limit in force in it.
 */
@Tag("RA1")
@Tag("RA5")
@Tag("RA11")
class GlobalRateHistoriesTests {

    private static final int HISTORIES = Depth.pick(2_000, 20_000, 1_000_000);
    private static final int STEPS = 200;
    private static final long PERIOD = 1_000_000;
    private static final int PROCESSORS = 2;

    @Test
    void noWindowHasMoreStartsThanTheLimit() {
        long seed = Depth.seed();
        for (int history = 0; history < HISTORIES; history++) {
            new History(seed + history).play();
        }
    }

    @Test
    void whatIsSpreadAndWhatIsHereIsTheBurstAfterALongRest() {
        Tempo tempo = new Tempo(100, 24, PERIOD);
        GlobalRate rate = GlobalRate.rested(tempo, PROCESSORS, 1);
        rate.thaw();

        int spread = 0;
        while (rate.tryTakeSpread(spread)) {
            spread++;
        }
        assertThat(rate.usedAt(1)).isEqualTo(spread);
        rate.freeze();
        int here = 0;
        while (rate.tryTake(1)) {
            here++;
        }

        assertThat(spread).isEqualTo(3);
        assertThat(spread + here).isEqualTo(24);
        assertThat(rate.usedAt(1)).isEqualTo(24);
        assertThat(rate.waitFor(1, 1)).isEqualTo(PERIOD / 77 + 1);
        assertThat(rate.usedAt(1 + PERIOD))
                .as("what was spread is charged once it is missed")
                .isEqualTo(3);
    }

    @Test
    void whatWasTakenFromStripesBeforeAChangeIsMissingInTheBurst() {
        GlobalRate rate = GlobalRate.rested(new Tempo(24, 24, PERIOD), PROCESSORS, 1);
        rate.thaw();
        long now = 1 + 3 * PERIOD;
        assertThat(rate.tryTakeSpread(0)).isTrue();
        rate.freeze();

        GlobalRate changed = rate.changed(new Tempo(24, 23, PERIOD), PROCESSORS, now);

        int starts = 0;
        while (changed.tryTake(now)) {
            starts++;
        }
        assertThat(starts).isEqualTo(22);
    }

    @Test
    void afterALongRestAnotherRateBeginsWithItsWholeBurst() {
        GlobalRate rate = GlobalRate.rested(new Tempo(24, 24, PERIOD), PROCESSORS, 1);
        long now = 1 + 3 * PERIOD;

        GlobalRate changed = rate.changed(new Tempo(48, 16, PERIOD), PROCESSORS, now);

        int starts = 0;
        while (changed.tryTake(now)) {
            starts++;
        }
        assertThat(starts).isEqualTo(16);
    }

    @Test
    void aStartThatIsGivenBackCanBeTakenAgain() {
        GlobalRate rate = GlobalRate.rested(new Tempo(1, 1, PERIOD), PROCESSORS, 1);
        assertThat(rate.tryTake(1)).isTrue();
        assertThat(rate.tryTake(1)).isFalse();

        rate.giveBack(1);

        assertThat(rate.tryTake(1)).isTrue();
        assertThat(rate.tryTake(1)).isFalse();
    }

    private record Reign(long since, int limit) {}

    private static final class History {

        private final long seed;
        private final Random random;
        private final List<Reign> reigns = new ArrayList<>();
        private final Deque<Long> starts = new ArrayDeque<>();
        private GlobalRate rate;
        private Tempo tempo;
        private boolean on = true;
        private long now = 1;

        History(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.tempo = someTempo();
            boolean begins = random.nextBoolean();
            this.rate = begins ? GlobalRate.rested(tempo, PROCESSORS, now) : GlobalRate.empty(tempo, PROCESSORS, now);
            reigns.add(new Reign(now, tempo.limit()));
        }

        private Tempo someTempo() {
            int limit = 20 + random.nextInt(5);
            return new Tempo(limit, 1 + random.nextInt(limit), PERIOD);
        }

        void play() {
            try {
                for (int step = 0; step < STEPS; step++) {
                    step();
                }
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("seed " + seed, failure);
            }
        }

        private void step() {
            switch (random.nextInt(10)) {
                case 0 -> now += random.nextLong(2 * PERIOD);
                case 1, 2, 3 -> now += random.nextLong(PERIOD / 10);
                case 4 -> turnOnOrLoose();
                case 5 -> {
                    if (random.nextInt(5) == 0) {
                        change();
                    }
                }
                default -> startAsManyAs(1 + random.nextInt(30));
            }
        }

        private void turnOnOrLoose() {
            if (!on) {
                rate.freeze();
                on = true;
            } else if (rate.fill(now)) {
                rate.thaw();
                on = false;
            }
        }

        private void change() {
            if (!on) {
                turnOnOrLoose();
            }
            Tempo after = someTempo();
            if (!rate.is(after)) {
                rate = rate.changed(after, PROCESSORS, now);
                tempo = after;
                reigns.add(new Reign(now, after.limit()));
            }
        }

        private void startAsManyAs(int most) {
            for (int i = 0; i < most; i++) {
                if (on && rate.tryTake(now)) {
                    startUnlessUndone();
                } else if (!on && rate.tryTakeSpread(random.nextInt(8))) {
                    if (random.nextInt(10) > 0) { // else the thread can't start after all
                        started();
                    }
                } else if (on || !refilled()) {
                    on = true;
                    return;
                }
            }
        }

        private boolean refilled() {
            rate.freeze();
            return rate.refill(now);
        }

        private void startUnlessUndone() {
            if (random.nextInt(10) == 0) {
                rate.giveBack(now);
            } else {
                started();
            }
        }

        private void started() {
            starts.add(now);
            while (starts.getFirst() <= now - PERIOD) {
                starts.removeFirst();
            }
            int limit = 0;
            for (int i = 0; i < reigns.size(); i++) {
                long until = i + 1 < reigns.size() ? reigns.get(i + 1).since : Long.MAX_VALUE;
                limit = until > now - PERIOD ? Math.max(limit, reigns.get(i).limit) : limit;
            }
            assertThat(starts.size()).as("starts in the period until %s", now).isLessThanOrEqualTo(limit);
        }
    }
}
