package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.base.Tempo;
import io.github.kobe.testing.Depth;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random histories of a pace: starts of all costs, corrections, other rates, time that stands still and time in which nothing
 * starts. Each start is held against a plain log of all that was charged, and each time against fractions of any size.
 */
@Tag("RA1")
@Tag("RA2")
@Tag("RA6")
@Tag("RA7")
@Tag("RA11")
class PaceHistoriesTests {

    private static final int HISTORIES = Depth.pick(5_000, 100_000, 1_000_000);
    private static final int STEPS = 60;

    @Test
    void noWindowHasMoreThanItsLimit() {
        long seed = Depth.seed();
        for (int history = 0; history < HISTORIES; history++) {
            new History(seed + history).play();
        }
    }

    @Test
    void eachTimeIsExactWhateverTheNumbers() {
        long seed = Depth.seed();
        for (int history = 0; history < HISTORIES; history++) {
            new Exact(seed + history).play();
        }
    }

    /** What was charged, for a start or by a correction; corrections that give back are in {@link Refund}. */
    private static final class Charge {

        private final long at;
        private final int estimate;
        /** As it is known so far. */
        private long charged;

        private boolean settled;

        Charge(long at, int estimate) {
            this.at = at;
            this.estimate = estimate;
            this.charged = estimate;
        }
    }

    private record Refund(long at, Charge of, long units) {}

    /** What was charged besides, and when that was known. */
    private record Debit(long at, Charge of, long units) {}

    /** A rate, and since when. */
    private record Reign(long since, Tempo tempo) {}

    /** Small numbers, so that much lies in each window. */
    private static final class History {

        private final long seed;
        private final Random random;
        private final boolean refunds;
        private final boolean changes;
        private final List<Charge> charges = new ArrayList<>();
        private final List<Refund> given = new ArrayList<>();
        private final List<Debit> debits = new ArrayList<>();
        private final List<Reign> reigns = new ArrayList<>();
        private final List<String> story = new ArrayList<>();
        private Tempo tempo;
        private long now;
        private Pace pace;

        History(long seed) {
            this.seed = seed;
            random = new Random(seed);
            refunds = random.nextBoolean();
            changes = random.nextBoolean();
            now = 1L + random.nextInt(1_000);
            pace = new Pace(now);
            reign(someTempo());
        }

        private Tempo someTempo() {
            int limit = 1 + random.nextInt(random.nextBoolean() ? 12 : 60);
            int burst = 1 + random.nextInt(limit);
            return new Tempo(limit, burst, 1 + random.nextInt(random.nextBoolean() ? 40 : 1_000));
        }

        private void reign(Tempo next) {
            tempo = next;
            reigns.add(new Reign(now, next));
            story.add("rate " + next);
        }

        void play() {
            try {
                for (int step = 0; step < STEPS; step++) {
                    step();
                }
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("seed " + seed + ": " + story, failure);
            }
        }

        private void step() {
            switch (random.nextInt(20)) {
                case 0 -> pass(tempo.period() + random.nextInt(100)); // paused, or idle
                case 1, 2 -> pass(random.nextLong(1 + tempo.period()));
                case 3 -> settle();
                case 4 -> change();
                case 5 -> forget();
                case 6, 7, 8 -> {
                    int cost = 1 + random.nextInt(tempo.limit());
                    pass(Math.max(0, pace.earliest(tempo, cost) - now));
                    start(cost);
                }
                default -> {
                    int cost = 1 + random.nextInt(Math.min(3, tempo.limit()));
                    if (random.nextInt(3) == 0) {
                        pass(Math.max(0, pace.earliest(tempo, cost) - now));
                    }
                    while (pace.earliest(tempo, cost) <= now) {
                        start(cost);
                    }
                }
            }
        }

        private void pass(long time) {
            now += time;
        }

        private void start(int cost) {
            story.add(now + " start " + cost);
            pace.take(tempo, cost, now);
            charges.add(new Charge(now, cost));
            check();
        }

        private void settle() {
            if (charges.isEmpty()) {
                return;
            }
            Charge charge = charges.get(charges.size() - 1 - random.nextInt(Math.min(5, charges.size())));
            if (charge.settled) {
                return;
            }
            charge.settled = true;
            long used = refunds ? random.nextInt(1 + 2 * charge.estimate) : charge.estimate + random.nextInt(20);
            story.add(now + " settle " + charge.estimate + " of " + charge.at + " as " + used);
            pace.settle(tempo, charge.estimate, used, now);
            charge.charged = used;
            if (used < charge.estimate) {
                given.add(new Refund(now, charge, charge.estimate - used));
            } else {
                debits.add(new Debit(now, charge, used - charge.estimate));
            }
        }

