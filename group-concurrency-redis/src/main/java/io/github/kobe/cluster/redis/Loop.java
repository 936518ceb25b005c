package io.github.kobe.cluster.redis;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The store's own thread, which does whatever isn't done at once: it connects, watches, and closes. What Redis's client tells on
 * its threads is only handed over to it.
 */
final class Loop implements Executor {

    private static final System.Logger LOG = System.getLogger(RedisClusterStore.class.getName());

    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(
            1,
            work -> Thread.ofPlatform().name("group-concurrency-redis").daemon().unstarted(work));

    /**
     * Does something soon, after what was given before.
     *
     * @throws RedisStoreException if it has ended
     */
    @Override
    public void execute(Runnable work) {
        if (!run(work)) {
            throw Reasons.closed();
        }
    }

    /**
     * Does something soon, after what was given before.
     *
     * @return whether it will be done: not once this has ended
     */
    boolean run(Runnable work) {
        try {
            // What comes while the thread ends is cancelled without a word.
            return !thread.schedule(guarded(work), 0, TimeUnit.NANOSECONDS).isCancelled();
        } catch (RejectedExecutionException over) {
            return false;
        }
    }

    /** Does something again and again. */
    void every(Duration pause, Runnable work) {
        ScheduledFuture<?> unused =
                thread.scheduleWithFixedDelay(guarded(work), 0, pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static Runnable guarded(Runnable work) {
        return () -> {
            try {
                work.run();
            } catch (Throwable failure) { // it goes on: nobody else would connect again
                LOG.log(Level.ERROR, "The store in Redis could not do all that was due; it tries again.", failure);
            }
        };
    }

    /** What it was given until now is the last. */
    void end() {
        thread.shutdown();
    }
}
