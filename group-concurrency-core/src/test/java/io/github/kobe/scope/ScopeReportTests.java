package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.audit.Waits;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Listeners, totals, snapshots and clean-ups. */
class ScopeReportTests extends ScopeTestCase {

    /** Writes down what it hears. */
    private static final class Notes implements ScopeListener {
        private final List<String> heard = new CopyOnWriteArrayList<>();

        @Override
        public void onOpened(ScopeInfo scope) {
            heard.add("opened " + scope.name());
        }

        @Override
        public void onStart(ForkInfo fork) {
            heard.add("start " + fork.name());
        }

        @Override
        public void onSuccess(ForkInfo fork, Duration ran) {
            heard.add("success " + fork.name() + " in " + fork.group() + " of " + fork.scope() + " " + ran);
        }

        @Override
        public void onFailure(ForkInfo fork, Throwable failure, Duration ran) {
            heard.add("failure " + fork.name() + " " + failure.getMessage() + " " + ran);
        }

        @Override
        public void onCancel(ForkInfo fork, Duration ran) {
            heard.add("cancel " + fork.name() + " " + ran);
        }

        @Override
        public void onClosed(ScopeInfo scope, ScopeTotals totals) {
            heard.add("closed " + scope.name() + " " + totals.completed());
        }
    }

