package io.github.kobe.benchmarks;

import io.github.kobe.GroupResult;
import io.github.kobe.TaskStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Looks whether a contestant keeps its limits and runs every task: whoever doesn't has no business here. */
final class LimitCheck {

    private static final int GROUPS = 3;
    private static final int TASKS = 300;
    private static final Limits LIMITS = Limits.perGroup(2);
    private static final int GLOBAL = 4;

    private final Entrant entrant;
    private final Limits limits;
    private final Occupancy all = new Occupancy();
    private final Map<String, Occupancy> groups =
            Keys.of("group-", GROUPS).stream().collect(Collectors.toMap(Function.identity(), key -> new Occupancy()));
    private final List<String> keys = List.copyOf(groups.keySet());

    private LimitCheck(Entrant entrant, Limits limits) {
        this.entrant = entrant;
        this.limits = limits;
    }

    /** Counts who is inside. */
    private static final class Occupancy {
        private final AtomicInteger now = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        void enter() {
            int inside = now.incrementAndGet();
            most.accumulateAndGet(inside, Math::max);
        }

        void leave() {
            now.decrementAndGet();
        }
    }

    /** Fails if the entrant breaks a limit or loses a task. */
    static void of(Entrant entrant) throws Exception {
        if (entrant.lack(Set.of(Trait.LIMITS)).isPresent()) {
            return;
        }
        new LimitCheck(entrant, LIMITS).submits();
        if (entrant.lack(Set.of(Trait.CALLS)).isEmpty()) {
            new LimitCheck(entrant, LIMITS.inTurn()).calls();
        }
        if (entrant.lack(Set.of(Trait.CAPS)).isEmpty()) {
            new LimitCheck(entrant, LIMITS.withGlobal(GLOBAL)).submits();
        }
    }

    private void submits() throws Exception {
        try (Contestant<?> contestant = entrant.enter(limits)) {
            fill(contestant);
            submit(contestant);
        }
        look();
    }

    /** As many as the limits allow wait for each other inside: who runs fewer at a time has no business here either. */
    private <H> void fill(Contestant<H> contestant) {
        int most = Math.min(limits.global(), GROUPS * limits.perGroup());
        CyclicBarrier together = new CyclicBarrier(most);
        List<H> handles = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            handles.add(contestant.submit(keys.get(i % GROUPS), "task", () -> together.await(10, TimeUnit.SECONDS)));
        }
        Workload.check(
                most,
                handles.stream()
                        .filter(handle -> contestant.join(handle).error() == null)
                        .count());
    }

    private <H> void submit(Contestant<H> contestant) {
        List<H> handles = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            String group = keys.get(i % GROUPS);
            handles.add(contestant.submit(group, "task-" + i, witness(group)));
        }
        for (int i = 0; i < TASKS; i++) {
            GroupResult<Integer> result = contestant.join(handles.get(i));
            if (result.status() != TaskStatus.SUCCESS
                    || !result.taskId().equals("task-" + i)
                    || result.durationNanos() < 0) {
                throw new IllegalStateException(entrant + ": " + result);
            }
        }
    }

    private void calls() throws Exception {
        AtomicInteger turn = new AtomicInteger();
        try (Contestant<?> contestant = entrant.enter(limits)) {
            long sum = Crowd.sum(TASKS, () -> {
                String group = keys.get(turn.getAndIncrement() % GROUPS);
                return contestant.call(group, witness(group));
            });
            Workload.check(TASKS, sum);
        }
        look();
    }

    @SuppressWarnings("ThreadPriorityCheck") // makes a breach likelier, and nothing depends on it
    private Callable<Integer> witness(String group) {
        Occupancy inside = Objects.requireNonNull(groups.get(group));
        return () -> {
            all.enter();
            inside.enter();
            Thread.yield(); // so that others try meanwhile
            inside.leave();
            all.leave();
            return 1;
        };
    }

    private void look() {
        groups.forEach((group, inside) -> expect(group, inside.most.get(), limits.perGroup()));
        expect("all groups", all.most.get(), limits.global());
    }

    private void expect(String where, int most, int limit) {
        if (most > limit) {
            throw new IllegalStateException(entrant + " had " + most + " at once in " + where + ", limit " + limit);
        }
    }
}
