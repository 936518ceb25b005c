package io.github.kobe.benchmarks;

import static io.github.kobe.benchmarks.Trait.ADVICE;
import static io.github.kobe.benchmarks.Trait.BACKLOGS;
import static io.github.kobe.benchmarks.Trait.CALLS;
import static io.github.kobe.benchmarks.Trait.CANCELS;
import static io.github.kobe.benchmarks.Trait.CAPS;
import static io.github.kobe.benchmarks.Trait.LIMITS;
import static io.github.kobe.benchmarks.Trait.METERS;
import static io.github.kobe.benchmarks.Trait.PERMITS;
import static io.github.kobe.benchmarks.Trait.SCOPES;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Who takes part. */
enum Entrant {
    OURS("group-concurrency", Ours::new, LIMITS, CAPS, CALLS, PERMITS, BACKLOGS, CANCELS),
    RAW("raw virtual threads", limits -> new RawThreads(), BACKLOGS, CANCELS, SCOPES),
    SEMAPHORE("Semaphore per key", SemaphorePerKey::new, LIMITS, CAPS, CALLS, BACKLOGS, CANCELS),
    PARKED("parked threads", ParkedThreads::new, LIMITS, CAPS, BACKLOGS, CANCELS),
    QUEUE("queue + future", QueuePerKey::new, LIMITS, BACKLOGS, CANCELS),
    RESILIENCE4J("Resilience4j", Resilience4jBulkheads::new, LIMITS, CAPS, CALLS, BACKLOGS, CANCELS),
    FAILSAFE("Failsafe", FailsafeBulkheads::new, LIMITS, CAPS, CALLS, BACKLOGS),
    NETFLIX("concurrency-limits", NetflixLimiters::new, LIMITS, CAPS, CALLS, CANCELS),
    SPRING("Spring's throttle", SpringThrottles::new, LIMITS, CAPS, CALLS, BACKLOGS, CANCELS),

    /** The engine with one of its options. */
    CAPPED("with a global limit that is far away", Ours::withDistantCap, LIMITS, CALLS, PERMITS, BACKLOGS, CANCELS),
    RATED("with a rate of each group that is far away", Ours::withDistantRate, LIMITS, CAPS, CALLS, PERMITS),
    RATED_TOGETHER(
            "with a global limit and a global rate that are far away",
            Ours::withDistantCapAndRate,
            LIMITS,
            CALLS,
            PERMITS,
            BACKLOGS),
    BOUND("with the global limit always in force", Ours::withBoundCap, LIMITS, CAPS, CALLS, PERMITS, BACKLOGS, CANCELS),
    LISTENER("with a listener", Ours::withListener, LIMITS, CAPS, CALLS, PERMITS, BACKLOGS, CANCELS),
    DECORATOR("with a decorator", Ours::withDecorator, LIMITS, CAPS, CALLS, PERMITS, BACKLOGS, CANCELS),

    /** The engine in a Spring Boot application, with some of what the starter brings. */
    STARTER("in an application, all off", OursInSpring::bare, LIMITS, CAPS, CALLS, ADVICE),
    METERED("in an application, with meters", OursInSpring::withMeters, LIMITS, CAPS, CALLS, METERS),
    CONTEXT("in an application, with context propagation", OursInSpring::withContext, LIMITS, CAPS, CALLS),
    COMPLETE("in an application, as it comes", OursInSpring::complete, LIMITS, CAPS, CALLS, METERS),
    QUICK_START("with the settings of the quick start", OursInSpring::quickStart, LIMITS, CAPS, CALLS, ADVICE, METERS),
    PATTERNED("and 50 patterns", OursInSpring::withPatterns, LIMITS, CAPS, CALLS, ADVICE, METERS),
    MANY_KEYS("and more keys than tag values", OursInSpring::withManyKeys, LIMITS, CAPS, CALLS, ADVICE, METERS),
    UNTIMED("and no timers", OursInSpring::withoutTimers, LIMITS, CAPS, CALLS, ADVICE, METERS),

    /** The engine as one of several instances, which meet in a Redis on this machine, and what else limits by Redis. */
    LEASED("with limits over instances", OursOverInstances::new, LIMITS, CAPS, CALLS, PERMITS, BACKLOGS, CANCELS),
    LEASED_QUICK_START(
            "with the settings of the quick start and limits over instances",
            OursInSpring::overInstances,
            LIMITS,
            CAPS,
            CALLS,
            ADVICE,
            METERS),
    SORTED_SET("a sorted set in Redis", SortedSets::new, LIMITS, CALLS),
    REDISSON("Redisson's semaphore", RedissonSemaphores::new, LIMITS, CALLS),

    /** What forks and joins. */
    SCOPE("a scope", OursInScopes::new, LIMITS, CAPS, CALLS, BACKLOGS, CANCELS, SCOPES),
    WIDE("a scope with limit 8", OursInScopes::wide, SCOPES),
    JDK_SCOPE("the JDK's scope", limits -> new JdkScopes(), JdkScopes.traits()),
    SUBMITTED("submit + await", Ours::new, LIMITS, CAPS, CALLS, BACKLOGS, CANCELS, SCOPES);

    /** Those that are compared with each other. */
    static final List<Entrant> FIELD = List.copyOf(EnumSet.range(OURS, SPRING));

    /** Those that are compared in what forks and joins. */
    static final List<Entrant> SCOPED = List.of(SCOPE, JDK_SCOPE, RAW, SUBMITTED, WIDE);

    /** Those that are compared in what limits over instances. */
    static final List<Entrant> OVER_INSTANCES = List.of(LEASED, SORTED_SET, REDISSON);

    /** All of these comparisons. */
    static final List<List<Entrant>> FIELDS = List.of(FIELD, SCOPED, OVER_INSTANCES);

    private final String title;

    @SuppressWarnings("ImmutableEnumChecker") // a constructor's reference
    private final Function<Limits, Contestant<?>> factory;

    @SuppressWarnings("ImmutableEnumChecker") // Set.of
    private final Set<Trait> traits;

    Entrant(String title, Function<Limits, Contestant<?>> factory, Trait... traits) {
        this.title = title;
        this.factory = factory;
        this.traits = Set.of(traits);
    }

    String title() {
        return title;
    }

    Contestant<?> enter(Limits limits) {
        return factory.apply(limits);
    }

    /** {@return why it cannot take part where the given traits are needed} */
    Optional<String> lack(Set<Trait> needs) {
        return needs.stream()
                .filter(need -> !traits.contains(need))
                .sorted()
                .map(Trait::lack)
                .findFirst();
    }
}
