package io.github.kobe.races;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Engines;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.scope.Scopes;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the races of scopes have in common: a group of limit 1, and as for others two halves that each end with the audit. */
abstract class ScopeRaces {

    static final int ROUNDS = Depth.pick(200, 600, 50_000);

    static final Duration LONG = Duration.ofSeconds(10);

    @RegisterExtension
    final Engines engines = new Engines();

    final Arena arena = new Arena();

    @AfterEach
    final void endThreads() {
        arena.close();
    }

    /** One round, on an executor that others have used. */
    @FunctionalInterface
    interface Round {
        void play(GroupExecutor executor, Scopes scopes) throws Exception;
    }

    final void race(Round round) throws Exception {
        race(Surroundings.SYSTEM, round);
    }

    final void race(Surroundings surroundings, Round round) throws Exception {
        GroupPolicy policy = GroupPolicy.builder().build();
        GroupExecutor heard = engines.start(policy, surroundings);
        engines.witness(heard).mayLendUnseen("a");
        play(heard, round);
        play(engines.startPlain(policy, surroundings), round);
    }

    private static void play(GroupExecutor executor, Round round) throws Exception {
        Scopes scopes = Scopes.of(executor);
        for (int i = 0; i < ROUNDS / 2; i++) {
            round.play(executor, scopes);
            assertThat(scopes.live()).isEmpty();
            GroupPermit permit = executor.acquireAsync("a") // of no thread, so that it can't be entered again
                    .toCompletableFuture()
                    .get(LONG.toSeconds(), TimeUnit.SECONDS);
            assertThat(executor.tryAcquire("a", Duration.ZERO))
                    .as("a second permit of limit 1")
                    .isEmpty();
            permit.close();
        }
    }

    /** A fork that begins, waits to be let go, and ends; interrupts end it too, unless it is stubborn. */
    static final class Held {

        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);
        private volatile Thread runner;
        private volatile boolean letGo;

        String run() throws InterruptedException {
            begun.countDown();
            end.await();
            return "done";
        }

        /** As {@link #run}, and interrupts change nothing. */
        void stubbornly() {
            runner = Thread.currentThread();
            begun.countDown();
            while (!letGo) {
                LockSupport.park(this);
                Thread.interrupted();
            }
        }

        void awaitBegun() throws InterruptedException {
            begun.await();
        }

        void letGo() {
            letGo = true;
            LockSupport.unpark(runner);
            end.countDown();
        }
    }
}
