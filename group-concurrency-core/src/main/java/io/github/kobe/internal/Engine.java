package io.github.kobe.internal;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupHolder;
import io.github.kobe.GroupRecorder;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupWaiter;
import io.github.kobe.RuleStats;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The engine: it makes its parts, and has the map of groups.
 *
 * <h2>Overview</h2>
 *
 * <p>A {@link Group} keeps its free permits in one word. While nothing waits, taking and returning permits is one
 * compare-and-set ({@link Admission} for tasks, {@link Callers} for threads). Otherwise a short critical section under
 * the group's guard decides about permits and queue at once. Free global permits are in the {@link Credits}; while they
 * are short, the guard of all groups is the lock of the {@link Ledger}, which also knows whose turn it is.
 *
 * <p>Permits that are out are a {@link Hold}; a task's is a {@link Run}, which is also the body of its thread, and one
 * that is handed out is a {@link Permit}. A request from inside shares the global permit by a {@link SharedGlobal}.
 * {@link Holds} finds holds by thread, for re-entry, {@link Lending}, and interrupts. {@link Releases} returns their
 * permits.
 *
 * <p>A {@link Batch} carries out the decisions of a critical section after it: threads are started, waiters woken, user
 * code called. {@link Housekeeper} looks after time, {@link IdleGroups} after unused groups, {@link Lifecycle} after
 * the shutdown.
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>A permit is in a group's word or fields, or it is out with exactly one open hold, kept permit or open stage.
 *   <li>A free permit and a node that could use it don't coexist outside a critical section.
 *   <li>The winner of a node's one compare-and-set completes it; the last close of a hold returns its permits.
 *   <li>The map has at most one group for a key that isn't dead.
 * </ul>
 *
 * <p>Lock order: the ledger's, a group's own, then the leaves of housekeeper and idle list. No user code, no logging and
 * no completion happens under any of them. docs/internals/concurrency.md has the whole picture.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Engine extends Core {

    /** Interrupts what runs, of any group: made before it is needed, when there may be no memory for it. */
    private static final Consumer<Hold> INTERRUPTION = Engine::interrupt;

    private final ConcurrentHashMap<String, Group> groups = new ConcurrentHashMap<>();

    final Ledger ledger;
    final Holds holds = new Holds();
    final Rejections rejections;
    final Dispatcher dispatcher;
    final IdleGroups idle;
    final Lending lending;
    final Borrowing borrowing;
    final Releases releases;
    final Lifecycle lifecycle;
    final Control control;
    final Admission admission;
    final Callers callers;
    final UnderPermit underPermit;
    final ScopeBridge scopes;

    Engine(CompiledPolicy policy, Environment environment) {
        super(policy, environment);
        ledger = new Ledger(environment.processors());
        rejections = new Rejections(this);
        dispatcher = new Dispatcher(this);
        idle = new IdleGroups(this);
        lending = new Lending(this);
        borrowing = new Borrowing(this);
        releases = new Releases(this);
        lifecycle = new Lifecycle(this);
        control = new Control(this);
        admission = new Admission(this);
        callers = new Callers(this);
        underPermit = new UnderPermit(this);
        scopes = new ScopeBridge(this);
        ledger.setLimit(policy.source().globalMaxInFlight());
    }

    /**
     * Checks that the current thread may bring new work.
     *
     * @throws ExecutorShutdownException if not
     */
    void requireAdmits() {
        requireAdmits(admits());
    }

    /** {@return whether new work of the current thread is let in} */
    boolean admits() {
        return stage.isRunning() || (stage.isDraining() && isUnderPermit());
    }

    /** As {@link #requireAdmits()}, for what is asked of a permit that is open. */
    void requireAdmitsFromInside() {
        requireAdmits(!stage.isOver());
    }

    private static void requireAdmits(boolean admits) {
        if (!admits) {
            throw new ExecutorShutdownException();
        }
    }

    /** {@return whether the current thread runs under a permit of any group} */
    boolean isUnderPermit() {
        return holds.topOpen(Thread.currentThread()) != null;
    }

    // ---- groups

    /** {@return the group of {@code key}, made if need be; it may have died by the time it is used} */
    Group group(String key) {
        Group known = groups.get(key);
        return known != null ? known : newGroup(key);
    }

    private Group newGroup(String key) {
        CompiledPolicy resolvedBy = policy;
        requireKey(key);
        EffectiveLimits limits = resolvedBy.resolve(key);
        Recording recording = newRecording(resolvedBy, key, limits.rule());
        Group made = new Group(this, key, limits, resolvedBy.names(key), recording);
        Group known = groups.putIfAbsent(key, made);
        if (known != null) {
            recording.end(new Counters());
            return known;
        }
        if (policy != resolvedBy) {
            // Replaced meanwhile, and perhaps missed by the update, which goes over the groups in the map.
            rebase(made);
        }
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

    @Nullable
    Group groupIfKnown(String key) {
        return groups.get(key);
    }

    Collection<Group> groups() {
        return groups.values();
    }

    Set<String> groupKeys() {
        // Not Set.copyOf, which takes quadratic time if somebody chooses keys that share their hash code.
        return Collections.unmodifiableSet(new HashSet<>(groups.keySet()));
    }

    /** Takes a dead group out of the map; whoever meets it helps. */
    void forget(Group dead) {
        groups.remove(dead.key, dead);
    }

    /** Puts a policy in force for all groups together; {@link #rebase} follows for each. */
    void replacePolicy(CompiledPolicy newPolicy, Batch batch) {
        int newLimit = newPolicy.source().globalMaxInFlight();
        boolean first = ledger.isFirstLimit(newLimit);
        if (first) {
            ledger.watchFirstLimit(newLimit, groups.values());
        }
        ledger.lock();
        try {
            if (first) {
                ledger.unwatch();
            }
            ledger.setLimit(newLimit);
            policy = newPolicy;
            ledger.drain(null, batch);
        } finally {
            ledger.unlock();
        }
    }

    /**
     * Resolves a group's limits by the policy in force, until that is still in force afterwards, and has it recorded under
     * the rule that they are by.
     */
    void rebase(Group group) {
        for (CompiledPolicy before = null; before != policy; ) {
            before = policy;
            EffectiveLimits limits = before.resolve(group.key);
            Batch batch = new Batch(this);
            try {
                boolean named = before.names(group.key);
                group.change(state -> state.rebase(limits, named), batch);
            } finally {
                batch.carryOut();
            }
        }
        record(group, false);
    }

    /**
     * Has a group recorded under the rule that its limits are by, and by a recorder of the factory in force.
     *
     * @param anew whether to begin anew also if it is, and to forget what the group has counted
     */
    void record(Group group, boolean anew) {
        for (boolean done = false; !done && !group.isDead(); ) {
            CompiledPolicy inForce = policy;
            Recording before = group.record.recording();
            String rule = group.rule();
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
    void dropRules() {
        ledger.lock();
        try {
            accounts.keepOnly(policy);
        } catch (OutOfMemoryError oom) {
            // They are kept for longer.
        } finally {
            ledger.unlock();
        }
    }

    /** {@return what interrupts the runs of {@code group}} Made before anything is stopped, while there is memory for it. */
    Consumer<Hold> interruptionOf(Group group) {
        return hold -> {
            if (hold.group == group) {
                interrupt(hold);
            }
        };
    }

    /** Interrupts what runs and cancels open stages of one group. */
    void interruptRuns(Group group, Consumer<Hold> interruption) {
        holds.forEachOpen(interruption);
        cancelStages(group);
    }

    /**
     * Interrupts what runs in all groups. It needs no memory, but for runs that are in the map of {@link Holds}.
     *
     * @return whether there was memory for all of it
     */
    boolean interruptAllRuns() {
        try {
            holds.forEachOpen(INTERRUPTION);
            return true;
        } catch (OutOfMemoryError oom) {
            return false;
        }
    }

    private static void interrupt(Hold hold) {
        if (hold instanceof Run run) {
            run.interrupt();
        }
    }

    void cancelStages(Group group) {
        group.unbound.forEach(entry -> {
            if (entry instanceof OpenStage stage) {
                report(new Report() {
                    @Override
                    public void run() {
                        stage.run.task.cancel(true);
                    }
                });
            }
        });
    }

    // ---- statistics

    Optional<GroupStats> groupStats(String key) {
        Group group = groups.get(key);
        CompiledPolicy inForce = policy;
        if (group == null && inForce.names(key)) {
            // Named by the policy and not used yet: as it will be.
            EffectiveLimits limits = inForce.resolve(key);
            group = new Group(this, key, limits, true, accounts.of(limits.rule()).unrecorded);
        }
        return Optional.ofNullable(group).map(Readings::stats);
    }

    List<GroupWaiter> waiters(String key, int limit) {
        Group group = groups.get(key);
        return group == null || group.queued() == 0 ? List.of() : Readings.waiters(group, limit);
    }

    List<GroupHolder> holders(String key) {
        Group group = groups.get(key);
        return group == null ? List.of() : Holders.of(group);
    }

    List<RuleStats> ruleStats() {
        CompiledPolicy inForce = policy;
        long now = now();
        // In the order of their declaration. What is in accounts is read before what groups have: as RuleAccount says.
        Map<@Nullable String, RuleSum> sums = new LinkedHashMap<>();
        inForce.source().groups().keySet().forEach(rule -> sums.put(rule, new RuleSum(accounts.of(rule))));
        inForce.source().patterns().keySet().forEach(rule -> sums.putIfAbsent(rule, new RuleSum(accounts.of(rule))));
        sums.put(null, new RuleSum(accounts.of(null)));
        for (Group group : groups.values()) {
            RuleSum sum = sums.get(group.record.recording().account().rule);
            if (sum != null) { // else it is of a policy that is just being replaced
                sum.add(group, now);
            }
        }
        return sums.values().stream().map(RuleSum::shown).toList();
    }

    GroupExecutorStats stats() {
        return Readings.stats(groups.values(), accounts, policy);
    }
}
