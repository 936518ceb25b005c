package io.github.kobe.internal.cluster;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Hint;
import io.github.kobe.internal.base.Core;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.Lease;
import io.github.kobe.internal.cluster.Holding.Cause;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Groups;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * The groups of one engine, as far as capacity is leased to them: sets how much each may have in flight, looks at how much it
 * needs, and notes of which there is something to say. Times are by the engine's clock. Used by the cluster's thread alone.
 */
final class Leasing {

    private final Groups engine;
    private final long idleReturn;
    private final Holdings holdings;

    /** The turns that have not ended, the next to end first. */
    private final PriorityQueue<Turn> turns = new PriorityQueue<>(Comparator.comparingLong(Turn::ends));

    /** Whether the engine goes by its own numbers, since there is no store that grants. */
    private boolean alone;

    /** Until when, as far as is known; {@link Core#LATEST}: until the store answers. */
    private long comesBackAt = Core.LATEST;

    /** A group keeps what was granted until then, though others need some of it. */
    private record Turn(long ends, Holding holding) {}

    /**
     * Leases nothing yet.
     *
     * @param idleReturn how long, in nanoseconds, what is not in use is kept if nobody else wants it
     */
    Leasing(Groups engine, long idleReturn, Holdings holdings) {
        this.engine = engine;
        this.idleReturn = idleReturn;
        this.holdings = holdings;
    }

    // ---- one group

    /** A group is to be looked at. */
    void touched(String key) {
        if (!alone) {
            long now = engine.now();
            look(holding(key, now), now);
            return;
        }
        Group group = engine.groupIfKnown(key);
        if (group != null) {
            leaseAlone(group);
        }
    }

    private Holding holding(String key, long now) {
        Holding known = holdings.find(key);
        if (known != null) {
            return known;
        }
        Holding made = new Holding(key, idleReturn, now);
        holdings.add(made);
        return made;
    }

    /** Looks at how a group stands, and lowers what it may have in flight to what is worth having. */
    void look(Holding holding, long now) {
        lease(holding, holding.leased(), now);
    }

    /** A group may have so many in flight from now on, as far as that is worth having. */
    void lease(Holding holding, int capacity, long now) {
        bind(holding, capacity, now);
        int bound = holding.bound(now, isEnding());
        if (bound < holding.leased()) {
            bind(holding, bound, now);
        }
        consider(holding, now);
    }

    /** The store has answered that a group may have so many. */
    void granted(Holding holding, int capacity, long now) {
        lease(holding, capacity, now);
        if (holding.turnEnds() != Holding.NEVER && holding.turnEnds() > now) {
            turns.add(new Turn(holding.turnEnds(), holding));
        }
    }

    /** Lowers what groups may have whose turns are over; so what ends from then on is given back at once. */
    void endTurns(long now) {
        for (Turn turn = turns.peek(); turn != null && turn.ends() <= now; turn = turns.peek()) {
            turns.remove();
            if (turn.holding().equals(holdings.find(turn.holding().key))) {
                look(turn.holding(), now);
            }
        }
    }

    /** {@return when the next turn ends; {@link Core#LATEST}: there is none} */
    long nextTurnEnds() {
        Turn next = turns.peek();
        return next == null ? Core.LATEST : next.ends();
    }

    private void bind(Holding holding, int capacity, long now) {
        holding.mayHave(capacity); // if it fails midway, more is said than is there, never less
        Group group = engine.groupIfKnown(holding.key);
        EffectiveLimit<Integer> limit = group == null ? null : group.limits().clusterMaxInFlight();
        if (limit != null) {
            holding.configured(limit.value());
        }
        Lease.Reading reading = group == null ? null : group.lease(capacity);
        if (reading == null) {
            holding.forgetGroup();
        } else {
            holding.stands(capacity, reading, now);
        }
    }

    /** Has it spoken of, if that is due; or forgets it. */
    private void consider(Holding holding, long now) {
        if (holding.isNothing(now)) {
            holdings.remove(holding);
        } else {
            holdings.due(holding, holding.cause(now));
        }
    }

    /** Somebody says that there is something to say of a resource, or of all that is lacking. */
    void hinted(String resource, long now) {
        if (alone) {
            return;
        }
        if (resource.equals(Hint.UNMET)) {
            holdings.all().stream()
                    .filter(Holding::saysThatItLacks)
                    .forEach(holding -> holdings.due(holding, Cause.AGAIN));
            return;
        }
        Holding holding = holding(resource.substring(Demand.GROUP.length()), now);
        holding.hinted();
        look(holding, now);
        holdings.due(holding, Cause.AGAIN);
    }

    // ---- all of them

    /** Looks at how much is in use, without the guards of the groups: so it costs those who use them nothing. */
    void sample(long now) {
        for (Holding holding : holdings.all()) {
            Group group = engine.groupIfKnown(holding.key);
            if (group == null) {
                look(holding, now);
                continue;
            }
            int queued = group.queued();
            holding.sampled(group.inFlight(), queued, group.counters.ended(), now);
            if (holding.bound(now, isEnding()) < holding.leased() || holding.needsMoreThanSaid(queued)) {
                look(holding, now);
            } else {
                consider(holding, now);
            }
        }
    }

    boolean isEnding() {
        return !engine.stage.isRunning();
    }

    /** {@return whether the engine has ended, and nothing of what it shares runs any more} */
    boolean hasEnded() {
        return engine.stage.isOver()
                && holdings.all().stream().allMatch(holding -> holding.has() == 0)
                && (!alone
                        || engine.groups().stream().allMatch(group -> !group.isClustered() || group.inFlight() == 0));
    }

    /** What is leased counts until {@code deadline}. */
    void countsUntil(long deadline) {
        engine.leaseUntil(deadline);
    }

    /** Nothing that is leased counts any more, and nothing is leased. What runs goes on. */
    void lose(long now) {
        engine.leaseUntil(0);
        holdings.all().forEach(holding -> lease(holding, 0, now));
    }

    // ---- without a store

    boolean isAlone() {
        return alone;
    }

    /** Nobody answers: the engine goes by its own numbers, and what it has is known to nobody. */
    void goAlone() {
        holdings.all().forEach(holdings::remove);
        engine.groups().forEach(Leasing::leaseAlone);
        alone = true;
        engine.leaseUntil(Core.LATEST);
    }

    /** A group without a number of its own can't go by it, so it stays closed. */
    private static void leaseAlone(Group group) {
        var unused = group.lease(group.limits().hasOwnConcurrency() ? EffectiveLimits.ALONE : 0);
    }

    /** {@return when the engine is to go by the store again; {@link Core#LATEST}: it does, or there is none} */
    long comesBackAt() {
        return comesBackAt;
    }

    /**
     * The store answers. While it learns it grants nothing to anybody, so it does no harm if it doesn't know what this engine
     * starts; but what it has learnt has to be true when it grants.
     */
    void comeBackAt(long at) {
        comesBackAt = alone ? at : Core.LATEST;
    }

    /** From then on nothing starts but what the store grants, and what runs is to be said to it. */
    void comeBackIfDue(long now) {
        if (now < comesBackAt) {
            return;
        }
        engine.leaseUntil(0);
        for (Group group : engine.groups()) {
            Lease.Reading reading = group.lease(0);
            if (reading != null && reading.out() + reading.kept() > 0) {
                Holding holding = holding(group.key, now);
                holding.stands(0, reading, now);
                consider(holding, now);
            }
        }
        holdings.unsayAll(Holding::unsayInNewSession);
        comesBackAt = Core.LATEST;
        alone = false;
    }
}
