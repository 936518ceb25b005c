package io.github.kobe.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.testing.Deadline;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread of a node lives as long as its engine. */
@Tag("CL63")
@Timeout(60)
class ClusterThreadTests {

    /** One after the other without a pause, they would leave the thread next to no time on a busy machine. */
    private static final long BETWEEN_COLLECTIONS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ClusterStore store = ClusterStore.inMemory();
    private @Nullable GroupExecutor executor;

    private Thread start() {
        ClusterNode node = new ClusterNode(
                ClusterSettings.of(store),
                new ClusterNode.Surroundings(System::nanoTime, System::currentTimeMillis, new Random(1)));
        executor = EngineAccess.newExecutor(GroupPolicy.builder().build(), Surroundings.SYSTEM, node);
        node.join(EngineAccess.engine(executor));
        return ClusterThread.start(node);
    }

    @Test
    void itEndsWhenItsExecutorHasEnded() {
        Thread thread = start();
        assertThat(thread.isDaemon()).isTrue();

        executor.shutdown();
        Deadline.until("the thread has ended", () -> !thread.isAlive());
    }

    @Test
    void itEndsWhenItsExecutorIsForgotten() {
        Thread thread = start();

        executor = null;
        Deadline.until("the thread has ended", () -> {
            System.gc();
            LockSupport.parkNanos(BETWEEN_COLLECTIONS);
            return !thread.isAlive();
        });
    }

    /** Somebody who stops all threads of a class loader interrupts it. */
    @Test
    void itTakesNoNoticeOfAnInterrupt() {
        Thread thread = start();

        thread.interrupt();
        Deadline.until("it isn't interrupted any more", () -> !thread.isInterrupted());
        assertThat(thread.isAlive()).isTrue();
        executor.shutdown();
        Deadline.until("the thread has ended", () -> !thread.isAlive());
    }
}
