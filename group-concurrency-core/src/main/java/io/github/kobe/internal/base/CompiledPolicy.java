package io.github.kobe.internal.base;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExplanation;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupRecorder;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.LimitSource;
import io.github.kobe.Rate;
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
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A policy as the engine uses it: which rule a group falls under, which numbers follow from that, and one object for
 * each kind of user code. Public only because {@link GroupPolicy} makes one from itself. Immutable.
 */
public final class CompiledPolicy {

    /** How many tasks of a group may run at once if nobody says anything. */
    public static final int BUILT_IN_CONCURRENCY = 1;

    /** Asks the limits resolver of a policy. */
    @FunctionalInterface
    public interface CheckedLimits {

        /**
         * {@return what is said of a group} Fails as the resolver does, or if that isn't allowed.
         *
         * @param inCluster whether it is for an executor that shares limits with other instances
         */
        GroupLimits ask(String groupKey, boolean inCluster);
    }

    /** A rate that keeps up less of its limit is seldom meant. */
    private static final int SUSTAINED_PERCENT = 75;

    private final GroupPolicy source;
    private final int globalQueueThreshold;
    private final Map<String, GroupLimits> groups;
    private final Map<String, GroupLimits> patterns;
    private final List<Glob> closestFirst;
    private final @Nullable Function<String, Optional<GroupLimits>> limitsResolver;
    private final CheckedLimits checkedLimits;
    private final @Nullable ToIntFunction<String> concurrencyResolver;
    private final @Nullable TaskLifecycleListener listener;
    private final @Nullable TaskTracer tracer;
    private final @Nullable GroupTaskDecorator decorator;
    private final GroupRecorder.@Nullable Factory recorderFactory;
    private final EffectiveLimits defaults;
    private final AtomicBoolean resolverFailed = new AtomicBoolean();

    /**
     * Compiles a policy, all of whose settings are in their ranges.
     *
     * @param givenDefaults its defaults as far as they were set
     * @param checkedLimits asks its limits resolver
     * @param told what the log was told before of such settings; it gets what the log is told now
     */
    public CompiledPolicy(
            GroupPolicy source, GroupLimits givenDefaults, CheckedLimits checkedLimits, Set<String> told) {
        this.source = source;
        this.checkedLimits = checkedLimits;
        globalQueueThreshold = source.globalQueueThreshold();
        groups = source.groups();
        patterns = source.patterns();
        List<Glob> globs =
                new ArrayList<>(patterns.keySet().stream().map(Glob::new).toList());
        globs.sort(Comparator.comparingInt(Glob::literals).reversed());
        closestFirst = List.copyOf(globs);
        limitsResolver = source.limitsResolver().orElse(null);
        concurrencyResolver = source.concurrencyResolver().orElse(null);
        listener = ListenerChain.of(source.taskLifecycleListeners());
        tracer = TracerChain.of(source.taskTracers());
        decorator = DecoratorChain.of(source.taskDecorators());
        recorderFactory = source.recorderFactory().orElse(null);
        groups.forEach((key, limits) -> warn(limits, "of '" + KeyText.printable(key) + "'", told));
        patterns.forEach((pattern, limits) -> warn(limits, "of '" + KeyText.printable(pattern) + "'", told));
        warn(givenDefaults, "by default", told);
        warn(source.globalRate(), "over all groups", told);
        GroupLimits byDefault = source.defaults();
        defaults = new EffectiveLimits(
                told(givenDefaults, boxed(GroupLimits::maxConcurrency), LimitSource.DEFAULT),
                told(givenDefaults, boxed(GroupLimits::maxInFlight), LimitSource.DEFAULT),
                byDefault(byDefault.queueThreshold()),
                new EffectiveLimit<>(byDefault.queueTimeout().orElseThrow(), LimitSource.DEFAULT),
                byDefault(byDefault.weight()),
                byDefault(byDefault.guaranteed()),
                limited(told(givenDefaults, boxed(GroupLimits::clusterMaxInFlight), LimitSource.DEFAULT)),
                EffectiveLimits.limited(told(givenDefaults, GroupLimits::rates, LimitSource.DEFAULT)),
                null);
    }

