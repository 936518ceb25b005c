package io.github.kobe.audit;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;

/** Waits for what can be asked for; for threads that wait where nobody knows of them, see {@link Caller#awaitBlocked()}. */
public final class Waits {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(2);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

    private Waits() {}

    /** Waits until exactly that many wait in a group. */
    public static void awaitQueued(GroupExecutor executor, String key, int count) {
        Deadline.until(
                () -> count + " queued, but " + executor.groupStats(key),
                () -> executor.groupStats(key).map(GroupStats::queued).orElse(0) == count);
    }

    /** Has garbage collected, at growing intervals, until nothing holds what is referred to. */
    public static void awaitCollected(WeakReference<?> reference) {
        awaitCollecting(() -> reference.refersTo(null));
    }

    /** Has garbage collected, at growing intervals, until something has come of it. */
    public static void awaitCollecting(Callable<Boolean> come) {
        Awaitility.await()
                .pollInSameThread()
                .atMost(Deadline.LONG)
                .pollDelay(Duration.ZERO)
                .pollInterval(IterativePollInterval.iterative(
                        pause -> pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE,
                        FIRST_PAUSE))
                .until(() -> {
                    System.gc();
                    return come.call();
                });
    }
}
