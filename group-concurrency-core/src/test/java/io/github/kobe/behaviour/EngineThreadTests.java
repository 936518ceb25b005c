package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.audit.Waits;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The one platform thread that an executor may have. */
@Tag("G49")
class EngineThreadTests {

    private static final Duration HOUR = Duration.ofHours(1);

    /** Its thread doesn't linger for a second, nor sleep for five. */
    private static final Surroundings QUICK = new Surroundings(
            System::nanoTime, TaskThreads.VIRTUAL, true, Duration.ofMillis(20), Duration.ofMillis(100));

    private static final InheritableThreadLocal<Object> INHERITED = new InheritableThreadLocal<>();

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();
    private Set<Thread> before;

    @BeforeEach
    void rememberThreads() {
        before = new HashSet<>(Thread.getAllStackTraces().keySet());
    }

    /** The engine's threads that were not there when the test began. */
    private List<Thread> engineThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .filter(thread -> thread.getName().startsWith("group-concurrency"))
                .toList();
    }

    /** Has a task wait in each of some groups, each with a time-out. */
    private void waitWithTimeOuts(GroupExecutor executor, int groups) {
        for (int i = 0; i < groups; i++) {
            executor.submit("group-" + i, "holder", gate.then("held"));
            executor.submit("group-" + i, "waits", () -> "done");
        }
        gate.awaitArrived(groups);
    }

    @Test
    void thereIsNoThreadBeforeItIsNeeded() throws Exception {
        // Named, so that it is never idle and wants no sweep.
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().group("a", GroupLimits.unset()).build());

        executor.submit("a", "1", () -> "done").await();
        executor.call("a", () -> "done");

        assertThat(engineThreads()).isEmpty();
    }

    @Test
    void anInterruptDoesNotKeepItFromItsSleep() {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().queueTimeout(HOUR).build(), QUICK);
        waitWithTimeOuts(executor, 1);

        engineThreads().forEach(Thread::interrupt);

        Deadline.until("the flag is gone", () -> engineThreads().stream().noneMatch(Thread::isInterrupted));
        assertThat(engineThreads()).hasSize(1);
        gate.open();
    }

    @Test
    void oneDaemonServesAllTimeOuts() {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().queueTimeout(HOUR).build(), QUICK);

        waitWithTimeOuts(executor, 20);

        assertThat(engineThreads()).singleElement().satisfies(thread -> {
            assertThat(thread.isDaemon()).isTrue();
            assertThat(thread.isVirtual()).isFalse();
        });
        gate.open();
    }

    @Test
    void itInheritsNothing() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().queueTimeout(HOUR).build(), QUICK);

        WeakReference<Object> value = Caller.startPlatform(() -> {
                    Object payload = new byte[1_000];
                    INHERITED.set(payload);
                    ClassLoader loader = Thread.currentThread().getContextClassLoader();
                    try (URLClassLoader own = new URLClassLoader(new URL[0], loader)) {
                        Thread.currentThread().setContextClassLoader(own);
                        waitWithTimeOuts(executor, 1);
                        assertThat(engineThreads())
                                .singleElement()
                                .satisfies(thread -> assertThat(thread.getContextClassLoader())
                                        .isNotSameAs(own));
                    } finally {
                        Thread.currentThread().setContextClassLoader(loader);
                    }
                    INHERITED.remove();
                    return new WeakReference<>(payload);
                })
                .result();

        Waits.awaitCollected(value);
        assertThat(engineThreads()).hasSize(1);
        gate.open();
    }

    @Test
    void itEndsWhenItIsUnused() {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder()
                        .idleTimeout(Duration.ofMillis(20))
                        .queueTimeout(Duration.ofMillis(20))
                        .build(),
                clock.withTimers());
        waitWithTimeOuts(executor, 3);
        assertThat(engineThreads()).hasSize(1);
        gate.open();

        Deadline.until(() -> "gone, but " + engineThreads(), () -> {
            clock.advance(Duration.ofMillis(5));
            return engineThreads().isEmpty();
        });
        assertThat(executor.isShutdown()).isFalse();
    }

    @Test
    void itComesBackWhenItIsNeededAgain() {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder()
                        .idleTimeout(Duration.ofMillis(20))
                        .rejectionPolicy(RejectionPolicy.DISCARD)
                        .queueTimeout(Duration.ofMillis(20))
                        .build(),
                QUICK);
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        assertThat(executor.submit("a", "1", () -> "no").join().status()).isEqualTo(TaskStatus.REJECTED);
        Deadline.until(
                () -> "gone, but " + engineThreads(), () -> engineThreads().isEmpty());

        assertThat(executor.submit("a", "2", () -> "no").join().status()).isEqualTo(TaskStatus.REJECTED);
        gate.open();
    }

    @Test
    void itEndsAfterAShutdown() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().queueTimeout(HOUR).build(), QUICK);
        waitWithTimeOuts(executor, 3);
        assertThat(engineThreads()).hasSize(1);

        executor.shutdown();

        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
        Deadline.until(
                () -> "gone, but " + engineThreads(), () -> engineThreads().isEmpty());
    }

    @Test
    void aForgottenExecutorIsCollectedAndItsThreadEnds() throws Exception {
        WeakReference<GroupExecutor> executor = useAndForget();

        Waits.awaitCollected(executor);
        // Once more if need be: at that collection its thread may just have been at work, and so have held the engine.
        Waits.awaitCollecting(() -> engineThreads().isEmpty());
    }

    private WeakReference<GroupExecutor> useAndForget() throws InterruptedException {
        // Without audit, which would keep the executor.
        GroupExecutor executor = EngineAccess.newExecutor(
                GroupPolicy.builder().queueTimeout(HOUR).build(), QUICK);
        Gate here = new Gate();
        executor.submit("a", "holder", here.then("held"));
        here.awaitArrived(1);
        TaskHandle<String> waits = executor.submit("a", "1", () -> "done");
        here.open();
        waits.await();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(engineThreads()).hasSize(1);
        return new WeakReference<>(executor);
    }
}
