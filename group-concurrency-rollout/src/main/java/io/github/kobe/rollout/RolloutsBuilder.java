package io.github.kobe.rollout;

import io.github.kobe.GroupExecutor;
import io.github.kobe.rollout.internal.drive.RolloutEngine;
import io.github.kobe.rollout.internal.drive.RolloutOptions;
import io.github.kobe.rollout.internal.memory.MemoryStore;
import io.github.kobe.rollout.internal.rules.PlanStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Builds {@link Rollouts}. Durations of more than 100 years count as 100 years. Not thread-safe.
 *
 * @since 0.1.0
 */
public final class RolloutsBuilder {

    private static final String SYSTEM = "system";

    private static final int DEFAULT_MAX_CONCURRENCY = 10;
    private static final Duration DEFAULT_PROGRESS_INTERVAL = Duration.ofSeconds(10);
    private static final Duration DEFAULT_WAVE_CHECK_INTERVAL = Duration.ofSeconds(10);
    private static final Duration DEFAULT_SHUTDOWN_GRACE = Duration.ofSeconds(20);
    private static final Duration DEFAULT_WAIT_FOR_STAGES = Duration.ofMinutes(10);
    private static final Duration DEFAULT_GIVE_UP_EVENTS_AFTER = Duration.ofMinutes(10);
    private static final Duration FIRST_EVENT_RETRY = Duration.ofSeconds(1);

    private final GroupExecutor executor;
    private final Map<String, String> settings = new TreeMap<>();
    private StageFactory stages = (task, change, settings, health) -> List.of();
    private EndpointPolicy endpoints = EndpointPolicy.allowAll();
    private TaskWorkerFactory workers = (task, run) -> run;
    private RolloutEventSink sink = event -> {};
    private MetricsRegistry metrics = MetricsRegistry.noop();
    private int maxConcurrency = DEFAULT_MAX_CONCURRENCY;
    private ConflictPolicy conflict = ConflictPolicy.REJECT;
    private String node = nameOfThisNode();
    private Duration progressInterval = DEFAULT_PROGRESS_INTERVAL;
    private Duration shutdownGrace = DEFAULT_SHUTDOWN_GRACE;
    private Duration waitForStages = DEFAULT_WAIT_FOR_STAGES;
    private Duration giveUpEventsAfter = DEFAULT_GIVE_UP_EVENTS_AFTER;
    private Duration firstEventRetry = FIRST_EVENT_RETRY;
    private PlanStore store = new MemoryStore(InstantSource.system());

    private @Nullable RollbackHealthVerifier verifier;
    private @Nullable HealthCheckClient health;
    private @Nullable PreviousConfig previous;
    private @Nullable CheckpointStore checkpoints;
    private @Nullable Duration retention;
    private @Nullable WaveCheck waveCheck;
    private Duration waveCheckInterval = DEFAULT_WAVE_CHECK_INTERVAL;

    RolloutsBuilder(GroupExecutor executor) {
        this.executor = executor;
    }

    /**
     * Sets the stages of all tasks.
     *
     * @param all the stages, in order
     * @return this
     */
    public RolloutsBuilder stages(Stage... all) {
        return stages(List.of(all));
    }

    /**
     * Sets the stages of all tasks.
     *
     * @param all the stages, in order
     * @return this
     */
    public RolloutsBuilder stages(List<Stage> all) {
        List<Stage> fixed = List.copyOf(all);
        return stages((task, change, ofTenant, client) -> fixed);
    }

    /**
     * Sets the factory that makes the stages of each task.
     *
     * @param factory the factory
     * @return this
     */
    public RolloutsBuilder stages(StageFactory factory) {
        stages = Objects.requireNonNull(factory, "stages");
        return this;
    }

    /**
     * Sets where everything is stored. The default is the memory of this process.
     *
     * @param where the store
     * @return this
     * @throws IllegalArgumentException if it is none of this library
     */
    public RolloutsBuilder store(RolloutStore where) {
        store = PlanStore.of(Objects.requireNonNull(where, "store"));
        return this;
    }

