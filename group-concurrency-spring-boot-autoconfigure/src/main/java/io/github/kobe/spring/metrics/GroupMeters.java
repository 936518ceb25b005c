package io.github.kobe.spring.metrics;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupRecorder;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyProperties;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyProperties.Timers;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one executor. As the factory in its policy, it gives each group the meters of its tag as a recorder, so
 * that nothing is looked up when work starts and ends. Everything except the timers is read from the engine on demand.
 *
 * <p>A value of the tag has its meters in {@link #byTag} from the first group that needs them on. Only those of a rule
 * that the policy has no longer go. One thread at a time updates the registries; another thread that comes meanwhile
 * makes it check again.
 */
final class GroupMeters implements GroupRecorder.Factory {

    private final GroupTags tags;
    private final int most;
    private final Timers timers;
    private final Readings readings;

    private final ConcurrentHashMap<String, TagMeters> byTag = new ConcurrentHashMap<>();

    /** How many of {@link #byTag} have a place of their own. */
    private final AtomicInteger places = new AtomicInteger();

    private final CopyOnWriteArrayList<MeterRegistry> registries = new CopyOnWriteArrayList<>();
    private volatile @Nullable Bound bound;

    /** How often somebody wanted the registries in line, since whoever is at it last looked; 0: nobody is at it. */
    private final AtomicInteger wanted = new AtomicInteger();

    /** Touched by whoever brings the registries in line. */
    private final Set<TagMeters> registered = new HashSet<>();

    /** Touched by whoever takes a reading: the limits of groups that aren't there now, by the policy in force. */
    private final Map<String, Integer> unusedLimits = new HashMap<>();

    private @Nullable GroupPolicy unusedLimitsOf;

    private record Bound(String name, GroupExecutor executor, GlobalMeters global) {}

    GroupMeters(GroupConcurrencyProperties.Metrics settings, LongSupplier clock) {
        tags = GroupTags.of(settings);
        most = settings.maxTagValues();
        timers = settings.timers();
        readings = new Readings(clock);
    }

    /** Registers what there is, and what comes. */
    void bind(String executorName, GroupExecutor executor, MeterRegistry registry) {
        if (bound == null) {
            bound = new Bound(executorName, executor, new GlobalMeters(executorName, this));
        }
        registries.addIfAbsent(registry);
        align();
    }

    // ---- groups come and go

    @Override
    public @Nullable GroupRecorder recorder(String groupKey, Optional<String> rule) {
        TagMeters meters = metersOf(tags.of(groupKey, rule));
        if (!meters.isRegistered()) {
            align();
        }
        return timers == Timers.NONE && !tags.needsCounts() ? null : meters;
    }

    /** {@return the meters of a value; those of {@link GroupTags#OTHER} if it has no place} */
    private TagMeters metersOf(String tag) {
        TagMeters own = byTag.get(tag);
        if (own == null && (isShared(tag) || places.get() < most)) {
            own = byTag.computeIfAbsent(tag, absent -> isShared(absent) || takePlace() ? made(absent) : null);
        }
        return own != null ? own : metersOf(GroupTags.OTHER);
    }

    private boolean takePlace() {
        return places.getAndUpdate(taken -> Math.min(taken + 1, most)) < most;
    }

    /** {@return whether a value is there for whoever has none of its own, and needs no place} */
    private static boolean isShared(String tag) {
        return GroupTags.RESERVED.contains(tag);
    }

    private TagMeters made(String tag) {
        return new TagMeters(tag, this, timers, tags.needsCounts());
    }

    // ---- the registries

    private void align() {
        if (wanted.getAndIncrement() > 0) {
            return; // whoever is at it looks again
        }
        int seen;
        do {
            seen = wanted.get();
            try {
                alignNow();
            } catch (RuntimeException | Error failure) {
                wanted.set(0); // the next one begins anew
                throw failure;
            }
        } while (wanted.addAndGet(-seen) > 0);
    }

    private void alignNow() {
        Bound of = bound;
        if (of == null) {
            return;
        }
        GroupPolicy policy = of.executor.policy();
        boolean recorded = isRecorded(policy);
        metersOf(tags.first());
        byTag.values().removeIf(meters -> {
            boolean goes = !isShared(meters.tag) && !tags.isPossible(policy, meters.tag);
            if (goes) {
                meters.remove();
                registered.remove(meters);
                places.decrementAndGet();
            }
            return goes;
        });
        boolean counted = recorded || !tags.needsCounts();
        for (MeterRegistry registry : registries) {
            of.global.register(registry);
            for (TagMeters meters : byTag.values()) {
                meters.register(registry, of.name, counted);
                registered.add(meters);
            }
        }
        alignLimits(of, policy);
    }

    private boolean isRecorded(GroupPolicy policy) {
        return policy.recorderFactory().filter(factory -> factory == this).isPresent();
    }

    private void alignLimits(Bound of, GroupPolicy policy) {
        Reading reading = readings.latest();
        of.global.alignLimit(TagMeters.isLimit(policy.globalMaxInFlight()));
        for (TagMeters meters : registered) {
            int limit = reading == null || !reading.byTag().containsKey(meters.tag)
                    ? unusedLimit(policy, meters.tag)
                    : reading.of(meters.tag).maxConcurrency();
            meters.alignLimit(TagMeters.isLimit(limit));
        }
    }

    // ---- readings

    /** {@return what there is to tell, or nothing yet} */
    @Nullable
    Reading reading() {
        Bound of = bound;
        return of == null ? null : readings.current(now -> read(of.executor, now), this::align);
    }

    /** {@return what there is to tell of a value} */
    TagReading reading(String tag) {
        Reading reading = reading();
        return reading == null ? TagReading.NOTHING : reading.of(tag);
    }

    private Reading read(GroupExecutor executor, long now) {
        GroupPolicy policy = executor.policy();
        if (!isRecorded(policy)) {
            // Nobody tells of groups that come: they are found here.
            tags.used(executor).forEach(this::metersOf);
        }
        if (policy != unusedLimitsOf) {
            unusedLimits.clear();
            unusedLimitsOf = policy;
        }
        Map<String, TagReading> read = tags.read(executor, byTag);
        Map<String, TagReading> byValue = new HashMap<>();
        byTag.forEach((tag, meters) -> {
            TagReading reading = read.getOrDefault(tag, TagReading.NOTHING);
            int limit = reading.maxConcurrency() == TagReading.UNKNOWN
                    ? unusedLimits.computeIfAbsent(tag, unused -> unusedLimit(policy, unused))
                    : reading.maxConcurrency();
            byValue.put(tag, reading.withMaxConcurrency(limit).withTotals(meters.shown(reading.totals())));
        });
        return new Reading(now, executor.stats(), byValue);
    }

    /** {@return the limit of a group that isn't there now; {@link TagReading#UNKNOWN}: only a resolver could tell} */
    private static int unusedLimit(GroupPolicy policy, String tag) {
        if (!GroupTags.isExactKey(policy, tag)) {
            return TagReading.UNKNOWN;
        }
        return policy.explain(tag).maxConcurrency().map(EffectiveLimit::value).orElse(TagReading.UNKNOWN);
    }
}
