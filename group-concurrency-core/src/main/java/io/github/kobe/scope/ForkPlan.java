package io.github.kobe.scope;

import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.doors.ScopeBridge;
import io.github.kobe.internal.doors.ScopeBridge.Alarm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What only some forks need: options, attempts, alarms for the begin and the end, and, for listeners, how long it ran.
 * Attempts come one after the other, and each passes this on to the next.
 */
final class ForkPlan {

    /** On the engine's clock. */
    final long forkedAt;

    final @Nullable String name;
    final long delayNanos;
    /** {@link Long#MAX_VALUE}: it has no time-out of its own. */
    final long timeoutNanos;

    final RetryPolicy retry;
    final @Nullable ForkSchedule schedule;

    /** What was taken of the thread that forked it; {@code null}: it was submitted by that thread, or is over. */
    volatile @Nullable Object taken;

    /** Whether its code has begun; by its thread. */
    private volatile boolean began;

    /** Which attempt it is at, from 1. */
    int attempt = 1;

    /** How long all attempts ran. */
    long ranNanos;

    private volatile List<Throwable> earlier = List.of();

    private volatile @Nullable Alarm start;
    private volatile @Nullable Alarm end;

    ForkPlan(long forkedAt, @Nullable ForkOptions options, RetryPolicy defaultRetry, @Nullable ForkSchedule schedule) {
        this.forkedAt = forkedAt;
        this.schedule = schedule;
        if (options == null) {
            name = null;
            delayNanos = 0;
            timeoutNanos = Long.MAX_VALUE;
            retry = defaultRetry;
        } else {
            name = options.name();
            delayNanos = TimeUnit.NANOSECONDS.convert(options.startAfter());
            timeoutNanos = options.timeout() == null ? Long.MAX_VALUE : TimeUnit.NANOSECONDS.convert(options.timeout());
            retry = options.retry() == null ? defaultRetry : options.retry();
        }
    }

    // ---- attempts

    /** Has a fork submitted, now or later, for the current thread, which forks it. */
    void start(ForkedSubtask<?> fork, Callable<?> task) {
        boolean byThisThread = delayNanos == 0 && retry == RetryPolicy.none();
        if (!byThisThread) {
            taken = fork.scope().bridge.take(fork.group(), fork.name(), task);
            if (fork.isOver()) { // cancelled meanwhile
                endTaken(fork.failureOrNull());
            }
        }
        if (delayNanos > 0) {
            startAfter(fork, delayNanos);
        } else if (!armTimeout(fork)) {
            fork.failUnsubmitted(noTimers());
        } else if (byThisThread) {
            fork.submit(task);
        } else {
            fork.submitTaken();
        }
    }

    /** {@return whether this is the first attempt that begins} By its thread. */
    boolean begin(ForkedSubtask<?> fork) {
        boolean first = !began;
        began = true;
        if (name != null) {
            Thread.currentThread()
                    .setName(KeyText.printable(fork.group()) + " "
                            + KeyText.printable(fork.scope().name()) + "/" + KeyText.printable(name));
        }
        return first;
    }

    /** {@return whether another attempt follows one that failed so} Asks the user's condition. */
    boolean tryAgain(ForkedSubtask<?> fork, int from, Throwable failure) {
        OpenScope<?, ?, ?> scope = fork.scope();
        if (taken == null || scope.isCancelled() || scope.bridge.isOver() || !retry.allowsAnother(attempt, failure)) {
            return false;
        }
        List<Throwable> more = new ArrayList<>(earlier);
        more.add(failure);
        earlier = List.copyOf(more); // its alarm may look at them
        return fork.move(from, ForkedSubtask.RETRYING);
    }

    /**
     * Begins the wait before the next attempt, which holds nothing.
     *
     * @param ran whether the last attempt had a thread of its own, which is the current one: then there is much stack left
     */
    void waitForNext(ForkedSubtask<?> fork, boolean ran) {
        long delay = retry.delayNanos(attempt++);
        if (!fork.move(ForkedSubtask.RETRYING, ForkedSubtask.DELAYED)) {
            fork.over(null); // cancelled meanwhile, or its own time is up
        } else if (delay <= 0 && ran) {
            due(fork);
        } else {
            startAfter(fork, delay);
        }
    }