    /**
     * Sets where checkpoints are stored. By default they are stored with the tasks.
     *
     * @param where the store
     * @return this
     */
    public RolloutsBuilder checkpoints(CheckpointStore where) {
        checkpoints = Objects.requireNonNull(where, "checkpoints");
        return this;
    }

    /**
     * Sets the verifier that checks a tenant after a rollback. The default is the verifier of the stages.
     *
     * @param looking the verifier
     * @return this
     */
    public RolloutsBuilder verifier(RollbackHealthVerifier looking) {
        verifier = Objects.requireNonNull(looking, "verifier");
        return this;
    }

    /**
     * Sets the client that asks instances about their health. The default is one over the JDK's HTTP client.
     *
     * @param client the client
     * @return this
     */
    public RolloutsBuilder health(HealthCheckClient client) {
        health = Objects.requireNonNull(client, "health");
        return this;
    }

    /**
     * Sets what finds out what a tenant has before its first change. The default is that of the stages.
     *
     * @param looking where to look
     * @return this
     */
    public RolloutsBuilder previous(PreviousConfig looking) {
        previous = Objects.requireNonNull(looking, "previous");
        return this;
    }

    /**
     * Sets which endpoints may be called. By default all may.
     *
     * @param policy the policy
     * @return this
     */
    public RolloutsBuilder endpointPolicy(EndpointPolicy policy) {
        endpoints = Objects.requireNonNull(policy, "endpointPolicy");
        return this;
    }

    /**
     * Sets the factory that wraps the runs of tasks.
     *
     * @param factory the factory
     * @return this
     */
    public RolloutsBuilder workers(TaskWorkerFactory factory) {
        workers = Objects.requireNonNull(factory, "workers");
        return this;
    }

    /**
     * Sets the receiver of events.
     *
     * @param listener the listener
     * @return this
     */
    public RolloutsBuilder sink(RolloutEventSink listener) {
        sink = Objects.requireNonNull(listener, "sink");
        return this;
    }

    /**
     * Sets the receiver of metrics.
     *
     * @param registry the registry
     * @return this
     */
    public RolloutsBuilder metrics(MetricsRegistry registry) {
        metrics = Objects.requireNonNull(registry, "metrics");
        return this;
    }

    /**
     * Sets a setting for all tenants that don't set it themselves.
     *
     * @param key such as {@code health.path}
     * @param value the value as text
     * @return this
     */
    public RolloutsBuilder setting(String key, String value) {
        settings.put(key, value);
        return this;
    }

    /**
     * Sets how many tasks run at once in a plan that doesn't specify it.
     *
     * @param value at least 1; the default is 10
     * @return this
     * @throws IllegalArgumentException if it is less than 1
     */
    public RolloutsBuilder maxConcurrency(int value) {
        if (value < 1) {
            throw new IllegalArgumentException("maxConcurrency is " + value + "; it must be at least 1");
        }
        maxConcurrency = value;
        return this;
    }

    /**
     * Sets what happens to a task if another task has its tenant. By default it is cancelled.
     *
     * @param policy the policy
     * @return this
     */
    public RolloutsBuilder conflict(ConflictPolicy policy) {
        conflict = Objects.requireNonNull(policy, "conflict");
        return this;
    }

    /**
     * Names this node in events, in the database and in the log. By default that is the name of its host, which the environment
     * has under {@code HOSTNAME} (a container's pod, for instance) or {@code COMPUTERNAME}, with the number of the process.
     *
     * @param name the name; spaces replace its control characters
     * @return this
     */
    public RolloutsBuilder node(String name) {
        node = Texts.clean(Objects.requireNonNull(name, "node"));
        return this;
    }

    /**
     * Sets how often running tasks report their progress.
     *
     * @param interval more than zero; the default is 10 seconds
     * @return this
     * @throws IllegalArgumentException if it isn't more than zero
     */
    public RolloutsBuilder progressInterval(Duration interval) {
        progressInterval = positive("progressInterval", interval);
        return this;
    }

