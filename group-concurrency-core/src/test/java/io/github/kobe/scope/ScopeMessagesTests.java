package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.testing.Caller;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** What a scope throws names the scope, its threads and the failure behind it. */
class ScopeMessagesTests extends ScopeTestCase {

    @Test
    void aTimeOutNamesItsScope() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open(change -> change.withName("page").withTimeout(Duration.ZERO))) {
            scope.fork("a", () -> "x");
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(scope::join)
                    .withCauseInstanceOf(CancelledByTimeoutException.class)
                    .havingCause()
                    .withMessage("GroupScope[page] timed out before all its forks had ended");
        }
    }

    @Test
    void aCancellationNamesItsScope() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open(Joiners.<Object>collectAll(), change -> change.withName("page"))) {
            scope.cancel();
            scope.fork("a", () -> "x");
            assertThatExceptionOfType(CancellationException.class)
                    .isThrownBy(scope::join)
                    .withMessage("GroupScope[page], or one of its forks, was cancelled");
        }
    }

    @Test
    void theValueOfAFailedSubtaskIsRefusedWithItsFailureAsTheCause() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        IllegalArgumentException failure = new IllegalArgumentException("no such tenant");
        try (var scope = scopes.open(Joiners.<Object>awaitAll())) {
            Subtask<Object> subtask = scope.fork("a", () -> {
                throw failure;
            });
            scope.join();
            assertThatIllegalStateException().isThrownBy(subtask::get).withCause(failure);
        }
    }

    @Test
    void aThreadThatMayNotJoinIsNamedBesideTheOneThatMay() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        Thread owner = Thread.currentThread();
        try (var scope = scopes.open(Joiners.<Object>awaitAll(), change -> change.withName("page"))) {
            Caller<Thread> other = Caller.startPlatform(() -> {
                assertThatExceptionOfType(WrongThreadException.class)
                        .isThrownBy(scope::join)
                        .withMessage(named(Thread.currentThread()) + " isn't the owner of GroupScope[page], which is "
                                + named(owner));
                assertThatExceptionOfType(WrongThreadException.class)
                        .isThrownBy(() -> scope.fork("a", () -> "x"))
                        .withMessageStartingWith(named(Thread.currentThread()) + " is neither the owner")
                        .withMessageContaining(named(owner));
                return Thread.currentThread();
            });
            other.result();
            scope.join();
        }
    }

    private static String named(Thread thread) {
        return "thread '" + thread.getName() + "' (#" + thread.threadId() + ")";
    }

    @Test
    void aForkWithoutAGroupIsToldHowToNameOne() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open(Joiners.<Object>awaitAll(), change -> change.withName("page"))) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> scope.fork(() -> "x"))
                    .withMessageContainingAll("GroupScope[page]", "fork(group, task)", "withGroup");
            scope.join();
        }
    }
}