    /** Has a fork submitted after a delay; it is DELAYED, and its scope knows it. */
    private void startAfter(ForkedSubtask<?> fork, long nanos) {
        if (set(fork, nanos, false)) {
            fork.catchUp();
        } else {
            failWithoutTimers(fork);
        }
    }

    /** It is DELAYED; else who has ended it, or is about to, says that it is over. */
    private static void failWithoutTimers(ForkedSubtask<?> fork) {
        if (fork.move(ForkedSubtask.DELAYED, ForkedSubtask.QUEUED)) {
            fork.failUnsubmitted(noTimers());
        }
    }

    private void due(ForkedSubtask<?> fork) {
        if (attempt == 1 && !armTimeout(fork)) {
            failWithoutTimers(fork);
        } else if (fork.move(ForkedSubtask.DELAYED, ForkedSubtask.QUEUED)) {
            fork.submitTakenOrFail();
        }
    }

    /** All of the fork is over. */
    void over(ForkedSubtask<?> fork) {
        endTaken(fork.failureOrNull());
        if (schedule != null) {
            schedule.ranOnce(fork);
        }
    }

    /**
     * Lets go of what was taken of the thread that forked it; before that is done, that thread may come too.
     *
     * @param failure what it failed with; {@code null}: it has succeeded, or was cancelled
     */
    void endTaken(@Nullable Throwable failure) {
        Object ends = taken;
        if (ends != null && schedule == null) {
            taken = null;
            ScopeBridge.endTaken(ends, failure);
        }
    }

    /** {@return {@code failure}, with those of earlier attempts} */
    @SuppressWarnings("ReferenceEquality") // a throwable must not suppress itself
    Throwable withEarlier(Throwable failure) {
        for (Throwable before : earlier) {
            if (before != failure) {
                failure.addSuppressed(before);
            }
        }
        return failure;
    }

    // ---- its own time

    /** The fork's own time begins; false if nothing could end it. */
    private boolean armTimeout(ForkedSubtask<?> fork) {
        return timeoutNanos == Long.MAX_VALUE || set(fork, timeoutNanos, true);
    }

    /** {@return false if no alarm can be set} */
    private boolean set(ForkedSubtask<?> fork, long nanos, boolean ends) {
        try {
            Alarm alarm = new Alarm(ends ? fork::timeOut : () -> due(fork));
            if (ends) {
                end = alarm;
            } else {
                start = alarm; // before it may be due: a retry sets another
            }
            boolean set = fork.scope().set(alarm, nanos);
            if (fork.phaseNumber() >= ForkedSubtask.SUCCESS) {
                fork.scope().bridge.cancel(alarm); // who has decided it may not have found it
            }
            return set;
        } catch (OutOfMemoryError none) {
            return false;
        }
    }

    /** {@return why what depends on an alarm fails, if there can be none} */
    private static Throwable noTimers() {
        try {
            return new OutOfMemoryError("The thread for timers could not be started");
        } catch (OutOfMemoryError none) {
            return none;
        }
    }

    /** {@return why a fork fails whose own time is up, and whose code may have thrown something then} */
    Throwable outOfTime(ForkedSubtask<?> fork, @Nullable Throwable thrown) {
        TimeoutException failure = new TimeoutException("Fork '" + KeyText.printable(fork.name()) + "' in group '"
                + KeyText.printable(fork.group()) + "' did not end within its own time-out of "
                + Duration.ofNanos(timeoutNanos) + ": " + where(fork.phaseNumber()));
        if (thrown != null && !(thrown instanceof InterruptedException)) {
            failure.addSuppressed(thrown);
        }
        return withEarlier(failure);
    }

    private String where(int phase) {
        if (phase == ForkedSubtask.LATE) {
            return "it was running";
        }
        return began ? "it was waiting for another attempt" : "it was queued, and never ran";
    }

    void cancelAlarms(ScopeBridge bridge) {
        cancel(start, bridge);
        cancel(end, bridge);
    }

    private static void cancel(@Nullable Alarm alarm, ScopeBridge bridge) {
        if (alarm != null) {
            bridge.cancel(alarm);
        }
    }
}
