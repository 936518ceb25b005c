package io.github.kobe;

import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.base.KeyText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a {@link GroupExecutor}: limits for all groups, for single ones and for patterns, and the user
 * code to call.
 *
 * <pre>{@code
 * GroupPolicy policy = GroupPolicy.builder()
 *         .globalMaxInFlight(200)
 *         .defaults(GroupLimits.unset().withMaxConcurrency(2).withQueueThreshold(1_000))
 *         .group("vip", GroupLimits.unset().withMaxConcurrency(8).withWeight(4))
 *         .pattern("tenant:*", GroupLimits.unset().withMaxConcurrency(4))
 *         .build();
 * }</pre>
 *
 * <p>Each number of a group is looked up separately: the group's own, else what the limits resolver says, else that of the
 * best pattern, else (for concurrency) what the concurrency resolver says, else the default. In a pattern, {@code *} stands for any number of characters,
 * including none. If several patterns match, the one with the most literal characters wins, and among equals the one
 * declared first.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class GroupPolicy {

    private static final GroupLimits BUILT_IN = GroupLimits.unset()
            .withMaxConcurrency(CompiledPolicy.BUILT_IN_CONCURRENCY)
            .withQueueThreshold(Integer.MAX_VALUE)
            .withQueueTimeout(GroupLimits.NO_TIMEOUT)
            .withWeight(1)
            .withGuaranteed(0);

    private final int globalMaxInFlight;
    private final int globalHeadroom;
    private final Rate globalRate;
    private final int globalQueueThreshold;
    private final GroupLimits givenDefaults;
    private final GroupLimits defaults;
    private final Map<String, GroupLimits> groups;
    private final Map<String, GroupLimits> patterns;
    private final RejectionPolicy rejectionPolicy;
    private final @Nullable RejectionHandler rejectionHandler;
    private final @Nullable Function<String, Optional<GroupLimits>> limitsResolver;
    private final Duration limitsRefresh;
    private final Duration warnInterval;
    private final @Nullable ToIntFunction<String> concurrencyResolver;
    private final List<TaskLifecycleListener> taskLifecycleListeners;
    private final List<TaskTracer> taskTracers;
    private final List<GroupTaskDecorator> taskDecorators;
    private final GroupRecorder.@Nullable Factory recorderFactory;
    private final int maxIdleGroups;
    private final int maxKeyLength;
    private final Duration idleTimeout;

    /** Whether any of its entries sets a limit over all instances. */
    private final boolean clustered;

    private final CompiledPolicy compiled;

    /** What the log was told of it, and of those that it was made from. */
    private final Set<String> told;

    private GroupPolicy(Builder builder) {
        globalMaxInFlight = builder.globalMaxInFlight;
        globalHeadroom = builder.globalHeadroom;
        globalRate = builder.globalRate;
        globalQueueThreshold = builder.globalQueueThreshold;
        givenDefaults = builder.defaults;
        defaults = withConcurrency(givenDefaults).orElse(BUILT_IN);
        groups = Collections.unmodifiableMap(new LinkedHashMap<>(builder.groups));
        patterns = Collections.unmodifiableMap(new LinkedHashMap<>(builder.patterns));
        rejectionPolicy = builder.rejectionPolicy;
        rejectionHandler = builder.rejectionHandler;
        limitsResolver = builder.limitsResolver;
        limitsRefresh = builder.limitsRefresh;
        warnInterval = builder.warnInterval;
        concurrencyResolver = builder.concurrencyResolver;
        taskLifecycleListeners = List.copyOf(builder.taskLifecycleListeners);
        taskTracers = List.copyOf(builder.taskTracers);
        taskDecorators = List.copyOf(builder.taskDecorators);
        recorderFactory = builder.recorderFactory;
        maxIdleGroups = builder.maxIdleGroups;
        maxKeyLength = builder.maxKeyLength;
        idleTimeout = builder.idleTimeout;
        clustered = defaults.areClustered()
                || Stream.of(groups, patterns)
                        .flatMap(rules -> rules.values().stream())
                        .anyMatch(GroupLimits::areClustered);
        compiled =
                new CompiledPolicy(this, givenDefaults, this::askLimits, builder.told); // last: it reads all the others
        told = Set.copyOf(builder.told);
    }

    /** {@return limits in which the number over all instances stands for the concurrency, where that isn't set} */
    private static GroupLimits withConcurrency(GroupLimits limits) {
        return limits.areClustered() && limits.maxConcurrency().isEmpty()
                ? limits.withMaxConcurrency(limits.clusterMaxInFlight().getAsInt())
                : limits;
    }

    /**
     * {@return whether some group has a limit over all instances, as far as the policy itself says: a resolver may give others}
     */
    public boolean isClustered() {
        return clustered;
    }

    /** {@return a builder with every setting at its default} */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return a builder with the settings of this policy} */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** {@return how many tasks may be in flight over all groups; {@link Integer#MAX_VALUE}: no limit} */
    public int globalMaxInFlight() {
        return globalMaxInFlight;
    }

    /** {@return how many of the last free permits of all groups are for groups that hold little} */
    public int globalHeadroom() {
        return globalHeadroom;
    }

    /** {@return how much starts over all groups in any window; {@link Rate#UNLIMITED}: any number} */
    public Rate globalRate() {
        return globalRate;
    }

    /** {@return how many tasks may wait over all groups; {@link Integer#MAX_VALUE}: no limit} */
    public int globalQueueThreshold() {
        return globalQueueThreshold;
    }

    /**
     * {@return the limits of a group that has none of its own; every number is set, but perhaps {@code maxInFlight} and
     * {@code clusterMaxInFlight}}
     */
    public GroupLimits defaults() {
        return defaults;
    }

    /** {@return the default number of tasks of a group that may run at once} */
    public int defaultMaxConcurrencyPerGroup() {
        return defaults.maxConcurrency().orElseThrow();
    }

    /**
     * {@return the default number of tasks of a group in flight; if none was set, the default number that may run; {@link
     * Integer#MAX_VALUE}: no limit}
     */
    public int defaultMaxInFlightPerGroup() {
        return defaults.maxInFlight().orElse(defaultMaxConcurrencyPerGroup());
    }

    /**
     * {@return the default number of tasks of a group in flight over all instances; empty: no such limit}
     *
     * @since 0.1.0
     */
    public OptionalInt defaultClusterMaxInFlightPerGroup() {
        return defaults.areClustered() ? defaults.clusterMaxInFlight() : OptionalInt.empty();
    }

    /** {@return the default number of tasks of a group that may wait; {@link Integer#MAX_VALUE}: no limit} */
    public int defaultQueueThresholdPerGroup() {
        return defaults.queueThreshold().orElseThrow();
    }

    /** {@return how long a task may wait by default; {@link GroupLimits#NO_TIMEOUT}: no limit} */
    public Duration queueTimeout() {
        return defaults.queueTimeout().orElseThrow();
    }

    /** {@return the limits that are set for exact keys, in order of declaration; unmodifiable} */
    public Map<String, GroupLimits> groups() {
        return groups;
    }

    /** {@return the limits that are set for patterns, in order of declaration; unmodifiable} */
    public Map<String, GroupLimits> patterns() {
        return patterns;
    }

    /** {@return the concurrency that is set for exact keys; unmodifiable} */
    public Map<String, Integer> perGroupMaxConcurrency() {
        return perGroup(GroupLimits::maxConcurrency);
    }

    /** {@return the number in flight that is set for exact keys; unmodifiable} */
    public Map<String, Integer> perGroupMaxInFlight() {
        return perGroup(GroupLimits::maxInFlight);
    }

    /** {@return the queue size that is set for exact keys; unmodifiable} */
    public Map<String, Integer> perGroupQueueThreshold() {
        return perGroup(GroupLimits::queueThreshold);
    }

    private Map<String, Integer> perGroup(Function<GroupLimits, OptionalInt> number) {
        Map<String, Integer> set = new LinkedHashMap<>();
        groups.forEach((key, limits) -> number.apply(limits).ifPresent(value -> set.put(key, value)));
        return Collections.unmodifiableMap(set);
    }

    /** {@return what happens to a rejected task when there is no handler} */
    public RejectionPolicy rejectionPolicy() {
        return rejectionPolicy;
    }

    /** {@return the handler that supplies the result of rejected tasks, if set} */
    public Optional<RejectionHandler> rejectionHandler() {
        return Optional.ofNullable(rejectionHandler);
    }

    /**
     * {@return the resolver of the limits of groups, if set}
     *
     * @since 0.1.0
     */
    public Optional<Function<String, Optional<GroupLimits>>> limitsResolver() {
        return Optional.ofNullable(limitsResolver);
    }

    /**
     * {@return about how often the {@link #limitsResolver} is asked again of a group in use; {@link GroupLimits#NO_TIMEOUT}:
     * never}
     *
     * @since 0.1.0
     */
    public Duration limitsRefresh() {
        return limitsRefresh;
    }

    /**
     * {@return about how often the log tells of groups that refuse work or stand still; {@link GroupLimits#NO_TIMEOUT}:
     * never}
     *
     * @since 0.1.0
     */
    public Duration warnInterval() {
        return warnInterval;
    }

    /**
     * Asks the limits resolver, if there is one; fails as that does, or for a number out of its range.
     *
     * @param inCluster whether it is for an executor that shares limits with other instances
     */
    @SuppressWarnings("ConstantValue") // user code may return null, whatever it declares
    private GroupLimits askLimits(String groupKey, boolean inCluster) {
        if (limitsResolver == null) {
            return GroupLimits.unset();
        }
        Optional<GroupLimits> answer = limitsResolver.apply(groupKey);
        GroupLimits limits = Objects.requireNonNull(answer, "The limits resolver returned null")
                .orElseGet(GroupLimits::unset);
        limits.validate(groupKey);
        limits.validateGuarantee(groupKey);
        if (!inCluster) {
            limits.validateWithoutCluster(groupKey);
        }
        if (clustered || limits.areClustered()) {
            validateClusterQueue(groupKey, limits);
        }
        return limits;
    }

    /** Checks a group of which the limits resolver says that. What the other resolver says is left aside. */
    private void validateClusterQueue(String groupKey, GroupLimits answer) {
        GroupLimits own = groups.getOrDefault(groupKey, GroupLimits.unset()).orElse(answer);
        Optional<String> pattern =
                compiled.explain(groupKey).patterns().stream().findFirst();
        GroupLimits ofPattern = pattern.map(patterns::get).orElseGet(GroupLimits::unset);
        String given = own.queueThreshold().isPresent()
                ? groupKey
                : pattern.filter(some -> ofPattern.queueThreshold().isPresent()).orElse(null);
        own.orElse(ofPattern).orElse(defaults).validateClusterQueue(groupKey, given, globalQueueThreshold);
    }

    /** What has to be leased can be waited for, as far as the policy itself can tell. */
    private void validateClusterQueues() {
        if (clustered) {
            defaults.validateClusterQueue(null, null, globalQueueThreshold);
            groups.keySet().forEach(key -> validateClusterQueue(key, GroupLimits.unset()));
            patterns.forEach((pattern, limits) -> limits.orElse(defaults)
                    .validateClusterQueue(
                            pattern, limits.queueThreshold().isPresent() ? pattern : null, globalQueueThreshold));
        }
    }

    /**
     * Checks that there is no limit over all instances, for an executor that shares none.
     *
     * @throws InvalidPolicyException if there is; it names the first
     */
    void validateWithoutCluster() {
        groups.forEach((key, limits) -> limits.validateWithoutCluster(key));
        patterns.forEach((pattern, limits) -> limits.validateWithoutCluster(pattern));
        defaults.validateWithoutCluster(null);
    }

    /** {@return the resolver of the concurrency of groups for which no exact key or pattern sets it, if set} */
    public Optional<ToIntFunction<String>> concurrencyResolver() {
        return Optional.ofNullable(concurrencyResolver);
    }

    /** {@return the listeners of every task, in order; unmodifiable} */
    public List<TaskLifecycleListener> taskLifecycleListeners() {
        return taskLifecycleListeners;
    }

    /** {@return the tracers, which follow each piece of work, in order; unmodifiable} */
    public List<TaskTracer> taskTracers() {
        return taskTracers;
    }

    /** {@return the decorators of submitted tasks, the outermost first; unmodifiable} */
    public List<GroupTaskDecorator> taskDecorators() {
        return taskDecorators;
    }

    /** {@return the factory that makes the recorders of groups, if set} */
    public Optional<GroupRecorder.Factory> recorderFactory() {
        return Optional.ofNullable(recorderFactory);
    }

    /** {@return about how many idle groups are kept} */
    public int maxIdleGroups() {
        return maxIdleGroups;
    }

    /**
     * {@return how many characters a group's key may have at most; {@link Integer#MAX_VALUE}: no limit}
     *
     * @since 0.1.0
     */
    public int maxKeyLength() {
        return maxKeyLength;
    }

    /** {@return for about how long an idle group is kept} */
    public Duration idleTimeout() {
        return idleTimeout;
    }

    /**
     * Tells which numbers a group has, and which rule and which patterns they come from. It calls no user code, so a number
     * that the {@link #limitsResolver()} or the {@link #concurrencyResolver()} gives is not told. {@link GroupExecutor#groupStats} has the numbers that are
     * in force.
     *
     * @param groupKey the group
     * @return what this policy says of it
     * @since 0.1.0
     */
    public GroupExplanation explain(String groupKey) {
        return compiled.explain(groupKey);
    }

    /** {@return the policy as the engine uses it} */
    CompiledPolicy compiled() {
        return compiled;
    }

    /** Collects the settings of a {@link GroupPolicy}. Not safe for use by many threads. */
    public static final class Builder {

        private int globalMaxInFlight = Integer.MAX_VALUE;
        private int globalHeadroom;
        private Rate globalRate = Rate.UNLIMITED;
        private int globalQueueThreshold = Integer.MAX_VALUE;
        private GroupLimits defaults = GroupLimits.unset();
        private final Map<String, GroupLimits> groups = new LinkedHashMap<>();
        private final Map<String, GroupLimits> patterns = new LinkedHashMap<>();
        private RejectionPolicy rejectionPolicy = RejectionPolicy.ABORT;
        private @Nullable RejectionHandler rejectionHandler;
        private @Nullable Function<String, Optional<GroupLimits>> limitsResolver;
        private Duration limitsRefresh = GroupLimits.NO_TIMEOUT;
        private Duration warnInterval = GroupLimits.NO_TIMEOUT;
        private @Nullable ToIntFunction<String> concurrencyResolver;
        private final List<TaskLifecycleListener> taskLifecycleListeners = new ArrayList<>();
        private final List<TaskTracer> taskTracers = new ArrayList<>();
        private final List<GroupTaskDecorator> taskDecorators = new ArrayList<>();
        private GroupRecorder.@Nullable Factory recorderFactory;
        private int maxIdleGroups = 1_000;
        private int maxKeyLength = Integer.MAX_VALUE;
        private Duration idleTimeout = Duration.ofMinutes(10);
        /** Settings with a null where a number or a policy belongs; reported by build. */
        private final Map<String, InvalidPolicyException> nulls = new LinkedHashMap<>();

        /** What the log was told of policies with these settings, so that it isn't told again. */
        private final Set<String> told = new HashSet<>();

        private Builder() {}

        private Builder(GroupPolicy policy) {
            globalMaxInFlight = policy.globalMaxInFlight;
            globalHeadroom = policy.globalHeadroom;
            globalRate = policy.globalRate;
            globalQueueThreshold = policy.globalQueueThreshold;
            defaults = policy.givenDefaults;
            groups.putAll(policy.groups);
            patterns.putAll(policy.patterns);
            told.addAll(policy.told);
            rejectionPolicy = policy.rejectionPolicy;
            rejectionHandler = policy.rejectionHandler;
            limitsResolver = policy.limitsResolver;
            limitsRefresh = policy.limitsRefresh;
            warnInterval = policy.warnInterval;
            concurrencyResolver = policy.concurrencyResolver;
            taskLifecycleListeners.addAll(policy.taskLifecycleListeners);
            taskTracers.addAll(policy.taskTracers);
            taskDecorators.addAll(policy.taskDecorators);
            recorderFactory = policy.recorderFactory;
            maxIdleGroups = policy.maxIdleGroups;
            maxKeyLength = policy.maxKeyLength;
            idleTimeout = policy.idleTimeout;
        }

        /**
         * Sets how many tasks may be in flight over all groups. Default: no limit.
         *
         * @param value at least 1; {@link Integer#MAX_VALUE}: no limit
         * @return this builder
         */
        public Builder globalMaxInFlight(int value) {
            globalMaxInFlight = value;
            return this;
        }

        /**
         * Sets how many of the last free permits of {@link #globalMaxInFlight} are only for groups that hold less than their
         * guarantee and one weight, so that a newcomer starts at once though others wait for more. They stay free until one
         * comes. A drain keeps none. Without a global limit it has no effect. Default: 0.
         *
         * @param value at least 0, and less than the global limit
         * @return this builder
         */
        public Builder globalHeadroom(int value) {
            globalHeadroom = value;
            return this;
        }

        /**
         * Sets how much starts over all groups in any window: what one upstream allows that all of them share. So it is right for
         * an executor of its own for each upstream, since everything that this one starts counts, in this JVM. While only the rate
         * is short, groups take turns of as many starts as their weight, whatever they hold. Nested work that shares the global
         * permit of the work around it doesn't count.
         *
         * <p>What could start only after its time-out is rejected with {@link RejectionReason#RATE_LIMITED}. {@link
         * RejectionPolicy#CALLER_RUNS} counts as {@link RejectionPolicy#ABORT}. Where the rate of a running executor changes, it begins
         * without a burst, unless nothing was started for a period. After a pause, up to an eighth of a burst may be missing. With a
         * burst below 8, each start of any group takes one lock. Default: {@link Rate#UNLIMITED}.
         *
         * @param value its numbers are in the ranges that {@link Rate#of} and {@link Rate#withBurst} give; checked by {@link #build()}
         * @return this builder
         */
        public Builder globalRate(Rate value) {
            globalRate = Objects.requireNonNull(value, "globalRate");
            return this;
        }

        /**
         * Sets how many tasks may wait over all groups. Default: no limit.
         *
         * @param value at least 0, and at least 1 if a group has a limit {@linkplain GroupLimits#withClusterMaxInFlight over all
         *     instances}; {@link Integer#MAX_VALUE}: no limit
         * @return this builder
         */
        public Builder globalQueueThreshold(int value) {
            globalQueueThreshold = value;
            return this;
        }

        /**
         * Sets the limits of groups that have none of their own. Numbers that are unset get these values: concurrency
         * 1 (or the number over all instances, if there is one), as many in flight as may run, no limit of the queue,
         * no time-out, weight 1.
         *
         * @param limits replaces all defaults set before
         * @return this builder
         */
        public Builder defaults(GroupLimits limits) {
            defaults = Objects.requireNonNull(limits, "limits");
            return this;
        }

        /**
         * Sets how many tasks of a group may run at once, unless it has a number of its own. Default: 1, or as many as may be
         * in flight over all instances, where {@linkplain GroupLimits#withClusterMaxInFlight that} is limited. Shorthand for
         * {@link #defaults}, which leaves the other numbers as they are.
         *
         * @param value at least 1
         * @return this builder
         */
        public Builder defaultMaxConcurrencyPerGroup(int value) {
            defaults = defaults.withMaxConcurrency(value);
            return this;
        }

        /**
         * Sets how many tasks of a group may be in flight, unless it has a number of its own. Default: as many as may run.
         * Shorthand for {@link #defaults}, which leaves the other numbers as they are.
         *
         * @param value at least 1; {@link Integer#MAX_VALUE}: no limit
         * @return this builder
         */
        public Builder defaultMaxInFlightPerGroup(int value) {
            defaults = defaults.withMaxInFlight(value);
            return this;
        }

        /**
         * Sets how many tasks of a group may be in flight over all instances of an application together, unless it has a
         * number of its own. Default: no such limit. Shorthand for {@link #defaults}, which leaves the other numbers as they
         * are.
         *
         * @param value at least 1; {@link Integer#MAX_VALUE}: no limit
         * @return this builder
         * @see GroupLimits#withClusterMaxInFlight
         * @since 0.1.0
         */
        public Builder defaultClusterMaxInFlightPerGroup(int value) {
            defaults = defaults.withClusterMaxInFlight(value);
            return this;
        }

        /**
         * Sets how many tasks of a group may wait, unless it has a number of its own. Default: no limit. Shorthand for
         * {@link #defaults}, which leaves the other numbers as they are.
         *
         * @param value at least 0; {@link Integer#MAX_VALUE}: no limit
         * @return this builder
         */
        public Builder defaultQueueThresholdPerGroup(int value) {
            defaults = defaults.withQueueThreshold(value);
            return this;
        }

        /**
         * Sets how long a task may wait to start, unless its group has a time-out of its own. Default: for ever. Shorthand
         * for {@link #defaults}, which leaves the other numbers as they are.
         *
         * @param value more than zero; {@link GroupLimits#NO_TIMEOUT}: for ever
         * @return this builder
         */
        public Builder queueTimeout(Duration value) {
            defaults = defaults.withQueueTimeout(value);
            return this;
        }

        /**
         * Sets the limits of one group.
         *
         * @param groupKey the exact key, without a {@code *}; groups whose keys have one fall under patterns and defaults
         * @param limits replaces what was set for it before
         * @return this builder
         * @throws IllegalArgumentException if the key is blank, or has a {@code *}: limits by {@link #pattern} were meant
         */
        public Builder group(String groupKey, GroupLimits limits) {
            requireExact(groupKey);
            groups.put(groupKey, Objects.requireNonNull(limits, "limits"));
            return this;
        }

        /**
         * Sets the limits of all groups whose key matches a pattern.
         *
         * @param pattern at least one {@code *}, which stands for any number of characters, including none
         * @param limits replaces what was set for the same pattern before
         * @return this builder
         * @throws IllegalArgumentException if the pattern has no {@code *}: limits of a single {@link #group} were meant
         */
        public Builder pattern(String pattern, GroupLimits limits) {
            Objects.requireNonNull(pattern, "pattern");
            if (pattern.indexOf('*') < 0) {
                throw new IllegalArgumentException("'" + KeyText.printable(pattern)
                        + "' has no '*', so it is a single group: set its limits with group(...)");
            }
            patterns.put(pattern, Objects.requireNonNull(limits, "limits"));
            return this;
        }

        /**
         * Sets the concurrency of single groups, and unsets it for every other; their other numbers stay. Shorthand for
         * {@link #group}.
         *
         * @param values by exact key, each at least 1; copied
         * @return this builder
         * @throws IllegalArgumentException if a key is blank, or has a {@code *}
         */
        public Builder perGroupMaxConcurrency(Map<String, Integer> values) {
            return perGroup("maxConcurrency", "at least 1", values, GroupLimits::replaceMaxConcurrency);
        }

        /**
         * Sets the number in flight of single groups, and unsets it for every other; their other numbers stay. Shorthand
         * for {@link #group}.
         *
         * @param values by exact key, each at least 1; copied
         * @return this builder
         * @throws IllegalArgumentException if a key is blank, or has a {@code *}
         */
        public Builder perGroupMaxInFlight(Map<String, Integer> values) {
            return perGroup("maxInFlight", "at least 1", values, GroupLimits::replaceMaxInFlight);
        }

        /**
         * Sets the queue size of single groups, and unsets it for every other; their other numbers stay. Shorthand for
         * {@link #group}.
         *
         * @param values by exact key, each at least 0; copied
         * @return this builder
         * @throws IllegalArgumentException if a key is blank, or has a {@code *}
         */
        public Builder perGroupQueueThreshold(Map<String, Integer> values) {
            return perGroup("queueThreshold", "at least 0", values, GroupLimits::replaceQueueThreshold);
        }

        private Builder perGroup(String setting, String allowed, Map<String, Integer> values, NumberOf number) {
            values.keySet().forEach(Builder::requireExact);
            nulls.remove(setting);
            groups.replaceAll((key, limits) -> number.replace(limits, null));
            values.forEach((key, value) -> {
                if (value == null) {
                    nulls.put(setting, new InvalidPolicyException(setting, key, null, allowed));
                }
                groups.put(key, number.replace(groups.getOrDefault(key, GroupLimits.unset()), value));
            });
            return this;
        }

        private static void requireExact(String groupKey) {
            Objects.requireNonNull(groupKey, "groupKey");
            KeyText.requireText(groupKey);
            if (groupKey.indexOf('*') >= 0) {
                throw new IllegalArgumentException("'" + KeyText.printable(groupKey)
                        + "' has a '*', so it is a pattern: set its limits with pattern(...)");
            }
        }

        /**
         * Sets what happens to a rejected task when there is no handler. Default: {@link RejectionPolicy#ABORT}.
         *
         * @param value not {@code null}
         * @return this builder
         */
        @SuppressWarnings("ConstantValue")
        public Builder rejectionPolicy(RejectionPolicy value) {
            nulls.remove("rejectionPolicy");
            if (value == null) {
                nulls.put(
                        "rejectionPolicy",
                        new InvalidPolicyException(
                                "rejectionPolicy", null, null, "one of " + List.of(RejectionPolicy.values())));
            }
            rejectionPolicy = value;
            return this;
        }

        /**
         * Sets the handler that supplies the result of rejected tasks; it takes precedence over the rejection policy.
         * Default: none.
         *
         * @param value {@code null}: none
         * @return this builder
         */
        public Builder rejectionHandler(@Nullable RejectionHandler value) {
            rejectionHandler = value;
            return this;
        }

        /**
         * Sets the resolver of limits, such as a table of plans: it gives each group its numbers. Those that an exact key of
         * this policy sets go before; those that it leaves unset are inherited from patterns, the
         * {@link #concurrencyResolver} and the defaults. Default: none.
         *
         * <p>It is asked outside every lock, by the thread that first uses a group, and so may query a database; a race may
         * ask twice. It is asked again after {@link #limitsRefresh}, on a virtual thread of the executor's, and by
         * {@link GroupExecutor#limitsChanged(String)}. Neither an override nor another policy with the same resolver has it
         * asked again. A group that is forgotten, as idle or evicted, is asked for anew when it comes back.
         *
         * <p>If it throws, returns {@code null}, or gives a number out of its range, the group keeps what was known of it, or
         * else what it inherits. That is logged at most once a minute, and it is asked again within some ten seconds.
         *
         * @param value is given a key; returns empty or {@link GroupLimits#unset()} if it knows nothing of that group;
         *     {@code null}: none
         * @return this builder
         * @since 0.1.0
         */
        public Builder limitsResolver(@Nullable Function<String, Optional<GroupLimits>> value) {
            limitsResolver = value;
            return this;
        }

        /**
         * Sets about how often the {@link #limitsResolver} is asked again, one group after the other. Only groups that were
         * used meanwhile are asked for; those that weren't are asked for in the interval in which they are used again. So what
         * it says of a group in use is in force after two intervals and the time that the questions take. Default:
         * {@link GroupLimits#NO_TIMEOUT}, never.
         *
         * @param value more than zero
         * @return this builder
         * @since 0.1.0
         */
        public Builder limitsRefresh(Duration value) {
            limitsRefresh = Objects.requireNonNull(value, "limitsRefresh");
            return this;
        }

        /**
         * Sets the resolver, which decides the concurrency of groups for which no exact key, limits resolver or pattern sets it. It is
         * called outside every lock, by the thread that first uses a group, or that sets, resets or evicts its limits,
         * replaces the policy, or asks for the statistics of a group that the policy names; a race may call it twice. A
         * result below 1 counts as 1; if it throws, the default applies. Default: none.
         *
         * @param value {@code null}: none
         * @return this builder
         */
        public Builder concurrencyResolver(@Nullable ToIntFunction<String> value) {
            concurrencyResolver = value;
            return this;
        }

        /**
         * Sets the listener for every task, replacing those set or added before. Default: none.
         *
         * @param value the one listener
         * @return this builder
         */
        public Builder taskLifecycleListener(TaskLifecycleListener value) {
            return taskLifecycleListeners(List.of(Objects.requireNonNull(value, "taskLifecycleListener")));
        }

        /**
         * Adds a listener for every task to those there are.
         *
         * @param value the listener, which is called after the others
         * @return this builder
         */
        public Builder addTaskLifecycleListener(TaskLifecycleListener value) {
            taskLifecycleListeners.add(Objects.requireNonNull(value, "taskLifecycleListener"));
            return this;
        }

        /**
         * Sets the listeners for every task, replacing those set or added before.
         *
         * @param values in order; copied; empty: none
         * @return this builder
         */
        public Builder taskLifecycleListeners(List<? extends TaskLifecycleListener> values) {
            return replace(taskLifecycleListeners, values);
        }

        /**
         * Sets the tracer, which follows each piece of work, replacing those set or added before. Default: none.
         *
         * @param value the one tracer
         * @return this builder
         */
        public Builder taskTracer(TaskTracer value) {
            return taskTracers(List.of(Objects.requireNonNull(value, "taskTracer")));
        }

        /**
         * Adds a tracer, which follows each piece of work, to those there are.
         *
         * @param value the tracer, which is asked after the others; its trace wraps the work inside theirs
         * @return this builder
         */
        public Builder addTaskTracer(TaskTracer value) {
            taskTracers.add(Objects.requireNonNull(value, "taskTracer"));
            return this;
        }

        /**
         * Sets the tracers, which follow each piece of work, replacing those set or added before.
         *
         * @param values in order; copied; empty: none
         * @return this builder
         */
        public Builder taskTracers(List<? extends TaskTracer> values) {
            return replace(taskTracers, values);
        }

        /**
         * Sets the decorator, which wraps submitted tasks, replacing those set or added before. Default: none.
         *
         * @param value the one decorator
         * @return this builder
         */
        public Builder taskDecorator(GroupTaskDecorator value) {
            return taskDecorators(List.of(Objects.requireNonNull(value, "taskDecorator")));
        }

        /**
         * Adds a decorator, which wraps submitted tasks, to those there are.
         *
         * @param value the decorator, which wraps the task before the others do, so they are further out
         * @return this builder
         */
        public Builder addTaskDecorator(GroupTaskDecorator value) {
            taskDecorators.add(Objects.requireNonNull(value, "taskDecorator"));
            return this;
        }

        /**
         * Sets the decorators, which wrap submitted tasks, replacing those set or added before.
         *
         * @param values in order; copied; empty: none
         * @return this builder
         */
        public Builder taskDecorators(List<? extends GroupTaskDecorator> values) {
            return replace(taskDecorators, values);
        }

        private <E> Builder replace(List<E> list, List<? extends E> values) {
            List<E> copy = List.copyOf(values);
            list.clear();
            list.addAll(copy);
            return this;
        }

        /**
         * Sets the factory that makes a recorder for each group, for meters. Default: none.
         *
         * @param value {@code null}: none
         * @return this builder
         */
        public Builder recorderFactory(GroupRecorder.@Nullable Factory value) {
            recorderFactory = value;
            return this;
        }

        /**
         * Sets about how often the log is told, by warnings, what an operator should know; work costs nothing more for it.
         * Default: {@link GroupLimits#NO_TIMEOUT}, never.
         *
         * <ul>
         *   <li>Each group that has refused work in the interval for want of room, with how much and why: the 20 that refused
         *       most, and the others together.
         *   <li>A group that stands still: work waits in it, without a time-out and not paused, and for an interval nothing of
         *       it has started or ended. With it come up to three of those who have its permits, and what their threads are
         *       at. It is told once, until the group goes on.
         * </ul>
         *
         * @param value more than zero
         * @return this builder
         * @since 0.1.0
         */
        public Builder warnInterval(Duration value) {
            warnInterval = Objects.requireNonNull(value, "warnInterval");
            return this;
        }

        /**
         * Sets about how many idle groups keep their counters and resolved limits. Groups that the policy names, those that
         * have leased some of a limit over all instances, and overridden and paused ones, are kept beyond it. Default: 1,000.
         *
         * @param value at least 0; 0: none
         * @return this builder
         */
        public Builder maxIdleGroups(int value) {
            maxIdleGroups = value;
            return this;
        }

        /**
         * Bounds the length of group keys, which may come from outside and are kept for idle groups too. No group is
         * made for a longer key, and methods that are given one throw an {@link IllegalArgumentException}. An executor
         * keeps the bound of the policy that it was made with. Default: no limit.
         *
         * @param value how many characters, at least 1
         * @return this builder
         * @since 0.1.0
         */
        public Builder maxKeyLength(int value) {
            maxKeyLength = value;
            return this;
        }

        /**
         * Sets for about how long an idle group keeps its counters and resolved limits. Default: 10 minutes.
         *
         * @param value more than zero
         * @return this builder
         */
        public Builder idleTimeout(Duration value) {
            idleTimeout = Objects.requireNonNull(value, "idleTimeout");
            return this;
        }

        /**
         * Checks the settings and makes the policy.
         *
         * @return an immutable policy
         * @throws InvalidPolicyException if a setting is out of its range; the message names it, its key, its value and
         *     what is allowed
         */
        public GroupPolicy build() {
            GroupLimits.atLeast(1, globalMaxInFlight, "globalMaxInFlight", null);
            GroupLimits.atLeast(0, globalHeadroom, "globalHeadroom", null);
            if (globalHeadroom >= globalMaxInFlight) {
                throw new InvalidPolicyException(
                        "globalHeadroom", null, globalHeadroom, "less than globalMaxInFlight, " + globalMaxInFlight);
            }
            globalRate.validateAsGlobal();
            GroupLimits.atLeast(0, globalQueueThreshold, GroupLimits.GLOBAL_QUEUE_THRESHOLD, null);
            GroupLimits.atLeast(0, maxIdleGroups, "maxIdleGroups", null);
            GroupLimits.atLeast(1, maxKeyLength, "maxKeyLength", null);
            if (!idleTimeout.isPositive()) {
                throw new InvalidPolicyException("idleTimeout", null, idleTimeout, "more than zero");
            }
            if (!limitsRefresh.isPositive()) {
                throw new InvalidPolicyException("limitsRefresh", null, limitsRefresh, "more than zero");
            }
            if (!warnInterval.isPositive()) {
                throw new InvalidPolicyException("warnInterval", null, warnInterval, "more than zero");
            }
            defaults.validate(null);
            groups.forEach((key, limits) -> limits.validate(key));
            patterns.forEach((pattern, limits) -> limits.validate(pattern));
            for (InvalidPolicyException missing : nulls.values()) {
                throw missing;
            }
            validateGuarantees();
            GroupPolicy policy = new GroupPolicy(this);
            policy.validateClusterQueues();
            return policy;
        }

        /** What is guaranteed can be kept: in each group, and to all that have it by their names at once. */
        private void validateGuarantees() {
            defaults.validateGuarantee(null);
            groups.forEach((key, limits) -> limits.validateGuarantee(key));
            patterns.forEach((pattern, limits) -> limits.validateGuarantee(pattern));
            if (globalMaxInFlight == Integer.MAX_VALUE) {
                return; // nothing is shared, and so nothing is guaranteed
            }
            long room = (long) globalMaxInFlight - globalHeadroom;
            long sum = 0;
            for (Map.Entry<String, GroupLimits> group : groups.entrySet()) {
                int guaranteed = group.getValue().guaranteed().orElse(0);
                if (guaranteed > room - sum) {
                    throw new InvalidPolicyException(
                            "guaranteed",
                            group.getKey(),
                            guaranteed,
                            "at most " + (room - sum)
                                    + ", since the guarantees of all exact keys must not add up to more than "
                                    + room + ", globalMaxInFlight less globalHeadroom, and others have " + sum);
                }
                sum += guaranteed;
            }
        }

        private interface NumberOf {
            GroupLimits replace(GroupLimits limits, @Nullable Integer value);
        }
    }
}
