package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.Costs;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A group with two rates whose work says what it costs and what it has used, checked at each start of random histories by a plain
 * log: of neither rate does any window have more than its limit, and what was given back in it for starts before it. What waits
 * starts in its order, and as soon as its permits and both rates allow it.
 */
@Tag("RA1")
@Tag("RA4")
@Tag("RA6")
@Tag("RA7")
@Tag("RA13")
class CostOracleTests {

    private static final int HISTORIES = Depth.pick(300, 3_000, 100_000);
    private static final int STEPS = 150;
    private static final Duration PERIOD = Duration.ofMillis(1);
    private static final String KEY = "a";

    @Test
    void noWindowIsChargedMoreThanTheLimitOfAnyRate() {
        long seed = Depth.seed();
        for (int history = 0; history < HISTORIES; history++) {
            new History(seed + history).play();
        }
    }

    /** What one start, or a correction upward, was charged of one rate. */
    private static final class Entry {

        private final long at;
        private long charged;

        Entry(long at, long charged) {
            this.at = at;
            this.charged = charged;
        }
    }

    /** What was given back, and when it had been charged. */
    private record Refund(long at, long chargedAt, long units) {}

    /** What is known of one rate without the engine. */
    private static final class Log {

        private final Rate rate;
        private final List<Entry> entries = new ArrayList<>();
        private final List<Refund> refunds = new ArrayList<>();

        Log(Rate rate) {
            this.rate = rate;
        }

        int costOf(Costs said) {
            return said.costOf(rate.name()).orElse(rate.defaultCost());
        }

        /** Looks at the window of a period that ends now. */
        void check(long now) {
            long after = now - PERIOD.toNanos();
            long charged = entries.stream()
                    .filter(entry -> entry.at > after)
                    .mapToLong(entry -> entry.charged)
                    .sum();
            long givenBack = refunds.stream()
                    .filter(refund -> refund.at > after && refund.chargedAt <= after)
                    .mapToLong(Refund::units)
                    .sum();
            assertThat(charged)
                    .as("%s in the period until %d, in which %d were given back", rate, now, givenBack)
                    .isLessThanOrEqualTo(rate.limit() + givenBack);
        }
    }

    /** One that has started. */
    private record Out(Charge charge, List<Entry> entries) {}

    private static final class History {

        private final long seed;
        private final Random random;
        private final ManualClock clock = new ManualClock();
        private final long origin = clock.getAsLong();
        private final List<Log> logs = new ArrayList<>();
        private final int concurrency;
        private final Deque<Costs> waiting = new ArrayDeque<>();
        private final List<Out> out = new ArrayList<>();
        private final List<String> story = new ArrayList<>();
        private final Asker asker;

        History(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            int requests = 4 + random.nextInt(9);
            logs.add(new Log(Rate.of(requests, PERIOD).withBurst(1 + random.nextInt(2))));
            int tokens = 20 + random.nextInt(60);
            Rate rate = Rate.of(tokens, PERIOD)
                    .withBurst(1 + random.nextInt(tokens / 4))
                    .named("tokens")
                    .withDefaultCost(random.nextInt(6));
            logs.add(new Log(random.nextBoolean() ? rate : rate.withoutRefund()));
            concurrency = 1 + random.nextInt(6);
            GroupPolicy policy = GroupPolicy.builder()
                    .globalMaxInFlight(random.nextBoolean() ? Integer.MAX_VALUE : concurrency)
                    .group(
                            KEY,
                            GroupLimits.unset()
                                    .withMaxConcurrency(concurrency)
                                    .withRates(
                                            logs.stream().map(log -> log.rate).toList()))
                    .build();
            asker = new Asker(
                    policy,
                    key -> granted(),
                    clock.environment().withPortion(1 + random.nextInt(4)),
                    ClusterSignals.NONE);
        }

        private long now() {
            return clock.getAsLong() - origin;
        }

