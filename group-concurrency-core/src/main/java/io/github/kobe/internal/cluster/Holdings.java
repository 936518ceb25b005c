package io.github.kobe.internal.cluster;

import io.github.kobe.cluster.Statement;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All that a node has and needs, and in which order it speaks of it: first of what it lacks, then of what it gives back, then of
 * what it says again, each first come, first served, and some of each. Used by the cluster's thread alone.
 */
final class Holdings {

    /**
     * Of how many groups a statement speaks, unless it has to say everything again, or gives back more: one needs not wait for
     * many others.
     */
    static final int PORTION = 20;

    /** How many of them may be said again. */
    private static final int MOST_AGAIN = PORTION / 2;

    /** So many have a place though many others come before them. */
    private static final int RESERVED = PORTION / 4;

    /** Of how many a heartbeat speaks in their turn, however many are lacking. */
    private static final int IN_TURN = 20;

    private final Map<String, Holding> all = new LinkedHashMap<>();
    private final Set<Holding> lacking = new LinkedHashSet<>();
    private final Set<Holding> givingBack = new LinkedHashSet<>();
    private final Set<Holding> again = new LinkedHashSet<>();

    /** What it has, and the store doesn't know of. */
    private final Set<Holding> unsaid = new LinkedHashSet<>();

    /** All, that of which it has not spoken for longest first. */
    private final Set<Holding> turns = new LinkedHashSet<>();

    @Nullable
    Holding find(String key) {
        return all.get(key);
    }

    void add(Holding holding) {
        all.put(holding.key, holding);
        turns.add(holding);
    }

    void remove(Holding holding) {
        all.remove(holding.key);
        turns.remove(holding);
        unsaid.remove(holding);
        isDueNoMore(holding);
    }

    /** {@return all there are, in the order in which they came} */
    List<Holding> all() {
        return List.copyOf(all.values());
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** {@return whether the store knows of all that it has} */
    boolean areAllSaid() {
        return unsaid.isEmpty();
    }

    /** One is to be spoken of for that cause; it may be due for another one, too. */
    void due(Holding holding, Holding.Cause cause) {
        boolean unused = switch (cause) {
            case LACKS -> lacking.add(holding);
            case GIVES_BACK -> givingBack.add(holding);
            case AGAIN -> again.add(holding);
            case NONE -> false;
        };
    }

    private void isDueNoMore(Holding holding) {
        lacking.remove(holding);
        givingBack.remove(holding);
        again.remove(holding);
    }

    /** {@return whether there is something to speak of} */
    boolean isAnyDue() {
        return !(lacking.isEmpty() && givingBack.isEmpty() && again.isEmpty() && unsaid.isEmpty());
    }

    /** All that it has is to be said again before anything of it counts. */
    void unsayAll(Consumer<Holding> how) {
        for (Holding holding : all.values()) {
            how.accept(holding);
            if (holding.has() > 0) {
                unsaid.add(holding);
            }
        }
    }

    /** One is spoken of. */
    void spokenOf(Holding holding) {
        holding.spoken();
        isDueNoMore(holding);
        turns.remove(holding);
        turns.add(holding);
    }

    /** The store has been told of one. */
    void said(Holding holding) {
        unsaid.remove(holding);
    }

    /**
     * Chooses those of which the next statement speaks.
     *
     * @param heartbeat whether it says again what it lacks, and of the rest what was not said for longest
     * @param unheard whether the store has not answered to the last one, or has refused it: then this speaks of none for the
     *     first time, since what was said stays until it is answered, and these may be ever more
     */
    Set<Holding> next(boolean heartbeat, boolean unheard) {
        Set<Holding> next = new LinkedHashSet<>();
        boolean everything = heartbeat || !unsaid.isEmpty();
        int forAgain = Math.min(again.size(), RESERVED);
        copy(lacking, PORTION - forAgain - Math.min(givingBack.size(), RESERVED), next);
        copy(givingBack, PORTION - forAgain, next);
        int most = heartbeat ? Statement.MOST_DEMANDS - IN_TURN : Statement.MOST_DEMANDS;
        copy(again, everything ? most : Math.min(PORTION, next.size() + MOST_AGAIN), next);
        copy(unsaid, Statement.MOST_DEMANDS, next);
        if (heartbeat) {
            copy(turns.stream().filter(Holding::saysThatItLacks).toList(), most, next);
            copy(turns, Statement.MOST_DEMANDS, next);
        }
        copy(givingBack, Statement.MOST_DEMANDS, next); // else these grow while new keys come fast
        if (unheard) {
            next.removeIf(Holding::isUnknown);
        }
        return next;
    }

    private static void copy(Collection<Holding> from, int most, Set<Holding> to) {
        Iterator<Holding> some = from.iterator();
        while (to.size() < most && some.hasNext()) {
            to.add(some.next());
        }
    }
}