    /**
     * Sets how long {@link Rollouts#close()} waits for running stages.
     *
     * @param time zero or more; the default is 20 seconds
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public RolloutsBuilder shutdownGrace(Duration time) {
        shutdownGrace = notNegative("shutdownGrace", time);
        return this;
    }

    /**
     * Sets how long a plan waits for a node that has its stages, by their names. A node that has other ones, since it runs
     * another version of the application, leaves the plan to the others. If none of them has the stages of a task for so long,
     * the task fails.
     *
     * @param time zero or more; the default is 10 minutes
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public RolloutsBuilder waitForStages(Duration time) {
        waitForStages = notNegative("waitForStages", time);
        return this;
    }

    /**
     * Sets the check that is asked between two waves of plans that are {@linkplain RolloutPlan.Builder#checked checked}. Each
     * node that shares a store should have it: one without it lets the plans that it drives wait, until another node drives
     * them or the time for the check is over.
     *
     * @param check the check
     * @return this
     */
    public RolloutsBuilder waveCheck(WaveCheck check) {
        waveCheck = Objects.requireNonNull(check, "waveCheck");
        return this;
    }

    /**
     * Sets how long to wait until a check that has answered {@link WaveCheck.Verdict#WAIT} is asked again.
     *
     * @param interval more than zero; the default is 10 seconds
     * @return this
     * @throws IllegalArgumentException if it isn't more than zero
     */
    public RolloutsBuilder waveCheckInterval(Duration interval) {
        waveCheckInterval = positive("waveCheckInterval", interval);
        return this;
    }

    /**
     * Removes plans by themselves some time after they have ended, with their tasks and events, also those that have partially
     * failed. By default they stay until {@link Rollouts#purge}.
     *
     * @param time more than zero
     * @return this
     * @throws IllegalArgumentException if it isn't more than zero
     */
    public RolloutsBuilder retention(Duration time) {
        retention = positive("retention", time);
        return this;
    }

    /**
     * Sets for how long an event is tried again if the sink throws. After that time, counted from its first failure, an
     * error is logged, and the events after it are delivered.
     *
     * @param time zero or more; zero delivers each event once, whether or not the sink throws. The default is 10 minutes
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public RolloutsBuilder giveUpEventsAfter(Duration time) {
        giveUpEventsAfter = notNegative("giveUpEventsAfter", time);
        return this;
    }

    /** Sets how long the first wait is before an event is tried again. */
    RolloutsBuilder firstEventRetry(Duration wait) {
        firstEventRetry = wait;
        return this;
    }

    /** {@return rollouts that continue the unfinished work of the store at once} */
    public Rollouts build() {
        Rollouts rollouts = buildClosed();
        rollouts.open();
        return rollouts;
    }

    /**
     * {@return rollouts that are still closed} Plans can be created and started, but none is run here until
     * {@link Rollouts#open()}.
     */
    public Rollouts buildClosed() {
        RolloutOptions options = new RolloutOptions(
                store,
                stages,
                verifier == null ? stages.verifier() : verifier,
                health == null ? HealthCheckClient.over(HttpTransport.jdk()) : health,
                endpoints,
                previous == null ? stages.previous().orElse(null) : previous,
                checkpoints,
                workers,
                sink,
                metrics,
                Map.copyOf(settings),
                maxConcurrency,
                conflict,
                node,
                progressInterval,
                shutdownGrace,
                waitForStages,
                retention,
                waveCheck,
                waveCheckInterval,
                giveUpEventsAfter,
                firstEventRetry);
        return new Rollouts(new RolloutEngine(executor, options), SYSTEM);
    }

    private static Duration notNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + " is " + value + "; it must not be negative");
        }
        return RolloutOptions.limited(value);
    }

    private static Duration positive(String name, Duration value) {
        if (!value.isPositive()) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be more than zero");
        }
        return RolloutOptions.limited(value);
    }

    private static String nameOfThisNode() {
        String host = Objects.requireNonNullElse(
                System.getenv("HOSTNAME"), Objects.requireNonNullElse(System.getenv("COMPUTERNAME"), "node"));
        return Texts.clean(host) + "-" + ProcessHandle.current().pid();
    }
}
