package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A tree of scopes over two executors: what its owners hold is lent to it wherever it is held, and wherever it is needed. */
class ScopeAcrossExecutorsTests extends ScopeTestCase {

    private GroupExecutor one;
    private GroupExecutor other;
    private Scopes ofOne;
    private Scopes ofOther;

    @BeforeEach
    void start() {
        one = executor(1);
        other = executor(1);
        ofOne = Scopes.of(one).withDefaults(ScopeSettings::withoutTimeout);
        ofOther = Scopes.of(other).withDefaults(ScopeSettings::withoutTimeout);
    }

    /** Runs it on a fresh thread, inside of group {@code g} of {@code executor}, which that may lend unseen. */
    private <T> T insideG(GroupExecutor executor, Callable<T> work) throws Exception {
        return Deadline.within(() -> insideGHere(executor, work));
    }

    private <T> T insideGHere(GroupExecutor executor, Callable<T> work) throws Exception {
        return executor.call("g", () -> {
            engines.witness(executor).mayLendUnseen("g");
            return work.call();
        });
    }

    @Tag("L2")
    @Tag("S3")
    @Test
    void aForkMayCallTheGroupOfAnotherExecutorThatItsOwnerIsInside() throws Exception {
        String value = insideG(other, () -> {
            try (var scope = ofOne.open(Joiner.<String>allSuccessfulOrThrow())) {
                scope.fork("h", () -> other.call("g", () -> "called"));
                return scope.join().getFirst();
            }
        });

        assertThat(value).isEqualTo("called");
    }

    @Tag("L1")
    @Tag("L2")
    @Test
    void aForkMayCallTheGroupOfAnExecutorThatHasNoScopes() throws Exception {
        GroupExecutor third = executor(1);

        String value = insideG(third, () -> {
            try (var scope = ofOne.open(Joiner.<String>allSuccessfulOrThrow())) {
                scope.fork("h", () -> third.call("g", () -> "called"));
                return scope.join().getFirst();
            }
        });

        assertThat(value).isEqualTo("called");
    }

    @Tag("L1")
    @Tag("S3")
    @Test
    void aForkOfAnInnerScopeMayRunInTheGroupOfAnotherExecutorThatTheOutermostOwnerIsInside() throws Exception {
        String value = insideG(other, () -> {
            try (var scope = ofOne.open(Joiner.<String>allSuccessfulOrThrow())) {
                scope.fork("h", () -> {
                    try (var inner = ofOther.open(Joiner.<String>allSuccessfulOrThrow())) {
                        inner.fork("g", () -> "forked");
                        return inner.join().getFirst();
                    }
                });
                return scope.join().getFirst();
            }
        });

        assertThat(value).isEqualTo("forked");
    }

    @Tag("L2")
    @Tag("S3")
    @Test
    void aForkOfAnotherExecutorMayCallTheGroupOfAnOwnerAboveIt() throws Exception {
        String value = Deadline.within(() -> {
            try (var scope = ofOne.open(Joiner.<String>allSuccessfulOrThrow())) {
                scope.fork("g", () -> {
                    engines.witness(one).mayLendUnseen("g");
                    try (var inner = ofOther.open(Joiner.<String>allSuccessfulOrThrow())) {
                        inner.fork("h", () -> one.call("g", () -> "called"));
                        return inner.join().getFirst();
                    }
                });
                return scope.join().getFirst();
            }
        });

        assertThat(value).isEqualTo("called");
    }

    /** Awaits a fork that is over while another one, which has what its owner holds in one executor, asks for the rest. */
    private String borrowedOneAfterTheOther(GroupExecutor first, GroupExecutor second) throws Exception {
        return insideG(
                first,
                () -> insideGHere(second, () -> {
                    Gate awaited = new Gate();
                    try (var scope = ofOne.open(Joiner.<String>allSuccessfulOrThrow())) {
                        Subtask<String> early = scope.fork("early", awaited.then("early"));
                        Subtask<String> late = scope.fork(
                                "late",
                                () -> first.call("g", () -> {
                                    gate.pass();
                                    return second.call("g", () -> "both");
                                }));
                        Thread owner = Thread.currentThread();
                        Caller<Object> director = Caller.start(() -> {
                            gate.awaitArrived(1);
                            awaited.open();
                            Deadline.until(
                                    "the owner has withdrawn", () -> Caller.isBlocked(owner) && isOver(one, "early"));
                            gate.open();
                            return null;
                        });
                        scope.await(early);
                        director.result();
                        scope.join();
                        return late.get();
                    }
                }));
    }

