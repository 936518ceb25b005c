package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Set;

/** All that is measured, in the order of the table. */
final class Workloads {

    private static final int NEVER_HIT = 1 << 20;

    private Workloads() {}

    static List<Workload> all(Size size) {
        return List.of(
                submits(size.of(200_000)),
                inManyGroups(size.of(200_000)),
                new Pipelined(
                        "B3",
                        "200,000 no-op tasks in one group with limit 1",
                        Goal.atLeast(0.95, Entrant.QUEUE),
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
                new Option("B1g", submits(size.of(200_000)), Entrant.CAPPED, Goal.atLeast(0.90, Entrant.OURS)),
                new Option("B2g", inManyGroups(size.of(200_000)), Entrant.CAPPED, Goal.atLeast(0.90, Entrant.OURS)),
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
                new Option("O1", submits(size.of(200_000)), Entrant.LISTENER),
                new Option("O2", UncontendedCalls.ofPlatformThread(size.of(1_000_000)), Entrant.LISTENER),
                new Option("O3", submits(size.of(200_000)), Entrant.DECORATOR),
                new Option("O4", submits(size.of(200_000)), Entrant.STARTER),
                new Option("O5", UncontendedCalls.ofPlatformThread(size.of(1_000_000)), Entrant.STARTER),
                new Option("O6", submits(size.of(200_000)), Entrant.METERED),
                new Option("O7", UncontendedCalls.ofPlatformThread(size.of(1_000_000)), Entrant.METERED),
                new Option("O8", submits(size.of(200_000)), Entrant.CONTEXT),
                new Option("O9", submits(size.of(200_000)), Entrant.COMPLETE),
                new Option("O10", UncontendedCalls.ofPlatformThread(size.of(1_000_000)), Entrant.COMPLETE),
                new AdvisedCalls(AdvisedCalls.Group.LITERAL, size.of(200_000)),
                new AdvisedCalls(AdvisedCalls.Group.EXPRESSION, size.of(200_000)),
                new AdvisedHeap(size.of(1_000_000)),
                new ScrapedCalls(size.of(100_000), size.of(4_000_000)));
    }

    /** B1. */
    static Pipelined submits(int tasks) {
        return new Pipelined(
                "B1",
                "no-op submits of one producer to one group whose limit is never hit",
                Goal.atLeast(0.90, Entrant.RAW),
                1,
                NEVER_HIT,
                tasks);
    }

    private static Pipelined inManyGroups(int tasks) {
        return new Pipelined(
                "B2", "200,000 no-op tasks in 64 groups with limit 4", Goal.atLeast(0.95, Entrant.RAW), 64, 4, tasks);
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
