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
import java.util.List;
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
 * <p>Groups come and go without a lock. A value of the tag has its meters in {@link #byTag} until nothing needs them;
 * then they are retired, and new ones are made if that value is needed again. One thread at a time updates the
 * registries; another thread that comes meanwhile makes it check again.
 */
final class GroupMeters implements GroupRecorder.Factory {

    private final GroupTags tags;
    private final Timers timers;
    private final Readings readings;

    private final ConcurrentHashMap<String, TagMeters> byTag = new ConcurrentHashMap<>();

    /** How many values have a place of their own in {@link #byTag}, or are about to. */
    private final AtomicInteger places = new AtomicInteger();

    private final CopyOnWriteArrayList<MeterRegistry> registries = new CopyOnWriteArrayList<>();
    private volatile @Nullable Bound bound;

    /** How often somebody wanted the registries in line, since whoever is at it last looked; 0: nobody is at it. */
    private final AtomicInteger wanted = new AtomicInteger();

    /** Touched by whoever brings the registries in line. */
    private final Set<TagMeters> registered = new HashSet<>();

    /** Touched by whoever takes a reading: the limits of groups that aren't there yet, by the policy in force. */
    private Map<String, Integer> unusedLimits = Map.of();

    private @Nullable GroupPolicy unusedLimitsOf;

    private record Bound(String name, GroupExecutor executor, GlobalMeters global) {}

    GroupMeters(GroupConcurrencyProperties.Metrics settings, LongSupplier clock) {
        tags = GroupTags.of(settings);
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
        if (timers == Timers.NONE && !tags.needsCounts()) {
            return null;
        }
        TagMeters meters = claim(tags.of(groupKey, rule));
        if (!meters.isRegistered()) {
            align();
        }
        return meters;
    }

    /** {@return the meters of a value, for one group more} */
    private TagMeters claim(String tag) {
        for (; ; ) {
            TagMeters meters = orMade(tag);
            if (meters == null) {
                meters = orMade(tags.shared());
            }
            if (meters != null && meters.use()) {
                return meters;
            }
        }
    }

    /** {@return the meters of a value, made if there is a place for it; {@code null}: there is none} */
    private @Nullable TagMeters orMade(String tag) {
        TagMeters known = byTag.get(tag);
        if (known != null) {
            return known;
        }
        boolean placed = !tag.equals(tags.shared());
        if (placed && places.getAndUpdate(now -> Math.min(now + 1, tags.most())) >= tags.most()) {
            return null;
        }
        TagMeters made = new TagMeters(tag, this, timers, tags.needsCounts());
        known = byTag.putIfAbsent(tag, made);
        if (known == null) {
            return made;
        }
        if (placed) {
            places.decrementAndGet();
        }
        return known;
    }

    /** A group has gone, or has other meters now. */
    void left(TagMeters meters) {
        if (meters.leave()) {
            align();
        }
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
        List<String> lasting = tags.lasting(policy);
        lasting.forEach(this::orMade);
        orMade(tags.shared());
        retireAllBut(lasting, recorded ? Set.of() : of.executor.groupKeys());

        registered.removeIf(meters -> {
            boolean goes = byTag.get(meters.tag) != meters;
            if (goes) {
                meters.remove();
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

    private void retireAllBut(List<String> lasting, Set<String> live) {
        Set<String> stay = new HashSet<>(lasting);
        stay.add(tags.shared());
        for (TagMeters meters : byTag.values()) {
            if (!stay.contains(meters.tag) && !live.contains(meters.tag) && meters.retire()) {
                byTag.remove(meters.tag, meters);
                places.decrementAndGet();
            }
        }
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
        if (tags.needsCounts() && !isRecorded(policy)) {
            // Nobody tells of groups that come: they are found here.
            executor.groupKeys().forEach(key -> orMade(tags.of(key, Optional.empty())));
        }
        if (policy != unusedLimitsOf) {
            Map<String, Integer> limits = new HashMap<>();
            policy.groups().keySet().forEach(key -> limits.put(key, unusedLimit(policy, key)));
            unusedLimits = limits;
            unusedLimitsOf = policy;
        }
        Map<String, TagReading> byValue = new HashMap<>();
        tags.read(executor, byTag).forEach((tag, reading) -> {
            int limit = reading.maxConcurrency() == TagReading.UNKNOWN && tags.namesOneGroup(policy, tag)
                    ? unusedLimits.getOrDefault(tag, TagReading.UNKNOWN)
                    : reading.maxConcurrency();
            TagMeters meters = byTag.get(tag);
            if (meters != null) {
                byValue.put(tag, reading.withMaxConcurrency(limit).withTotals(meters.shown(reading.totals())));
            }
        });
        return new Reading(now, executor.stats(), byValue);
    }

    /** {@return the limit of a group that isn't there yet; {@link TagReading#UNKNOWN}: only a resolver could tell} */
    private int unusedLimit(GroupPolicy policy, String tag) {
        if (!tags.namesOneGroup(policy, tag) || !policy.groups().containsKey(tag)) {
            return TagReading.UNKNOWN;
        }
        return policy.explain(tag).maxConcurrency().map(EffectiveLimit::value).orElse(TagReading.UNKNOWN);
    }
}
