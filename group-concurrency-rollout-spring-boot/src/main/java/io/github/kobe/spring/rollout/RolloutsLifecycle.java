package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.Rollouts;
import io.github.kobe.spring.internal.executors.MadeBeansLifecycle;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Opens the rollouts of an application context once its beans are there, and closes them before what they run on.
 *
 * <p>They close after the web server and the listener containers, which may still start plans, and before Spring's own
 * executors and ours. A context that is paused and goes on opens them once more.
 */
final class RolloutsLifecycle extends MadeBeansLifecycle<Rollouts> {

    /** Below the web server's, above that of Spring's executors, and so above that of ours. */
    static final int PHASE = Integer.MAX_VALUE / 2 + 1024;

    private static final String THREAD_NAME = "group-concurrency-rollout-stop";

    /**
     * Makes a lifecycle.
     *
     * @param context where the rollouts are
     * @param shutdownGrace how long stages have at the end
     */
    RolloutsLifecycle(ConfigurableApplicationContext context, Duration shutdownGrace) {
        super(Rollouts.class, context, "group-concurrency.rollout.shutdown-grace", shutdownGrace, THREAD_NAME);
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    protected void begin(Map<String, Rollouts> made) {
        made.values().forEach(Rollouts::open);
    }

    /** All at the same time, since each waits for its stages, and starts further ones until then. */
    @Override
    protected void end(Map<String, Rollouts> made) {
        List<Thread> closing = made.values().stream()
                .map(rollouts -> Thread.ofPlatform().name(THREAD_NAME).start(rollouts::close))
                .toList();
        try {
            for (Thread thread : closing) {
                thread.join();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
