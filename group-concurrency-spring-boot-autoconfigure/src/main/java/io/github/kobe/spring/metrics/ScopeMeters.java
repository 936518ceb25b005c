package io.github.kobe.spring.metrics;

import io.github.kobe.scope.ScopeInfo;
import io.github.kobe.scope.ScopeListener;
import io.github.kobe.scope.ScopeTotals;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.Metrics;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.Timers;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The meters of scopes. Names come from the application, so only a limited number of them have their own value of the
 * tag "scope"; these keep it.
 *
 * <p>They hear of no fork: how forks have ended is asked of the open scopes at the scrape.
 */
final class ScopeMeters implements ScopeListener, MeterBinder {

    /** What a scope without a name is called, before its number. */
    private static final String UNNAMED = "scope-";

    private final int mostNames;
    private final boolean timed;
    private final Attempts attempts = new Attempts();

    private final ConcurrentHashMap<String, NamedScopeMeters> byTag = new ConcurrentHashMap<>();
    private final CopyOnWriteArrayList<MeterRegistry> registries = new CopyOnWriteArrayList<>();

    /** Guards what comes: names and registries, so that each of the ones is in each of the others. */
    private final ReentrantLock lock = new ReentrantLock();

    /** How many names have a value of their own. Changed under the lock. */
    private final AtomicInteger names = new AtomicInteger();

    ScopeMeters(Metrics settings) {
        mostNames = settings.maxTagValues();
        timed = settings.timers() == Timers.ALL;
    }

    // ---- the registries

    @Override
    public void bindTo(MeterRegistry registry) {
        of(GroupTags.DEFAULT);
        lock.lock();
        try {
            if (registries.addIfAbsent(registry)) {
                byTag.values().forEach(meters -> meters.register(registry));
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- scopes and forks

    @Override
    public void onOpened(ScopeInfo scope, Supplier<ScopeTotals> totals) {
        of(scope).opened(scope.id(), totals);
    }

    @Override
    public void onClosed(ScopeInfo scope, ScopeTotals totals) {
        of(scope).closed(scope.id(), totals);
    }

    // ---- values of the tag

    /** {@return the meters of a scope} At its close the same as when it was opened: a name keeps its place, or has none. */
    private NamedScopeMeters of(ScopeInfo scope) {
        return of(tagOf(scope.name(), scope.id()));
    }

    private String tagOf(String name, long id) {
        if (name.startsWith(UNNAMED) && name.equals(UNNAMED + id)) {
            return GroupTags.DEFAULT;
        }
        if (!GroupTags.RESERVED.contains(name) && byTag.containsKey(name)) {
            return name;
        }
        return GroupTags.RESERVED.contains(name) || names.get() >= mostNames ? GroupTags.OTHER : name;
    }

    private NamedScopeMeters of(String tag) {
        NamedScopeMeters known = byTag.get(tag);
        return known == null ? made(tag) : known;
    }

    private NamedScopeMeters made(String tag) {
        lock.lock();
        try {
            boolean own = !GroupTags.RESERVED.contains(tag);
            String placed = own && names.get() >= mostNames && !byTag.containsKey(tag) ? GroupTags.OTHER : tag;
            NamedScopeMeters known = byTag.get(placed);
            if (known != null) {
                return known;
            }
            NamedScopeMeters made = new NamedScopeMeters(placed, timed, attempts.at("scope", placed));
            registries.forEach(made::register);
            byTag.put(placed, made);
            if (own && placed.equals(tag)) {
                names.incrementAndGet();
            }
            return made;
        } finally {
            lock.unlock();
        }
    }
}