    private static boolean isOver(GroupExecutor executor, String group) {
        return executor.holders(group).isEmpty();
    }

    @Tag("L4")
    @Test
    void anOwnerThatWantsEverythingBackLendsOnWhatItHasInAnotherExecutor() throws Exception {
        assertThat(borrowedOneAfterTheOther(one, other)).isEqualTo("both");
    }

    @Tag("L4")
    @Test
    void soItDoesWhicheverExecutorCameFirst() throws Exception {
        assertThat(borrowedOneAfterTheOther(other, one)).isEqualTo("both");
    }

    @Tag("L4")
    @Test
    void anOwnerThatWantsEverythingBackLendsOnToForksOfABorrowersScope() throws Exception {
        String value = insideG(
                one,
                () -> insideGHere(other, () -> {
                    Gate awaited = new Gate();
                    try (var scope = ofOther.open(Joiner.<String>allSuccessfulOrThrow())) {
                        Subtask<String> early = scope.fork("early", awaited.then("early"));
                        Subtask<String> late = scope.fork("g", () -> {
                            engines.witness(other).mayLendUnseen("g");
                            gate.pass();
                            try (var inner = ofOne.open(Joiner.<String>allSuccessfulOrThrow())) {
                                inner.fork("g", () -> "forked");
                                return inner.join().getFirst();
                            }
                        });
                        Thread owner = Thread.currentThread();
                        Caller<Object> director = Caller.start(() -> {
                            gate.awaitArrived(1);
                            awaited.open();
                            Deadline.until(
                                    "the owner has withdrawn", () -> Caller.isBlocked(owner) && isOver(other, "early"));
                            gate.open();
                            return null;
                        });
                        scope.await(early);
                        director.result();
                        scope.join();
                        return late.get();
                    }
                }));

        assertThat(value).isEqualTo("forked");
    }

    // ---------------------------------------------------------------- trees

    /** A group of an executor, for the forks of one depth or more: so siblings form no cycle. */
    private static final class Place {

        private final GroupExecutor executor;
        private final String group;
        private final int limit;
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicInteger peak = new AtomicInteger();

        Place(GroupExecutor executor, String group, int limit) {
            this.executor = executor;
            this.group = group;
            this.limit = limit;
        }

        void begin() {
            peak.accumulateAndGet(running.incrementAndGet(), Math::max);
        }

        void end() {
            running.decrementAndGet();
        }
    }

    private final class Tree {

        private final SplittableRandom random;
        private final List<GroupExecutor> executors = new ArrayList<>();
        private final List<Place> byDepth = new ArrayList<>();
        private final AtomicInteger expected = new AtomicInteger();
        private final AtomicInteger ran = new AtomicInteger();

