package io.github.kobe.internal.doors;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupHolder;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupWaiter;
import io.github.kobe.RuleStats;
import io.github.kobe.internal.base.Answer;
import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.Environment;
import io.github.kobe.internal.base.Housekeeper;
import io.github.kobe.internal.lending.Lending;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Credits;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Holds;
import io.github.kobe.internal.permits.IdleGroups;
import io.github.kobe.internal.permits.Ledger;
import io.github.kobe.internal.permits.Readings;
import io.github.kobe.internal.permits.Releases;
import io.github.kobe.internal.permits.RuleSum;
import io.github.kobe.internal.permits.SharedGlobal;
import io.github.kobe.internal.work.Holders;
import io.github.kobe.internal.work.Opener;
import io.github.kobe.internal.work.Permit;
import io.github.kobe.internal.work.Run;
import io.github.kobe.internal.work.Work;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * The engine, with all its parts. A {@code GroupExecutor} makes it, and calls them: it has checked the arguments, and its
 * Javadoc says what each of their public methods does.
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
public final class Engine extends Work {

    public final Lifecycle lifecycle;
    public final Control control;
    public final Admission admission;
    public final Callers callers;
    public final AsyncPermits asyncPermits;
    public final UnderPermit underPermit;
    final ScopeBridge scopes;
    final LimitsTable table;
    final Watch watch;

    Engine(CompiledPolicy policy, Environment environment, ClusterSignals cluster) {
        super(policy, environment, cluster);
        lifecycle = new Lifecycle(this);
        control = new Control(this);
        admission = new Admission(this);
        callers = new Callers(this);
        asyncPermits = new AsyncPermits(this);
        underPermit = new UnderPermit(this);
        scopes = new ScopeBridge(this);
        table = new LimitsTable(this);
        watch = new Watch(this);
    }

    /** {@return an engine that shares no limit with other instances} */
    public static Engine of(CompiledPolicy policy) {
        return of(policy, ClusterSignals.NONE);
    }

    /** {@return an engine some of whose limits several instances share} */
    public static Engine of(CompiledPolicy policy, ClusterSignals cluster) {
        return new Engine(policy, Environment.SYSTEM, cluster);
    }

    /** {@return one group as an executor service} */
    public ExecutorService view(String key) {
        requireKey(key);
        return new GroupExecutorService(this, key);
    }

    @Override
    public Answer ask(CompiledPolicy by, String key) {
        return table.ask(by, key);
    }

    @Override
    public Answer answerOf(CompiledPolicy by, Group group) {
        return table.answerOf(by, group);
    }

    @Override
    public void made(Group group) {
        table.made(group);
        watch.groupMade();
    }

    @Override
    public Opener opener() {
        return underPermit;
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

    // ---- statistics

    public Optional<GroupStats> groupStats(String key) {
        Group group = groupIfKnown(key);
        CompiledPolicy inForce = policy;
        if (group == null && inForce.names(key)) {
            // Named by the policy and not used yet: as it will be.
            EffectiveLimits limits = inForce.resolve(key, table.ask(inForce, key));
            group = new Group(this, key, limits, true, accounts.of(limits.rule()).unrecorded);
        }
        return Optional.ofNullable(group).map(Readings::stats);
    }

    public List<GroupWaiter> waiters(String key, int limit) {
        Group group = groupIfKnown(key);
        return group == null || group.queued() == 0 ? List.of() : Readings.waiters(group, limit);
    }

    public List<GroupHolder> holders(String key) {
        Group group = groupIfKnown(key);
        return group == null ? List.of() : Holders.of(group);
    }

    public Map<String, Duration> longestHolds() {
        Map<String, Long> since = new HashMap<>();
        Holders.forEachSince(this, (group, start) -> {
            Long known = since.get(group.key);
            if (known == null || start < known) {
                since.put(group.key, start);
            }
        });
        long now = now();
        Map<String, Duration> holds = new HashMap<>();
        since.forEach((key, start) -> holds.put(key, Duration.ofNanos(Math.max(0, now - start))));
        return holds;
    }

    public List<RuleStats> ruleStats() {
        CompiledPolicy inForce = policy;
        long now = now();
        // In the order of their declaration. What is in accounts is read before what groups have: as RuleAccount says.
        Map<@Nullable String, RuleSum> sums = new LinkedHashMap<>();
        inForce.source().groups().keySet().forEach(rule -> sums.put(rule, new RuleSum(accounts.of(rule))));
        inForce.source().patterns().keySet().forEach(rule -> sums.putIfAbsent(rule, new RuleSum(accounts.of(rule))));
        sums.put(null, new RuleSum(accounts.of(null)));
        for (Group group : groups()) {
            RuleSum sum = sums.get(group.record.recording().account().rule);
            if (sum != null) { // else it is of a policy that is just being replaced
                sum.add(group, now);
            }
        }
        Holders.forEachSince(this, (group, since) -> {
            RuleSum sum = sums.get(group.record.recording().account().rule);
            if (sum != null) {
                sum.addHold(now - since);
            }
        });
        return sums.values().stream().map(RuleSum::shown).toList();
    }

    public GroupExecutorStats stats() {
        return Readings.stats(this);
    }
}
