package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.testing.Depth;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What groups hold of the global limit when their tasks are of unequal length. The engine is the real one; time is that of
 * the test, which ends tasks in its order, so that nothing depends on the machine.
 */
@Tag("SH4")
class SharesTests {

    private static final int BACKLOG = 50;

    private final Random random = new Random(Depth.seed());

    /** Tasks that begin when they are let in, and end some milliseconds later. */
    private final class Play implements AutoCloseable {

        private record End(double at, long order, String key) {}

        private final Asker asker;
        private final Map<String, Double> lengths = new HashMap<>();
        private final PriorityQueue<End> ends =
                new PriorityQueue<>(Comparator.comparingDouble(End::at).thenComparingLong(End::order));

        private final Set<String> single = new HashSet<>();
        private final Map<String, Integer> held = new HashMap<>();
        private final Map<String, Integer> starts = new HashMap<>();
        private final Map<String, Double> heldTime = new HashMap<>();
        private double now;
        private double since;
        private long order;

        Play(GroupPolicy.Builder policy) {
            asker = new Asker(policy.build(), this::begun);
        }

        private void begun(String key) {
            held.merge(key, 1, Integer::sum);
            starts.merge(key, 1, Integer::sum);
            double length = lengths.get(key) * (0.9 + 0.2 * random.nextDouble());
            ends.add(new End(now + length, order++, key));
        }

        /** Gives a group as much to do as it will take. */
        void backlog(String key, double length) {
            lengths.put(key, length);
            for (int i = 0; i < BACKLOG; i++) {
                asker.ask(key);
            }
        }

        /** Has a group want one permit, once. */
        void once(String key, double length) {
            lengths.put(key, length);
            single.add(key);
            asker.ask(key);
        }

        int starts(String key) {
            return starts.getOrDefault(key, 0);
        }

        private void advance(double to) {
            held.forEach((key, count) -> heldTime.merge(key, count * (to - now), Double::sum));
            now = to;
        }

        private void step() {
            End next = ends.remove();
            advance(next.at);
            if (!single.contains(next.key)) {
                asker.ask(next.key);
            }
            held.merge(next.key, -1, Integer::sum);
            asker.giveBack(next.key);
        }

        /** Lets so many milliseconds pass, while all that ends is followed by more of the same. */
        void run(double millis) {
            double end = now + millis;
            while (!ends.isEmpty() && ends.element().at <= end) {
                step();
            }
            advance(end);
        }

        void measureFromNow() {
            heldTime.clear();
            starts.clear();
            since = now;
        }

        /** {@return how many permits a group has held on the average} */
        double share(String key) {
            return heldTime.getOrDefault(key, 0.0) / (now - since);
        }

        /** {@return after how long a group that comes now starts something, which ends at once} */
        double waitOfNewcomer(String key) {
            double came = now;
            once(key, 0.01);
            while (starts(key) == 0) {
                step();
            }
            double wait = now - came;
            while (held.get(key) > 0) {
                step();
            }
            starts.remove(key);
            return wait;
        }

        @Override
        public void close() {
            asker.close();
        }
    }

    private static GroupPolicy.Builder cap(int cap) {
        return GroupPolicy.builder()
                .globalMaxInFlight(cap)
                .defaults(GroupLimits.unset().withMaxConcurrency(1_000).withMaxInFlight(1_000));
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        sorted.sort(null);
        return sorted.get(sorted.size() / 2);
    }

    @Test
    @Tag("SH3")
    void longTasksGetNoMorePermitsThanShortOnes() {
        try (Play play = new Play(cap(20))) {
            play.backlog("long", 600);
            play.backlog("short-1", 10);
            play.backlog("short-2", 10);
            play.run(5_000);
            play.measureFromNow();
            play.run(60_000);

            assertThat(play.share("long")).isCloseTo(7.0, within(0.35));
            assertThat(play.share("short-1")).isCloseTo(6.5, within(0.33));
            assertThat(play.share("short-2")).isCloseTo(6.5, within(0.33));
        }
    }

    @Test
    @Tag("SH5")
    @Tag("SH6")
    void aNewcomerWaitsForOneTaskToEndAndWithHeadroomNotAtAll() {
        for (int headroom : new int[] {0, 2}) {
            try (Play play = new Play(cap(20).globalHeadroom(headroom))) {
                play.backlog("long", 600);
                play.backlog("short-1", 10);
                play.backlog("short-2", 10);
                play.run(5_000);
                List<Double> waits = new ArrayList<>();
                for (int i = 0; i < 200; i++) {
                    play.run(37);
                    waits.add(play.waitOfNewcomer("new-" + i));
                }

                assertThat(median(waits)).isLessThanOrEqualTo(headroom == 0 ? 12 : 1);
            }
        }
    }

