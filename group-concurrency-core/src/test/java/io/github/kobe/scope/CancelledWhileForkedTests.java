package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.testing.Caller;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A joiner hears of a fork before that is counted, and may cancel it, or have it cancelled, at once. */
@Timeout(60)
@Tag("S30")
class CancelledWhileForkedTests extends ScopeTestCase {

    /** Hears of each fork, and says whether its scope is to be cancelled. */
    private record Hearing(Predicate<Subtask<String>> heard) implements Joiner<String, String, RuntimeException> {

        @Override
        public boolean onFork(Subtask<String> subtask) {
            return heard.test(subtask);
        }

        @Override
        public String result() {
            return "joined";
        }

        @Override
        public String timeout() {
            return "timed out";
        }
    }

    @Test
    void theFirstOfAScopeIsCancelledAloneAndNeverBegins() throws Exception {
        Joiner<String, String, RuntimeException> joiner = new Hearing(subtask -> {
            assertThat(subtask.cancel()).isTrue();
            assertThat(subtask.cancel()).isFalse();
            return false;
        });
        try (var scope = Scopes.of(executor(1)).open(joiner)) {
            Subtask<String> first = scope.fork("a", gate.then("never"));

            assertThat(first.phase()).isEqualTo(Subtask.Phase.CANCELLED);
            assertThat(scope.join()).isEqualTo("joined");
            assertThat(scope.isCancelled()).isFalse();
            assertThat(gate.arrived()).isZero();
        }
    }

    @Test
    void oneThatIsCancelledBeforeItsScopeKeepsNobodyFromClosing() throws Exception {
        Joiner<String, String, RuntimeException> joiner = new Hearing(subtask -> subtask.id() > 1 && subtask.cancel());
        try (var scope = Scopes.of(executor(2)).open(joiner)) {
            Subtask<String> running = scope.fork("a", this::interrupted);
            Subtask<String> second = scope.fork("a", gate.then("never"));

            assertThat(second.phase()).isEqualTo(Subtask.Phase.CANCELLED);
            assertThat(scope.isCancelled()).isTrue();
            assertThat(scope.join()).isEqualTo("joined");
            assertThat(running.phase()).isEqualTo(Subtask.Phase.CANCELLED);
        }
    }

    @Test
    void oneThatWasNotForkedAfterAllMayStillBeCancelled() throws Exception {
        SynchronousQueue<Subtask<String>> given = new SynchronousQueue<>();
        Joiner<String, String, RuntimeException> joiner = new Hearing(subtask -> {
            if (subtask.id() == 1) {
                given.offer(subtask);
                throw new IllegalStateException("not this one");
            }
            return false;
        });
        Caller<Subtask<String>> other = Caller.start(given::take);
        other.awaitBlocked();
        try (var scope = Scopes.of(executor(1)).open(joiner)) {
            assertThat(catchThrowable(() -> scope.fork("a", gate.then("never"))))
                    .hasMessage("not this one");
            Subtask<String> next = scope.fork("a", () -> "next");
            assertThat(other.result().cancel()).isTrue();

            assertThat(scope.join()).isEqualTo("joined");
            assertThat(next.get()).isEqualTo("next");
        }
    }

    @Test
    void anOwnerThatItsJoinerHasGivenItToAwaitsItsEnd() throws Exception {
        SynchronousQueue<Subtask<String>> given = new SynchronousQueue<>();
        AtomicReference<Thread> owner = new AtomicReference<>();
        Joiner<String, String, RuntimeException> joiner = new Hearing(subtask -> {
            if (subtask.id() == 2) {
                try {
                    given.put(subtask);
                } catch (InterruptedException interrupted) {
                    throw new AssertionError(interrupted);
                }
                Caller.awaitBlocked(owner.get());
                subtask.cancel();
            }
            return false;
        });
        Caller<Subtask.Phase> waiting = Caller.start(() -> {
            owner.set(Thread.currentThread());
            try (var scope = Scopes.of(executor(2)).open(joiner, ScopeSettings::withoutTimeout)) {
                scope.fork("a", () -> {
                    scope.fork("b", gate.then("never"));
                    return gate.then("first").call();
                });
                Subtask<String> second = given.take();
                scope.await(second);
                gate.open();
                scope.join();
                return second.phase();
            }
        });

        assertThat(waiting.result()).isEqualTo(Subtask.Phase.CANCELLED);
    }

    @Test
    void aCancelByAnotherThreadAtAnyMomentCountsOnce() throws Exception {
        SynchronousQueue<Subtask<String>> given = new SynchronousQueue<>();
        Caller<Integer> other = Caller.startPlatform(() -> {
            int cancelled = 0;
            for (Subtask<String> subtask = given.poll(1, TimeUnit.MINUTES);
                    subtask != null && subtask.id() < 1_000;
                    subtask = given.poll(1, TimeUnit.MINUTES)) {
                if (subtask.cancel()) {
                    cancelled++;
                }
            }
            return cancelled;
        });
        Joiner<String, String, RuntimeException> joiner = new Hearing(subtask -> {
            try {
                assertThat(given.offer(subtask, 1, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
            return false;
        });
        try (var scope = Scopes.of(executor(4)).open(joiner)) {
            for (int i = 0; i < 1_000; i++) {
                scope.fork("a", () -> "done");
            }

            assertThat(scope.join()).isEqualTo("joined");
            assertThat(scope.isCancelled()).isFalse();
            assertThat(scope.totals().cancelled()).isEqualTo(other.result().longValue());
        }
    }
}
