package io.github.kobe.benchmarks;

import static io.github.kobe.benchmarks.AdvisedCalls.Group.EXPRESSION;
import static io.github.kobe.benchmarks.AdvisedCalls.Group.LITERAL;

import java.util.List;
import java.util.Set;

/** All that is measured, in the order of the table. */
final class Workloads {

    private static final int NEVER_HIT = 1 << 20;

    private Workloads() {}

    static List<Workload> all(Size size) {
        return List.of(
                submits(1, size.of(200_000)),
                inManyGroups(1, size.of(200_000)),
                new Pipelined(
                        "B3",
                        "200,000 no-op tasks in one group with limit 1",
                        Goal.atLeast(0.90, Entrant.QUEUE),
                        1,
                        1,
                        1,
                        size.of(200_000),
                        Trait.LIMITS),
                new BlockingTasks(size.of(10_000)),
                new Backlog(Backlog.Aspect.HEAP, size.of(1_000_000)),
                new Backlog(Backlog.Aspect.TIME, size.of(1_000_000)),
                new KeysUsedOnce(size.of(1_000_000)),
                new LargeNeighbour(size.of(100_000)),
                UncontendedCalls.ofPlatformThread(size.of(1_000_000)),
                UncontendedCalls.ofVirtualThread(size.of(1_000_000)),
                new Allocation(Allocation.Act.CALL, size.of(1_000_000)),
                new Allocation(Allocation.Act.PERMIT, size.of(1_000_000)),
                new ContendedCalls(size.of(200_000)),
                new LongestWait(size.of(30)),
                new Cancels(size.of(100_000)),
                new IdleGroup(size.of(20_000)),
                new ShutdownCalls(size.of(100_000)),
                new ViewCloses("B12", size.of(10_000)),
                new ViewCloses("B12t", size.of(80_000)),
                new Option("B1g", submits(1, size.of(200_000)), Entrant.CAPPED, Goal.atLeast(0.90, Entrant.OURS)),
                new Option("B1gt", submits(2, size.of(200_000)), Entrant.CAPPED, Goal.atLeast(0.90, Entrant.OURS)),
                new Option("B2g", inManyGroups(1, size.of(200_000)), Entrant.CAPPED, Goal.atLeast(0.90, Entrant.OURS)),
                new Option("B2gt", inManyGroups(2, size.of(200_000)), Entrant.CAPPED, Goal.atLeast(0.90, Entrant.OURS)),
                new Option(
                        "B8g",
                        UncontendedCalls.ofPlatformThread(size.of(1_000_000)),
                        Entrant.CAPPED,
                        Goal.atMost(1.40, Entrant.OURS)),
                new Option(
                        "B8gt",
                        UncontendedCalls.ofTwoPlatformThreads(size.of(1_000_000)),
                        Entrant.CAPPED,
                        Goal.atMost(1.40, Entrant.OURS)),
                new AtTheCap(AtTheCap.LIMIT - 1, size.of(400_000)),
                new AtTheCap(AtTheCap.LIMIT, size.of(400_000)),
                new AtTheCap(AtTheCap.LIMIT + 1, size.of(400_000)),
                new NestedCalls(size.of(1_000_000)),
                new Refusals("N1", Refusals.Waiting.NESTED, size.of(1_000), size.of(20_000)),
                new Refusals("N1t", Refusals.Waiting.NESTED, size.of(10_000), size.of(20_000)),
                new Refusals("N2", Refusals.Waiting.FORKED, size.of(1_000), size.of(20_000)),
                new Refusals("N2t", Refusals.Waiting.FORKED, size.of(10_000), size.of(20_000)),
                new FannedOut(size.of(500)),
                Held.equally("H1", size.of(20_000)),
                Held.byWeight("H2", List.of(4, 1, 1), List.of(14.0, 3.0, 3.0), size.of(20_000)),
                Held.byWeight("H3", List.of(1, 4, 1), List.of(4.0, 12.7, 3.3), size.of(20_000)),
                new Newcomer("H4", 0, 12, 100, size),
                new Newcomer("H5", 2, 1, 100, size),
                new WaitingGroups("H6", WaitingGroups.Aspect.TIME, 50, size.of(100_000)),
                new WaitingGroups("H7", WaitingGroups.Aspect.TIME, 1, size.of(100_000)),
                new WaitingGroups("H8", WaitingGroups.Aspect.HEAP, 50, size.of(100_000)),
                new Option("O1", submits(1, size.of(200_000)), Entrant.LISTENER),
                new Option("O2", UncontendedCalls.ofPlatformThread(size.of(1_000_000)), Entrant.LISTENER),
                new Option("O3", submits(1, size.of(200_000)), Entrant.DECORATOR),
                new Option("O4", submits(1, size.of(200_000)), Entrant.STARTER),
                new Option("O5", UncontendedCalls.ofPlatformThread(size.of(1_000_000)), Entrant.STARTER),
                new Option("O6", submits(1, size.of(200_000)), Entrant.METERED),
                new Option("O7", UncontendedCalls.ofPlatformThread(size.of(1_000_000)), Entrant.METERED),
                new Option("O8", submits(1, size.of(200_000)), Entrant.CONTEXT),
                new Option("O9", submits(1, size.of(200_000)), Entrant.COMPLETE),
                new Option("O10", UncontendedCalls.ofPlatformThread(size.of(1_000_000)), Entrant.COMPLETE),
                AdvisedCalls.overCalls("A1", LITERAL, 150, size.of(200_000)),
                AdvisedCalls.overCalls("A2", EXPRESSION, 600, size.of(200_000)),
                new AdvisedHeap(size.of(1_000_000)),
                AdvisedCalls.overPlain("A4", LITERAL, Entrant.QUICK_START, 250, size.of(200_000)),
                AdvisedCalls.overPlain("A5", EXPRESSION, Entrant.QUICK_START, 350, size.of(200_000)),
                AdvisedCalls.overPlain("A6", EXPRESSION, Entrant.PATTERNED, 350, size.of(200_000)),
                AdvisedCalls.overPlain("A7", EXPRESSION, Entrant.MANY_KEYS, 350, size.of(200_000)),
                AdvisedCalls.overPlain("A8", LITERAL, Entrant.UNTIMED, 250, size.of(200_000)),
                AdvisedCalls.ofManyTenants("A10", 600, size.of(5_000), size.of(200_000)),
                new NamedGroups("A11", NamedGroups.Moment.START, 1_500, size.of(5_000)),
                new NamedGroups("A12", NamedGroups.Moment.REFRESH, 1_000, size.of(5_000)),
                new ScrapedCalls(size.of(100_000), size.of(4_000_000)),
                new LimitedConnections(LimitedConnections.Aspect.OPENING, size.of(200_000)),
                new LimitedConnections(LimitedConnections.Aspect.THROUGHPUT, size.of(3_000)),
                SmallScopes.ofTenForks(size.of(20_000)),
                ForkedTasks.besideTheJdk(size.of(100_000)),
                ForkedTasks.inManyGroups(size.of(200_000)),
                SmallScopes.empty(size.of(500_000)),
                new ForkHeap(ForkHeap.Moment.QUEUED, size.of(1_000_000)),
                new ForkHeap(ForkHeap.Moment.ENDED, size.of(1_000_000)),
                new CancelledForks(size.of(100_000)),
                new Chain(size.of(20_000)),
                new LateFork(LateFork.Event.FAILURE, size.of(10_000)),
                new LateFork(LateFork.Event.TIMER, size.of(10_000)),
                new LeasedCalls(size.of(1_000_000)),
                new Option(
                        "L2",
                        new Warm(UncontendedCalls.ofPlatformThread(size.of(1_000_000))),
                        Entrant.LEASED_QUICK_START,
                        Goal.atMost(1.10, Entrant.QUICK_START)),
                new Option(
                        "L3",
                        new Warm(inManyGroups(1, size.of(200_000))),
                        Entrant.LEASED,
                        Goal.atLeast(0.95, Entrant.OURS)),
                new ColdKeys("L4", Quantile.MEDIAN, size.of(300)),
                new ColdKeys("L4t", Quantile.LONGEST_OF_100, size.of(300)),
                SharedCalls.asFastAsTheyCan("L5", size.of(1_000)),
                SharedCalls.aThousandInASecond("L6", size.of(3_000)),
                new Exchanges("L7", Exchanges.Moment.IDLE, size.of(20_000)),
                new Exchanges("L8", Exchanges.Moment.WARM, size.of(20_000)),
                new RedisMemory("L9", RedisMemory.Moment.HELD, size.of(500)),
                new RedisMemory("L10", RedisMemory.Moment.IDLE, size.of(500)),
                new Hops("L11", Quantile.MEDIAN, 3, 200, size.of(100)),
                new Hops("L11t", Quantile.LONGEST_OF_100, 25, 200, size.of(100)),
                new Hops("L12", Quantile.MEDIAN, 3, 50, size.of(200)),
                new Hops("L12t", Quantile.LONGEST_OF_100, 25, 50, size.of(200)));
    }

    /** B1. */
    static Pipelined submits(int producers, int tasks) {
        return new Pipelined(
                "B1",
                "no-op submits of " + (producers == 1 ? "one producer" : producers + " producers")
                        + " to one group whose limit is never hit",
                Goal.atLeast(0.85, Entrant.RAW),
                1,
                NEVER_HIT,
                producers,
                tasks);
    }

    private static Pipelined inManyGroups(int producers, int tasks) {
        return new Pipelined(
                "B2",
                "200,000 no-op tasks" + (producers == 1 ? "" : " of " + producers + " producers")
                        + " in 64 groups with limit 4",
                Goal.atLeast(0.80, Entrant.RAW),
                64,
                4,
                producers,
                tasks);
    }

    /** {@return those with the given ids, or all of them for {@code all}} */
    static List<Workload> named(Set<String> ids, Size size) {
        List<Workload> wanted = all(size).stream()
                .filter(workload -> ids.contains("all") || ids.contains(workload.id()))
                .toList();
        List<String> known = all(size).stream().map(Workload::id).toList();
        if (!ids.contains("all") && wanted.size() < ids.size()) {
            throw new IllegalArgumentException("benchmarks are all, or some of " + known + ", not " + ids);
        }
        return wanted;
    }
}
