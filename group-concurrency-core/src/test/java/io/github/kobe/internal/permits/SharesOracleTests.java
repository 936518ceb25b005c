package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.testing.Depth;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The rule of who gets a global permit, checked at each grant of random histories by what it says, and not by how it is
 * done: requests, ends, weights, guarantees, limits, pauses, the global limit and the headroom change in any order.
 */
@Tag("SH2")
@Tag("SH3")
@Tag("SH6")
@Tag("SH9")
@Tag("SH12")
@Tag("SH13")
class SharesOracleTests {

    private static final int HISTORIES = Depth.pick(300, 5_000, 100_000);
    private static final int STEPS = 150;

    @Test
    void eachGrantIsThatOfTheRule() {
        long seed = Depth.seed();
        for (int history = 0; history < HISTORIES; history++) {
            new History(seed + history).play();
        }
    }

    /** What is known of one group without the engine. */
    private static final class Known {

        private int weight = 1;
        private int guaranteed;
        private boolean own;
        private int limit;
        private boolean paused;
        private int held;
        private int waiting;

        /** How much each other group got at the same place since this one came there, while it waits. */
        private final Map<String, Integer> others = new HashMap<>();

        private int place = -1;

        private boolean isEligible() {
            return waiting > 0 && !paused && held < limit;
        }

        private int guaranteedInForce() {
            return Math.min(guaranteed, limit);
        }

        /** A number for class and level, which is the lower the earlier it gets a permit. */
        private int placeNow() {
            int beyond = held - guaranteedInForce();
            if (beyond < 0) {
                return (own ? 0 : 1_000) + held / weight;
            }
            return 2_000 + beyond / weight;
        }

        private boolean holdsLittle() {
            return held - guaranteedInForce() < weight;
        }
    }

    private static final class History {

        private final long seed;
        private final Random random;
        private final Map<String, Known> groups = new LinkedHashMap<>();
        private final List<String> out = new ArrayList<>();
        private final List<String> story = new ArrayList<>();
        private final Asker asker;
        private GroupPolicy policy;
        private int cap;
        private int headroom;

        History(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            cap = 1 + random.nextInt(8);
            headroom = random.nextInt(Math.min(cap, 3));
            GroupPolicy.Builder builder =
                    GroupPolicy.builder().globalMaxInFlight(cap).globalHeadroom(headroom);
            int count = 2 + random.nextInt(4);
            int left = cap - headroom;
            for (int i = 0; i < count; i++) {
                Known known = new Known();
                known.weight = 1 + random.nextInt(3);
                known.limit = 1 + random.nextInt(8);
                known.own = random.nextBoolean();
                known.guaranteed = random.nextInt(1 + Math.min(known.limit, known.own ? left : cap));
                left -= known.own ? known.guaranteed : 0;
                GroupLimits limits = GroupLimits.unset()
                        .withMaxConcurrency(known.limit)
                        .withWeight(known.weight)
                        .withGuaranteed(known.guaranteed);
                String key = "g" + i;
                if (known.own) {
                    builder.group(key, limits);
                } else {
                    builder.pattern(key + "*", limits);
                }
                groups.put(key, known);
            }
            policy = builder.build();
            asker = new Asker(policy, this::granted);
        }

        void play() {
            try (asker) {
                for (int step = 0; step < STEPS; step++) {
                    step();
                    checkNothingIsLeft();
                }
                groups.forEach((key, known) -> {
                    if (known.paused) {
                        known.paused = false;
                        asker.executor().resume(key);
                    }
                });
                while (!out.isEmpty()) {
                    giveBack();
                    checkNothingIsLeft();
                }
                assertThat(groups.values()).as("%s", this).allMatch(known -> known.waiting == 0 && known.held == 0);
                assertThat(asker.executor().stats().inFlight()).isZero();
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("seed " + seed + ": " + story, failure);
            }
        }