        void play() {
            try (asker) {
                for (int step = 0; step < STEPS; step++) {
                    switch (random.nextInt(10)) {
                        case 0 -> pass(PERIOD.multipliedBy(1 + random.nextInt(3)));
                        case 1, 2, 3 -> pass(Duration.ofNanos(random.nextLong(PERIOD.toNanos() / 2)));
                        case 4, 5, 6 -> giveBack();
                        default -> ask();
                    }
                    check();
                }
                for (int left = 10_000; left > 0 && !(out.isEmpty() && waiting.isEmpty()); left--) {
                    giveBack();
                    pass(PERIOD.dividedBy(8));
                    check();
                }
                assertThat(asker.executor().stats().inFlight()).isZero();
                assertThat(asker.executor().stats().queued()).isZero();
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError(
                        "seed " + seed + ": "
                                + logs.stream().map(log -> log.rate).toList() + ", " + concurrency + " at once: "
                                + story,
                        failure);
            }
        }

        private Costs someCosts() {
            if (random.nextInt(4) == 0) {
                return Costs.unsaid();
            }
            int limit = logs.get(1).rate.limit();
            Costs costs = Costs.of("tokens", random.nextInt(random.nextInt(4) == 0 ? limit + 1 : 1 + limit / 6));
            return random.nextInt(4) == 0 ? costs.and("requests", random.nextInt(3)) : costs;
        }

        private void ask() {
            Costs costs = someCosts();
            boolean mayWait = random.nextInt(4) > 0;
            story.add(now() + (mayWait ? " ask " : " try ") + costs);
            waiting.addLast(costs);
            int before = out.size();
            boolean isIn = asker.ask(KEY, costs.areUnsaid() ? null : costs, mayWait);
            if (out.size() == before) {
                assertThat(isIn).isEqualTo(mayWait);
                if (!mayWait) {
                    waiting.removeLast();
                }
            }
        }

        private void pass(Duration time) {
            clock.advance(time, asker.executor());
        }

        private void giveBack() {
            if (out.isEmpty()) {
                return;
            }
            Out ended = out.remove(random.nextInt(out.size()));
            for (int i = 0; i < logs.size(); i++) {
                if (random.nextInt(3) == 0) {
                    settle(logs.get(i), ended.charge, ended.entries.get(i));
                }
            }
            story.add(now() + " end");
            asker.giveBack(KEY);
        }

        private void settle(Log log, Charge charge, Entry entry) {
            long used = random.nextLong(random.nextInt(8) == 0 ? 2L * log.rate.limit() : entry.charged + 2);
            story.add(now() + " settle " + log.rate.name() + " " + entry.charged + " as " + used);
            if (used > entry.charged) {
                log.entries.add(new Entry(now(), used - entry.charged));
            } else if (log.rate.isRefunded()) {
                log.refunds.add(new Refund(now(), entry.at, entry.charged - used));
                entry.charged = used;
            }
            assertThat(asker.settle(KEY, charge, log.rate.name(), used)).isTrue();
            assertThat(asker.settle(KEY, charge, log.rate.name(), used)).isFalse();
        }

        /** Called by the engine at each grant: the first that waits, or who has just come, which then is the only one. */
        private void granted() {
            Costs costs = waiting.removeFirst();
            story.add(now() + " start " + costs);
            assertThat(out.size()).isLessThan(concurrency);
            List<Entry> entries = new ArrayList<>();
            for (Log log : logs) {
                Entry entry = new Entry(now(), log.costOf(costs));
                log.entries.add(entry);
                entries.add(entry);
                if (entry.charged > 0) {
                    log.check(now());
                }
            }
            out.add(new Out(asker.charge, entries));
        }

        private void check() {
            EngineAccess.runDue(asker.executor());
            Group group = asker.group(KEY);
            assertThat(group.inFlight()).isEqualTo(out.size());
            assertThat(group.queued()).isEqualTo(waiting.size());
            if (!waiting.isEmpty() && out.size() < concurrency) {
                Costs head = waiting.getFirst();
                assertThat(group.rate.next(head))
                        .as("when %s may start, which is the first of %d", head, waiting.size())
                        .isGreaterThan(asker.now());
            }
            assertThat(Stream.of("requests", "tokens").mapToLong(name -> group.queue.costOf(name, 0)))
                    .as("what all that waits says that it costs")
                    .containsExactly(said("requests"), said("tokens"));
        }

        private long said(String name) {
            return waiting.stream()
                    .mapToLong(costs -> costs.costOf(name).orElse(0))
                    .sum();
        }
    }
}
