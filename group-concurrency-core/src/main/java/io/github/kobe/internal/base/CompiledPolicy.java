package io.github.kobe.internal.base;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExplanation;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupRecorder;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.LimitSource;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskTracer;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A policy as the engine uses it: which rule a group falls under, which numbers follow from that, and one object for
 * each kind of user code. Public only because {@link GroupPolicy} makes one from itself. Immutable.
 */
public final class CompiledPolicy {

    private final GroupPolicy source;
    private final int globalQueueThreshold;
    private final Map<String, GroupLimits> groups;
    private final Map<String, GroupLimits> patterns;
    private final List<Glob> closestFirst;
    private final @Nullable ToIntFunction<String> concurrencyResolver;
    private final @Nullable TaskLifecycleListener listener;
    private final @Nullable TaskTracer tracer;
    private final @Nullable GroupTaskDecorator decorator;
    private final GroupRecorder.@Nullable Factory recorderFactory;
    private final EffectiveLimits defaults;
    private final AtomicBoolean resolverFailed = new AtomicBoolean();

    /** Compiles a policy, all of whose settings are in their ranges. */
    public CompiledPolicy(GroupPolicy source) {
        this.source = source;
        globalQueueThreshold = source.globalQueueThreshold();
        groups = source.groups();
        patterns = source.patterns();
        List<Glob> globs =
                new ArrayList<>(patterns.keySet().stream().map(Glob::new).toList());
        globs.sort(Comparator.comparingInt(Glob::literals).reversed());
        closestFirst = List.copyOf(globs);
        concurrencyResolver = source.concurrencyResolver().orElse(null);
        listener = ListenerChain.of(source.taskLifecycleListeners());
        tracer = TracerChain.of(source.taskTracers());
        decorator = DecoratorChain.of(source.taskDecorators());
        recorderFactory = source.recorderFactory().orElse(null);
        GroupLimits byDefault = source.defaults();
        defaults = new EffectiveLimits(
                byDefault(byDefault.maxConcurrency()),
                byDefault.maxInFlight().isPresent() ? byDefault(byDefault.maxInFlight()) : null,
                byDefault(byDefault.queueThreshold()),
                new EffectiveLimit<>(byDefault.queueTimeout().orElseThrow(), LimitSource.DEFAULT),
                byDefault(byDefault.weight()),
                null);
    }

    private static EffectiveLimit<Integer> byDefault(OptionalInt value) {
        return new EffectiveLimit<>(value.orElseThrow(), LimitSource.DEFAULT);
    }

    // ---- for GroupPolicy

    /** {@return what it says of a group} Calls no user code. */
    public GroupExplanation explain(String groupKey) {
        return rulesFor(groupKey);
    }

    // ---- for the engine

    /** {@return what it was compiled of} */
    public GroupPolicy source() {
        return source;
    }

    public int globalQueueThreshold() {
        return globalQueueThreshold;
    }

    /** {@return whether there is a bound on what waits in all groups} */
    public boolean boundsQueues() {
        return globalQueueThreshold != Integer.MAX_VALUE;
    }

    /** {@return all listeners as one; {@code null}: none} */
    @Nullable
    TaskLifecycleListener listener() {
        return listener;
    }

    /** {@return all tracers as one; {@code null}: none} */
    @Nullable
    TaskTracer tracer() {
        return tracer;
    }

    /** {@return whether nobody observes work: neither a listener is set, nor a tracer that is on} */
    public boolean isUnobserved() {
        return listener == null && (tracer == null || !TracerChain.isOn(tracer));
    }

    /** {@return {@code code} as the decorators have it} Fails as they do. */
    public Callable<?> decorated(String key, Callable<?> code) {
        return decorator == null
                ? code
                : Objects.requireNonNull(decorator.decorate(key, code), "The decorator returned null");
    }

    /** {@return what makes the recorders of groups; {@code null}: none} */
    public GroupRecorder.@Nullable Factory recorderFactory() {
        return recorderFactory;
    }

    /** {@return whether {@code groupKey} is named exactly} */
    public boolean names(String groupKey) {
        return groups.containsKey(groupKey);
    }

    /** {@return whether {@code rule} is an exact key or a pattern of it} */
    boolean hasRule(String rule) {
        return groups.containsKey(rule) || patterns.containsKey(rule);
    }

    /** {@return all numbers of a group} May call the resolver. */
    public EffectiveLimits resolve(String groupKey) {
        Rules rules = rulesFor(groupKey);
        if (rules.exact == null && rules.pattern == null && concurrencyResolver == null) {
            return defaults;
        }
        return rules.limits();
    }

    private Rules rulesFor(String groupKey) {
        return new Rules(Objects.requireNonNull(groupKey, "groupKey"));
    }

