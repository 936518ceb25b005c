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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Groups with rates beside others, also under a global rate, checked at each step of random histories by a log of their starts: no
 * window has more than the limit, and when all that is due was done, nothing waits that its permits and its rates let start.
 */
@Tag("RA1")
@Tag("RA4")
@Tag("RA5")
@Tag("RA11")
@Tag("RA12")
@Tag("RA13")
class RateOracleTests {

    private static final int HISTORIES = Depth.pick(300, 5_000, 100_000);
    private static final int STEPS = 150;
    private static final Duration PERIOD = Duration.ofMillis(1);

    @Test
    void noWindowHasMoreStartsThanTheLimitAndNothingWaitsInVain() {
        long seed = Depth.seed();
        for (int history = 0; history < HISTORIES; history++) {
            new History(seed + history).play();
        }
    }

    /** A rate, and since when. */
    private record Reign(long since, Rate rate) {}

    /** What is known of one group without the engine. */
    private static final class Known {

        private final Rate configured;
        private final int concurrency;
        private final List<Reign> reigns = new ArrayList<>();
        private final List<Long> starts = new ArrayList<>();
        private boolean paused;
        private int held;
        private int waiting;

        Known(Rate configured, int concurrency, long now) {
            this.configured = configured;
            this.concurrency = concurrency;
            reigns.add(new Reign(now, configured));
        }

        private GroupLimits limits() {
            return GroupLimits.unset().withMaxConcurrency(concurrency).withRate(configured);
        }

        private boolean hasRoom() {
            return !paused && held < concurrency;
        }

        /** Looks at the window of a period that ends now. */
        private void check(long now) {
            long after = now - PERIOD.toNanos();
            long limit = 0;
            for (int i = 0; i < reigns.size(); i++) {
                long until = i + 1 < reigns.size() ? reigns.get(i + 1).since : Long.MAX_VALUE;
                limit = until > after ? Math.max(limit, reigns.get(i).rate.limit()) : limit;
            }
            assertThat(starts.stream().filter(start -> start > after).count())
                    .as("starts in the period until " + now)
                    .isLessThanOrEqualTo(limit);
        }
    }

    private static final class History {

        private final long seed;
        private final Random random;
        private final ManualClock clock = new ManualClock();
        private final long origin = clock.getAsLong();
        private final Map<String, Known> groups = new LinkedHashMap<>();
        private final List<String> out = new ArrayList<>();
        private final List<String> story = new ArrayList<>();
        private final Asker asker;
        private final int cap;
        private final int maxIdle;

        /** All groups together. */
        private final Known all;

        History(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            cap = random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(6);
            maxIdle = random.nextInt(3);
            all = new Known(random.nextBoolean() ? Rate.UNLIMITED : someGlobalRate(), Integer.MAX_VALUE, now());
            for (int i = 0; i < 3; i++) {
                // Not so much at once that each policy would warn of it.
                Rate rate = i == 2
                        ? Rate.UNLIMITED
                        : Rate.of(4 + random.nextInt(9), PERIOD).withBurst(1 + random.nextInt(2));
                groups.put("group-" + i, new Known(rate, 1 + random.nextInt(5), now()));
            }
            asker = new Asker(
                    policy(),
                    this::granted,
                    clock.environment().withPortion(1 + random.nextInt(4)),
                    ClusterSignals.NONE);
        }

        private Rate someRate() {
            int limit = 1 + random.nextInt(12);
            return Rate.of(limit, PERIOD).withBurst(1 + random.nextInt(limit));
        }

        /** One that no policy would warn of; where so much may start at once, some lies in stripes. */
        private Rate someGlobalRate() {
            int limit = 4 + random.nextInt(60);
            return Rate.of(limit, PERIOD).withBurst(1 + random.nextInt(limit / 4 + 1));
        }

        private long now() {
            return clock.getAsLong() - origin;
        }

        private GroupPolicy policy() {
            GroupPolicy.Builder builder = GroupPolicy.builder()
                    .globalMaxInFlight(cap)
                    .maxIdleGroups(maxIdle)
                    .globalRate(all.reigns.getLast().rate);
            groups.forEach((key, known) -> builder.pattern(key + "*", known.limits()));
            return builder.build();
        }

        void play() {
            try (asker) {
                for (int step = 0; step < STEPS; step++) {
                    step();
                }
                finish();
                assertThat(asker.executor().stats().inFlight()).isZero();
                assertThat(asker.executor().stats().queued()).isZero();
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("seed " + seed + ": " + story + "; " + this, failure);
            }
        }

        private void finish() {
            groups.forEach((key, known) -> {
                known.paused = false;
                asker.executor().resume(key);
            });
            for (int left = 10_000; left > 0 && (!out.isEmpty() || waits()); left--) {
                giveBack();
                pass(PERIOD.dividedBy(8));
            }
            pass(PERIOD.multipliedBy(20));
            pass(PERIOD.multipliedBy(20));
            assertThat(asker.executor().groupKeys())
                    .as("what is kept when all has rested")
                    .hasSizeLessThanOrEqualTo(maxIdle + overridden());
            assertThat(asker.executor().stats().rememberedRates())
                    .as("what is remembered when all has rested")
                    .isZero();
        }

