package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.RolloutEvent;
import java.time.Duration;
import java.time.Instant;
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
 *
 * <p>What the sink refuses is held, and so is all that comes after it. It is tried again when as much time has passed as since
 * its first refusal, which the store knows, so that the waits double, also over several drives. A drive with nothing else to
 * do doesn't wait for that, but ends, and calls the next one for then.
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
    private final Refusals refusals;
    private final Runnable whenEmpty;
    private final Thread thread;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    /** Held by who tells, or sees whether there is nothing more to tell. */
    private final ReentrantLock turn = new ReentrantLock();

    /** By {@link System#nanoTime()}, when the sink is asked again; written with the turn. */
    private volatile long heldUntil = System.nanoTime();

    private volatile boolean over;

    /** Whether something was told, or is held, that wasn't before. Written by the own thread. */
    private boolean moved;

    /** Whether the drive wanted to end while something was told. */
    private volatile boolean awaited;

    Publisher(PlanId planId, RolloutOptions options, Lease lease, Refusals refusals, Runnable whenEmpty) {
        this.planId = planId;
        this.options = options;
        this.lease = lease;
        this.refusals = refusals;
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
            if (over && heldFor() > 0) {
                assignPositions();
            }
            return over;
        } finally {
            turn.unlock();
        }
    }

    /** {@return for how many nanoseconds everything is held, since the sink refuses the next event; 0 if nothing is} */
    long heldFor() {
        return Math.max(0, heldUntil - System.nanoTime());
    }

    private void run() {
        while (!over) {
            int count = publishBatch();
            if (count > 0) {
                if (count < BATCH) {
                    gather();
                }
            } else {
                if (moved || awaited) {
                    moved = false;
                    awaited = false;
                    whenEmpty.run();
                }
                if (!over) {
                    long held = heldFor();
                    long look = RolloutOptions.LOOK.toNanos();
                    LockSupport.parkNanos(this, held > 0 ? Math.min(held, look) : look);
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

    /** {@return how many were told} Each has its position before that, and what is held has it too, so that it can be read. */
    private int publishBatch() {
        turn.lock();
        try {
            boolean waits = heldFor() > 0;
            List<RolloutEvent> events = publishes() ? options.store().findUnpublished(planId, BATCH) : List.of();
            if (lease.isHeld() && (waits || !events.isEmpty())) {
                options.store().assignPositions(planId, lease.epoch());
            }
            int count = 0;
            while (count < events.size() && publishes() && isSettled(events.get(count))) {
                count++;
            }
            if (count > 0) {
                moved = true;
                options.store().markPublished(planId, lease.epoch(), events.subList(0, count));
            }
            return count;
        } catch (RuntimeException e) {
            LOG.warn(
                    "Events of {} could not be read or marked; they are delivered later: {}",
                    planId,
                    StoreRefusedException.describe(e));
            return 0;
        } finally {
            turn.unlock();
        }
    }

    /** So that what is held can be read after the end of the drive. */
    private void assignPositions() {
        try {
            options.store().assignPositions(planId, lease.epoch());
        } catch (RuntimeException e) {
            LOG.debug("Events of {} can be read later", planId, e);
        }
    }

    private boolean publishes() {
        return !over && heldFor() == 0 && lease.isHeld();
    }

    /** {@return whether the next event may follow} */
    private boolean isSettled(RolloutEvent event) {
        Throwable why = thrownBy(() -> options.sink().publish(event));
        if (why != null) {
            refusals.add(event, why);
            Duration left = patience(event);
            if (left.isPositive()) {
                return false;
            }
            giveUp(event, why);
        }
        log(event);
        String counter = counterOf(event.occurrence());
        if (counter != null) {
            count(counter);
        }
        return true;
    }

    /** {@return for how long the event is tried, from now on} Until its next try everything is held. */
    private Duration patience(RolloutEvent event) {
        Instant now = options.store().now();
        Duration refused = Duration.between(options.store().markRefused(planId, lease.epoch(), event, now), now);
        Duration left = options.giveUpEventsAfter().minus(refused);
        if (left.isPositive()) {
            Duration wait = shorter(longer(refused, options.firstEventRetry()), RolloutOptions.LONGEST_EVENT_RETRY);
            heldUntil = System.nanoTime() + shorter(wait, left).toNanos();
            moved = true;
        }
        return left;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private void giveUp(RolloutEvent event, Throwable why) {
        options.store().markGivenUp(planId, lease.epoch(), event);
        LOG.error(
                "An event of {} is given up, since the sink has refused it for {}: {}",
                planId,
                options.giveUpEventsAfter(),
                Refusals.nameOf(event),
                why);
        count("event_given_up");
    }

    private void count(String counter) {
        guarded("metrics", () -> options.metrics().incrementCounter(counter, planId));
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

    /** User code: if it throws, that is logged once, and all else goes on. */
    void guarded(String kind, Runnable call) {
        Throwable why = thrownBy(call);
        if (why != null && warned.add(kind)) {
            LOG.warn("A listener failed with {} of {}; this is logged once", kind, planId, why);
        }
    }

    /** {@return what user code has thrown, if anything} */
    private static @Nullable Throwable thrownBy(Runnable call) {
        try {
            UserCode.run(call::run);
            return null;
        } catch (Throwable e) {
            return e;
        }
    }
}
