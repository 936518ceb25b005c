package io.github.kobe.schedules;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.scope.ForkOptions;
import io.github.kobe.scope.GroupScope;
import io.github.kobe.scope.RetryPolicy;
import io.github.kobe.scope.ScopeSettings;
import io.github.kobe.scope.Scopes;
import io.github.kobe.scope.Subtask;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Trees of scopes, by depth in one of a few groups, at small limits. Forks fork, open scopes and leave them open, wait, fail
 * and are tried again, have time-outs and delays of their own; scopes are cancelled by their token, their subtasks and their
 * joiner, run out of time, have schedules and clean-ups and a bound of forks; owners are interrupted and join again; groups
 * are paused, resized, evicted and shut down, and so is the executor.
 *
 * <p>Whatever meets whatever: each scope has one outcome, each fork one end, of which its joiner hears once if it came before
 * the cancel; after close none of it runs, and nothing of the scope is left. {@link ScopeRecord} looks at that.
 */
final class ScopesAndEnds extends Scenario {

    private static final int DEEPEST = 3;

    private final List<String> byDepth = new ArrayList<>();
    private final List<ScopeRecord> records = new ArrayList<>();
    private Scopes scopes;

    ScopesAndEnds(Simulation simulation, long seed) {
        super(simulation, seed);
    }

