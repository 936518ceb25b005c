package io.github.kobe.spring.lifecycle;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.spring.text.PrintableText;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Ends an executor with its application context: waits until what is queued and runs has finished, accepting what that
 * still asks for, then shuts down.
 *
 * <p>It stops after the web server, listener containers and Spring's own executors, so that what they have accepted is
 * served. A stop without a close, as of a cached test context that is paused, waits in the same way but leaves the
 * executor usable.
 */
public final class GroupExecutorLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

    /** After the web server and the listener containers, whose phases are greater and which therefore stop first. */
    public static final int PHASE = Integer.MAX_VALUE / 2 - 1024;

    private static final Log LOGGER = LogFactory.getLog(GroupExecutorLifecycle.class);

    private final GroupExecutor executor;
    private final Duration awaitTerminationPeriod;
    private final Duration phaseTimeout;
    private final ApplicationContext context;
    private volatile boolean running;
    private volatile boolean closing;

    /**
     * Makes a lifecycle.
     *
     * @param executor what it ends
     * @param awaitTerminationPeriod how long to wait for work, zero or more
     * @param phaseTimeout how long Spring waits for one phase; it should be the longer of the two
     * @param context the context that the executor ends with
     */
    public GroupExecutorLifecycle(
            GroupExecutor executor,
            Duration awaitTerminationPeriod,
            Duration phaseTimeout,
            ApplicationContext context) {
        this.executor = executor;
        this.awaitTerminationPeriod = awaitTerminationPeriod;
        this.phaseTimeout = phaseTimeout;
        this.context = context;
    }

    @Override
    public void start() {
        if (awaitTerminationPeriod.compareTo(phaseTimeout) >= 0) {
            LOGGER.warn("group-concurrency.shutdown.await-termination-period (" + awaitTerminationPeriod
                    + ") should be shorter than spring.lifecycle.timeout-per-shutdown-phase (" + phaseTimeout + ")");
        }
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
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext().equals(context)) {
            closing = true;
        }
    }

    @Override
    public void stop() {
        if (!awaitQuiet()) {
            LOGGER.warn("Not quiet after " + awaitTerminationPeriod + ": " + busyGroups()
                    + (closing ? "; shutting down all the same" : ""));
        }
        if (closing) {
            executor.shutdown();
        }
        running = false;
    }

    private boolean awaitQuiet() {
        try {
            return executor.awaitQuiet(awaitTerminationPeriod);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private String busyGroups() {
        return executor.groupKeys().stream()
                .flatMap(key -> executor.groupStats(key).stream())
                .filter(group -> group.inFlight() + group.queued() > 0)
                .sorted(Comparator.comparing(GroupStats::groupKey))
                .map(group -> "'" + PrintableText.ofKey(group.groupKey()) + "' (" + group.running() + " running, "
                        + group.inFlight() + " in flight, " + group.queued() + " queued, the oldest for "
                        + group.oldestWait() + ")")
                .collect(Collectors.joining(", "));
    }
}