        private void step() {
            String key = "g" + random.nextInt(groups.size());
            Known known = groups.get(key);
            switch (random.nextInt(20)) {
                case 0 -> {
                    story.add((known.paused ? "resume " : "pause ") + key);
                    known.paused = !known.paused;
                    forget();
                    if (known.paused) {
                        asker.executor().pause(key);
                    } else {
                        asker.executor().resume(key);
                    }
                }
                case 1 -> {
                    known.weight = 1 + random.nextInt(3);
                    known.limit = 1 + random.nextInt(8);
                    known.guaranteed = random.nextInt(1 + known.limit);
                    known.own = true;
                    story.add("set " + key + " weight " + known.weight + " limit " + known.limit + " guaranteed "
                            + known.guaranteed);
                    forget();
                    asker.executor()
                            .setLimits(
                                    key,
                                    GroupLimits.unset()
                                            .withMaxConcurrency(known.limit)
                                            .withWeight(known.weight)
                                            .withGuaranteed(known.guaranteed));
                }
                case 2 -> {
                    int guarantees = policy.groups().values().stream()
                            .mapToInt(limits -> limits.guaranteed().orElse(0))
                            .sum();
                    headroom = random.nextInt(3);
                    cap = Math.max(headroom + Math.max(1, guarantees), 1 + random.nextInt(8));
                    story.add("cap " + cap + " headroom " + headroom);
                    policy = policy.toBuilder()
                            .globalMaxInFlight(cap)
                            .globalHeadroom(headroom)
                            .build();
                    forget();
                    asker.executor().updatePolicy(policy);
                }
                case 3, 4, 5, 6, 7, 8, 9, 10 -> giveBack();
                default -> {
                    boolean mayWait = random.nextInt(4) > 0;
                    story.add((mayWait ? "ask " : "try ") + key);
                    known.waiting++;
                    int before = out.size();
                    notice();
                    boolean isIn = asker.ask(key, mayWait);
                    if (!mayWait && out.size() == before) {
                        assertThat(isIn).isFalse();
                        known.waiting--;
                        assertThat(mayStart(key))
                                .as("a try of %s was refused though it could start: %s", key, this)
                                .isFalse();
                    }
                }
            }
        }

        private void giveBack() {
            if (!out.isEmpty()) {
                String key = out.remove(random.nextInt(out.size()));
                story.add("end " + key);
                groups.get(key).held--;
                notice();
                asker.giveBack(key);
            }
        }

        /** {@return whether one that comes now could start: nothing waits in its group, nor before it} */
        private boolean mayStart(String key) {
            Known known = groups.get(key);
            if (known.waiting > 0) {
                return false;
            }
            known.waiting++;
            try {
                return known.isEligible() && mayTake(known) && first() != null && isFirst(known);
            } finally {
                known.waiting--;
            }
        }

        private int free() {
            return cap - out.size();
        }

        private boolean mayTake(Known known) {
            return free() > headroom || (free() > 0 && known.holdsLittle());
        }

        private Known first() {
            Known first = null;
            for (Known known : groups.values()) {
                if (known.isEligible() && (first == null || known.placeNow() < first.placeNow())) {
                    first = known;
                }
            }
            return first;
        }

        private boolean isFirst(Known known) {
            Known first = first();
            return first != null && known.placeNow() == first.placeNow();
        }

        /** Called by the engine at each grant, before it counts. */
        private void granted(String key) {
            Known known = groups.get(key);
            story.add("grant " + key);
            assertThat(known.isEligible()).as("%s may start: %s", key, this).isTrue();
            assertThat(mayTake(known))
                    .as("%s may take what is free: %s", key, this)
                    .isTrue();
            // While more is free than the headroom, nobody waits for anybody.
            assertThat(isFirst(known)).as("nobody is before %s: %s", key, this).isTrue();
            int place = known.placeNow();
            groups.forEach((other, waits) -> {
                if (!other.equals(key) && waits.isEligible() && waits.place == place) {
                    int got = waits.others.merge(key, 1, Integer::sum);
                    assertThat(got)
                            .as("turn of %s while %s waits: %s", key, other, this)
                            .isLessThanOrEqualTo(known.weight);
                }
            });
            known.waiting--;
            known.held++;
            out.add(key);
            known.place = -1;
            notice();
        }

        /** Notes who waits where from now on. */
        private void notice() {
            groups.values().forEach(known -> {
                int place = known.isEligible() ? known.placeNow() : -1;
                if (place != known.place) {
                    known.place = place;
                    known.others.clear();
                }
            });
        }

        /** A change of settings begins turns anew, for all that is known here. */
        private void forget() {
            groups.values().forEach(known -> known.place = -1);
        }

        private void checkNothingIsLeft() {
            notice();
            Known first = first();
            assertThat(first == null || !mayTake(first))
                    .as("nothing waits that may start: %s", this)
                    .isTrue();
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("cap " + cap + ", headroom " + headroom + ", free " + free());
            groups.forEach((key, known) -> text.append("; ")
                    .append(key)
                    .append(": weight ")
                    .append(known.weight)
                    .append(", guaranteed ")
                    .append(known.guaranteed)
                    .append(known.own ? " (own)" : "")
                    .append(", limit ")
                    .append(known.limit)
                    .append(known.paused ? ", paused" : "")
                    .append(", held ")
                    .append(known.held)
                    .append(", waits ")
                    .append(known.waiting));
            return text.toString();
        }
    }
}