    private EffectiveLimit<Integer> askResolver(String groupKey) {
        if (concurrencyResolver == null) {
            return defaults.maxConcurrency();
        }
        try {
            return new EffectiveLimit<>(Math.max(1, concurrencyResolver.applyAsInt(groupKey)), LimitSource.RESOLVER);
        } catch (Throwable failure) {
            if (resolverFailed.compareAndSet(false, true)) {
                Log.write(
                        Level.WARNING,
                        () -> "The concurrency resolver failed for group '" + KeyText.printable(groupKey)
                                + "': the default of "
                                + defaults.maxConcurrency().value() + " is used. Later failures are not logged.",
                        failure);
            }
            return defaults.maxConcurrency();
        }
    }

    /** What the policy says of one group, by the entry of its own and the closest pattern. */
    private final class Rules implements GroupExplanation {
        private final String groupKey;
        private final @Nullable GroupLimits exact;
        private final @Nullable String patternText;
        private final @Nullable GroupLimits pattern;

        Rules(String groupKey) {
            this.groupKey = groupKey;
            exact = groups.get(groupKey);
            patternText = closestPattern(groupKey);
            pattern = patternText == null ? null : patterns.get(patternText);
        }

        private @Nullable String closestPattern(String key) {
            for (Glob glob : closestFirst) {
                if (glob.matches(key)) {
                    return glob.pattern();
                }
            }
            return null;
        }

        /** {@return all numbers} May call the resolver. */
        EffectiveLimits limits() {
            EffectiveLimit<Integer> concurrency = ruled(GroupLimits::maxConcurrency);
            return new EffectiveLimits(
                    concurrency == null ? askResolver(groupKey) : concurrency,
                    ownMaxInFlight(),
                    queueThreshold(),
                    queueTimeout(),
                    weight(),
                    exact != null ? groupKey : patternText);
        }

        @Override
        public String groupKey() {
            return groupKey;
        }

        @Override
        public Optional<EffectiveLimit<Integer>> maxConcurrency() {
            EffectiveLimit<Integer> ruled = ruled(GroupLimits::maxConcurrency);
            return ruled == null && concurrencyResolver != null
                    ? Optional.empty()
                    : Optional.of(ruled == null ? defaults.maxConcurrency() : ruled);
        }

        @Override
        public Optional<EffectiveLimit<Integer>> maxInFlight() {
            EffectiveLimit<Integer> own = ownMaxInFlight();
            return own == null ? maxConcurrency() : Optional.of(own);
        }

        private @Nullable EffectiveLimit<Integer> ownMaxInFlight() {
            EffectiveLimit<Integer> ruled = ruled(GroupLimits::maxInFlight);
            return ruled == null ? defaults.ownMaxInFlight() : ruled;
        }

        @Override
        public EffectiveLimit<Integer> queueThreshold() {
            EffectiveLimit<Integer> ruled = ruled(GroupLimits::queueThreshold);
            return ruled == null ? defaults.queueThreshold() : ruled;
        }

        @Override
        public EffectiveLimit<Duration> queueTimeout() {
            if (exact != null && exact.queueTimeout().isPresent()) {
                return new EffectiveLimit<>(exact.queueTimeout().get(), LimitSource.CONFIGURED);
            }
            if (pattern != null && pattern.queueTimeout().isPresent()) {
                return new EffectiveLimit<>(pattern.queueTimeout().get(), LimitSource.PATTERN);
            }
            return defaults.queueTimeout();
        }

        @Override
        public EffectiveLimit<Integer> weight() {
            EffectiveLimit<Integer> ruled = ruled(GroupLimits::weight);
            return ruled == null ? defaults.weight() : ruled;
        }

        private @Nullable EffectiveLimit<Integer> ruled(Function<GroupLimits, OptionalInt> number) {
            OptionalInt own = exact == null ? OptionalInt.empty() : number.apply(exact);
            if (own.isPresent()) {
                return new EffectiveLimit<>(own.getAsInt(), LimitSource.CONFIGURED);
            }
            OptionalInt matched = pattern == null ? OptionalInt.empty() : number.apply(pattern);
            return matched.isPresent() ? new EffectiveLimit<>(matched.getAsInt(), LimitSource.PATTERN) : null;
        }

        @Override
        public Optional<String> rule() {
            return Optional.ofNullable(exact != null ? groupKey : patternText);
        }

        @Override
        public List<String> patterns() {
            return closestFirst.stream()
                    .filter(glob -> glob.matches(groupKey))
                    .map(Glob::pattern)
                    .toList();
        }

        @Override
        public String toString() {
            return "GroupExplanation[groupKey=" + groupKey + ", rule=" + rule() + ", patterns=" + patterns()
                    + ", maxConcurrency=" + maxConcurrency() + ", maxInFlight=" + maxInFlight() + ", queueThreshold="
                    + queueThreshold() + ", queueTimeout=" + queueTimeout() + ", weight=" + weight() + "]";
        }
    }
}