    private static void warn(GroupLimits limits, String whose, Set<String> told) {
        limits.rates().ifPresent(rates -> rates.forEach(rate -> warn(rate, whose, told)));
    }

    private static void warn(Rate rate, String whose, Set<String> told) {
        if (100L * rate.sustained() < (long) SUSTAINED_PERCENT * rate.limit()) {
            int better = rate.limit() / 4 + 1;
            String warning = "The rate " + whose + " keeps up only " + rate.sustained() + " of " + rate.limit() + " in "
                    + rate.per() + " with a burst of " + rate.burst() + ", since no window may have more than "
                    + rate.limit() + "; a burst of " + better + " keeps up "
                    + rate.withBurst(better).sustained() + ".";
            if (told.add(warning)) {
                Log.write(Level.WARNING, () -> warning);
            }
        }
    }

    private static EffectiveLimit<Integer> byDefault(OptionalInt value) {
        return new EffectiveLimit<>(value.orElseThrow(), LimitSource.DEFAULT);
    }

    private static <T> @Nullable EffectiveLimit<T> told(
            @Nullable GroupLimits limits, Function<GroupLimits, Optional<T>> what, LimitSource by) {
        return limits == null
                ? null
                : what.apply(limits)
                        .map(value -> new EffectiveLimit<>(value, by))
                        .orElse(null);
    }

    private static Function<GroupLimits, Optional<Integer>> boxed(Function<GroupLimits, OptionalInt> number) {
        return limits -> {
            OptionalInt value = number.apply(limits);
            return value.isPresent() ? Optional.of(value.getAsInt()) : Optional.empty();
        };
    }

    /** {@return the number; {@code null}: there is none, or it says that there is no limit} */
    private static @Nullable EffectiveLimit<Integer> limited(@Nullable EffectiveLimit<Integer> number) {
        return number == null || number.value() == Integer.MAX_VALUE ? null : number;
    }

    // ---- for GroupPolicy

    /** {@return what it says of a group} Calls no user code. */
    public GroupExplanation explain(String groupKey) {
        return rules(Objects.requireNonNull(groupKey, "groupKey"), null);
    }

    // ---- for the engine

    /** {@return what it was compiled of} */
    public GroupPolicy source() {
        return source;
    }

    public int globalQueueThreshold() {
        return globalQueueThreshold;
    }

    /** {@return the headroom; none without a global limit} */
    public int globalHeadroom() {
        return source.globalMaxInFlight() == Integer.MAX_VALUE ? 0 : source.globalHeadroom();
    }