        private void change() {
            if (!changes) {
                return;
            }
            Tempo first = tempo;
            boolean returns = false;
            do {
                Tempo before = tempo;
                reign(returns ? first : someTempo());
                returns = !returns;
                story.add("at " + now);
                pace.change(before, tempo, now);
                if (random.nextInt(3) == 0) {
                    pass(random.nextLong(1 + tempo.period() / 2));
                }
            } while (!refunds && random.nextInt(3) > 0);
        }

        /** A group is forgotten as idle, and comes back. */
        private void forget() {
            if (pace.restedFrom() <= now) {
                story.add(now + " forget");
                pace = new Pace(now);
            }
        }

        /** Looks at all windows that end now. */
        private void check() {
            Set<Long> lengths = new TreeSet<>();
            reigns.forEach(reign -> lengths.add(reign.tempo.period()));
            for (long length : lengths) {
                long after = now - length;
                List<Tempo> inForce = inForceAfter(after);
                if (inForce.stream().allMatch(known -> known.period() >= length)) {
                    long limit = inForce.stream().mapToInt(Tempo::limit).max().orElseThrow();
                    check(after, limit);
                }
            }
        }

        /** {@return the rates that were in force from the next nanosecond on} */
        private List<Tempo> inForceAfter(long time) {
            List<Tempo> inForce = new ArrayList<>();
            for (int i = 0; i < reigns.size(); i++) {
                long until = i + 1 < reigns.size() ? reigns.get(i + 1).since : Long.MAX_VALUE;
                if (until > time) {
                    inForce.add(reigns.get(i).tempo);
                }
            }
            return inForce;
        }

        private void check(long after, long limit) {
            long byStart = 0;
            long asKnown = 0;
            for (Charge charge : charges) {
                if (charge.at > after) {
                    byStart += charge.charged;
                    asKnown += Math.min(charge.estimate, charge.charged);
                }
            }
            for (Debit debit : debits) {
                asKnown += debit.at > after ? debit.units : 0;
            }
            long givenBack = 0;
            for (Refund refund : given) {
                givenBack += refund.at > after && refund.of.at <= after ? refund.units : 0;
            }
            assertThat(byStart).as("by the starts after %s", after).isLessThanOrEqualTo(limit + givenBack);
            assertThat(asKnown).as("as it became known after %s", after).isLessThanOrEqualTo(limit + givenBack);
        }
    }

    /** Numbers of all sizes, beside the same with fractions. */
    private static final class Exact {

        private final long seed;
        private final Random random;
        private final Tempo tempo;
        private final Pace pace;
        private final BigInteger n;
        /** From when on it has rested, in n-ths of a nanosecond. */
        private BigInteger rested;

        private long now;

        Exact(long seed) {
            this.seed = seed;
            random = new Random(seed);
            tempo = someTempo();
            n = BigInteger.valueOf(tempo.sustained());
            now = 1 + random.nextLong(1L << 61);
            pace = new Pace(now);
            rested = BigInteger.valueOf(now).multiply(n);
        }

        private Tempo someTempo() {
            for (; ; ) {
                int limit = number(1_000_000_000);
                int burst = number(limit);
                long period = 1_000_000 + random.nextLong(1L << (20 + random.nextInt(31)));
                if ((double) period / (limit - burst + 1) * limit < 0.99 * Tempo.FARTHEST) {
                    return new Tempo(limit, burst, period);
                }
            }
        }

        /** {@return from 1 to that, of any size} */
        private int number(int most) {
            return 1 + random.nextInt(Math.max(1, most >>> random.nextInt(31)));
        }

        void play() {
            for (int step = 0; step < 12; step++) {
                int cost = number(tempo.limit());
                BigInteger earliest = rested.add(intervals((long) cost - tempo.burst()));
                BigInteger[] whole = earliest.divideAndRemainder(n);
                long rounded = whole[0].longValueExact() + (whole[1].signum() > 0 ? 1 : 0);
                assertThat(pace.earliest(tempo, cost))
                        .as("seed %s: %s", seed, tempo)
                        .isEqualTo(rounded);
                now = Math.max(now, rounded) + (random.nextBoolean() ? 0 : random.nextLong(tempo.period()));
                take(cost);
                if (random.nextInt(3) == 0) {
                    int used = number(tempo.limit());
                    pace.settle(tempo, cost, used, now);
                    rested = (used > cost ? rested.max(BigInteger.valueOf(now).multiply(n)) : rested)
                            .add(intervals((long) used - cost));
                    BigInteger farthest =
                            BigInteger.valueOf(now + Tempo.FARTHEST).multiply(n);
                    if (rested.compareTo(farthest) > 0) {
                        return;
                    }
                }
            }
        }

        private void take(int cost) {
            pace.take(tempo, cost, now);
            rested = rested.max(BigInteger.valueOf(now).multiply(n)).add(intervals(cost));
        }

        private BigInteger intervals(long units) {
            return BigInteger.valueOf(units).multiply(BigInteger.valueOf(tempo.period()));
        }
    }
}
