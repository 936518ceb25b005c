package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.spring.internal.executors.BusiestGroups;
import io.github.kobe.spring.internal.executors.MadeBeansLifecycle;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Ends the executors of an application context with it, whoever made them: waits until what is queued and runs has
 * finished, accepting what that still asks for, then shuts down.
 *
 * <p>It stops after the web server, listener containers and Spring's own executors, so that what they have accepted is
 * served. A stop without a close, as of a cached test context that is paused, waits in the same way but leaves the
 * executors usable.
 */
final class GroupExecutorLifecycle extends MadeBeansLifecycle<GroupExecutor>
        implements ApplicationListener<ContextClosedEvent> {

    /** After the web server and the listener containers, whose phases are greater and which therefore stop first. */
    static final int PHASE = Integer.MAX_VALUE / 2 - 1024;

    private static final Log LOGGER = LogFactory.getLog(GroupExecutorLifecycle.class);

    /** A line of the log, not a list of all tenants. */
    private static final int MOST_GROUPS_TOLD = 20;

    /** As good as for ever, and still a number of nanoseconds. */
    private static final Duration LONGEST_WAIT = Duration.ofDays(36_500);

    private final ApplicationContext context;
    private final Duration awaitTerminationPeriod;
    private final ClusterWaits clusterWaits = new ClusterWaits();
    private volatile boolean closing;

    /**
     * Makes a lifecycle.
     *
     * @param context the context that the executors end with
     * @param awaitTerminationPeriod how long to wait for work, zero or more
     */
    GroupExecutorLifecycle(ConfigurableApplicationContext context, Duration awaitTerminationPeriod) {
        super(
                GroupExecutor.class,
                context,
                "group-concurrency.shutdown.await-termination-period",
                awaitTerminationPeriod,
                "group-concurrency-stop");
        this.context = context;
        this.awaitTerminationPeriod = awaitTerminationPeriod;
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
    protected void begin(Map<String, GroupExecutor> executors) {
        executors.values().forEach(executor -> executor.cluster().ifPresent(clusterWaits::untilItGrants));
    }

    @Override
    protected void end(Map<String, GroupExecutor> executors) {
        if (!awaitQuiet(executors.values())) {
            executors.forEach(this::tellBusyGroups);
        }
        if (closing) {
            executors.values().forEach(GroupExecutor::shutdown);
            executors.values().forEach(executor -> executor.cluster().ifPresent(clusterWaits::untilItKnowsOfTheEnd));
        }
    }

    /** Until all are quiet at once, since the work of one may ask for work of another. */
    private boolean awaitQuiet(Collection<GroupExecutor> executors) {
        boolean bounded = awaitTerminationPeriod.compareTo(LONGEST_WAIT) < 0;
        long deadline = System.nanoTime() + (bounded ? awaitTerminationPeriod : LONGEST_WAIT).toNanos();
        try {
            do {
                for (GroupExecutor executor : executors) {
                    if (!executor.awaitQuiet(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())))) {
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

    private static boolean areQuiet(Collection<GroupExecutor> executors) throws InterruptedException {
        for (GroupExecutor executor : executors) {
            if (!executor.awaitQuiet(Duration.ZERO)) {
                return false;
            }
        }
        return true;
    }

    private void tellBusyGroups(String name, GroupExecutor executor) {
        GroupExecutorStats stats = executor.stats();
        if (stats.inFlight() + stats.queued() == 0) {
            return;
        }
        BusiestGroups busy = BusiestGroups.of(
                executor, group -> group.inFlight() + group.queued() > 0, BusiestGroups.LOAD, 0, MOST_GROUPS_TOLD);
        String groups = busy.shown().stream()
                .map(group -> "'" + PrintableText.ofKey(group.groupKey()) + "' (" + group.running() + " running, "
                        + group.inFlight() + " in flight, " + group.queued() + " queued, the oldest for "
                        + group.oldestWait() + ")")
                .collect(Collectors.joining(", "));
        LOGGER.warn("The executor " + name + " is not quiet after " + awaitTerminationPeriod + ": " + groups
                + (busy.others() == 0 ? "" : ", and " + busy.others() + " more groups")
                + (closing ? "; it is shut down anyway" : ""));
    }
}