    /** {@return the numbers of the rate over all groups; {@code null}: there is none} */
    public @Nullable Tempo globalTempo() {
        return Tempo.of(source.globalRate());
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

    /** {@return whether a limits resolver is to be asked} */
    public boolean hasLimitsResolver() {
        return limitsResolver != null;
    }

    /** {@return whether {@code answer} is of the one who is to be asked} */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    public boolean accepts(Answer answer) {
        return answer.resolver() == limitsResolver;
    }

    /**
     * Asks the limits resolver; if there is none, the answer says nothing.
     *
     * @param inCluster whether it is for an executor that shares limits with other instances
     * @param known what to go by if it fails, and it was the one who said that
     * @param turn that of the question
     * @param ended how much work of the group has ended
     * @param failures hears of a failure
     */
    public Answer ask(
            String groupKey, boolean inCluster, Answer known, long turn, long ended, Consumer<Throwable> failures) {
        try {
            return new Answer(limitsResolver, turn, checkedLimits.ask(groupKey, inCluster), false, ended);
        } catch (Throwable failure) {
            failures.accept(failure);
            return new Answer(limitsResolver, turn, accepts(known) ? known.limits() : GroupLimits.unset(), true, ended);
        }
    }

    /** {@return all numbers of a group, by that answer} May call the concurrency resolver. */
    public EffectiveLimits resolve(String groupKey, Answer answer) {
        Rules rules = rules(groupKey, answer.limits());
        if (rules.isEmpty() && concurrencyResolver == null) {
            return defaults;
        }
        return rules.limits();
    }

    /**
     * A rule by which a group may have more in flight over all instances than in one of them.
     *
     * @param rule its key or pattern; empty: the defaults
     * @param own how many in one instance
     * @param inAll how many over all
     */
    public record OutOfReach(String rule, int own, int inAll) {}

    /** {@return all such rules, as far as no resolver is to be asked} */
    public Stream<OutOfReach> outOfReach() {
        Stream<Rules> exact = groups.keySet().stream().map(key -> rules(key, null));
        Stream<Rules> byPattern = patterns.keySet().stream().map(text -> new Rules(text, null, null, text));
        Stream<Rules> byDefault = Stream.of(new Rules("", null, null, null));
        return Stream.of(exact, byPattern, byDefault)
                .flatMap(rules -> rules)
                .map(Rules::outOfReach)
                .flatMap(Optional::stream);
    }

    private Rules rules(String groupKey, @Nullable GroupLimits answer) {
        return new Rules(groupKey, answer, groups.get(groupKey), closestPattern(groupKey));
    }

    private @Nullable String closestPattern(String key) {
        for (Glob glob : closestFirst) {
            if (glob.matches(key)) {
                return glob.pattern();
            }
        }
        return null;
    }

    /**
     * What the policy says of one group, by the entry of its own, by what its limits resolver says, and by the closest
     * pattern.
     */
    private final class Rules implements GroupExplanation {
        private final String groupKey;
        private final @Nullable GroupLimits exact;
        private final @Nullable GroupLimits answer;
        private final @Nullable String patternText;
        private final @Nullable GroupLimits pattern;

        /** With {@code null} as the answer, the resolver isn't asked. */
        Rules(
                String groupKey,
                @Nullable GroupLimits answer,
                @Nullable GroupLimits exact,
                @Nullable String patternText) {
            this.groupKey = groupKey;
            this.answer = answer;
            this.exact = exact;
            this.patternText = patternText;
            pattern = patternText == null ? null : patterns.get(patternText);
        }

        boolean isEmpty() {
            return exact == null && pattern == null && (answer == null || answer.equals(GroupLimits.unset()));
        }

        Optional<OutOfReach> outOfReach() {
            return clusterMaxInFlight()
                    .map(EffectiveLimit::value)
                    .flatMap(inAll -> maxInFlight()
                            .map(EffectiveLimit::value)
                            .filter(own -> own < inAll)
                            .map(own -> new OutOfReach(groupKey, own, inAll)));
        }

        /** {@return all numbers} May call the resolver. */
        EffectiveLimits limits() {
            EffectiveLimit<Integer> concurrency = ruled(boxed(GroupLimits::maxConcurrency));
            return new EffectiveLimits(
                    concurrency == null ? askResolver() : concurrency,
                    ownMaxInFlight(),
                    queueThreshold(),
                    queueTimeout(),
                    weight(),
                    guaranteed(),
                    limited(clusterNumber()),
                    ratesInForce(),
                    exact != null ? groupKey : patternText);
        }

        private @Nullable EffectiveLimit<Integer> askResolver() {
            if (concurrencyResolver == null) {
                return defaults.ownConcurrency();
            }
            try {
                int answered = concurrencyResolver.applyAsInt(groupKey);
                return new EffectiveLimit<>(Math.max(1, answered), LimitSource.RESOLVER);
            } catch (Throwable failure) {
                if (resolverFailed.compareAndSet(false, true)) {
                    Log.write(
                            Level.WARNING,
                            () -> "The concurrency resolver failed for group '" + KeyText.printable(groupKey)
                                    + "': the default of "
                                    + unruledConcurrency().value() + " is used. Later failures are not logged.",
                            failure);
                }
                return defaults.ownConcurrency();
            }
        }

        /** {@return how many may run if neither a rule nor a resolver says so} */
        private EffectiveLimit<Integer> unruledConcurrency() {
            return EffectiveLimits.concurrency(defaults.ownConcurrency(), limited(clusterNumber()));
        }

        /** {@return how many may be in flight over all instances, also if it says that there is no limit} */
        private @Nullable EffectiveLimit<Integer> clusterNumber() {
            EffectiveLimit<Integer> ruled = ruled(boxed(GroupLimits::clusterMaxInFlight));
            return ruled == null ? defaults.clusterMaxInFlight() : ruled;
        }

        @Override
        public String groupKey() {
            return groupKey;
        }

        @Override
        public Optional<EffectiveLimit<Integer>> maxConcurrency() {
            EffectiveLimit<Integer> ruled = ruled(boxed(GroupLimits::maxConcurrency));
            boolean untold = ruled == null ? concurrencyResolver != null || isUnasked() : isUntold(ruled);
            return untold ? Optional.empty() : Optional.of(ruled == null ? unruledConcurrency() : ruled);
        }

        @Override
        public Optional<EffectiveLimit<Integer>> maxInFlight() {
            EffectiveLimit<Integer> own = ownMaxInFlight();
            if (own == null) {
                return maxConcurrency();
            }
            return isUntold(own) ? Optional.empty() : Optional.of(own);
        }

        @Override
        public Optional<EffectiveLimit<Integer>> clusterMaxInFlight() {
            EffectiveLimit<Integer> number = clusterNumber();
            return number == null || isUntold(number) ? Optional.empty() : Optional.ofNullable(limited(number));
        }

        /** {@return whether only the limits resolver could tell whether a group has that number, or another} */
        private boolean isUntold(EffectiveLimit<Integer> ruled) {
            return isUnasked() && ruled.source() != LimitSource.CONFIGURED;
        }

        private boolean isUnasked() {
            return limitsResolver != null && answer == null;
        }

        private @Nullable EffectiveLimit<Integer> ownMaxInFlight() {
            EffectiveLimit<Integer> ruled = ruled(boxed(GroupLimits::maxInFlight));
            return ruled == null ? defaults.ownMaxInFlight() : ruled;
        }

        @Override
        public EffectiveLimit<Integer> queueThreshold() {
            return ruledOr(GroupLimits::queueThreshold, defaults.queueThreshold());
        }

        @Override
        public EffectiveLimit<Duration> queueTimeout() {
            return Objects.requireNonNullElse(ruled(GroupLimits::queueTimeout), defaults.queueTimeout());
        }

        @Override
        public EffectiveLimit<Integer> weight() {
            return ruledOr(GroupLimits::weight, defaults.weight());
        }

        @Override
        public EffectiveLimit<Integer> guaranteed() {
            return ruledOr(GroupLimits::guaranteed, defaults.guaranteed());
        }

        @Override
        public Optional<EffectiveLimit<List<Rate>>> rates() {
            return Optional.ofNullable(ratesInForce());
        }

        private @Nullable EffectiveLimit<List<Rate>> ratesInForce() {
            EffectiveLimit<List<Rate>> ruled = ruled(GroupLimits::rates);
            return ruled != null ? EffectiveLimits.limited(ruled) : defaults.rates();
        }

        private EffectiveLimit<Integer> ruledOr(
                Function<GroupLimits, OptionalInt> number, EffectiveLimit<Integer> byDefault) {
            return Objects.requireNonNullElse(ruled(boxed(number)), byDefault);
        }

        private <T> @Nullable EffectiveLimit<T> ruled(Function<GroupLimits, Optional<T>> what) {
            EffectiveLimit<T> own = told(exact, what, LimitSource.CONFIGURED);
            own = own != null ? own : told(answer, what, LimitSource.RESOLVER);
            return own != null ? own : told(pattern, what, LimitSource.PATTERN);
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
                    + queueThreshold() + ", queueTimeout=" + queueTimeout() + ", weight=" + weight() + ", guaranteed="
                    + guaranteed() + ", clusterMaxInFlight=" + clusterMaxInFlight() + ", rates=" + rates() + "]";
        }
    }
}
