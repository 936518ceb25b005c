package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.base.Lease;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What is leased, checked at each step of random histories by plain sums: nothing starts beyond it or after the deadline,
 * nothing is left waiting that may start, and those who lease are told what they have to know and no more.
 */
@Tag("CL60")
@Tag("CL61")
@Tag("CL62")
@Tag("CL42")
class LeaseOracleTests {

    private static final int HISTORIES = Depth.pick(300, 5_000, 100_000);
    private static final int STEPS = 150;
    private static final Duration LEASE = Duration.ofSeconds(11);

    @Test
    void eachStartHasALeaseThatCounts() {
        long seed = Depth.seed();
        for (int history = 0; history < HISTORIES; history++) {
            new History(seed + history).play();
        }
    }

    /** What is known of one group without the engine. */
    private static final class Known {

        private final int configured;
        private boolean shared;
        private int limit;
        private int leased;
        private boolean paused;
        private int held;
        private int waiting;
        private int refused;

        // ---- before the step
        private int heldBefore;
        private int keptBefore;
        private boolean idleBefore;
        private boolean slowBefore;
        private boolean isTold;

        Known(boolean shared, int limit) {
            this.configured = limit;
            this.limit = limit;
            share(shared);
        }

        private void share(boolean isShared) {
            shared = isShared;
            leased = shared ? 0 : Integer.MAX_VALUE;
            refused = 0;
        }

        private GroupLimits configured() {
            GroupLimits limits = GroupLimits.unset().withMaxConcurrency(configured);
            return shared ? limits.withClusterMaxInFlight(Leases.LIMIT) : limits;
        }

        private int inForce() {
            return Math.min(limit, leased);
        }

        private boolean hasRoom(boolean over) {
            return !paused && held < inForce() && !(shared && over);
        }

        private int kept() {
            return paused ? 0 : Math.max(0, Math.min(waiting, limit - held) - Math.max(0, inForce() - held));
        }

        private boolean isIdle() {
            return held == 0 && waiting == 0;
        }

        private void remember(boolean slow) {
            heldBefore = held;
            keptBefore = kept();
            idleBefore = isIdle();
            slowBefore = slow;
            isTold = false;
        }

        private boolean isToBeTold() {
            return isTold
                    || (shared
                            && ((keptBefore == 0 && kept() > 0)
                                    || (held < heldBefore && heldBefore > leased)
                                    || (!idleBefore && isIdle() && leased > 0 && slowBefore)));
        }
    }

    private static final class History {

        private final long seed;
        private final Random random;
        private final ManualClock clock = new ManualClock();
        private final Leases leases = new Leases();
        private final Map<String, Known> groups = new LinkedHashMap<>();
        private final List<String> out = new ArrayList<>();
        private final List<String> story = new ArrayList<>();
        private final Asker asker;
        private final int cap;
        private boolean over = true;
        /** The one that the current step changes the lease of, which is told its reading instead. */
        private String leasing = "";

        History(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            cap = random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(8);
            for (int i = 0; i < 3; i++) {
                groups.put(i == 2 ? "own" : "shared-" + i, new Known(i < 2, 1 + random.nextInt(6)));
            }
            asker = new Asker(policy(), this::granted, clock.environment().withPortion(1 + random.nextInt(4)), leases);
            leases.leaseFor(asker.executor());
            leases.count(Duration.ZERO);
        }

        private GroupPolicy policy() {
            GroupPolicy.Builder builder = GroupPolicy.builder().globalMaxInFlight(cap);
            groups.forEach((key, known) -> builder.group(key, known.configured()));
            return builder.build();
        }

        void play() {
            try (asker) {
                for (int step = 0; step < STEPS; step++) {
                    step();
                }
                finish();
                assertThat(groups.values()).as("%s", this).allMatch(Known::isIdle);
                assertThat(asker.executor().stats().inFlight()).isZero();
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("seed " + seed + ": " + story + "; " + this, failure);
            }
        }

        private void finish() {
            renew();
            groups.forEach((key, known) -> {
                if (known.paused) {
                    known.paused = false;
                    asker.executor().resume(key);
                }
                if (known.shared) {
                    lease(key, known, known.limit);
                }
            });
            while (!out.isEmpty()) {
                giveBack();
            }
        }