        private int overridden() {
            return (int) groups.keySet().stream()
                    .filter(key -> asker.executor().overrideOf(key).isPresent())
                    .count();
        }

        private boolean waits() {
            return groups.values().stream().anyMatch(known -> known.waiting > 0);
        }

        private void step() {
            List<String> keys = List.copyOf(groups.keySet());
            String key = keys.get(random.nextInt(keys.size()));
            Known known = groups.get(key);
            switch (random.nextInt(24)) {
                case 0 -> {
                    known.paused = !known.paused;
                    story.add((known.paused ? "pause " : "resume ") + key);
                    if (known.paused) {
                        asker.executor().pause(key);
                    } else {
                        asker.executor().resume(key);
                    }
                }
                case 1 -> change(key, known);
                case 2 -> pass(PERIOD.multipliedBy(1 + random.nextInt(3)));
                case 15 -> changeGlobal();
                case 3, 4, 5, 6, 7, 8 -> pass(Duration.ofNanos(random.nextLong(PERIOD.toNanos() / 2)));
                case 9, 10, 11, 12, 13, 14 -> giveBack();
                default -> ask(key, known, random.nextInt(4) > 0);
            }
            check();
        }

        private void change(String key, Known known) {
            if (!known.configured.isUnlimited()) {
                Rate rate = random.nextInt(3) == 0 ? known.configured : someRate();
                story.add(now() + " " + key + " gets " + rate);
                if (!rate.equals(known.reigns.getLast().rate)) {
                    known.reigns.add(new Reign(now(), rate));
                }
                if (rate.equals(known.configured)) {
                    asker.executor().resetLimits(key);
                } else {
                    asker.executor().setLimits(key, GroupLimits.unset().withRate(rate));
                }
            }
        }

        private void changeGlobal() {
            if (random.nextInt(4) == 0) {
                Rate rate = random.nextInt(4) == 0 ? Rate.UNLIMITED : someGlobalRate();
                story.add(now() + " all get " + rate);
                all.reigns.add(new Reign(now(), rate));
                asker.executor().updatePolicy(policy());
            }
        }

        private void pass(Duration time) {
            story.add("pass " + time.toNanos());
            clock.advance(time, asker.executor());
        }

        private void giveBack() {
            if (!out.isEmpty()) {
                String key = out.remove(random.nextInt(out.size()));
                story.add("end " + key);
                groups.get(key).held--;
                asker.giveBack(key);
            }
        }

        private void ask(String key, Known known, boolean mayWait) {
            story.add((mayWait ? "ask " : "try ") + key);
            known.waiting++;
            int before = out.size();
            boolean isIn = asker.ask(key, mayWait);
            if (out.size() == before) {
                assertThat(isIn).isEqualTo(mayWait);
                known.waiting -= mayWait ? 0 : 1;
            }
        }

        /** Called by the engine at each grant. */
        private void granted(String key) {
            Known known = groups.get(key);
            story.add(now() + " grant " + key);
            assertThat(known.hasRoom()).as("%s may start", key).isTrue();
            assertThat(out.size()).isLessThan(cap);
            known.waiting--;
            known.held++;
            out.add(key);
            all.starts.add(now());
            all.check(now());
            if (!known.configured.isUnlimited()) {
                known.starts.add(now());
                known.check(now());
            }
        }

        private void check() {
            EngineAccess.runDue(asker.executor());
            groups.forEach((key, known) -> {
                Group group = asker.groupIfKnown(key);
                if (group == null) {
                    assertThat(known.waiting + known.held).isZero();
                    return;
                }
                GroupRate rate = group.rate;
                boolean inPace = rate == null || rate.allowsAt(asker.now(), null);
                boolean allInPace = group.ledger.permits.waitFor(1, asker.now()) == 0;
                assertThat(known.waiting > 0 && known.hasRoom() && out.size() < cap && inPace && allInPace)
                        .as("something waits in %s that may start", key)
                        .isFalse();
                assertThat(group.inFlight()).isEqualTo(known.held);
                assertThat(group.queued()).isEqualTo(known.waiting);
            });
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("cap " + cap + ", rate " + all.reigns.getLast().rate);
            groups.forEach((key, known) -> text.append("; ")
                    .append(key)
                    .append(": at once ")
                    .append(known.concurrency)
                    .append(", rate ")
                    .append(known.reigns.getLast().rate)
                    .append(known.paused ? ", paused" : "")
                    .append(", held ")
                    .append(known.held)
                    .append(", waits ")
                    .append(known.waiting));
            return text.toString();
        }
    }
}