    @Tag("T29")
    @Test
    void aListenerHearsEachEventOnce() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(policy(1), clock);
        Notes notes = new Notes();
        try (var scope = Scopes.of(executor)
                .open(Joiner.<Object>supervise(), cf -> cf.withName("s").withListener(notes))) {
            scope.await(scope.fork("a", () -> {
                clock.advance(Duration.ofSeconds(2));
                return "x";
            }));
            scope.await(scope.fork(ForkOptions.in("a").withName("second"), () -> {
                throw new Exception("failure");
            }));
            scope.fork("a", this::interrupted);
            scope.fork("a", () -> "never");
            gate.awaitArrived(1);
            clock.advance(Duration.ofSeconds(3));
            scope.cancel();
            scope.fork("a", () -> "late");
        } catch (IllegalStateException notJoined) {
            assertThat(notJoined).hasMessageContaining("joined");
        }
        assertThat(notes.heard)
                .containsExactlyInAnyOrder(
                        "opened s",
                        "start task-1",
                        "success task-1 in a of s PT2S",
                        "start second",
                        "failure second failure PT0S",
                        "start task-3",
                        "cancel task-3 PT3S",
                        "cancel task-4 PT0S",
                        "cancel task-5 PT0S",
                        "closed s 5");
    }

    @Tag("T29")
    @Test
    void aListenerThatCountsAsksForTheTotalsAndHearsOfNoFork() throws Exception {
        List<Supplier<ScopeTotals>> asked = new ArrayList<>();
        ScopeListener counting = new ScopeListener() {
            @Override
            public void onOpened(ScopeInfo scope, Supplier<ScopeTotals> totals) {
                asked.add(totals);
            }
        };
        try (var scope = Scopes.of(executor(1)).open(Joiner.<Object>supervise(), cf -> cf.withListener(counting))) {
            Supplier<ScopeTotals> totals = asked.getFirst();
            assertThat(totals.get().completed()).isZero();
            scope.await(scope.fork("a", () -> "x"));
            assertThat(totals.get().succeeded()).isEqualTo(1);
            Subtask<Object> cancelled = scope.fork("a", this::interrupted);
            gate.awaitArrived(1);
            cancelled.cancel();
            scope.join();
            assertThat(totals.get()).isEqualTo(scope.totals());
        }
        assertThat(asked.getFirst().get().completed()).isEqualTo(2);
    }

    /** Nobody else would tell of it. */
    @Tag("T26")
    @Test
    void aRunThatFailsIsLoggedIfTheListenersHearOfNoFork() throws Exception {
        ScopeListener closing = new ScopeListener() {
            @Override
            public void onClosed(ScopeInfo scope, ScopeTotals totals) {}
        };
        try (CapturedLog log = CapturedLog.open();
                var scope = Scopes.of(executor(1)).open(Joiner.<Object>supervise(), cf -> cf.withListener(closing))) {
            ScheduledFork schedule = scope.schedule("a", Duration.ZERO, () -> {
                throw new IOException("down");
            });
            Deadline.until("it is done", schedule::isDone);
            Deadline.until("it is logged", () -> log.warnings().size() == 1);
            scope.join();
        }
    }

    @Tag("T29")
    @Test
    void whatAListenerThrowsIsLoggedOnceAndChangesNothing() throws Exception {
        ScopeListener throwing = new ScopeListener() {
            @Override
            public void onStart(ForkInfo fork) {
                throw new IllegalStateException("listener");
            }

            @Override
            public void onSuccess(ForkInfo fork, Duration ran) {
                throw new IllegalStateException("listener");
            }

            @Override
            public void onClosed(ScopeInfo scope, ScopeTotals totals) {
                throw new IllegalStateException("listener");
            }
        };
        Notes notes = new Notes();
        try (CapturedLog log = CapturedLog.open()) {
            try (var scope = Scopes.of(executor(1))
                    .open(
                            Joiner.<String>allSuccessfulOrThrow(),
                            cf -> cf.withListener(throwing).withListener(notes))) {
                scope.fork("a", () -> "x");
                scope.fork("a", () -> "y");
                assertThat(scope.join()).containsExactly("x", "y");
            }
            assertThat(log.warnings())
                    .filteredOn(line -> line.contains("scope listener"))
                    .hasSize(3);
        }
        assertThat(notes.heard).hasSize(6);
    }

    @Tag("T30")
    @Test
    void totalsTellWhetherTheTimeWasUpWhileTheScopeWasOpen() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(policy(1), clock);
        List<Boolean> told = new ArrayList<>();
        ScopeListener listener = new ScopeListener() {
            @Override
            public void onClosed(ScopeInfo scope, ScopeTotals totals) {
                told.add(totals.timedOut());
            }
        };
        for (Duration open : List.of(Duration.ofSeconds(9), Duration.ofSeconds(10))) {
            try (var scope = Scopes.of(executor)
                    .open(
                            Joiner.<Object>supervise(),
                            cf -> cf.withListener(listener).withTimeout(Duration.ofSeconds(10)))) {
                clock.advance(open, executor);
                boolean up = open.equals(Duration.ofSeconds(10));
                Deadline.until("it is cancelled, or not", () -> scope.isCancelled() == up);
                assertThat(scope.totals().timedOut()).isEqualTo(up);
            }
        }
        try (var cancelled = Scopes.of(executor).open(Joiner.<Object>supervise(), cf -> cf.withListener(listener))) {
            cancelled.cancel();
        }
        assertThat(told).containsExactly(false, true, false);
    }

    @Tag("T30")
    @Test
    void totalsTellThatTheTimeWasUpThoughTheScopeWasCancelledBefore() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(policy(1), clock);
        try (var scope =
                Scopes.of(executor).open(Joiner.<Object>supervise(), cf -> cf.withTimeout(Duration.ofSeconds(10)))) {
            scope.cancel();
            assertThat(scope.totals().timedOut()).isFalse();
            clock.advance(Duration.ofSeconds(10), executor);

            Deadline.until("its time was up", () -> scope.totals().timedOut());
        }
    }

    @Tag("T30")
    @Test
    void totalsAreCountedAlways() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(policy(1), clock);
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise())) {
            assertThat(scope.totals()).isEqualTo(new Tally.Totals(0, 0, 0, 0, Duration.ZERO, Duration.ZERO, false));
            scope.fork("a", () -> {
                clock.advance(Duration.ofSeconds(3));
                return "x";
            });
            scope.fork("a", () -> {
                clock.advance(Duration.ofSeconds(1));
                throw new Exception("failure");
            });
            Subtask<Object> cancelled = scope.fork("b", this::interrupted);
            gate.awaitArrived(1);
            cancelled.cancel();
            Subtask<Object> delayed = scope.fork(ForkOptions.in("a").withStartAfter(Duration.ofDays(1)), () -> "d");
            delayed.cancel();
            scope.join();
            ScopeTotals totals = scope.totals();

            assertThat(totals.started()).isEqualTo(3);
            assertThat(totals.succeeded()).isEqualTo(1);
            assertThat(totals.failed()).isEqualTo(1);
            assertThat(totals.cancelled()).isEqualTo(2);
            assertThat(totals.completed()).isEqualTo(4);
            assertThat(totals.longest()).isGreaterThanOrEqualTo(Duration.ofSeconds(3));
            assertThat(totals.average()).isEqualTo(totals.total().dividedBy(4));
        }
    }

    @Tag("T31")
    @Test
    void cleanUpsRunOnTheOwnerOnceAllForksAreOverTheLastFirst() throws Exception {
        GroupExecutor executor = executor(1);
        List<String> order = new ArrayList<>();
        Thread owner = Thread.currentThread();
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll())) {
            for (String name : List.of("first", "second", "third")) {
                scope.defer(() -> {
                    assertThat(Thread.currentThread()).isSameAs(owner);
                    assertThat(executor.stats().running()).isZero();
                    order.add(name);
                });
            }
            scope.fork("a", gate.stubbornlyThen("x"));
            gate.awaitArrived(1);
            scope.cancel();
            scope.join();
            gate.open();
        }
        assertThat(order).containsExactly("third", "second", "first");
    }

    @Tag("T32")
    @Test
    void cleanUpsRunWithTheInterruptFlagClearAndItIsKept() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        Boolean flag = Deadline.within(() -> {
            try (var scope = scopes.open()) {
                scope.defer(
                        () -> assertThat(Thread.currentThread().isInterrupted()).isFalse());
                scope.defer(() -> {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    Thread.currentThread().interrupt();
                });
                Thread.currentThread().interrupt();
            }
            return Thread.interrupted();
        });
        assertThat(flag).isTrue();
    }

    @Tag("T33")
    @Test
    void closeThrowsWhatTheFirstCleanUpThrewAndTheRestIsSuppressed() {
        Scopes scopes = Scopes.of(executor(1));
        RuntimeException first = new RuntimeException("first");
        RuntimeException second = new RuntimeException("second");
        var scope = scopes.open();
        scope.defer(() -> {
            throw second;
        });
        scope.defer(() -> {
            throw first;
        });

        assertThatThrownBy(scope::close).isSameAs(first);
        assertThat(first.getSuppressed()).containsExactly(second);
        assertThat(scopes.live()).isEmpty();
    }

    @Tag("T34")
    @Test
    void itsOwnFailureComesBeforeThatOfACleanUp() {
        Scopes scopes = Scopes.of(executor(1));
        RuntimeException thrown = new RuntimeException("clean-up");
        var scope = scopes.open();
        scope.defer(() -> {
            throw thrown;
        });
        scope.fork("a", () -> "x");

        assertThatThrownBy(scope::close)
                .isInstanceOf(IllegalStateException.class)
                .hasSuppressedException(thrown);
    }

    @Tag("L5")
    @Test
    void aSnapshotShowsTheTreeWhoWaitsAndWhoHasWhatIsWaitedFor() throws Exception {
        GroupExecutor executor = executor(1);
        Scopes scopes = Scopes.of(executor);
        Gate inner = new Gate();
        Caller<Object> owner = Caller.start(() -> {
            try (var outer = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withName("outer"))) {
                outer.fork("a", () -> {
                    try (var nested = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withName("nested"))) {
                        nested.fork(ForkOptions.in("b").withName("deep"), inner.then("x"));
                        nested.join();
                    }
                    return null;
                });
                inner.awaitArrived(1);
                for (int i = 0; i < 150; i++) {
                    outer.fork("b", () -> "waits");
                }
                outer.join();
            }
            return null;
        });
        Deadline.until(
                "it joins",
                () -> scopes.live().stream().anyMatch(scope -> scope.owner() == ScopeSnapshot.Owner.JOINING));
        Waits.awaitQueued(executor, "b", 150);
        List<ScopeSnapshot> live = scopes.live();

        assertThat(live).hasSize(1);
        ScopeSnapshot outer = live.getFirst();
        assertThat(outer.scope().name()).isEqualTo("outer");
        assertThat(outer.unfinished()).isEqualTo(151);
        assertThat(outer.forks()).hasSize(100);
        ScopeSnapshot.Fork first = outer.forks().getFirst();
        assertThat(first.phase()).isEqualTo(Subtask.Phase.RUNNING);
        assertThat(first.threadName()).contains("a");
        assertThat(first.scopes()).hasSize(1);
        ScopeSnapshot nested = first.scopes().getFirst();
        assertThat(nested.scope().name()).isEqualTo("nested");
        assertThat(nested.forks()).hasSize(1);
        assertThat(nested.forks().getFirst().fork().name()).isEqualTo("deep");
        assertThat(outer.forks().getLast().phase()).isEqualTo(Subtask.Phase.QUEUED);
        assertThat(outer.holders()).containsOnlyKeys("b");
        assertThat(outer.holders().get("b")).hasSize(1);
        inner.open();
        owner.result();
        assertThat(scopes.live()).isEmpty();
    }

    /** What hangs may be in a young fork, while older ones wait for their turn. */
    @Tag("L5")
    @Test
    void aSnapshotShowsTheForksThatHaveOpenedScopesRatherThanOlderOnes() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        Caller<Object> owner = Caller.start(() -> {
            try (var outer = scopes.open(Joiner.<Object>awaitAll())) {
                for (int i = 0; i < 101; i++) {
                    outer.fork("a", gate.then("x"));
                }
                outer.fork("b", () -> {
                    try (var inner = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withName("inner"))) {
                        inner.fork("c", gate.then("x"));
                        return inner.join();
                    }
                });
                return outer.join();
            }
        });
        gate.awaitArrived(2);
        ScopeSnapshot outer = scopes.live().getFirst();

        assertThat(outer.truncated()).isFalse();
        assertThat(outer.forks()).hasSize(100);
        assertThat(outer.forks())
                .extracting(fork -> fork.fork().id())
                .isSorted()
                .startsWith(1L);
        ScopeSnapshot.Fork young = outer.forks().getLast();
        assertThat(young.fork().id()).isEqualTo(102);
        assertThat(young.scopes())
                .singleElement()
                .satisfies(inner -> assertThat(inner.scope().name()).isEqualTo("inner"));
        gate.open();
        owner.result();
    }

    @Tag("L5")
    @Test
    void aSnapshotSaysThatMoreForksThanItShowsHaveOpenedScopes() throws Exception {
        Scopes scopes = Scopes.of(executor(101));
        Caller<Object> owner = Caller.start(() -> {
            try (var outer = scopes.open(Joiner.<Object>awaitAll())) {
                for (int i = 0; i < 101; i++) {
                    outer.fork("a", () -> {
                        try (var inner = scopes.open()) {
                            gate.pass();
                            return inner.isCancelled();
                        }
                    });
                }
                return outer.join();
            }
        });
        gate.awaitArrived(101);
        ScopeSnapshot outer = scopes.live().getFirst();

        assertThat(outer.truncated()).isTrue();
        assertThat(outer.forks()).hasSize(100).noneMatch(fork -> fork.scopes().isEmpty());
        gate.open();
        owner.result();
    }
}