        private void step() {
            List<String> keys = List.copyOf(groups.keySet());
            String key = keys.get(random.nextInt(keys.size()));
            Known known = groups.get(key);
            groups.forEach((each, one) -> one.remember(asker.group(each).isSlow()));
            leasing = "";
            switch (random.nextInt(25)) {
                case 0 -> {
                    story.add((known.paused ? "resume " : "pause ") + key);
                    known.paused = !known.paused;
                    if (known.paused) {
                        asker.executor().pause(key);
                    } else {
                        asker.executor().resume(key);
                    }
                }
                case 1 -> {
                    known.limit = 1 + random.nextInt(6);
                    known.isTold = known.shared;
                    story.add("set " + key + " " + known.limit);
                    // The queue threshold is another one each time, so that the limits have changed for certain.
                    asker.executor()
                            .setLimits(
                                    key,
                                    GroupLimits.unset()
                                            .withMaxConcurrency(known.limit)
                                            .withQueueThreshold(1_000 + story.size()));
                }
                case 2 -> {
                    story.add("lapse");
                    over = true;
                    clock.advance(LEASE);
                }
                case 3, 4 -> renew();
                case 5, 6, 7, 8 -> {
                    if (known.shared) {
                        lease(key, known, random.nextInt(8));
                    }
                }
                case 9, 10, 11, 12, 13, 14 -> giveBack();
                case 15 -> {
                    story.add((known.shared ? "alone " : "share ") + key);
                    known.share(!known.shared);
                    known.isTold = true;
                    asker.executor().updatePolicy(policy());
                }
                default -> ask(key, known, random.nextInt(4) > 0);
            }
            check();
        }

        private void renew() {
            story.add("renew");
            over = false;
            leases.count(LEASE);
        }

        private void lease(String key, Known known, int capacity) {
            story.add("lease " + key + " " + capacity);
            leasing = key;
            known.leased = capacity;
            int before = known.held;
            Lease.Reading reading = leases.lease(key, capacity);
            story.add(reading.toString());
            assertThat(reading.out()).isBetween(before, known.held);
            assertThat(reading.refused()).isEqualTo(known.refused);
            if (reading.out() == known.held) { // else it has left off
                assertThat(reading.kept()).isEqualTo(known.kept());
            }
            known.refused = 0;
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
            boolean mayStart = known.waiting == 1 && known.hasRoom(over) && out.size() < cap;
            int kept = known.kept();
            boolean isIn = asker.ask(key, mayWait);
            if (out.size() > before) {
                assertThat(isIn).isTrue();
                return;
            }
            assertThat(mayStart).as("what comes may start").isFalse();
            assertThat(isIn).isEqualTo(mayWait);
            if (!mayWait) {
                known.waiting--;
                if (known.shared && kept > 0) {
                    known.isTold |= known.refused == 0;
                    known.refused++;
                }
            }
        }

        /** Called by the engine at each grant, before it counts. */
        private void granted(String key) {
            Known known = groups.get(key);
            story.add("grant " + key);
            assertThat(known.hasRoom(over)).as("%s may start", key).isTrue();
            assertThat(out.size()).isLessThan(cap);
            known.waiting--;
            known.held++;
            out.add(key);
        }

        private void check() {
            Set<String> expected = new TreeSet<>();
            groups.forEach((key, known) -> {
                assertThat(known.waiting > 0 && known.hasRoom(over) && out.size() < cap)
                        .as("something waits in %s that may start", key)
                        .isFalse();
                assertThat(asker.group(key).inFlight()).isEqualTo(known.held);
                assertThat(asker.group(key).queued()).isEqualTo(known.waiting);
                if (!key.equals(leasing) && known.isToBeTold()) {
                    expected.add(key);
                }
            });
            assertThat(leases.touched()).as("told").containsExactlyInAnyOrderElementsOf(expected);
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("cap " + cap + ", " + (over ? "over" : "counts"));
            groups.forEach((key, known) -> text.append("; ")
                    .append(key)
                    .append(": limit ")
                    .append(known.limit)
                    .append(known.shared ? ", shared" : "")
                    .append(", leased ")
                    .append(known.leased)
                    .append(known.paused ? ", paused" : "")
                    .append(", held ")
                    .append(known.held)
                    .append(", waits ")
                    .append(known.waiting));
            return text.toString();
        }
    }
}
