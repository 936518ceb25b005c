package io.github.kobe.spring.metrics;

import io.github.kobe.GroupRecorder;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTotals;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyProperties.Timers;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * The meters of the groups with one value of the tag, in all registries. Those groups have it as their recorder: it
 * has the timers at hand. All else is read when somebody asks.
 */
final class TagMeters implements GroupRecorder {

    private static final List<TaskStatus> OUTCOMES =
            List.of(TaskStatus.SUCCESS, TaskStatus.FAILED, TaskStatus.CANCELLED);
    private static final int RETIRED = -1;

    final String tag;
    private final GroupMeters source;
    private final Timers wanted;

    /** How many groups have it; {@link #RETIRED}: it is out of use. */
    private final AtomicInteger groups = new AtomicInteger();

    private volatile Timer[] waits = {};
    private volatile Timer[] executions = {};
    private volatile boolean isRegistered;

    /** How work has ended; empty: the engine counts it. */
    private final Map<Enum<?>, LongAdder> ended = new HashMap<>();

    /** The largest totals that were shown; touched by whoever takes a reading, one thread at a time. */
    private TaskTotals shown = TagReading.NOTHING.totals();

    /** Touched by whoever registers and removes, one thread at a time. */
    private final List<Registered> registered = new ArrayList<>();

    private record Registered(MeterRegistry registry, List<Meter> meters, List<Meter> permits) {}

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

    @Override
    public void removed(TaskTotals totals) {
        source.left(this);
    }

    // ---- its life

    /** {@return whether a group may have it: if not, it has just been retired} */
    boolean use() {
        return groups.getAndUpdate(now -> now == RETIRED ? now : now + 1) != RETIRED;
    }

    /** {@return whether no group has it any more} */
    boolean leave() {
        return groups.decrementAndGet() == 0;
    }

    /** {@return whether it is out of use from now on: no group has it} */
    boolean retire() {
        return groups.compareAndSet(0, RETIRED);
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
        shown = TagReading.most(shown, now);
        return shown;
    }

    // ---- in the registries

    /**
     * Registers what isn't there yet.
     *
     * @param counted whether anybody counts what happens
     */
    void register(MeterRegistry registry, String executorName, boolean counted) {
        if (registered.stream().anyMatch(known -> known.registry.equals(registry))) {
            return;
        }
        Tags tags = Tags.of("executor", executorName, "group", tag);
        List<Meter> meters = new ArrayList<>();
        meters.add(gauge("running", "tasks", "Tasks whose code runs", TagReading::running)
                .tags(tags)
                .register(registry));
        meters.add(gauge("in.flight", "tasks", "Tasks that are started and not finished", TagReading::inFlight)
                .tags(tags)
                .register(registry));
        meters.add(gauge("queued", "tasks", "Tasks and callers that wait", TagReading::queued)
                .tags(tags)
                .register(registry));
        meters.add(TimeGauge.builder(
                        "group.executor.oldest.wait",
                        source,
                        TimeUnit.NANOSECONDS,
                        meter -> meter.reading(tag).oldestWaitNanos())
                .description("How long the one has waited that has waited longest of those that wait now")
                .tags(tags)
                .register(registry));
        registerPressure(registry, tags, meters);
        if (counted) {
            registerCounters(registry, tags, meters);
        }
        if (wantsWaits()) {
            Timer timer = timer("wait", "How long tasks waited, of those that had to wait")
                    .tags(tags)
                    .register(registry);
            waits = with(waits, timer);
            meters.add(timer);
        }
        if (wantsTimes()) {
            Timer timer = timer("execution", "How long tasks ran").tags(tags).register(registry);
            executions = with(executions, timer);
            meters.add(timer);
        }
        registered.add(new Registered(registry, meters, new ArrayList<>()));
        isRegistered = true;
    }

    boolean isRegistered() {
        return isRegistered;
    }

