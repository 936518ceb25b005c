package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whose a scope is, who may do what, and how scopes stand inside each other. */
class ScopeOwnershipTests extends ScopeTestCase {

    private static String joined(Scopes scopes) throws Exception {
        try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
            scope.fork("a", () -> "x");
            scope.fork("b", () -> "y");
            return String.join("", scope.join());
        }
    }

    @Tag("S1")
    @Test
    void theThreadThatOpensAScopeOwnsItWhateverItIs() throws Exception {
        Scopes scopes = Scopes.of(executor(1));

        assertThat(Caller.start(() -> joined(scopes)).result()).isEqualTo("xy");
        assertThat(Caller.startPlatform(() -> joined(scopes)).result()).isEqualTo("xy");
    }

    @Tag("S2")
    @Test
    void aForkHasAFreshVirtualThreadNamedAfterItsGroup() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open(Joiner.<Thread>allSuccessfulOrThrow())) {
            scope.fork("reports", Thread::currentThread);
            scope.fork("reports", Thread::currentThread);
            List<Thread> threads = scope.join();

            assertThat(threads).doesNotHaveDuplicates().allMatch(Thread::isVirtual);
            assertThat(threads).extracting(Thread::getName).containsOnly("reports");
        }
    }

    @Tag("S3")
    @Test
    void aScopeThatAForkOpensIsInsideTheForksScopeAlsoOfAnotherExecutor() throws Exception {
        Scopes outer = Scopes.of(executor(1));
        Scopes inner = Scopes.of(executor(1));
        try (var scope = outer.open(Joiner.<ScopeInfo>allSuccessfulOrThrow())) {
            long outerId = scope.snapshot().scope().id();
            scope.fork("a", () -> {
                try (var nested = inner.open()) {
                    return nested.snapshot().scope();
                }
            });

            assertThat(scope.join().getFirst().parentId()).hasValue(outerId);
        }
    }

    @Tag("S3")
    @Test
    void aScopeIsInsideTheInnermostThatItsThreadHasOpen() {
        Scopes scopes = Scopes.of(executor(1));
        try (var outer = scopes.open();
                var middle = scopes.open();
                var inner = scopes.open()) {
            assertThat(inner.snapshot().scope().parentId())
                    .hasValue(middle.snapshot().scope().id());
            assertThat(middle.snapshot().scope().parentId())
                    .hasValue(outer.snapshot().scope().id());
            assertThat(outer.snapshot().scope().parentId()).isEmpty();
        }
    }

    @Tag("S4")
    @Test
    void threadsOfTheSubtreeMayForkScheduleDeferAndCancel() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        AtomicInteger ran = new AtomicInteger();
        AtomicBoolean cleaned = new AtomicBoolean();
        try (var scope = scopes.open(Joiner.awaitAll())) {
            scope.fork("a", () -> {
                scope.fork("a", ran::incrementAndGet);
                scope.defer(() -> cleaned.set(true));
                scope.schedule("a", Duration.ofDays(1), () -> {}).cancel();
                try (var inner = scopes.open(Joiner.awaitAll())) {
                    inner.fork("a", () -> scope.fork("b", ran::incrementAndGet));
                    inner.join();
                }
                return null;
            });
            scope.join();
        }
        assertThat(ran).hasValue(2);
        assertThat(cleaned).isTrue();
    }

    @Tag("S4")
    @Test
    void aSubtaskMayCancelTheScope() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open(Joiner.awaitAll())) {
            scope.fork("a", () -> {
                scope.cancel();
                return null;
            });
            scope.join();
            assertThat(scope.isCancelled()).isTrue();
        }
    }

    @Tag("S4")
    @Test
    void aJoinerMayForkOnceAForkIsComplete() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        AtomicReference<GroupScope<String, List<String>, RuntimeException>> open = new AtomicReference<>();
        AtomicInteger forks = new AtomicInteger();
        Joiner<String, List<String>, RuntimeException> joiner = new Joiner<>() {
            @Override
            public boolean onComplete(Subtask<String> subtask) {
                if (forks.incrementAndGet() < 3) {
                    open.get().fork("a", () -> "more");
                }
                return false;
            }

            @Override
            public List<String> result() {
                return List.of("forks: " + forks);
            }

            @Override
            public List<String> timeout() {
                return List.of();
            }
        };
        try (var scope = scopes.open(joiner)) {
            open.set(scope);
            scope.fork("a", () -> "first");
            assertThat(scope.join()).containsExactly("forks: 3");
        }
    }

    @Tag("S5")
    @Test
    void otherThreadsMayNotForkScheduleDeferOrCancelButByTheToken() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open()) {
            assertRefusedElsewhere(() -> scope.fork("a", () -> null));
            assertRefusedElsewhere(() -> scope.fork(ForkOptions.in("a"), () -> null));
            assertRefusedElsewhere(() -> scope.schedule("a", Duration.ZERO, () -> {}));
            assertRefusedElsewhere(() -> scope.defer(() -> {}));
            assertRefusedElsewhere(scope::cancel);
            assertThat(scope.isCancelled()).isFalse();

            CancellationToken token = scope.token();
            Deadline.within(() -> {
                token.cancel();
                return null;
            });
            assertThat(scope.isCancelled()).isTrue();
            assertThat(token.isCancelled()).isTrue();
            assertThatThrownBy(token::throwIfCancelled).isInstanceOf(java.util.concurrent.CancellationException.class);
        }
    }

    @Tag("S5")
    @Test
    void anyThreadMayCancelASubtaskOrAScheduleThatItHolds() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open(Joiner.<Object>supervise())) {
            Subtask<Object> subtask = scope.fork("a", this::interrupted);
            ScheduledFork schedule = scope.schedule("a", Duration.ofDays(1), () -> {});
            gate.awaitArrived(1);

            assertThat(Deadline.within(subtask::cancel)).isTrue();
            assertThat(Deadline.within(schedule::cancel)).isTrue();
            assertThat(scope.join().cancelled()).isEqualTo(1);
            assertThat(schedule.isCancelled()).isTrue();
            assertThat(Deadline.within(subtask::cancel)).isFalse();
        }
    }

    @Tag("S5")
    @Test
    void aForkOfAnOuterScopeMayNotForkInAnInnerOneOfItsOwner() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        try (var outer = scopes.open(Joiner.<Object>allSuccessfulOrThrow());
                var inner = scopes.open()) {
            Callable<Object> forksInside = () -> inner.fork("a", () -> null);
            Subtask<Object> subtask = outer.fork("a", forksInside);

            outer.await(List.of());
            Deadline.until("it has ended", () -> subtask.phase() == Subtask.Phase.FAILED);
            assertThatThrownBy(outer::join).hasCauseInstanceOf(WrongThreadException.class);
        }
    }

    @Tag("S6")
    @Test
    void onlyTheOwnerMayJoinAwaitAndClose() throws Exception {
        Scopes scopes = Scopes.of(executor(2));
        try (var scope = scopes.open(Joiner.<Object>awaitAllSuccessfulOrThrow())) {
            assertRefusedElsewhere(scope::join);
            assertRefusedElsewhere(() -> scope.joinUntil(java.time.Instant.MAX));
            assertRefusedElsewhere(() -> scope.await(List.of()));
            assertRefusedElsewhere(() -> scope.valuesOf(List.of()));
            assertRefusedElsewhere(scope::close);
            scope.fork("a", () -> {
                assertThatThrownBy(scope::join).isInstanceOf(WrongThreadException.class);
                return null;
            });
            scope.join();
        }
    }

    private static void assertRefusedElsewhere(ThrowingCallable call) throws Exception {
        Deadline.within(() -> {
            assertThatThrownBy(call).isInstanceOf(WrongThreadException.class);
            return null;
        });
    }

    @Tag("S9")
    @Test
    void aClosedScopeTakesNothingAnyMore() {
        Scopes scopes = Scopes.of(executor(1));
        GroupScope<Object, Void, java.util.concurrent.ExecutionException> scope = scopes.open();
        scope.close();

        assertThatIllegalStateException().isThrownBy(() -> scope.fork("a", () -> null));
        assertThatIllegalStateException().isThrownBy(scope::join);
        assertThatIllegalStateException().isThrownBy(() -> scope.await(List.of()));
        assertThatIllegalStateException().isThrownBy(() -> scope.defer(() -> {}));
        assertThatIllegalStateException().isThrownBy(() -> scope.schedule("a", Duration.ZERO, () -> {}));
    }

    @Tag("S9")
    @Test
    void noScopeOpensOnceTheExecutorIsShutDown() {
        GroupExecutor executor = executor(1);
        Scopes scopes = Scopes.of(executor);
        executor.shutdown();

        assertThatIllegalStateException().isThrownBy(scopes::open);
        assertThat(scopes.live()).isEmpty();
    }

    @Tag("S18")
    @Test
    void closingAnOuterScopeClosesThoseInsideItAndThrows() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        AtomicInteger ran = new AtomicInteger();
        List<String> cleaned = new ArrayList<>();
        try (var outer = scopes.open(Joiner.awaitAll())) {
            var inner = scopes.open(Joiner.supervise());
            inner.defer(() -> cleaned.add("inner"));
            outer.defer(() -> cleaned.add("outer"));
            Subtask<Object> running = inner.fork("a", gate.then("x"));
            gate.awaitArrived(1);

            assertThatThrownBy(outer::close).isInstanceOf(ScopeStructureException.class);

            assertThat(running.phase()).isEqualTo(Subtask.Phase.CANCELLED);
            assertThat(cleaned).containsExactly("inner", "outer");
            Subtask<Object> late = inner.fork("a", ran::incrementAndGet);
            assertThat(late.phase()).isEqualTo(Subtask.Phase.CANCELLED);
            assertThat(inner.join()).isEqualTo(new Outcome(2, 0, 2, List.of()));
            inner.close();
        }
        assertThat(ran).hasValue(0);
        assertThat(scopes.live()).isEmpty();
    }

    @Tag("S19")
    @Test
    void aForkThatLeavesAScopeOpenClosesItAndFails() throws Exception {
        Scopes scopes = Scopes.of(executor(2));
        AtomicBoolean interrupted = new AtomicBoolean();
        try (var outer = scopes.open(Joiner.<Object>supervise())) {
            Subtask<Object> subtask = outer.fork("a", () -> {
                var left = scopes.open(Joiner.awaitAll());
                left.fork("b", () -> {
                    try {
                        return interrupted();
                    } finally {
                        interrupted.set(Thread.interrupted() || interrupted.get());
                    }
                });
                return "value";
            });
            outer.join();

            assertThat(subtask.phase()).isEqualTo(Subtask.Phase.FAILED);
            assertThat(subtask.exception()).isInstanceOf(ScopeStructureException.class);
            assertThat(outer.snapshot().forks()).isEmpty();
        }
        assertThat(scopes.live()).isEmpty();
    }

    @Tag("S19")
    @Test
    void theOwnFailureOfAForkThatLeavesAScopeOpenComesFirst() throws Exception {
        Scopes scopes = Scopes.of(executor(2));
        Exception own = new Exception("own");
        try (var outer = scopes.open(Joiner.<Object>supervise())) {
            Subtask<Object> subtask = outer.fork("a", () -> {
                scopes.open();
                throw own;
            });
            outer.join();

            assertThat(subtask.exception()).isSameAs(own);
            assertThat(own.getSuppressed()).hasOnlyElementsOfType(ScopeStructureException.class);
        }
    }

    @Tag("S48")
    @Test
    void aScopeIsNoExecutorAndASubtaskNoFuture() {
        assertThat(java.util.concurrent.Executor.class.isAssignableFrom(GroupScope.class))
                .isFalse();
        assertThat(java.util.concurrent.Future.class.isAssignableFrom(Subtask.class))
                .isFalse();
        assertThat(GroupScope.class.isSealed()).isTrue();
    }
}
