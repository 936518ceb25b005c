package io.github.kobe.races;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupPermit;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.scope.CancellationToken;
import io.github.kobe.scope.CancelledByTimeoutException;
import io.github.kobe.scope.ForkOptions;
import io.github.kobe.scope.GroupScope;
import io.github.kobe.scope.Joiner;
import io.github.kobe.scope.Outcome;
import io.github.kobe.scope.Subtask;
import io.github.kobe.scope.Subtask.Phase;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/** What ends a scope against what happens in it, by real threads: each time one outcome, and each fork one end. */
@Tag("races")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class ScopeRacesTests extends ScopeRaces {

    /** Joins, and looks whether the fork has ended as the outcome says; returns whether that was by itself. */
    private static boolean joined(GroupScope<String, List<String>, ExecutionException> scope, Subtask<String> fork)
            throws InterruptedException {
        boolean ended = true;
        try {
            assertThat(scope.join()).containsExactly("done");
        } catch (ExecutionException cut) {
            assertThat(cut.getCause()).isInstanceOf(CancellationException.class);
            ended = false;
        }
        assertThat(fork.phase()).isEqualTo(ended ? Phase.SUCCESS : Phase.CANCELLED);
        return ended;
    }

    // ---------------------------------------------------------------- the last end

    @Test
    void theLastEndThatMeetsACancelIsTheResultOrCancelled(TestReporter reporter) throws Exception {
        race((executor, scopes) -> {
            Held held = new Held();
            try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
                Subtask<String> fork = scope.fork("a", held::run);
                held.awaitBegun();

                arena.release(held::letGo, scope.token()::cancel);

                arena.won(joined(scope, fork));
                arena.join();
            }
        });
        reporter.publishEntry(arena.score("ended", "cancelled"));
    }

    @Test
    void theLastEndThatMeetsTheTimeOutIsTheResultOrTimedOut(TestReporter reporter) throws Exception {
        ManualClock clock = new ManualClock();
        race(clock.environment(), (executor, scopes) -> {
            Held held = new Held();
            try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow(), cf -> cf.withTimeout(LONG))) {
                Subtask<String> fork = scope.fork("a", held::run);
                held.awaitBegun();

                arena.release(held::letGo, () -> clock.advance(LONG, executor));

                boolean ended = true;
                try {
                    assertThat(scope.join()).containsExactly("done");
                } catch (ExecutionException cut) {
                    assertThat(cut.getCause()).isInstanceOf(CancelledByTimeoutException.class);
                    ended = false;
                }
                assertThat(fork.phase()).isEqualTo(ended ? Phase.SUCCESS : Phase.CANCELLED);
                arena.won(ended);
                arena.join();
            }
        });
        reporter.publishEntry(arena.score("ended", "out of time"));
    }

    @Test
    void theLastEndThatMeetsAnInterruptIsTheResultOrASecondJoinTells(TestReporter reporter) throws Exception {
        race((executor, scopes) -> {
            Held held = new Held();
            AtomicBoolean interrupted = new AtomicBoolean();
            arena.sendAhead(() -> {
                boolean late = Thread.interrupted(); // of the round before
                try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
                    Subtask<String> fork = scope.fork("a", held::run);
                    try {
                        assertThat(joined(scope, fork))
                                .as("ended, late: " + late)
                                .isTrue();
                    } catch (InterruptedException cut) {
                        assertThat(scope.isCancelled()).isTrue();
                        interrupted.set(!joined(scope, fork)); // until then the fork may be at its end
                        assertThat(fork.phase()).isIn(Phase.SUCCESS, Phase.CANCELLED);
                    }
                }
            });
            held.awaitBegun();

            arena.release(held::letGo, () -> arena.ahead().interrupt());

            arena.join();
            arena.won(!interrupted.get());
        });
        reporter.publishEntry(arena.score("ended", "interrupted"));
    }

    @Test
    void theEndOfAForkThatMeetsItsOwnTimeOutIsItsValueOrATimeOut(TestReporter reporter) throws Exception {
        ManualClock clock = new ManualClock();
        race(clock.environment(), (executor, scopes) -> {
            Held held = new Held();
            try (var scope = scopes.open(Joiner.<String>supervise(), cf -> cf.withoutTimeout())) {
                Subtask<String> fork = scope.fork(ForkOptions.in("a").withTimeout(LONG), held::run);
                held.awaitBegun();

                arena.release(held::letGo, () -> clock.advance(LONG, executor));

                Outcome outcome = scope.join();
                boolean ended = outcome.succeeded() == 1;
                assertThat(fork.phase()).isEqualTo(ended ? Phase.SUCCESS : Phase.FAILED);
                if (!ended) {
                    assertThat(outcome.failures()).singleElement().isInstanceOf(TimeoutException.class);
                }
                assertThat(outcome.total()).isEqualTo(1);
                arena.won(ended);
                arena.join();
            }
        });
        reporter.publishEntry(arena.score("ended", "out of time"));
    }

    // ---------------------------------------------------------------- the beginning

    @Test
    void aGrantThatMeetsACancelRunsTheForkOrNot(TestReporter reporter) throws Exception {
        race((executor, scopes) -> {
            AtomicInteger ran = new AtomicInteger();
            GroupPermit holder =
                    executor.acquireAsync("a").toCompletableFuture().join();
            try (var scope = scopes.open(Joiner.<Integer>supervise())) {
                Subtask<Integer> fork = scope.fork("a", ran::incrementAndGet);

                arena.release(holder::close, scope.token()::cancel);

                Outcome outcome = scope.join();
                arena.join();
                boolean ended = outcome.succeeded() == 1;
                assertThat(fork.phase()).isEqualTo(ended ? Phase.SUCCESS : Phase.CANCELLED);
                assertThat(outcome.cancelled()).isEqualTo(ended ? 0 : 1);
                arena.won(ended);
            }
            assertThat(ran.get()).isLessThanOrEqualTo(1);
        });
        reporter.publishEntry(arena.score("granted", "cancelled"));
    }

    /** As openjdk/jdk#14833 was: a cancel that goes over the threads must not miss one that is just being started. */
    @Test
    void aCancelMissesNoForkThatIsJustBeingMade(TestReporter reporter) throws Exception {
        race((executor, scopes) -> {
            AtomicInteger begun = new AtomicInteger();
            AtomicInteger interrupted = new AtomicInteger();
            CountDownLatch never = new CountDownLatch(1);
            try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
                CancellationToken token = scope.token();

                arena.release(
                        token::cancel,
                        () -> scope.fork("a", () -> {
                            begun.incrementAndGet();
                            try {
                                return never.await(LONG.toSeconds(), TimeUnit.SECONDS);
                            } catch (InterruptedException cut) {
                                interrupted.incrementAndGet();
                                throw cut;
                            }
                        }));

                scope.join();
                arena.join();
            }
            assertThat(interrupted.get()).isEqualTo(begun.get());
            arena.won(begun.get() == 0);
        });
        reporter.publishEntry(arena.score("never began", "interrupted"));
    }

    // ---------------------------------------------------------------- forks of forks

    @Test
    void whatASubtaskForksAsTheScopeIsCancelledRunsOrIsCancelled(TestReporter reporter) throws Exception {
        race((executor, scopes) -> {
            Held held = new Held();
            AtomicReference<Subtask<String>> second = new AtomicReference<>();
            try (var scope = scopes.open(Joiner.<String>awaitAll())) {
                Subtask<String> first = scope.fork("b", () -> {
                    held.stubbornly();
                    second.set(scope.fork("a", () -> "second"));
                    return "first";
                });
                held.awaitBegun();

                arena.release(held::letGo, scope.token()::cancel);

                scope.join();
                arena.join();
                assertThat(first.phase()).isIn(Phase.SUCCESS, Phase.CANCELLED);
            }
            boolean ran = second.get().phase() == Phase.SUCCESS;
            assertThat(ran || second.get().phase() == Phase.CANCELLED).isTrue();
            arena.won(ran);
        });
        reporter.publishEntry(arena.score("ran", "cancelled"));
    }

    @Test
    void joinWaitsForWhatASubtaskForksAsTheOthersEnd() throws Exception {
        race((executor, scopes) -> {
            Held forking = new Held();
            Held other = new Held();
            AtomicReference<Subtask<String>> second = new AtomicReference<>();
            arena.sendAhead(() -> {
                try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
                    scope.fork("b", () -> {
                        forking.stubbornly();
                        second.set(scope.fork("a", () -> "second"));
                        return "first";
                    });
                    scope.fork("c", other::run);
                    assertThat(scope.join()).containsExactly("first", "done", "second");
                }
            });
            forking.awaitBegun();
            other.awaitBegun();

            arena.release(forking::letGo, other::letGo);

            arena.join();
            assertThat(second.get().get()).isEqualTo("second");
        });
    }

    @Test
    void twoSubtasksThatForkAtTheBoundAtOnceDoNotWait() throws Exception {
        race((executor, scopes) -> {
            Held one = new Held();
            Held other = new Held();
            try (var scope = scopes.open(Joiner.<String>supervise(), cf -> cf.withMaxUnfinished(2))) {
                for (Held held : List.of(one, other)) {
                    scope.fork("for-" + System.identityHashCode(held), () -> {
                        held.stubbornly();
                        return scope.fork("a", () -> "forked").name();
                    });
                    held.awaitBegun();
                }

                arena.release(one::letGo, other::letGo);

                assertThat(scope.join()).isEqualTo(new Outcome(4, 4, 0, List.of()));
                arena.join();
            }
        });
    }

    // ---------------------------------------------------------------- close

    @Test
    void whatASubtaskDefersAsItsScopeIsClosedRunsOnce() throws Exception {
        race((executor, scopes) -> {
            Held held = new Held();
            AtomicInteger cleanedUp = new AtomicInteger();
            var scope = scopes.open(Joiner.<Object>awaitAll());
            scope.fork("a", () -> {
                held.stubbornly();
                scope.defer(cleanedUp::incrementAndGet);
            });
            held.awaitBegun();
            scope.cancel();
            scope.join();

            arena.release(held::letGo, scope::close);

            arena.join();
            assertThat(cleanedUp).hasValue(1);
            assertThatThrownBy(() -> scope.defer(() -> {})).isInstanceOf(IllegalStateException.class);
        });
    }

    @Test
    void anInterruptThatMeetsCloseIsKeptAndNoForkOutlivesIt() throws Exception {
        race((executor, scopes) -> {
            Held closing = new Held();
            CountDownLatch joined = new CountDownLatch(1);
            AtomicBoolean sent = new AtomicBoolean();
            AtomicBoolean kept = new AtomicBoolean();
            AtomicInteger inside = new AtomicInteger();
            arena.sendAhead(() -> {
                boolean late = Thread.interrupted();
                var scope = scopes.open(Joiner.<Object>awaitAll());
                scope.fork("a", () -> {
                    inside.incrementAndGet();
                    closing.stubbornly();
                    inside.decrementAndGet();
                });
                closing.awaitBegun();
                scope.cancel();
                scope.join();
                joined.countDown();
                scope.close();
                assertThat(inside).as("inside, late: " + late).hasValue(0);
                Arena.await("the interrupt", sent::get);
                kept.set(Thread.interrupted());
            });
            joined.await();

            arena.release(closing::letGo, () -> {
                arena.ahead().interrupt();
                sent.set(true);
            });

            arena.join();
            assertThat(kept).isTrue();
        });
    }
}