    private void registerPressure(MeterRegistry registry, Tags tags, List<Meter> meters) {
        meters.add(pressure("groups", "groups", "Groups that are known", Pressure::groups)
                .tags(tags)
                .register(registry));
        meters.add(pressure("waiting", "groups", "Groups in which something waits", Pressure::waiting)
                .tags(tags)
                .register(registry));
        meters.add(pressure("paused", "groups", "Groups that are paused", Pressure::paused)
                .tags(tags)
                .register(registry));
        meters.add(pressure(
                        "saturation",
                        "ratio",
                        "Share of its permits that is taken, of the group where it is largest",
                        Pressure::saturation)
                .tags(tags)
                .register(registry));
        meters.add(pressure(
                        "queue.fill",
                        "ratio",
                        "Share of its queue that is taken, of the group where it is largest",
                        Pressure::queueFill)
                .tags(tags)
                .register(registry));
    }

    private void registerCounters(MeterRegistry registry, Tags tags, List<Meter> meters) {
        meters.add(counter("submitted", "Tasks that were submitted", TaskTotals::submitted)
                .tags(tags)
                .register(registry));
        for (TaskStatus outcome : OUTCOMES) {
            meters.add(counter("completed", "Tasks that have ended", totals -> ended(totals, outcome))
                    .tags(tags.and("outcome", lowerCase(outcome)))
                    .register(registry));
        }
        for (RejectionReason reason : RejectionReason.values()) {
            meters.add(counter(
                            "rejected",
                            "Tasks that were not let in, or waited too long",
                            totals -> totals.rejectedByReason().getOrDefault(reason, 0L))
                    .tags(tags.and("reason", lowerCase(reason)))
                    .register(registry));
        }
    }

    /** Registers the gauges of the limit, or removes them. */
    void alignLimit(boolean limited, String executorName) {
        Tags tags = Tags.of("executor", executorName, "group", tag);
        for (Registered known : registered) {
            if (!limited) {
                known.permits.forEach(known.registry::remove);
                known.permits.clear();
            } else if (known.permits.isEmpty()) {
                known.permits.add(gauge(
                                "max.permits",
                                "permits",
                                "Tasks of the group that may run at once",
                                reading -> limit(reading.maxConcurrency()))
                        .tags(tags)
                        .register(known.registry));
                known.permits.add(gauge(
                                "available.permits",
                                "permits",
                                "Tasks more of the group that could run",
                                reading -> Math.max(0, limit(reading.maxConcurrency()) - reading.running()))
                        .tags(tags)
                        .register(known.registry));
            }
        }
    }

    void remove() {
        isRegistered = false;
        for (Registered known : registered) {
            known.meters.forEach(known.registry::remove);
            known.permits.forEach(known.registry::remove);
        }
        registered.clear();
    }

    private Gauge.Builder<GroupMeters> gauge(
            String name, String unit, String description, ToDoubleFunction<TagReading> value) {
        return Gauge.builder("group.executor." + name, source, meters -> value.applyAsDouble(meters.reading(tag)))
                .description(description)
                .baseUnit(unit);
    }

    private Gauge.Builder<GroupMeters> pressure(
            String name, String unit, String description, ToDoubleFunction<Pressure> value) {
        return gauge(name, unit, description, reading -> value.applyAsDouble(reading.pressure()));
    }

    private FunctionCounter.Builder<GroupMeters> counter(
            String name, String description, ToLongFunction<TaskTotals> value) {
        return FunctionCounter.builder(
                        "group.executor." + name,
                        source,
                        meters -> value.applyAsLong(meters.reading(tag).totals()))
                .description(description)
                .baseUnit("tasks");
    }

    private static Timer.Builder timer(String name, String description) {
        return Timer.builder("group.executor." + name).description(description);
    }

    private static long ended(TaskTotals totals, TaskStatus outcome) {
        return switch (outcome) {
            case SUCCESS -> totals.succeeded();
            case FAILED -> totals.failed();
            case CANCELLED -> totals.cancelled();
            default -> throw new IllegalArgumentException(outcome.name());
        };
    }

    static boolean isLimit(int limit) {
        return limit != TagReading.UNKNOWN && limit != Integer.MAX_VALUE;
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

    private static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