    @Override
    void begin() {
        int groups = 1 + random.nextInt(3);
        for (int i = 0; i <= DEEPEST; i++) {
            byDepth.add("g" + random.nextInt(groups));
        }
        int limit = 1 + random.nextInt(2);
        int global = random.nextInt(4);
        int most = global == 3 ? Integer.MAX_VALUE : 1 + global;
        start(
                GroupPolicy.builder()
                        .defaultMaxConcurrencyPerGroup(limit)
                        .globalMaxInFlight(most)
                        .globalHeadroom(RandomProgram.headroom(most, random))
                        .pattern("g1*", GroupLimits.unset().withGuaranteed(random.nextInt(2)))
                        .build(),
                false);
        scopes = Scopes.of(executor).withDefaults(ScopeSettings::withoutTimeout);
        for (String key : byDepth) {
            witness.mayLendUnseen(key);
            witness.changing(key, limit, Integer.MAX_VALUE, () -> {}); // so that it knows from what they change
        }
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            SplittableRandom own = random.split();
            actor("root", () -> scope(0, null, own));
        }
        switch (random.nextInt(6)) {
            case 0, 1 -> {
                SplittableRandom own = random.split();
                actor("changes", () -> change(own, limit));
            }
            case 2 -> {
                SplittableRandom own = random.split();
                actor("shutdown", () -> {
                    someSteps(own);
                    executor.shutdown();
                });
            }
            default -> {}
        }
    }

    private void change(SplittableRandom own, int limit) {
        String key = byDepth.get(own.nextInt(DEEPEST));
        someSteps(own);
        switch (own.nextInt(4)) {
            case 0 -> {
                executor.pause(key);
                someSteps(own);
                executor.resume(key);
            }
            case 1 -> {
                for (int next : List.of(3 - limit, limit)) {
                    GroupLimits changed = GroupLimits.unset().withMaxConcurrency(next);
                    witness.changing(key, next, Integer.MAX_VALUE, () -> executor.setLimits(key, changed));
                    someSteps(own);
                }
                executor.resetLimits(key);
            }
            case 2 -> executor.evictGroup(key);
            default -> executor.shutdownGroup(key);
        }
    }

    // ---------------------------------------------------------------- an owner

    /** Opens a scope whose forks have the groups of {@code depth}, and closes it. */
    private void scope(int depth, @Nullable GroupScope<?, ?, ?> outer, SplittableRandom own) {
        ScopeRecord record = new ScopeRecord(simulation, own.nextInt(12), depth > 0);
        GroupScope<Object, String, RuntimeException> scope = open(record, outer, own);
        if (scope == null) {
            return;
        }
        try {
            live(scope, record, depth, own);
        } finally {
            scope.close();
            record.closed();
        }
        if (depth == 0 && Thread.interrupted()) {
            Simulation.point("an interrupt came late");
        }
    }

    /** {@return none, if there is an executor no more} */
    private GroupScope<Object, String, RuntimeException> open(
            ScopeRecord record, @Nullable GroupScope<?, ?, ?> outer, SplittableRandom own) {
        Duration time = Duration.ofNanos(own.nextInt(400_000));
        boolean timed = own.nextInt(4) == 0;
        if (timed) {
            record.timed();
        }
        boolean cancelled = outer != null && outer.isCancelled();
        int most = own.nextInt(12);
        try {
            GroupScope<Object, String, RuntimeException> scope = scopes.open(record, settings -> {
                ScopeSettings chosen = timed ? settings.withTimeout(time) : settings;
                return most == 1 || most == 2 ? chosen.withMaxUnfinished(most) : chosen;
            });
            records.add(record);
            record.opened(scope);
            if (cancelled && !scope.isCancelled()) {
                simulation.fail("it opened in one that was cancelled, and isn't cancelled", null);
            }
            return scope;
        } catch (IllegalStateException refused) {
            if (!executor.isShutdown()) {
                simulation.fail("a scope was refused", refused);
            }
            return null;
        }
    }

    private void live(
            GroupScope<Object, String, RuntimeException> scope, ScopeRecord record, int depth, SplittableRandom own) {
        if (own.nextInt(3) == 0) {
            SplittableRandom cancelling = own.split();
            record.mayBeCancelled();
            actor("canceller", () -> {
                someSteps(cancelling);
                scope.token().cancel();
                record.cancelReturned();
            });
        }
        if (own.nextInt(4) == 0) {
            SplittableRandom interrupting = own.split();
            record.mayBeCancelled();
            Thread owner = Thread.currentThread();
            actor("interrupter", () -> {
                someSteps(interrupting);
                owner.interrupt();
            });
        }
        if (own.nextInt(6) == 0) {
            scope.scheduleAtFixedRate(
                    byDepth.get(depth),
                    Duration.ofNanos(own.nextInt(50_000)),
                    Duration.ofNanos(1 + own.nextInt(100_000)),
                    record::ranScheduled);
        }
        List<Subtask<?>> forks = new ArrayList<>();
        for (int i = own.nextInt(4); i > 0; i--) {
            forks.add(fork(scope, record, depth, own.split()));
        }
        if (!forks.isEmpty() && own.nextInt(6) == 0) {
            record.forkMayBeCut();
            forks.getFirst().cancel();
        }
        if (own.nextInt(6) == 0) {
            record.await(() -> scope.await(forks));
        }
        if (own.nextInt(12) == 0) {
            record.timed();
            record.join(() -> scope.joinUntil(Instant.EPOCH));
        } else {
            record.join(scope::join);
        }
    }

    // ---------------------------------------------------------------- a fork

    private Subtask<Object> fork(
            GroupScope<Object, String, RuntimeException> scope, ScopeRecord record, int depth, SplittableRandom own) {
        String group = byDepth.get(depth);
        ScopeRecord.Body body = record.body(witness.inside(group, () -> work(scope, record, depth, own)));
        if (own.nextInt(3) != 0) {
            return scope.fork(group, body);
        }
        ForkOptions options = ForkOptions.in(group);
        if (own.nextBoolean()) {
            options = options.withTimeout(Duration.ofNanos(1 + own.nextInt(200_000)));
        }
        if (own.nextInt(3) == 0) {
            options = options.withStartAfter(Duration.ofNanos(own.nextInt(100_000)));
        }
        if (own.nextBoolean()) {
            options = options.withRetry(
                    RetryPolicy.attempts(1 + own.nextInt(3)).withDelay(Duration.ofNanos(own.nextInt(50_000))));
        }
        return scope.fork(options, body);
    }

    private Object work(
            GroupScope<Object, String, RuntimeException> scope, ScopeRecord record, int depth, SplittableRandom own)
            throws Exception {
        someSteps(own);
        switch (own.nextInt(12)) {
            case 0 -> {
                record.mayBeCancelled();
                scope.cancel();
            }
            case 1 -> scope.defer(record.cleanUp());
            case 2 -> Simulation.parkNanos(own.nextInt(300_000));
            case 3, 4 -> fork(scope, record, depth, own.split());
            case 5, 6, 7 -> {
                if (depth < DEEPEST) {
                    witness.waiting(byDepth.get(depth), () -> {
                        scope(depth + 1, scope, own.split());
                        return null;
                    });
                }
            }
            case 8 -> leaveOpen(depth, scope, own.split());
            default -> {}
        }
        if (own.nextInt(5) == 0) {
            throw new IllegalArgumentException("a fork fails");
        }
        return "done";
    }

    private void leaveOpen(int depth, GroupScope<?, ?, ?> outer, SplittableRandom own) {
        ScopeRecord record = new ScopeRecord(simulation, own.nextInt(12), true);
        GroupScope<Object, String, RuntimeException> scope = open(record, outer, own);
        if (scope != null) {
            scope.defer(record.cleanUp());
            if (depth < DEEPEST) {
                fork(scope, record, depth + 1, own.split());
            }
        }
    }

    private static void someSteps(SplittableRandom own) {
        for (int i = own.nextInt(12); i > 0; i--) {
            Simulation.point("a step");
        }
    }

    // ---------------------------------------------------------------- once all has ended

    @Override
    void check() {
        records.forEach(ScopeRecord::check);
        if (!scopes.live().isEmpty()) {
            simulation.fail("still open: " + scopes.live(), null);
        }
    }
}
