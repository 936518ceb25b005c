package io.github.kobe.scope;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The schedules of a scope; used by the threads of its subtree. */
final class Schedules {

    private final OpenScope<?, ?, ?> scope;
    private final SeldomSet<ForkSchedule> going = new SeldomSet<>();

    Schedules(OpenScope<?, ?, ?> scope) {
        this.scope = scope;
    }

    /**
     * Begins one.
     *
     * @param period {@code null}: it runs once
     */
    ScheduledFork begin(
            String group, Duration initial, @Nullable Duration period, boolean atFixedRate, Callable<?> task) {
        Objects.requireNonNull(group, "group");
        Range.notNegative(initial, period == null ? "delay" : "initial");
        Objects.requireNonNull(task, "task");
        scope.requireMaySchedule(group);
        ForkSchedule schedule = new ForkSchedule(
                scope,
                group,
                scope.bridge.take(group, "", task),
                period == null ? 0 : TimeUnit.NANOSECONDS.convert(period),
                atFixedRate);
        going.add(schedule);
        schedule.begin(TimeUnit.NANOSECONDS.convert(initial));
        if (scope.isClosed()) {
            schedule.end(); // its owner has closed it meanwhile, or an outer scope before
        }
        return schedule;
    }

    void forget(ForkSchedule schedule) {
        going.remove(schedule);
    }

    void end() {
        going.forEach(ForkSchedule::end);
    }
}
