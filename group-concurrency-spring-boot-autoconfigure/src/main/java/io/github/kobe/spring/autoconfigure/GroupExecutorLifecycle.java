package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Ends the executors of an application context with it, whoever made them: waits until what is queued and runs has
 * finished, accepting what that still asks for, then shuts down.
 *
 * <p>It stops after the web server, listener containers and Spring's own executors, so that what they have accepted is
 * served. It waits on a thread of its own, so that Spring goes on when the time of its phase is up. A stop without a
 * close, as of a cached test context that is paused, waits in the same way but leaves the executors usable.
 */
final class GroupExecutorLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

    /** After the web server and the listener containers, whose phases are greater and which therefore stop first. */
    static final int PHASE = Integer.MAX_VALUE / 2 - 1024;

    private static final Log LOGGER = LogFactory.getLog(GroupExecutorLifecycle.class);

    /** A line of the log, not a list of all tenants. */
    private static final int MOST_GROUPS_TOLD = 20;

    /** As good as for ever, and still a number of nanoseconds. */
    private static final Duration LONGEST_WAIT = Duration.ofDays(36_500);

    private final ConfigurableListableBeanFactory beans;
    private final Duration awaitTerminationPeriod;
    private final Duration phaseTimeout;
    private final ApplicationContext context;
    private volatile boolean running;
    private volatile boolean closing;

    /**
     * Makes a lifecycle.
     *
     * @param beans where the executors are that it ends; those of ancestors end with theirs
     * @param awaitTerminationPeriod how long to wait for work, zero or more
     * @param phaseTimeout how long Spring waits for one phase; it should be the longer of the two
     * @param context the context that the executors end with
     */
    GroupExecutorLifecycle(
            ConfigurableListableBeanFactory beans,
            Duration awaitTerminationPeriod,
            Duration phaseTimeout,
            ApplicationContext context) {
        this.beans = beans;
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
    public void stop(Runnable callback) {
        Thread.ofPlatform().name("group-concurrency-stop").start(() -> {
            try {
                stop();
            } finally {
                callback.run();
            }
        });
    }

    @Override
    public void stop() {
        List<Named> executors = executors();
        if (!awaitQuiet(executors)) {
            executors.stream().filter(Named::isBusy).forEach(this::tellBusyGroups);
        }
        if (closing) {
            executors.forEach(named -> named.executor().shutdown());
        }
        running = false;
    }

    /** What was never made isn't made for this. */
    private List<Named> executors() {
        List<Named> executors = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(GroupExecutor.class, false, false)) {
            if (beans.containsSingleton(name)) {
                executors.add(new Named(name, beans.getBean(name, GroupExecutor.class)));
            }
        }
        return executors;
    }

    /** Until all are quiet at once, since the work of one may ask for work of another. */
    private boolean awaitQuiet(List<Named> executors) {
        boolean bounded = awaitTerminationPeriod.compareTo(LONGEST_WAIT) < 0;
        long deadline = System.nanoTime() + (bounded ? awaitTerminationPeriod : LONGEST_WAIT).toNanos();
        try {
            do {
                for (Named named : executors) {
                    if (!named.executor().awaitQuiet(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())))) {
                        return false;
                    }
                }
            } while (!areQuiet(executors));
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static boolean areQuiet(List<Named> executors) throws InterruptedException {
        for (Named named : executors) {
            if (!named.executor().awaitQuiet(Duration.ZERO)) {
                return false;
            }
        }
        return true;
    }

    private void tellBusyGroups(Named named) {
        BusiestGroups busy =
                BusiestGroups.of(named.executor(), group -> group.inFlight() + group.queued() > 0, 0, MOST_GROUPS_TOLD);
        String groups = busy.shown().stream()
                .map(group -> "'" + PrintableText.ofKey(group.groupKey()) + "' (" + group.running() + " running, "
                        + group.inFlight() + " in flight, " + group.queued() + " queued, the oldest for "
                        + group.oldestWait() + ")")
                .collect(Collectors.joining(", "));
        LOGGER.warn("The executor " + named.name() + " is not quiet after " + awaitTerminationPeriod + ": " + groups
                + (busy.others() == 0 ? "" : ", and " + busy.others() + " more groups")
                + (closing ? "; it is shut down anyway" : ""));
    }

    /** An executor by the name of its bean. */
    private record Named(String name, GroupExecutor executor) {

        boolean isBusy() {
            GroupExecutorStats stats = executor.stats();
            return stats.inFlight() + stats.queued() > 0;
        }
    }
}