    @Test
    @Tag("SH6")
    void headroomIsLeftFreeByThoseWhoHoldMore() {
        try (Play play = new Play(cap(20).globalHeadroom(2))) {
            play.backlog("long", 600);
            play.backlog("short-1", 10);
            play.backlog("short-2", 10);
            play.run(5_000);
            play.measureFromNow();
            play.run(30_000);

            for (String key : List.of("long", "short-1", "short-2")) {
                assertThat(play.share(key)).isCloseTo(6.0, within(0.3));
            }
        }
    }

    @Test
    void weightsAreShares() {
        try (Play play = threeOfWhichOneIsHeavy(600, 10)) {
            assertThat(play.share("heavy")).isCloseTo(14, within(0.7));
            assertThat(play.share("other")).isCloseTo(3, within(0.15));
            assertThat(play.share("third")).isCloseTo(3, within(0.15));
        }
        try (Play play = threeOfWhichOneIsHeavy(10, 600)) {
            assertThat(play.share("heavy")).isCloseTo(12.7, within(0.64));
            assertThat(play.share("other")).isCloseTo(4, within(0.2));
            assertThat(play.share("third")).isCloseTo(3.3, within(0.17));
        }
    }

    /** {@return a minute of three groups whose weights are 4, 1 and 1} The third one's tasks take 10 ms. */
    private Play threeOfWhichOneIsHeavy(double lengthOfHeavy, double lengthOfOther) {
        Play play = new Play(cap(20).group("heavy", GroupLimits.unset().withWeight(4)));
        play.backlog("heavy", lengthOfHeavy);
        play.backlog("other", lengthOfOther);
        play.backlog("third", 10);
        play.run(5_000);
        play.measureFromNow();
        play.run(60_000);
        return play;
    }

    @Test
    @Tag("SH3")
    void whereGroupsOutnumberPermitsTheyTakeWeightedTurns() {
        try (Play play = new Play(cap(20).pattern("heavy-*", GroupLimits.unset().withWeight(4)))) {
            for (int i = 0; i < 1_000; i++) {
                play.backlog((i % 2 == 0 ? "heavy-" : "light-") + i, 10);
            }
            play.run(3_000);
            play.measureFromNow();
            play.run(20_000);

            double heavy = play.starts.entrySet().stream()
                    .filter(entry -> entry.getKey().startsWith("heavy"))
                    .mapToInt(Map.Entry::getValue)
                    .average()
                    .orElseThrow();
            double light = play.starts.entrySet().stream()
                    .filter(entry -> entry.getKey().startsWith("light"))
                    .mapToInt(Map.Entry::getValue)
                    .average()
                    .orElseThrow();
            assertThat(heavy / light).isCloseTo(4.0, within(0.2));
        }
    }

    @Test
    @Tag("SH2")
    void keysThatAreMadeUpPushNobodyBelowAGuaranteeByName() {
        for (boolean byDefault : new boolean[] {false, true}) {
            GroupPolicy.Builder policy = GroupPolicy.builder()
                    .globalMaxInFlight(20)
                    .defaults(GroupLimits.unset()
                            .withMaxConcurrency(1_000)
                            .withMaxInFlight(1_000)
                            .withGuaranteed(byDefault ? 1 : 0))
                    .group("gold", GroupLimits.unset().withGuaranteed(8));
            try (Play play = new Play(policy)) {
                play.backlog("gold", 100);
                play.run(1_000);
                int key = 0;
                for (; key < 400; key++) {
                    play.once("made-up-" + key, 100);
                }
                play.run(500);
                play.measureFromNow();
                for (int round = 0; round < 400; round++) {
                    for (int i = 0; i < 3; i++) {
                        play.once("made-up-" + key++, 100);
                    }
                    play.run(10);
                }

                assertThat(play.share("gold")).isCloseTo(8, within(0.4));
            }
        }
    }

    @Test
    @Tag("SH6")
    void anExportLeavesItsNeighboursWhatTheyAsk() {
        GroupPolicy.Builder policy = cap(40).globalHeadroom(4)
                .pattern("tenant-*", GroupLimits.unset().withGuaranteed(3))
                .group("export", GroupLimits.unset().withGuaranteed(0));
        try (Play play = new Play(policy)) {
            play.backlog("export", 3_000);
            play.run(10_000);
            play.measureFromNow();
            play.run(30_000);
            assertThat(play.share("export")).as("alone").isGreaterThanOrEqualTo(35);

            List<Double> waits = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                play.run(100);
                waits.add(play.waitOfNewcomer("tenant-" + i % 4));
            }
            assertThat(waits.stream().mapToDouble(wait -> wait).max().orElseThrow())
                    .isLessThan(1);
        }
    }

    @Test
    @Tag("SH12")
    void whatAPausedGroupHoldsStillCounts() {
        try (Play play = new Play(cap(4))) {
            play.backlog("a", 10);
            play.backlog("b", 10);
            play.asker.executor().pause("a");
            play.run(100);
            assertThat(play.held).containsEntry("a", 0).containsEntry("b", 4);

            play.asker.executor().resume("a");
            play.run(100);
            assertThat(play.held).containsEntry("a", 2).containsEntry("b", 2);
        }
    }
}