        Tree(long seed) {
            random = new SplittableRandom(seed);
            List<Place> places = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                int limit = 1 + random.nextInt(2);
                GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                        .defaultMaxConcurrencyPerGroup(limit)
                        .globalMaxInFlight(random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(3))
                        .build());
                executors.add(executor);
                for (int group = 0; group <= random.nextInt(2); group++) {
                    places.add(new Place(executor, "g" + group, limit));
                }
            }
            for (int depth = 0; depth < 6; depth++) {
                byDepth.add(places.get(random.nextInt(places.size())));
            }
        }

        void grow(int depth, SplittableRandom own) throws Exception {
            if (depth == byDepth.size()) {
                return;
            }
            Place place = byDepth.get(depth);
            Scopes scopes = Scopes.of(place.executor).withDefaults(ScopeSettings::withoutTimeout);
            try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
                for (int i = own.nextInt(4); i > 0; i--) {
                    SplittableRandom forks = own.split();
                    boolean calls = own.nextInt(3) == 0;
                    expected.incrementAndGet();
                    scope.fork(place.group, () -> {
                        place.begin();
                        ran.incrementAndGet();
                        if (calls && depth > 0) {
                            callAbove(depth, forks);
                        } else {
                            grow(depth + 1, forks);
                        }
                        place.end();
                        return null;
                    });
                }
                Place outer = depth == 0 ? null : byDepth.get(depth - 1);
                if (outer != null) {
                    outer.end();
                }
                scope.join();
                if (outer != null) {
                    outer.begin();
                }
            }
        }

        /** In a group of its depth or above it, so that what has it waits for nobody who waits for this. */
        private void callAbove(int depth, SplittableRandom own) throws Exception {
            Place above = byDepth.get(own.nextInt(depth));
            above.executor.call(above.group, () -> null);
        }
    }

    @Tag("L3")
    @Tag("L4")
    @Tag("S3")
    @Test
    void treesOverTwoExecutorsEndAtAnyLimits() throws Exception {
        for (long seed = 1; seed <= Depth.pick(30, 300, 3_000); seed++) {
            Tree tree = new Tree(seed);
            Deadline.within(() -> {
                tree.grow(0, tree.random.split());
                return null;
            });

            assertThat(tree.ran).as("forks that ran, seed %s", seed).hasValue(tree.expected.get());
            assertThat(tree.byDepth).as("seed %s", seed).allMatch(place -> place.peak.get() <= place.limit);
            for (GroupExecutor executor : tree.executors) {
                engines.audit(executor);
                engines.withoutAudit(executor); // it has just been
                executor.close();
            }
        }
    }

    /**
     * An owner inside a permit of the other executor, which was got under another one there, wants back what it has lent. Its
     * fork needs that permit, and another thread is inside of it, too.
     */
    @Tag("L1")
    @Tag("E13")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anOwnerThatWantsItsPermitsBackLendsInAnotherExecutorOnceItIsAloneThere(boolean asksBefore) throws Exception {
        engines.witness(other).mayLendUnseen("home");
        GroupPermit home = other.acquire("home");
        GroupPermit inG = home.acquireAsync("g").toCompletableFuture().get();
        Gate working = new Gate();
        Caller<Object> workingInside = Caller.start(() -> inG.call(working.then("worked")));
        working.awaitArrived(1);

        String value = insideG(
                one,
                () -> inG.call(() -> {
                    engines.witness(other).mayLendUnseen("g");
                    return wantsBackWhileItsForkCalls(asksBefore, working, workingInside);
                }));

        assertThat(value).isEqualTo("called");
        inG.close();
        home.close();
    }

    private String wantsBackWhileItsForkCalls(boolean asksBefore, Gate working, Caller<Object> workingInside)
            throws Exception {
        Gate ends = new Gate();
        Gate calls = new Gate();
        Thread owner = Thread.currentThread();
        try (var scope = ofOne.open(Joiner.<String>allSuccessfulOrThrow())) {
            Subtask<String> early = scope.fork("early", ends.then("early"));
            Subtask<String> late = scope.fork(
                    "late",
                    () -> insideGHere(one, () -> {
                        calls.pass();
                        return other.call("g", () -> "called");
                    }));
            Caller<Object> director = Caller.start(() -> {
                calls.awaitArrived(1);
                if (asksBefore) {
                    calls.open();
                    Deadline.until("its fork waits", () -> other.stats().queued() == 1);
                }
                ends.open();
                Deadline.until("the owner wants its permits back", () -> isAt(owner, "awaitReturn"));
                calls.open();
                Deadline.until("its fork waits", () -> other.stats().queued() == 1);
                working.open();
                return workingInside.result();
            });
            scope.await(early);
            director.result();
            scope.join();
            return late.get();
        }
    }

    private static boolean isAt(Thread thread, String method) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals(method));
    }
}
