package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.RolloutEvent;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the events of a plan, in order, on a thread of its own, and then marks them. No other class does. Without the
 * lease it publishes nothing: the next drive may have published what comes after it.
 */
final class Publisher {

    private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);

    private static final int BATCH = 200;
    private static final Duration GATHERED = Duration.ofMillis(5);

    /** How long the end of a drive waits for a listener. */
    private static final Duration LONGEST_TELLING = Duration.ofSeconds(2);

    private final PlanId planId;
    private final RolloutOptions options;
    private final Lease lease;
    private final Runnable whenEmpty;
    private final Thread thread;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    /** Held by who tells, or sees whether there is nothing more to tell. */
    private final ReentrantLock turn = new ReentrantLock();

    private volatile boolean over;

    /** Whether the drive wanted to end while something was told. */
    private volatile boolean awaited;

    Publisher(PlanId planId, RolloutOptions options, Lease lease, Runnable whenEmpty) {
        this.planId = planId;
        this.options = options;
        this.lease = lease;
        this.whenEmpty = whenEmpty;
        thread = Thread.ofVirtual().name("rollout-events:" + planId).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** There may be events. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /** Ends after the event that is being told, and waits for that, but not forever; the others stay. */
    void stop() {
        over = true;
        wake();
        try {
            if (!thread.join(LONGEST_TELLING)) {
                LOG.warn("A listener still has an event of {}, which may be told again", planId);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * {@return whether the drive has ended} From before it looks until it has, nothing is told here: what comes after its end
     * is the next drive's to tell.
     */
    boolean endIf(BooleanSupplier end) {
        if (!turn.tryLock()) {
            awaited = true;
            wake();
            return false;
        }
        try {
            over = end.getAsBoolean();
            return over;
        } finally {
            turn.unlock();
        }
    }

    private void run() {
        boolean told = false;
        while (!over) {
            int count = publishBatch();
            if (count > 0) {
                told = true;
                if (count < BATCH) {
                    gather();
                }
            } else {
                if (told || awaited) {
                    told = false;
                    awaited = false;
                    whenEmpty.run();
                }
                if (!over) {
                    LockSupport.parkNanos(this, RolloutOptions.LOOK.toNanos());
                }
            }
        }
    }

    /** Lets some events come together, since each batch is a transaction, unless the drive waits for the last ones. */
    private void gather() {
        long end = System.nanoTime() + GATHERED.toNanos();
        for (long left = GATHERED.toNanos(); left > 0 && !over && !awaited; left = end - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
        }
    }

    private int publishBatch() {
        turn.lock();
        try {
            List<RolloutEvent> events = publishes() ? options.store().findUnpublished(planId, BATCH) : List.of();
            int count = 0;
            while (count < events.size() && publishes()) {
                publish(events.get(count));
                count++;
            }
            if (count > 0) {
                options.store().markPublished(planId, lease.epoch(), events.subList(0, count));
            }
            return count;
        } catch (RuntimeException e) {
            LOG.warn("Events of {} could not be read or marked; they are delivered later", planId, e);
            return 0;
        } finally {
            turn.unlock();
        }
    }

    private boolean publishes() {
        return !over && lease.isHeld();
    }

    private void publish(RolloutEvent event) {
        log(event);
        String counter = counterOf(event.occurrence());
        if (counter != null) {
            guarded("metrics", () -> options.metrics().incrementCounter(counter, planId));
        }
        guarded(
                event.occurrence().getClass().getSimpleName(),
                () -> options.sink().publish(event));
    }

    private static void log(RolloutEvent event) {
        Object subject = event.taskId() == null ? event.planId() : event.taskId();
        if (event.failure() != null) {
            LOG.warn("{} #{}: {}", subject, event.sequenceId(), event.message());
        } else if (event.occurrence() instanceof Occurrence.TaskProgress) {
            LOG.trace("{} #{}: {}", subject, event.sequenceId(), event.occurrence());
        } else {
            LOG.debug("{} #{}: {}", subject, event.sequenceId(), event.occurrence());
        }
    }

    private static @Nullable String counterOf(Occurrence occurrence) {
        return switch (occurrence) {
            case Occurrence.TaskCompleted completed -> "task_completed";
            case Occurrence.TaskFailed failed -> "task_failed";
            case Occurrence.TaskPaused paused -> "task_paused";
            case Occurrence.TaskCancelled cancelled -> "task_cancelled";
            case Occurrence.TaskRollingBack rollingBack -> "rollback_count";
            default -> null;
        };
    }

    /** User code: whatever it throws, and however it leaves the thread, all else goes on. */
    void guarded(String kind, Runnable call) {
        try {
            call.run();
        } catch (Throwable e) {
            if (warned.add(kind)) {
                LOG.warn("A listener failed with {} of {}; this is logged once", kind, planId, e);
            }
        } finally {
            Thread.interrupted();
        }
    }
}
