package io.github.kobe.rollout.jdbc;

import com.github.kagkarlsson.scheduler.Clock;
import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.Waiter;
import com.github.kagkarlsson.scheduler.exceptions.ExecutionException;
import com.github.kagkarlsson.scheduler.jdbc.DefaultJdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import com.github.kagkarlsson.scheduler.task.CompletionHandler;
import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.ExecutionOperations;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.CustomTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.internal.rules.PlanStore.DriveRunner;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs drives by db-scheduler: one execution each, {@code planId/number}, which belongs to one node at a time as long as that
 * node gives signs of life.
 *
 * <p>An execution that was lost to another node can't be ended here any more; the version in its row sees to that.
 */
final class ScheduledDrives {

    private static final Logger LOG = LoggerFactory.getLogger(ScheduledDrives.class);

    private static final String TABLE = "rollout_execution";

    /** How many due ones are fetched at once; all that are fetched run. */
    private static final int FETCHED = 100;

    /** A drive ends by itself, so that db-scheduler has nothing to interrupt. */
    private static final Duration UNLIMITED = Duration.ofDays(365);

    /** How often to look whether a stop has begun, which takes no time but that of a thread to start. */
    private static final Duration STOP_BEGINS = Duration.ofMillis(1);

    private final Database database;
    private final DataSource dataSource;
    private final DatabaseClock clock;
    private final SchedulerSettings settings;
    private final CustomTask<Void> task;
    private final SchedulerClient client;
    private final ReentrantLock lock = new ReentrantLock();

    /** What follows is written under the lock. */
    private volatile @Nullable Scheduler scheduler;

    private volatile @Nullable DriveRunner runner;

    /** What ends the last scheduler. */
    private volatile @Nullable Thread stopping;

    ScheduledDrives(Database database, SchedulerSettings settings) {
        this.database = database;
        this.dataSource = database.dataSource();
        this.clock = database.clock();
        this.settings = settings;
        task = Tasks.custom("rollout-drive:" + database.application(), Void.class)
                .onFailure((complete, operations) -> again(complete, operations, settings.pollingInterval()))
                .onDeadExecution((complete, operations) -> {
                    LOG.warn("{} was lost with its node {}", idOf(complete), complete.getExecution().pickedBy);
                    again(complete, operations, Duration.ZERO);
                })
                .execute((instance, context) -> drive(instance));
        client = SchedulerClient.Builder.create(new TransactionAwareDataSourceProxy(dataSource), task)
                .tableName(TABLE)
                .jdbcCustomization(customization())
                .build();
    }

    /** Left to itself, db-scheduler warns of H2, three times at each start. */
    private JdbcCustomization customization() {
        try {
            return database.dialect().scheduling();
        } catch (IllegalStateException doesNotAnswer) {
            LOG.debug("Which database it is isn't known yet", doesNotAnswer);
            return new DefaultJdbcCustomization(false);
        }
    }

    /** In the caller's transaction; if it is due then, this node looks for it after the commit. */
    void schedule(PlanId planId, long number, Instant at) {
        client.scheduleIfNotExists(task.instance(planId.value() + "/" + number), at);
        if (!at.isAfter(clock.now())) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    Scheduler running = scheduler;
                    if (running != null) {
                        running.triggerCheckForDueExecutions();
                    }
                }
            });
        }
    }

    /** What is still to come of a plan. An execution that runs is removed by its own drive. */
    void forget(PlanId planId) {
        String prefix = planId.value() + "/";
        database.client()
                .sql("delete from rollout_execution where task_name = ? and not picked and left(task_instance, ?) = ?")
                .params(task.getName(), prefix.length(), prefix)
                .update();
    }

    void open(DriveRunner newRunner, String node) {
        lock.lock();
        try {
            runner = newRunner;
            if (scheduler == null) {
                Scheduler built = new MonotoneBuilder(dataSource, task)
                        .clock(clock)
                        .tableName(TABLE)
                        .jdbcCustomization(customization())
                        .schedulerName(new SchedulerName.Fixed(node))
                        .pollingInterval(settings.pollingInterval())
                        .heartbeatInterval(settings.heartbeat())
                        .missedHeartbeatsLimit(settings.missedHeartbeats())
                        .shutdownMaxWait(UNLIMITED)
                        .deleteUnresolvedAfter(UNLIMITED) // they are those of other applications
                        .threads(FETCHED)
                        .executorService(threads())
                        .dueExecutor(Executors.newSingleThreadExecutor(daemons("rollout-due")))
                        .housekeeperExecutor(Executors.newScheduledThreadPool(2, daemons("rollout-heartbeat")))
                        .build();
                built.start();
                scheduler = built;
            }
        } finally {
            lock.unlock();
        }
    }

    /** What runs goes on giving signs of life until it has ended, however long that takes. */
    void close() {
        lock.lock();
        try {
            Scheduler running = scheduler;
            if (running != null) {
                scheduler = null;
                Thread ending = daemons("rollout-stop").newThread(running::stop);
                ending.start();
                stopping = ending;
                // A stop lets a look for due drives end. Whoever looks is woken once the stop has begun, so that it
                // doesn't wait for the time of the next look, which the stop would interrupt after a second.
                boolean isOver = false;
                while (!isOver && !running.getSchedulerState().isShuttingDown()) {
                    isOver = ending.join(STOP_BEGINS);
                }
                running.triggerCheckForDueExecutions();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    void awaitClosed(Duration atMost) {
        try {
            Thread ending = stopping;
            if (ending != null && !ending.join(atMost)) {
                LOG.warn("Drives of this node still run");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private CompletionHandler<Void> drive(TaskInstance<Void> instance) {
        String id = instance.getId();
        int slash = id.lastIndexOf('/');
        DriveRunner current = runner;
        Duration again = current == null
                ? Duration.ZERO
                : current.drive(PlanId.ofTrusted(id.substring(0, slash)), Long.parseLong(id.substring(slash + 1)));
        return again == null ? ScheduledDrives::remove : (complete, operations) -> again(complete, operations, again);
    }

    private static void remove(ExecutionComplete complete, ExecutionOperations<Void> operations) {
        try {
            operations.remove();
        } catch (ExecutionException e) {
            LOG.debug("{} is another node's by now", idOf(complete), e);
        }
    }

    private void again(ExecutionComplete complete, ExecutionOperations<Void> operations, Duration after) {
        try {
            operations.reschedule(complete, clock.now().plus(after));
        } catch (ExecutionException e) {
            LOG.debug("{} is another node's by now", idOf(complete), e);
        }
    }

    private static String idOf(ExecutionComplete complete) {
        return complete.getExecution().taskInstance.getId();
    }

    private static ExecutorService threads() {
        return Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("rollout-drive-", 0).factory());
    }

    private static ThreadFactory daemons(String name) {
        return Thread.ofPlatform().daemon().name(name).factory();
    }

    /** Waits between two looks by what only goes forward: the time of a database may be set back. */
    private static final class MonotoneBuilder extends SchedulerBuilder {

        MonotoneBuilder(DataSource dataSource, CustomTask<Void> task) {
            super(dataSource, List.of(task));
        }

        @Override
        protected Waiter buildWaiter() {
            long start = System.nanoTime();
            Clock forward = () -> Instant.EPOCH.plusNanos(System.nanoTime() - start);
            return new Waiter(poolingInterval, forward);
        }
    }
}
