package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.audit.Waits;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Deadline;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a scope took of its owner's thread, and what it left there, is gone once it is closed; the executor lives on. */
class ScopeRemainsTests extends ScopeTestCase {

    private static final ThreadLocal<Object> CONTEXT = new ThreadLocal<>();

    private static final Duration A_DAY = Duration.ofDays(1);

    /** A policy that carries the forking thread's context to forks, as one for logging does. */
    private static GroupPolicy carrying() {
        return GroupPolicy.builder()
                .taskDecorator((groupKey, task) -> {
                    Object taken = CONTEXT.get();
                    return () -> {
                        CONTEXT.set(taken);
                        return task.call();
                    };
                })
                .build();
    }

    /** Forks in each way that takes something of the current thread, some to run and some never to. */
    private void forkInAllWays(Scopes scopes) throws Exception {
        Callable<Object> task = () -> "x";
        try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
            scope.fork("a", task);
            scope.await(scope.fork(ForkOptions.in("a").withTimeout(A_DAY), task));
            scope.fork(ForkOptions.in("a").withStartAfter(A_DAY), task);
            scope.fork(ForkOptions.in("b").withRetry(RetryPolicy.attempts(2).withDelay(A_DAY)), () -> {
                gate.pass();
                throw new Exception("to be tried again");
            });
            scope.fork("b", task); // waits behind it
            scope.schedule("c", A_DAY, task);
            scope.scheduleAtFixedRate("c", Duration.ofNanos(1), A_DAY, () -> {});
            gate.awaitArrived(1);
            scope.cancel();
            scope.join();
        }
    }

    @Tag("S15")
    @Test
    void neitherLoaderNorContextOfTheForkingThreadIsKept() throws Exception {
        Scopes scopes = Scopes.of(engines.startPlain(carrying()));
        List<WeakReference<Object>> taken = forkWithContext(scopes);

        taken.forEach(Waits::awaitCollected);
        assertThat(scopes.live()).isEmpty();
    }

    private List<WeakReference<Object>> forkWithContext(Scopes scopes) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader own = thread.getContextClassLoader();
        URLClassLoader loader = new URLClassLoader(new URL[0], own);
        Object context = new Object();
        thread.setContextClassLoader(loader);
        CONTEXT.set(context);
        try {
            forkInAllWays(scopes);
        } finally {
            thread.setContextClassLoader(own);
            CONTEXT.remove();
        }
        return List.of(new WeakReference<>(loader), new WeakReference<>(context));
    }

    @Tag("S15")
    @Test
    void anExecutorThatHadScopesOpenCanBeForgotten() throws Exception {
        Waits.awaitCollected(executorThatHadScopesOpen());
    }

    private WeakReference<GroupExecutor> executorThatHadScopesOpen() throws Exception {
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy(1))) {
            Scopes scopes = Scopes.of(executor);
            forkInAllWays(scopes);
            try (var scope = scopes.open()) {
                scope.fork("a", () -> {
                    try (var inner = scopes.open()) {
                        inner.join();
                    }
                    return null;
                });
                scope.join();
            }
            return new WeakReference<>(executor);
        }
    }

    /** Starts threads that are at their end before their start returns. */
    private static Thread soonEnded(String name, Runnable work) {
        return new Thread(work, name) {
            @Override
            public void start() {
                super.start();
                try {
                    assertThat(join(Deadline.LONG)).isTrue();
                } catch (InterruptedException interrupted) {
                    throw new AssertionError(interrupted);
                }
            }
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSubtaskThatIsKeptKeepsNoTask(boolean soonEnded) throws Exception {
        TaskThreads threads = soonEnded ? ScopeRemainsTests::soonEnded : TaskThreads.VIRTUAL;
        Scopes scopes = Scopes.of(engines.start(policy(1), new Surroundings(System::nanoTime, threads, true)));
        try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
            Subtask<Object> plain = scope.fork("a", () -> "x");
            Subtask<Object> planned = scope.fork(ForkOptions.in("a").withRetry(RetryPolicy.attempts(2)), () -> "x");
            scope.join();

            assertThat(List.of(plain, planned)).allSatisfy(kept -> {
                assertThat(kept.get()).isEqualTo("x");
                assertThat(((ForkedSubtask<?>) kept).task()).isNull();
            });
        }
    }

    @Tag("S24")
    @Test
    void alarmsOfClosedScopesDoNotPileUp() {
        GroupExecutor executor = engines.start(policy(1), new ManualClock());
        Scopes scopes = Scopes.of(executor);
        for (int i = 0; i < 10_000; i++) {
            scopes.open().close();
        }
        assertThat(EngineAccess.alarms(executor)).isLessThan(200);
    }

    @Tag("S24")
    @Test
    void alarmsOfForksThatWereCancelledDoNotStay() throws Exception {
        GroupExecutor executor = engines.start(policy(1), new ManualClock());
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll())) {
            for (int i = 0; i < 10_000; i++) {
                scope.fork(ForkOptions.in("a").withStartAfter(A_DAY), () -> "x");
            }
            assertThat(EngineAccess.alarms(executor)).isGreaterThan(10_000);
            scope.cancel();
            scope.join();
        }
        assertThat(EngineAccess.alarms(executor)).isLessThan(200);
    }

    @Tag("S16")
    @Test
    void noInterruptIsLeftOnTheOwnerThatNobodyInterrupted() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        forkInAllWays(scopes);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();

        try (var scope = scopes.open(Joiner.supervise(), cf -> cf.withTimeout(Duration.ofMillis(1)))) {
            scope.fork("a", this::interrupted);
            try {
                scope.join();
            } catch (CancelledByTimeoutException outOfTime) {
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
            }
        }
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void scopesThatOneOpensAfterTheOtherLeaveTheThreadOfTheTimersAsleep() {
        AtomicInteger looks = new AtomicInteger();
        LongSupplier clock = () -> {
            if (Thread.currentThread().getName().equals("group-concurrency-housekeeper")) {
                looks.incrementAndGet();
            }
            return System.nanoTime();
        };
        Scopes scopes = Scopes.of(engines.startPlain(policy(1), new Surroundings(clock, TaskThreads.VIRTUAL, true)));
        scopes.open().close();
        Deadline.until("it has looked what is due", () -> looks.get() > 0);

        for (int i = 0; i < 2_000; i++) {
            scopes.open().close();
        }

        assertThat(looks).hasValueLessThan(1_000);
    }
}
