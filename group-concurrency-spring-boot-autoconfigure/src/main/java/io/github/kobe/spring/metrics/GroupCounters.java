package io.github.kobe.spring.metrics;

import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The counters and timers of the groups with one value of the tag.
 *
 * @param submitted what asked for admission
 * @param completed what ended, by how it did
 * @param rejected what was not let in, by why
 * @param waits how long it took to start
 * @param executions how long it ran
 */
record GroupCounters(
        Counter submitted,
        Map<TaskStatus, Counter> completed,
        Map<RejectionReason, Counter> rejected,
        Timer waits,
        Timer executions) {

    static GroupCounters register(MeterRegistry registry, String executorName, String tag) {
        Tags tags = Tags.of("executor", executorName, "group", tag);
        Map<TaskStatus, Counter> completed = new EnumMap<>(TaskStatus.class);
        for (TaskStatus status : List.of(TaskStatus.SUCCESS, TaskStatus.FAILED, TaskStatus.CANCELLED)) {
            completed.put(
                    status,
                    counter("completed", "Tasks that have ended")
                            .tags(tags.and("outcome", lowerCase(status)))
                            .register(registry));
        }
        Map<RejectionReason, Counter> rejected = new EnumMap<>(RejectionReason.class);
        for (RejectionReason reason : RejectionReason.values()) {
            rejected.put(
                    reason,
                    counter("rejected", "Tasks that were not let in, or waited too long")
                            .tags(tags.and("reason", lowerCase(reason)))
                            .register(registry));
        }
        return new GroupCounters(
                counter("submitted", "Tasks that asked for admission")
                        .tags(tags)
                        .register(registry),
                completed,
                rejected,
                timer("wait", "How long tasks waited to start").tags(tags).register(registry),
                timer("execution", "How long tasks ran").tags(tags).register(registry));
    }

    List<Meter> all() {
        List<Meter> all = new ArrayList<>(List.of(submitted, waits, executions));
        all.addAll(completed.values());
        all.addAll(rejected.values());
        return all;
    }

    private static Counter.Builder counter(String name, String description) {
        return Counter.builder("group.executor." + name)
                .description(description)
                .baseUnit("tasks");
    }

    private static Timer.Builder timer(String name, String description) {
        return Timer.builder("group.executor." + name).description(description);
    }

    private static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
