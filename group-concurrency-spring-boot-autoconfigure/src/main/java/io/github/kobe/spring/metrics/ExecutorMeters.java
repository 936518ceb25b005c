package io.github.kobe.spring.metrics;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.internal.executors.ExecutorInstrumentation;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Keeps the meters of each executor. Those that the starter or its builder makes get them as the recorders of their
 * groups, unless the policy has others.
 */
final class ExecutorMeters implements ExecutorInstrumentation {

    private final GroupConcurrencyProperties.Metrics settings;
    private final LongSupplier clock;

    /** By the names of the executors' beans; kept, since a registry refers to them weakly. */
    private final Map<String, GroupMeters> byExecutor = new ConcurrentHashMap<>();

    ExecutorMeters(GroupConcurrencyProperties.Metrics settings) {
        this(settings, System::nanoTime);
    }

    ExecutorMeters(GroupConcurrencyProperties.Metrics settings, LongSupplier clock) {
        this.settings = settings;
        this.clock = clock;
    }

    @Override
    public void instrument(String executorName, Supplier<GroupExecutor> executor, GroupPolicy.Builder policy) {
        if (policy.build().recorderFactory().isEmpty()) {
            policy.recorderFactory(of(executorName));
        }
    }

    @Override
    public void refreshed(String executorName) {
        of(executorName).align();
    }

    /** {@return the meters of an executor} */
    GroupMeters of(String executorName) {
        return byExecutor.computeIfAbsent(executorName, name -> new GroupMeters(settings, clock));
    }
}
