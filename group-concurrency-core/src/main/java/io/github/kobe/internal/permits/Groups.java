package io.github.kobe.internal.permits;

import io.github.kobe.GroupRecorder;
import io.github.kobe.internal.base.Answer;
import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.base.Core;
import io.github.kobe.internal.base.Counters;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.Environment;
import io.github.kobe.internal.base.Recording;
import io.github.kobe.internal.base.Removal;
import io.github.kobe.internal.base.RuleAccount;
import io.github.kobe.internal.base.SafeRecorder;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The groups of an engine, by their keys, with the ledger of the global limit and the list of those that are idle. What the
 * layers above have to do with a group is in the abstract methods.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public abstract class Groups extends Core {

    private final ConcurrentHashMap<String, Group> groups = new ConcurrentHashMap<>();

    public final Ledger ledger;
    public final IdleGroups idle;
    final RememberedRates remembered;

    public Groups(CompiledPolicy policy, Environment environment, ClusterSignals cluster, Lenders lenders) {
        super(policy, environment, cluster);
        ledger = new Ledger(this, lenders);
        idle = new IdleGroups(this);
        remembered = new RememberedRates(housekeeper);
        setLimits(policy, true);
    }

    // ---- what the layers above do

    /** {@return what {@code group} needs once it has to do with lending} Under its guard. */
    public abstract LocalLending newLending(Group group);

    /** {@code node}, which belongs to a scope, has been queued in {@code group}; by who holds no lock. */
    public abstract void queued(Node node, Group group);

    /** Has {@code group} know all offers for what waits there; by who holds no lock. */
    public abstract void lookForOffers(Group group);

    /** {@return what the limits resolver of a policy says of a group that isn't there yet} */
    public abstract Answer ask(CompiledPolicy by, String key);

    /** {@return what the limits resolver of a policy has said of a group; asked if need be} */
    public abstract Answer answerOf(CompiledPolicy by, Group group);

    /** There is one group more, which can be found from now on. */
    public abstract void made(Group group);

    /** Forgets what threads have left behind that have ended; now and then, by the housekeeper. */
    public abstract void forgetLeftBehind();

    // ---- groups

    /** {@return the group of {@code key}, made if need be; it may have died by the time it is used} */
    public Group group(String key) {
        Group known = groups.get(key);
        return known != null ? known : newGroup(key);
    }

    private Group newGroup(String key) {
        CompiledPolicy resolvedBy = policy;
        requireKey(key);
        Answer answer = ask(resolvedBy, key);
        EffectiveLimits limits = resolvedBy.resolve(key, answer);
        Recording recording = newRecording(resolvedBy, key, limits.rule());
        Group made = new Group(this, key, limits, resolvedBy.names(key), recording);
        Answer unused = made.keep(answer);
        Group known = groups.putIfAbsent(key, made);
        if (known != null) {
            recording.end(new Counters());
            return known;
        }
        if (policy != resolvedBy) {
            // Replaced meanwhile, and perhaps missed by the update, which goes over the groups in the map.
            rebase(made);
        }
        made(made);
        return made;
    }

    /** {@return what a group has of a rule; may ask for a recorder} */
    private Recording newRecording(CompiledPolicy by, String key, @Nullable String rule) {
        RuleAccount account = accounts.of(rule);
        GroupRecorder.Factory factory = by.recorderFactory();
        return factory == null
                ? account.unrecorded
                : new Recording(account, factory, SafeRecorder.ask(factory, reports, key, rule));
    }

    public @Nullable Group groupIfKnown(String key) {
        return groups.get(key);
    }

    public Collection<Group> groups() {
        return groups.values();
    }

    public Set<String> groupKeys() {
        // Not Set.copyOf, which takes quadratic time if somebody chooses keys that share their hash code.
        return Collections.unmodifiableSet(new HashSet<>(groups.keySet()));
    }

    /** Forgets what was started in a group that is forgotten itself. */
    public void forgetRate(String key) {
        GroupRate unused = remembered.take(key);
    }

    /** Takes a dead group out of the map; whoever meets it helps. */
    public void forget(Group dead) {
        boolean unused = Removal.from(groups, dead.key, dead);
    }

    /**
     * Has what is leased count until {@code deadline}, by the clock of {@link #now}, and what has waited for that start; by who
     * leases, without any lock.
     */
    public void leaseUntil(long deadline) {
        long before = cluster.setDeadline(deadline);
        // The clock is read last, for the reason that ClusterSignals.isOver gives.
        if (now() >= before) {
            leaseRenewed();
        }
    }

    /**
     * Has each group dispatch again that may have waited since the deadline came. Such a one is slow: it was entered before
     * the deadline was read.
     */
    private void leaseRenewed() {
        for (Group group : groups.values()) {
            if (group.isClustered() && group.isSlow()) {
                Batch batch = Batch.orNull(this, 0);
                group.enter();
                group.exit(batch);
                Batch.carryOutIfMade(batch);
            }
        }
    }

    /** Puts a policy in force for all groups together; {@link #rebase} follows for each. */
    public void replacePolicy(CompiledPolicy newPolicy, Batch batch) {
        int newLimit = newPolicy.source().globalMaxInFlight();
        boolean first = ledger.permits.areFirst(newLimit, newPolicy.globalTempo());
        if (first) {
            ledger.watchFirstLimit(newLimit, groups.values());
        }
        ledger.lock();
        try {
            if (first) {
                ledger.unwatch();
            }
            setLimits(newPolicy, false);
            policy = newPolicy;
            ledger.drain(null, batch);
        } finally {
            ledger.unlock();
        }
    }

    private void setLimits(CompiledPolicy newPolicy, boolean begins) {
        ledger.setLimits(
                newPolicy.source().globalMaxInFlight(), newPolicy.globalHeadroom(), newPolicy.globalTempo(), begins);
    }

    /**
     * Resolves a group's limits by the policy in force and what its resolver has said, until these are the same afterwards,
     * and has it recorded under the rule that they are by.
     */
    public void rebase(Group group) {
        CompiledPolicy before;
        Answer answer;
        do {
            before = policy;
            answer = answerOf(before, group);
            EffectiveLimits limits = before.resolve(group.key, answer);
            Batch batch = new Batch(this);
            try {
                boolean named = before.names(group.key);
                group.change(state -> state.rebase(limits, named, batch), batch);
            } finally {
                batch.carryOut();
            }
        } while (isOutdated(group, before, answer));
        record(group, false);
    }

    /** {@return whether a group's limits by that policy and answer are no longer those that it should have} */
    public boolean isOutdated(Group group, CompiledPolicy by, Answer answer) {
        return by != policy || answer != group.answer();
    }

    /**
     * Has a group recorded under the rule that its limits are by, and by a recorder of the factory in force.
     *
     * @param anew whether to begin anew also if it is, and to forget what the group has counted
     */
    public void record(Group group, boolean anew) {
        for (boolean done = false; !done && !group.isDead(); ) {
            CompiledPolicy inForce = policy;
            Recording before = group.record.recording();
            String rule = group.limits().rule();
            if (!anew && before.account() == accounts.of(rule) && before.asked() == inForce.recorderFactory()) {
                return;
            }
            Counters counted = new Counters();
            Counters kept = anew ? null : new Counters();
            Recording made = newRecording(inForce, group.key, rule);
            Batch batch = new Batch(this);
            try {
                done = group.replaceRecording(before, made, counted, kept, batch);
            } finally {
                batch.carryOut();
            }
            (done ? before : made).end(counted);
        }
    }

    /** Lets go of what is kept of rules that the policy in force hasn't; if there is no memory for it, the next one does. */
    public void dropRules() {
        ledger.lock();
        try {
            accounts.keepOnly(policy);
        } catch (OutOfMemoryError oom) {
            // They are kept for longer.
        } finally {
            ledger.unlock();
        }
    }
}
