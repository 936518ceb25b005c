package io.github.kobe.spring.metrics;

import io.github.kobe.GroupRecorder;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTotals;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.Timers;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The meters of the groups with one value of the tag, in all registries. It is the recorder of those groups and has the
 * timers at hand. Everything else is read on demand.
 */
final class TagMeters implements GroupRecorder {

    static final List<TaskStatus> OUTCOMES = List.of(TaskStatus.SUCCESS, TaskStatus.FAILED, TaskStatus.CANCELLED);

    final String tag;
    private final GroupMeters source;
    private final Timers wanted;

    private volatile Timer[] waits = {};
    private volatile Timer[] executions = {};
    private volatile boolean isRegistered;

    /** How work has ended; empty: the engine counts it. */
    private final Map<Enum<?>, LongAdder> ended = new HashMap<>();

    /** The largest totals that were shown; touched by whoever takes a reading, one thread at a time. */
    private TaskTotals shown = TagReading.NOTHING.totals();

    /** Touched by whoever registers and removes, one thread at a time. */
    private final List<RegisteredMeters> registered = new ArrayList<>();

    /**
     * Makes meters that are in no registry yet.
     *
     * @param tag the value
     * @param source has what to tell
     * @param wanted which timers there are
     * @param counts whether to count
     */
    TagMeters(String tag, GroupMeters source, Timers wanted, boolean counts) {
        this.tag = tag;
        this.source = source;
        this.wanted = wanted;
        if (counts) {
            OUTCOMES.forEach(outcome -> ended.put(outcome, new LongAdder()));
            for (RejectionReason reason : RejectionReason.values()) {
                ended.put(reason, new LongAdder());
            }
        }
    }

    // ---- as a recorder

    @Override
    public boolean wantsTimes() {
        return wanted == Timers.ALL;
    }

    @Override
    public boolean wantsWaits() {
        return wanted != Timers.NONE;
    }

    @Override
    public void started(long queuedNanos) {
        for (Timer timer : waits) {
            timer.record(queuedNanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void completed(TaskStatus status, long nanos) {
        if (nanos >= 0) {
            for (Timer timer : executions) {
                timer.record(nanos, TimeUnit.NANOSECONDS);
            }
        }
        count(status);
    }

    @Override
    public void rejected(RejectionReason reason) {
        count(reason);
    }

    private void count(Enum<?> end) {
        LongAdder number = ended.get(end);
        if (number != null) {
            number.increment();
        }
    }

    // ---- its counts

    /** {@return what it has counted, all of which has ended} */
    TaskTotals counted() {
        Map<RejectionReason, Long> rejected = new EnumMap<>(RejectionReason.class);
        for (RejectionReason reason : RejectionReason.values()) {
            rejected.put(reason, number(reason));
        }
        long succeeded = number(TaskStatus.SUCCESS);
        long failed = number(TaskStatus.FAILED);
        long cancelled = number(TaskStatus.CANCELLED);
        long all = succeeded
                + failed
                + cancelled
                + rejected.values().stream().mapToLong(Long::longValue).sum();
        return new TaskTotals(all, succeeded, failed, cancelled, rejected);
    }

    private long number(Enum<?> end) {
        LongAdder number = ended.get(end);
        return number == null ? 0 : number.sum();
    }

    /** {@return totals to show, which never run backwards} */
    TaskTotals shown(TaskTotals now) {
        shown = TagReading.merged(shown, now, Long::max);
        return shown;
    }

    // ---- in the registries

    /**
     * Registers what isn't there yet.
     *
     * @param recorded whether anybody tells what happens
     * @param shared whether limits may be shared with other instances
     */
    void register(MeterRegistry registry, String executorName, boolean recorded, boolean shared) {
        RegisteredMeters its = registered.stream()
                .filter(known -> known.registry.equals(registry))
                .findFirst()
                .orElseGet(() -> withGauges(registry, executorName, shared));
        if (recorded || ended.isEmpty()) {
            its.alignCounters();
        }
        if (recorded) {
            its.timers.align(true, () -> registerTimers(its));
        }
        isRegistered = true;
    }

    private RegisteredMeters withGauges(MeterRegistry registry, String executorName, boolean shared) {
        RegisteredMeters added = new RegisteredMeters(registry, executorName, tag, source);
        registered.add(added);
        added.registerGauges(GroupGauge.ALWAYS);
        if (shared) {
            added.registerGauges(GroupGauge.LEASES);
        }
        if (wantsTimes()) {
            added.registerGauges(EnumSet.of(GroupGauge.LONGEST_HOLD));
        }
        return added;
    }

    private void registerTimers(RegisteredMeters in) {
        if (wantsWaits()) {
            in.registerTimer(
                    "wait",
                    "How long tasks waited, of those that waited and started",
                    timer -> waits = with(waits, timer));
        }
        if (wantsTimes()) {
            in.registerTimer("execution", "How long tasks ran", timer -> executions = with(executions, timer));
        }
    }

    boolean isRegistered() {
        return isRegistered;
    }

    /** Registers the gauges of the limit, or removes them. */
    void alignLimit(boolean limited) {
        registered.forEach(known -> known.alignLimit(limited));
    }

    /** Registers the gauges of rates, or removes them. */
    void alignRate(boolean rated) {
        registered.forEach(known -> known.alignRate(rated));
    }

    void remove() {
        isRegistered = false;
        registered.forEach(RegisteredMeters::remove);
        registered.clear();
    }

    static boolean isLimit(int limit) {
        return limit != Integer.MAX_VALUE;
    }

    /** No number where there is no limit any more. */
    static double limit(int limit) {
        return isLimit(limit) ? limit : Double.NaN;
    }

    private static Timer[] with(Timer[] some, Timer another) {
        List<Timer> all = new ArrayList<>(List.of(some));
        all.add(another);
        return all.toArray(Timer[]::new);
    }
}
