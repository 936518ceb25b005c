package io.github.kobe.internal.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** All that a store remembers: lost as a whole, or kept as a whole. Used by one thread at a time. */
final class Memory {

    /** How many resources one sweep looks at. */
    static final int SWEEP = 32;

    /** How many hints are kept for a session. */
    static final int MOST_HINTS = 100;

    private final LogClock clock;
    private final Map<String, Session> sessions = new TreeMap<>();

    /** By resource and session; those that were swept last are at the end. */
    private final Map<String, Map<String, Entry>> entries = new LinkedHashMap<>();

    /** By session, what it has not been told yet. */
    private final Map<String, Set<String>> hints = new TreeMap<>();

    private Identity identity;
    private Times times;
    private int form;
    private long epoch;

    /** The log at which it has learnt what nodes have. */
    private long learnt;

    Memory(Identity identity, Times times, int form, long real) {
        this.identity = identity;
        this.times = times;
        this.form = form;
        clock = new LogClock(real);
    }

    private Memory(Memory from) {
        identity = from.identity;
        times = from.times;
        form = from.form;
        clock = new LogClock(from.clock);
        epoch = from.epoch;
        learnt = from.learnt;
        sessions.putAll(from.sessions);
        from.entries.forEach((resource, some) -> entries.put(resource, new TreeMap<>(some)));
        from.hints.forEach((session, some) -> hints.put(session, new LinkedHashSet<>(some)));
    }

    /** {@return what it is now, unchanged by what comes} */
    Memory copy() {
        return new Memory(this);
    }

    LogClock clock() {
        return clock;
    }

    long log() {
        return clock.now();
    }

    Identity identity() {
        return identity;
    }

    Times times() {
        return times;
    }

    int form() {
        return form;
    }

    /** From here on all nodes have that lease, and write that form. */
    void agreeOn(Times ofAll, int formOfAll) {
        times = ofAll;
        form = formOfAll;
    }

    long epoch() {
        return epoch;
    }

    /** Begins another epoch, in which nothing is granted at first. */
    void begin(long newEpoch, Identity of, long learning) {
        epoch = newEpoch;
        identity = of;
        learnt = Math.max(learnt, log() + learning);
    }

    /** {@return how long nothing is granted yet} */
    long learning() {
        return Math.max(0, learnt - log());
    }

    @Nullable
    Session session(String id) {
        return sessions.get(id);
    }

    boolean isAlive(String id) {
        Session session = sessions.get(id);
        return session != null && !session.isOver(log());
    }

    /** {@return whether a node has said nothing for so long that it can't be waiting} */
    boolean isSilent(String id) {
        Session session = sessions.get(id);
        return session == null || log() - session.spoke() >= times.silence();
    }

    void put(Session session) {
        sessions.put(session.id(), session);
    }

    List<Session> alive() {
        return sessions.values().stream()
                .filter(session -> !session.isOver(log()))
                .toList();
    }

    List<Session> over() {
        return sessions.values().stream()
                .filter(session -> session.isOver(log()))
                .toList();
    }

    /** Forgets a session and all that it had. */
    void end(String id) {
        sessions.remove(id);
        hints.remove(id);
        entries.values().forEach(some -> some.remove(id));
        entries.values().removeIf(Map::isEmpty);
    }

    /** {@return the entries of a resource, without those of sessions that are over and those of which nothing is left} */
    Collection<Entry> entries(String resource) {
        Map<String, Entry> some = entries.get(resource);
        if (some == null) {
            return List.of();
        }
        some.values().removeIf(entry -> !isAlive(entry.session()) || entry.isForgotten(log()));
        if (some.isEmpty()) {
            entries.remove(resource);
        }
        return some.values();
    }

    @Nullable
    Entry entry(String resource, String session) {
        Map<String, Entry> some = entries.get(resource);
        return some == null ? null : some.get(session);
    }

    void put(String resource, Entry entry) {
        Map<String, Entry> some = entries.getOrDefault(resource, new TreeMap<>());
        some.put(entry.session(), entry);
        entries.put(resource, some);
    }

    /** Drops a resource if nobody has or wants any of it: then there is no line to have a place in. */
    void dropIfUnclaimed(String resource) {
        if (entries(resource).stream().allMatch(Entry::isEmpty)) {
            entries.remove(resource);
        }
    }

    Set<String> resources() {
        return Set.copyOf(entries.keySet());
    }

    /** Looks at those resources that were not looked at for longest, and drops of them what is over. */
    void sweep() {
        List<String> eldest = new ArrayList<>();
        Iterator<String> all = entries.keySet().iterator();
        while (eldest.size() < SWEEP && all.hasNext()) {
            eldest.add(all.next());
        }
        for (String resource : eldest) {
            entries(resource);
            Map<String, Entry> left = entries.remove(resource);
            if (left != null) {
                entries.put(resource, left);
            }
        }
    }

    /** Keeps a hint until its session speaks, if there aren't too many. */
    void keepHint(String session, String resource) {
        Set<String> kept = hints.getOrDefault(session, new LinkedHashSet<>());
        if (kept.size() < MOST_HINTS) {
            kept.add(resource);
            hints.put(session, kept);
        }
    }

    /** A session speaks of a resource, so it needs no hint at it. */
    void dropHint(String session, String resource) {
        Set<String> kept = hints.get(session);
        if (kept != null) {
            kept.remove(resource);
        }
    }

    /** {@return the hints that were kept for a session, which are no longer} */
    List<String> takeHints(String session) {
        Set<String> kept = hints.remove(session);
        return kept == null ? List.of() : List.copyOf(kept);
    }
}
