package io.github.kobe.races;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.scope.Joiner;
import io.github.kobe.scope.Subtask;
import io.github.kobe.scope.Subtask.Phase;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an owner lends while it waits, against what ends the wait and what changes the group. */
@Tag("races")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class ScopeLendingRacesTests extends ScopeRaces {

    private final AtomicInteger inside = new AtomicInteger();

    private void enter() {
        assertThat(inside.incrementAndGet()).as("inside a group of limit 1").isEqualTo(1);
    }

    private void leave() {
        inside.decrementAndGet();
    }

    @Test
    void theEndOfABorrowerThatMeetsAnInterruptOfTheOwnerHandsBackOnce(TestReporter reporter) throws Exception {
        race((executor, scopes) -> {
            Held held = new Held();
            AtomicReference<Phase> phase = new AtomicReference<>();
            arena.sendAhead(() -> {
                boolean late = Thread.interrupted(); // of the round before
                executor.call("a", () -> {
                    try (var scope = scopes.open(Joiner.<String>awaitAll())) {
                        Subtask<String> fork = scope.fork("a", () -> {
                            enter();
                            try {
                                return held.run();
                            } finally {
                                leave();
                            }
                        });
                        try {
                            scope.join();
                        } catch (InterruptedException cut) {
                            assertThat(scope.isCancelled()).as("late: " + late).isTrue();
                        }
                        enter();
                        leave();
                        phase.set(fork.phase());
                        return late;
                    }
                });
            });
            held.awaitBegun();

            arena.release(held::letGo, () -> arena.ahead().interrupt());

            arena.join();
            assertThat(phase.get()).isIn(Phase.SUCCESS, Phase.CANCELLED);
            arena.won(phase.get() == Phase.SUCCESS);
        });
        reporter.publishEntry(arena.score("ended", "interrupted"));
    }

    @Test
    void aForkThatBorrowsAsTheOwnersWaitEndsIsGrantedOrCancelled(TestReporter reporter) throws Exception {
        race((executor, scopes) -> {
            Held held = new Held();
            AtomicReference<Subtask<String>> second = new AtomicReference<>();
            executor.call("a", () -> {
                try (var scope = scopes.open(Joiner.<String>awaitAll())) {
                    scope.fork("b", () -> {
                        held.stubbornly();
                        second.set(scope.fork("a", () -> {
                            enter();
                            leave();
                            return "borrowed";
                        }));
                        return "forked";
                    });
                    held.awaitBegun();
                    var token = scope.token();
                    arena.sendAhead(() -> arena.release(held::letGo, token::cancel));
                    scope.join();
                    enter();
                    leave();
                }
                return null;
            });
            arena.join();
            boolean ran = second.get().phase() == Phase.SUCCESS;
            assertThat(ran || second.get().phase() == Phase.CANCELLED).isTrue();
            arena.won(ran);
        });
        reporter.publishEntry(arena.score("borrowed", "cancelled"));
    }

    private enum Change {
        RESIZE {
            @Override
            void make(GroupExecutor executor) {
                executor.setLimits("a", GroupLimits.unset().withMaxConcurrency(2));
                executor.resetLimits("a");
            }
        },
        PAUSE {
            @Override
            void make(GroupExecutor executor) {
                executor.pause("a");
                executor.resume("a");
            }
        },
        EVICT {
            @Override
            void make(GroupExecutor executor) {
                executor.evictGroup("a");
            }
        },
        SHUT_DOWN {
            @Override
            void make(GroupExecutor executor) {
                executor.shutdownGroup("a");
            }
        };

        abstract void make(GroupExecutor executor);
    }

    @ParameterizedTest
    @EnumSource(Change.class)
    void aChangeOfTheGroupThatMeetsTheEndOfABorrowerLosesNothing(Change change) throws Exception {
        race((executor, scopes) -> {
            Held held = new Held();
            AtomicReference<Phase> phase = new AtomicReference<>();
            arena.sendAhead(() -> {
                boolean late = Thread.interrupted();
                try {
                    executor.call("a", () -> {
                        try (var scope = scopes.open(Joiner.<String>awaitAll())) {
                            Subtask<String> fork = scope.fork("a", held::run);
                            try {
                                scope.join();
                            } finally {
                                phase.set(fork.phase());
                            }
                        }
                        return late;
                    });
                } catch (InterruptedException shutDown) {
                    assertThat(change).isEqualTo(Change.SHUT_DOWN);
                }
            });
            held.awaitBegun();

            arena.release(held::letGo, () -> change.make(executor));

            arena.join();
            assertThat(phase.get()).isIn(Phase.SUCCESS, Phase.FAILED, Phase.CANCELLED);
            if (change != Change.SHUT_DOWN) {
                assertThat(phase.get()).isEqualTo(Phase.SUCCESS);
            }
        });
    }
}
