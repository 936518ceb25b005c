package io.github.kobe.spring.metrics;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupRecorder;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.Timers;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one executor. As the factory in its policy, it gives each group the meters of its tag as a recorder, so
 * that nothing is looked up when work starts and ends. Everything except the timers is read from the engine on demand.
 *
 * <p>A value of the tag has its meters in {@link #byTag} from the first group that needs them on. Only those of a rule
 * that the policy has no longer go, with the refresh. One thread at a time updates the registries; another thread that
 * comes meanwhile makes it check again. As long as neither policy nor registries change, it looks only at what is new.
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

    /** Made, and in no registry yet. */
    private final Queue<TagMeters> made = new ConcurrentLinkedQueue<>();

    /** The policy that the registries are in line with; {@code null}: with none. */
    private volatile @Nullable GroupPolicy alignedBy;

    /** Whether limits have perhaps changed without the policy. */
    private volatile boolean limitsDue;

    /** Whether the groups of a value have a rate; for the thread that aligns. */
    private boolean rated;

    /** Touched by whoever brings the registries in line. */
    private int alignedRegistries;

    /** Touched by whoever takes a reading: the limits of groups that aren't there now, by the policy in force. */
    private final Map<String, Permits> unusedLimits = new HashMap<>();

    private @Nullable GroupPolicy unusedLimitsOf;

    final Attempts attempts = new Attempts();

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
        Bound of = bound;
        if (of != null && of.executor.policy() != alignedBy) {
            align(); // rules that went have left places
        }
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
        TagMeters meters = new TagMeters(tag, this, timers, tags.needsCounts());
        made.add(meters);
        return meters;
    }

    // ---- the registries

    /** Brings the registries in line with the policy. */
    void align() {
        if (wanted.getAndIncrement() > 0) {
            return; // whoever is at it looks again
        }
        int seen;
        do {
            seen = wanted.get();
            try {
                alignNow();
            } catch (RuntimeException | Error failure) {
                alignedBy = null; // the next one begins anew
                wanted.set(0);
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
        metersOf(tags.first());
        if (policy != alignedBy || registries.size() != alignedRegistries) {
            alignAll(of, policy);
        } else {
            for (TagMeters fresh = made.poll(); fresh != null; fresh = made.poll()) {
                register(of, policy, fresh);
                alignLimitsOf(policy, fresh);
            }
        }
        if (limitsDue) {
            limitsDue = false;
            rated = false;
            byTag.values().forEach(meters -> alignLimitsOf(policy, meters));
        }
        of.global.align(
                TagMeters.isLimit(policy.globalMaxInFlight()),
                !policy.globalRate().isUnlimited(),
                rated || remembersRates());
    }

    private void alignAll(Bound of, GroupPolicy policy) {
        byTag.values().removeIf(meters -> {
            boolean goes = !isShared(meters.tag) && !tags.isPossible(of.executor.policy(), meters.tag);
            if (goes) {
                meters.remove();
                places.decrementAndGet();
            }
            return goes;
        });
        made.clear(); // what comes from now on is looked at once more
        alignedRegistries = registries.size();
        registries.forEach(of.global::register);
        byTag.values().forEach(meters -> register(of, policy, meters));
        limitsDue = true;
        alignedBy = policy;
    }

    private void register(Bound of, GroupPolicy policy, TagMeters meters) {
        boolean recorded = isRecorded(policy);
        boolean shared = of.executor.cluster().isPresent();
        registries.forEach(registry -> meters.register(registry, of.name, recorded, shared));
    }

    private void alignLimitsOf(GroupPolicy policy, TagMeters meters) {
        Reading reading = readings.latest();
        Permits permits = reading == null || !reading.byTag().containsKey(meters.tag)
                ? unusedLimit(policy, meters.tag)
                : reading.of(meters.tag).permits();
        meters.alignLimit(permits.isLimited());
        boolean isRated = isRated(policy, meters.tag);
        meters.alignRate(isRated);
        rated |= isRated;
    }

    /** {@return whether something is remembered of rates, also of those that no group has any more} */
    private boolean remembersRates() {
        Reading reading = readings.latest();
        return reading != null && reading.all().rememberedRates() > 0;
    }

    /** {@return whether the groups of a value have a rate: as was last read, or the rule of that name or the defaults say} */
    private boolean isRated(GroupPolicy policy, String tag) {
        Reading reading = readings.latest();
        if (reading != null && reading.of(tag).isRated()) {
            return true;
        }
        GroupLimits ofPattern = policy.patterns().getOrDefault(tag, GroupLimits.unset());
        return policy.groups()
                .getOrDefault(tag, ofPattern)
                .rates()
                .or(() -> policy.defaults().rates())
                .filter(rates -> !rates.isEmpty())
                .isPresent();
    }

    private boolean isRecorded(GroupPolicy policy) {
        return policy.recorderFactory().filter(factory -> factory == this).isPresent();
    }

    // ---- readings

    /** {@return what there is to tell, or nothing yet} */
    @Nullable
    Reading reading() {
        Bound of = bound;
        return of == null ? null : readings.current(now -> read(of.executor, now), this::alignLimits);
    }

    /** {@return what there is to tell of a value} */
    TagReading reading(String tag) {
        Reading reading = reading();
        return reading == null ? TagReading.NOTHING : reading.of(tag);
    }

    private void alignLimits() {
        limitsDue = true;
        align();
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
            Permits permits = reading.permits().equals(Permits.UNKNOWN)
                    ? unusedLimits.computeIfAbsent(tag, unused -> unusedLimit(policy, unused))
                    : reading.permits();
            byValue.put(tag, reading.with(permits, meters.shown(reading.totals())));
        });
        return new Reading(now, executor.stats(), byValue);
    }

    private static Permits unusedLimit(GroupPolicy policy, String tag) {
        return GroupTags.isExactKey(policy, tag) ? Permits.unused(policy.explain(tag)) : Permits.UNKNOWN;
    }
}
