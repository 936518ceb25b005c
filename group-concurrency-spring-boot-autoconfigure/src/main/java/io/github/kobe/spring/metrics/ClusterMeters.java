package io.github.kobe.spring.metrics;

import io.github.kobe.GroupExecutor;
import io.github.kobe.cluster.Cluster;
import io.github.kobe.cluster.ClusterState;
import io.github.kobe.cluster.ClusterTotals;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** The meters of how an executor stands with the store by which it shares limits. */
final class ClusterMeters {

    static final String PREFIX = "group.cluster.";

    private ClusterMeters() {}

    /** Registers them, if the executor shares limits. A registry refers to the executor only weakly. */
    static void register(String executorName, GroupExecutor executor, MeterRegistry registry, Attempts attempts) {
        if (executor.cluster().isEmpty()) {
            return;
        }
        Tags tags = Tags.of("executor", executorName);
        Consumer<Runnable> attempt = attempts.at("executor", executorName);
        attempt.accept(
                () -> gauge(executor, "nodes", "Instances that share limits, as last heard", state -> state.nodes())
                        .baseUnit("instances")
                        .tags(tags)
                        .register(registry));
        for (ClusterState.Kind kind : ClusterState.Kind.values()) {
            attempt.accept(() -> gauge(
                            executor,
                            "state",
                            "1 for the state that is so, otherwise 0",
                            state -> state.kind() == kind ? 1 : 0)
                    .tags(tags.and("state", kind.name().toLowerCase(Locale.ROOT)))
                    .register(registry));
        }
        attempt.accept(() -> TimeGauge.builder(
                        PREFIX + "lease.remaining",
                        executor,
                        TimeUnit.NANOSECONDS,
                        all -> cluster(all).state().counts().toNanos())
                .description("How long what is leased counts if nothing more is heard of the store")
                .tags(tags)
                .register(registry));
        attempt.accept(() -> FunctionTimer.builder(
                        PREFIX + "exchange",
                        executor,
                        all -> cluster(all).totals().answered(),
                        all -> cluster(all).totals().took().toNanos(),
                        TimeUnit.NANOSECONDS)
                .description("How long the store took to answer")
                .tags(tags)
                .register(registry));
        attempt.accept(
                () -> counter(executor, "failures", "Exchanges that the store did not answer", ClusterTotals::failed)
                        .tags(tags)
                        .register(registry));
        attempt.accept(() -> counter(executor, "demands", "Groups that exchanges were about", ClusterTotals::demands)
                .tags(tags)
                .register(registry));
        attempt.accept(() -> counter(executor, "hints", "Hints that have come from the store", ClusterTotals::hints)
                .tags(tags)
                .register(registry));
    }

    private static Cluster cluster(GroupExecutor executor) {
        return executor.cluster().orElseThrow();
    }

    private static Gauge.Builder<GroupExecutor> gauge(
            GroupExecutor executor, String name, String description, ToDoubleFunction<ClusterState> value) {
        return Gauge.builder(
                        PREFIX + name,
                        executor,
                        all -> value.applyAsDouble(cluster(all).state()))
                .description(description);
    }

    private static FunctionCounter.Builder<GroupExecutor> counter(
            GroupExecutor executor, String name, String description, ToLongFunction<ClusterTotals> value) {
        return FunctionCounter.builder(
                        PREFIX + name,
                        executor,
                        all -> value.applyAsLong(cluster(all).totals()))
                .description(description)
                .baseUnit(name);
    }
}
