package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.audit.Waits;
import io.github.kobe.audit.Witness;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the owner of a scope holds while it waits is lent to what was forked below it, so that a tree can't wait for itself. */
class ScopeLendingTests extends ScopeTestCase {

    private GroupExecutor executor;
    private Scopes scopes;
    private Witness witness;

    private void start(int limit, int global) {
        executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(limit)
                .globalMaxInFlight(global)
                .build());
        scopes = Scopes.of(executor).withDefaults(ScopeSettings::withoutTimeout);
        witness = engines.witness(executor);
    }

    /** Joins; where the owner is inside a group, the witness is told that its permits may be lent. */
    private <R, X extends Throwable> R join(GroupScope<?, R, X> scope, @Nullable String group) throws Exception {
        return group == null ? joinUnseen(scope) : witness.waiting(group, () -> joinUnseen(scope));
    }

    private static <R> R joinUnseen(GroupScope<?, R, ?> scope) throws Exception {
        try {
            return scope.join();
        } catch (Exception | Error failure) {
            throw failure;
        } catch (Throwable other) {
            throw new AssertionError(other);
        }
    }

    /** Opens one scope inside another's fork, one for each of the groups, from inside {@code group}. */
    private int chain(@Nullable String group, List<String> groups) throws Exception {
        String own = groups.getFirst();
        List<String> rest = groups.subList(1, groups.size());
        try (var scope = scopes.open(Joiner.<Integer>allSuccessfulOrThrow())) {
            scope.fork(own, () -> rest.isEmpty() ? 1 : 1 + chain(own, rest));
            return join(scope, group).getFirst();
        }
    }

    @Tag("L4")
    @Test
    void aChainOfScopesInOneGroupEndsAtLimitOne() throws Exception {
        start(1, Integer.MAX_VALUE);

        assertThat(chain(null, List.of("g", "g", "g", "g", "g"))).isEqualTo(5);
        assertThat(witness.peakRunning("g")).isEqualTo(1);
    }

    @Tag("L4")
    @Test
    void aChainThroughTwoGroupsInTurnEndsAtLimitOneAndGlobalLimitOne() throws Exception {
        start(1, 1);

        assertThat(chain(null, List.of("g", "h", "g", "h", "g"))).isEqualTo(5);
        assertThat(witness.peakGlobalInFlight()).isEqualTo(1);
    }

    @Tag("L1")
    @Test
    void forksRunOneAfterTheOtherOnThePermitOfAnOwnerThatIsInsideTheirGroup() throws Exception {
        start(1, 1);

        List<Integer> results = executor.call("g", witness.inside("g", () -> {
            try (var scope = scopes.open(Joiner.<Integer>allSuccessfulOrThrow())) {
                for (int i = 0; i < 3; i++) {
                    int number = i;
                    scope.fork("g", () -> number);
                }
                return join(scope, "g");
            }
        }));

        assertThat(results).containsExactly(0, 1, 2);
        assertThat(witness.peakRunning("g")).isEqualTo(1);
    }

    @Tag("L1")
    @Test
    void whatIsForkedWhileTheOwnerWaitsIsLentToAsWell() throws Exception {
        start(1, 1);

        int sum = executor.call("g", witness.inside("g", () -> {
            AtomicInteger ran = new AtomicInteger();
            try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
                scope.fork("g", () -> {
                    for (int i = 0; i < 5; i++) {
                        scope.fork("g", (Runnable) ran::incrementAndGet);
                    }
                });
                join(scope, "g");
            }
            return ran.get();
        }));

        assertThat(sum).isEqualTo(5);
    }

    @Tag("L1")
    @Test
    void anOwnerThatMayNotForkYetLendsToo() throws Exception {
        start(1, 1);

        int ran = executor.call("g", () -> {
            witness.mayLendUnseen("g");
            AtomicInteger count = new AtomicInteger();
            try (var scope = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withMaxUnfinished(1))) {
                for (int i = 0; i < 4; i++) {
                    scope.fork("g", (Runnable) count::incrementAndGet);
                }
                scope.join();
            }
            return count.get();
        });

        assertThat(ran).isEqualTo(4);
    }

    @Tag("L1")
    @Test
    void anOwnerThatAwaitsOneForkLends() throws Exception {
        start(1, 1);

        String value = executor.call("g", () -> {
            witness.mayLendUnseen("g");
            try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
                Subtask<String> fork = scope.fork("g", () -> "forked");
                scope.await(fork);
                scope.join();
                return fork.get();
            }
        });

        assertThat(value).isEqualTo("forked");
    }

    @Tag("L2")
    @Test
    void aForkMayCallTheGroupOfAnOwnerThatWaits() throws Exception {
        start(1, 1);

        String value = executor.call("g", () -> {
            witness.mayLendUnseen("g");
            try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
                scope.fork("h", () -> executor.call("g", () -> "called"));
                return scope.join().getFirst();
            }
        });

        assertThat(value).isEqualTo("called");
    }

    @Tag("E15")
    @Test
    void nothingIsLentToAnAcquireByAFork() throws Exception {
        start(1, Integer.MAX_VALUE);
        AtomicReference<CancellationToken> token = new AtomicReference<>();
        Caller<Outcome> owner = Caller.start(() -> executor.call("g", () -> {
            witness.mayLendUnseen("g");
            try (var scope = scopes.open(Joiner.<Object>supervise())) {
                token.set(scope.token());
                scope.fork("h", () -> {
                    executor.call("g", () -> "lent to"); // so the owner waits by now
                    gate.pass();
                    executor.acquire("g").close();
                    return null;
                });
                return scope.join();
            }
        }));
        gate.awaitArrived(1);
        gate.open();

        Waits.awaitQueued(executor, "g", 1);
        assertThat(executor.holders("g")).singleElement().matches(holder -> !holder.lent());
        token.get().cancel();
        assertThat(owner.result().cancelled()).isEqualTo(1);
    }

    @Tag("L3")
    @Test
    void theOwnerHasItsPermitsAgainWhenJoinReturns() throws Exception {
        start(1, 1);

        boolean taken = executor.call("g", () -> {
            witness.mayLendUnseen("g");
            try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
                scope.fork("g", () -> {});
                scope.join();
            }
            return executor.holders("g").size() == 1
                    && !executor.holders("g").getFirst().lent();
        });

        assertThat(taken).isTrue();
        assertThat(executor.tryAcquire("g", Duration.ZERO)).hasValueSatisfying(permit -> permit.close());
    }

    @Tag("L4")
    @Test
    void aCancelledForkMayCallTheGroupOfAnOwnerThatClosesToCleanUp() throws Exception {
        start(1, 1);

        Caller<Integer> owner = Caller.start(() -> executor.call("g", () -> {
            witness.mayLendUnseen("g");
            AtomicInteger cleaned = new AtomicInteger();
            try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
                scope.fork("h", () -> {
                    try {
                        return interrupted();
                    } catch (InterruptedException cut) {
                        return executor.call("g", cleaned::incrementAndGet);
                    }
                });
                CancellationToken token = scope.token();
                Caller.start(() -> {
                    gate.awaitArrived(1);
                    token.cancel();
                    return null;
                });
                scope.join();
            }
            return cleaned.get();
        }));

        assertThat(owner.result()).isEqualTo(1);
    }

    /** Closes, inside of group {@code g}, a scope with a fork that is cancelled while it runs in another group. */
    private void closeWithOneCancelled(ScopeListener listener) throws Exception {
        Deadline.within(() -> executor.call("g", () -> {
            witness.mayLendUnseen("g");
            try (var scope = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withListener(listener))) {
                scope.fork("h", this::interrupted);
                gate.awaitArrived(1);
                scope.cancel();
                scope.join();
            }
            return null;
        }));
    }

    private void callG(AtomicInteger heard) {
        try {
            int unused = executor.call("g", heard::incrementAndGet);
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    @Tag("S15")
    @Tag("L4")
    @Test
    void aListenerMayCallTheGroupOfAnOwnerThatCloses() throws Exception {
        start(1, Integer.MAX_VALUE);
        AtomicInteger heard = new AtomicInteger();

        closeWithOneCancelled(new ScopeListener() {
            @Override
            public void onCancel(ForkInfo fork, Duration ran) {
                callG(heard);
            }
        });

        assertThat(heard).hasValue(1);
    }

    @Tag("S15")
    @Tag("L4")
    @Test
    void soMayAListenerOfTheExecutor() throws Exception {
        AtomicInteger heard = new AtomicInteger();
        executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(1)
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onCompleted(String group, String id, GroupResult<?> result) {
                        if (group.equals("h")) {
                            callG(heard);
                        }
                    }
                })
                .build());
        scopes = Scopes.of(executor).withDefaults(ScopeSettings::withoutTimeout);
        witness = engines.witness(executor);

        closeWithOneCancelled(new ScopeListener() {});

        assertThat(heard).hasValue(1);
    }

    /** A thread that runs a fork tells of one in a scope that is inside a sibling of it. */
    @Tag("S15")
    @Tag("L2")
    @Tag("L4")
    @Test
    void aForkThatCancelsTheScopeMayTellAListenerThatCallsTheGroupOfItsSibling() throws Exception {
        start(1, Integer.MAX_VALUE);
        AtomicInteger heard = new AtomicInteger();

        failBesideASibling(onCancel(() -> callG(heard)));

        assertThat(heard).hasValue(2);
    }

    @Tag("S15")
    @Tag("L2")
    @Tag("L4")
    @Test
    void soMayAListenerThatIsToldInItsTurn() throws Exception {
        start(1, Integer.MAX_VALUE);
        AtomicInteger heard = new AtomicInteger();
        ScopeListener calling = onCancel(() -> callG(heard));

        try (var other = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withListener(calling))) {
            other.fork("c", gate.then("runs"));
            gate.awaitArrived(1);
            Subtask<Object> waiting = other.fork("c", () -> "never");

            failBesideASibling(new ScopeListener() {
                @Override
                public void onCancel(ForkInfo fork, Duration ran) {
                    if (ran.isZero()) { // the one that waited, of which the thread of the failed one tells
                        waiting.cancel();
                    }
                }
            });
            gate.open();
            other.join();
        }

        assertThat(heard).hasValue(1);
    }

    private static ScopeListener onCancel(Runnable work) {
        return new ScopeListener() {
            @Override
            public void onCancel(ForkInfo fork, Duration ran) {
                work.run();
            }
        };
    }

    /** The listener is told of one that runs and one that waits, in a scope inside the sibling of the one that fails. */
    private void failBesideASibling(ScopeListener listener) throws Exception {
        Gate begun = new Gate();
        Caller<Object> owner = Caller.start(() -> {
            try (var scope = scopes.open()) {
                scope.fork("g", () -> {
                    witness.mayLendUnseen("g");
                    try (var inner = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withListener(listener))) {
                        inner.fork("h", begun.then("never"));
                        inner.fork("h", begun.then("never"));
                        return inner.join();
                    }
                });
                scope.fork("a", () -> {
                    begun.awaitArrived(1);
                    Deadline.until("another one waits", () -> queued("h") == 1);
                    throw new IllegalStateException("broken");
                });
                return scope.join();
            }
        });

        assertThatThrownBy(owner::result).hasStackTraceContaining("broken");
    }

    private int queued(String group) {
        return executor.groupStats(group).orElseThrow().queued();
    }

    /** It would have to wait for a run that nothing ends. */
    @Tag("T26")
    @Tag("L1")
    @Test
    void anOwnerThatJoinsLendsNothingToARunOfItsSchedule() throws Exception {
        start(1, Integer.MAX_VALUE);
        Gate other = new Gate();

        Caller<Object> owner = Caller.start(() -> executor.call("g", () -> {
            try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
                scope.schedule("g", Duration.ZERO, gate.then("run"));
                scope.fork("h", other.then("x"));
                scope.join();
            }
            return null;
        }));
        other.awaitArrived(1);
        owner.awaitBlocked();
        Deadline.until("the run waits, or has begun", () -> executor.stats().queued() == 1 || gate.arrived() == 1);
        other.open();

        assertThat(owner.result()).isNull();
        assertThat(gate.arrived()).isZero();
        assertThat(executor.stats().queued()).isZero();
    }

    @Tag("T27")
    @Tag("L2")
    @Test
    void aRunThatIsEndedMayCallTheGroupOfAnOwnerThatClosesToCleanUp() throws Exception {
        start(1, Integer.MAX_VALUE);

        Caller<Integer> owner = Caller.start(() -> executor.call("g", () -> {
            witness.mayLendUnseen("g");
            AtomicInteger cleaned = new AtomicInteger();
            try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
                scope.schedule("h", Duration.ZERO, () -> {
                    try {
                        return interrupted();
                    } catch (InterruptedException cut) {
                        return executor.call("g", cleaned::incrementAndGet);
                    }
                });
                gate.awaitArrived(1);
                scope.join();
            }
            return cleaned.get();
        }));

        assertThat(owner.result()).isEqualTo(1);
    }

    @Tag("S21")
    @Test
    void anInterruptWhileTheOwnerWaitsForWhatItLentCancelsTheScope() throws Exception {
        start(1, Integer.MAX_VALUE);
        Gate awaited = new Gate();

        Caller<Boolean> owner = Caller.start(() -> executor.call("g", () -> {
            witness.mayLendUnseen("g");
            try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
                Subtask<Object> first = scope.fork("h", awaited.then("x"));
                scope.fork("g", gate.then("borrowed"));
                assertThatThrownBy(() -> scope.await(first)).isInstanceOf(InterruptedException.class);
                return scope.isCancelled() && !Thread.currentThread().isInterrupted();
            }
        }));
        gate.awaitArrived(1);
        awaited.open();
        Deadline.until("the first fork is over", () -> executor.holders("h").isEmpty());
        owner.awaitBlocked();
        owner.interrupt();

        assertThat(owner.result()).isTrue();
    }

    @Tag("L3")
    @Test
    void noListenerRunsOnTheThreadOfAnOwnerWhosePermitIsLent() throws Exception {
        start(1, Integer.MAX_VALUE);
        AtomicReference<Thread> thread = new AtomicReference<>();
        AtomicInteger heard = new AtomicInteger();
        AtomicInteger heardOnOwner = new AtomicInteger();
        ScopeListener listener = new ScopeListener() {
            @Override
            public void onCancel(ForkInfo fork, Duration ran) {
                heard.incrementAndGet();
                if (Thread.currentThread().equals(thread.get())) {
                    heardOnOwner.incrementAndGet(); // where it could enter the group again, beside the borrower
                }
            }
        };

        Caller<Object> owner = Caller.start(() -> executor.call("g", () -> {
            witness.mayLendUnseen("g");
            thread.set(Thread.currentThread());
            try (var scope = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withListener(listener))) {
                scope.fork("g", gate.then("borrowed"));
                scope.fork("g", () -> "waits");
                assertThatThrownBy(scope::join).isInstanceOf(InterruptedException.class);
            }
            return null;
        }));
        gate.awaitArrived(1);
        owner.awaitBlocked();
        owner.interrupt();
        owner.result();

        assertThat(heard).hasValue(2);
        assertThat(heardOnOwner).hasValue(0);
    }

    @Tag("T12")
    @Test
    void anInterruptCutsTheWaitForAForksTurnThoughThePermitIsLent() throws Exception {
        start(1, Integer.MAX_VALUE);

        Caller<Subtask.Phase> owner = Caller.start(() -> executor.call("g", () -> {
            witness.mayLendUnseen("g");
            try (var scope = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withMaxUnfinished(1))) {
                scope.fork("g", gate.then("borrowed"));
                Subtask<Object> second = scope.fork("g", () -> "never");
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                assertThatThrownBy(scope::join).isInstanceOf(InterruptedException.class);
                return second.phase();
            }
        }));
        gate.awaitArrived(1);
        owner.awaitBlocked();
        owner.interrupt();

        assertThat(owner.result()).isEqualTo(Subtask.Phase.CANCELLED);
    }

    // ---------------------------------------------------------------- trees

    /** Groups by depth, so that siblings form no cycle. */
    private final class Tree {

        private final SplittableRandom random;
        private final List<String> byDepth = new ArrayList<>();
        private final AtomicInteger expected = new AtomicInteger();
        private final AtomicInteger ran = new AtomicInteger();

        Tree(long seed) {
            random = new SplittableRandom(seed);
            start(1 + random.nextInt(3), random.nextInt(3) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(4));
            int groups = 1 + random.nextInt(4);
            for (int depth = 0; depth < 6; depth++) {
                byDepth.add("g" + random.nextInt(groups));
            }
        }

        void grow(int depth, SplittableRandom own) throws Exception {
            if (depth == byDepth.size()) {
                return;
            }
            try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
                for (int i = own.nextInt(4); i > 0; i--) {
                    SplittableRandom forks = own.split();
                    expected.incrementAndGet();
                    scope.fork(byDepth.get(depth), () -> {
                        ran.incrementAndGet();
                        grow(depth + 1, forks);
                        return null;
                    });
                }
                join(scope, depth == 0 ? null : byDepth.get(depth - 1));
            }
        }
    }

    @Tag("L4")
    @Test
    void treesOfScopesEndAtAnyLimits() throws Exception {
        for (long seed = 1; seed <= Depth.pick(30, 300, 3_000); seed++) {
            Tree tree = new Tree(seed);
            tree.grow(0, tree.random.split());

            assertThat(tree.ran).as("forks that ran, seed %s", seed).hasValue(tree.expected.get());
            engines.audit(executor);
            engines.withoutAudit(executor); // it has just been
            executor.close();
        }
    }
}
