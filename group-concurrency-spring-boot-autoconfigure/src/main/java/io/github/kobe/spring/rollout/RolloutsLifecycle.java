package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.Rollouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Opens the rollouts of an application context once its beans are there, and closes them before what they run on.
 *
 * <p>They close after the web server and the listener containers, which may still start plans, and before Spring's own
 * executors and ours. A context that is paused and goes on opens them once more.
 */
final class RolloutsLifecycle implements SmartLifecycle {

    /** Below the web server's, above that of Spring's executors, and so above that of ours. */
    static final int PHASE = Integer.MAX_VALUE / 2 + 1024;

    private static final Log LOGGER = LogFactory.getLog(RolloutsLifecycle.class);

    private final ConfigurableListableBeanFactory beans;
    private final Duration shutdownGrace;
    private final Duration phaseTimeout;
    private volatile boolean running;

    /**
     * Makes a lifecycle.
     *
     * @param beans where the rollouts are; those of ancestors are theirs
     * @param shutdownGrace how long stages have at the end
     * @param phaseTimeout how long Spring waits for one phase; it should be the longer of the two
     */
    RolloutsLifecycle(ConfigurableListableBeanFactory beans, Duration shutdownGrace, Duration phaseTimeout) {
        this.beans = beans;
        this.shutdownGrace = shutdownGrace;
        this.phaseTimeout = phaseTimeout;
    }

    @Override
    public void start() {
        if (shutdownGrace.compareTo(phaseTimeout) >= 0) {
            LOGGER.warn("group-concurrency.rollout.shutdown-grace (" + shutdownGrace
                    + ") should be shorter than spring.lifecycle.timeout-per-shutdown-phase (" + phaseTimeout + ")");
        }
        made().forEach(Rollouts::open);
        running = true;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public void stop(Runnable callback) {
        Thread.ofPlatform().name("group-concurrency-rollout-stop").start(() -> {
            try {
                stop();
            } finally {
                callback.run();
            }
        });
    }

    @Override
    public void stop() {
        made().forEach(Rollouts::close);
        running = false;
    }

    /** What was never made isn't made for this. */
    private List<Rollouts> made() {
        List<Rollouts> made = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(Rollouts.class, false, false)) {
            if (beans.containsSingleton(name)) {
                made.add(beans.getBean(name, Rollouts.class));
            }
        }
        return made;
    }
}
