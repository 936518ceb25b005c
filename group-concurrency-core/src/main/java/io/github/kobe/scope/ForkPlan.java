package io.github.kobe.scope;

import io.github.kobe.internal.ScopeBridge.Alarm;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a fork has to remember beyond the plain case: its options, where its attempts are, and for listeners how long it
 * ran. Attempts come one after the other, and each hands this over to the next.
 */
final class ForkPlan {

    final @Nullable String name;
    final long delayNanos;
    /** {@link Long#MAX_VALUE}: it has no time-out of its own. */
    final long timeoutNanos;

    final RetryPolicy retry;
    final @Nullable ForkSchedule schedule;

    /** What was taken of the thread that forked it; {@code null}: it was submitted by that thread. */
    @Nullable
    Object taken;

    /** Which attempt it is at, from 1. */
    int attempt = 1;

    /** How long all attempts ran. */
    long ranNanos;

    private volatile List<Throwable> earlier = List.of();

    private volatile @Nullable Alarm start;
    private volatile @Nullable Alarm end;

    ForkPlan(@Nullable ForkOptions options, RetryPolicy defaultRetry, @Nullable ForkSchedule schedule) {
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

    /** {@return whether the thread that forks it may have left it when it is submitted} */
    boolean isSubmittedLater() {
        return delayNanos > 0 || retry != RetryPolicy.none();
    }

    /** {@return whether another attempt is to follow one that failed so} Asks the user's condition. */
    boolean allowsAnother(Throwable failure) {
        return taken != null && retry.allowsAnother(attempt, failure);
    }

    /** Another attempt follows one that failed so. */
    void failed(Throwable failure) {
        List<Throwable> more = new ArrayList<>(earlier);
        more.add(failure);
        earlier = List.copyOf(more); // its alarm may look at them
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

    void startsAt(Alarm alarm) {
        start = alarm;
    }

    void endsAt(Alarm alarm) {
        end = alarm;
    }

    void cancelAlarms() {
        cancel(start);
        cancel(end);
    }

    private static void cancel(@Nullable Alarm alarm) {
        if (alarm != null) {
            alarm.cancel();
        }
    }
}
