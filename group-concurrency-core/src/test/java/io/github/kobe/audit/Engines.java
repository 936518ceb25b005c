package io.github.kobe.audit;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.testing.Deadline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Makes the executors of a test and audits them after it. A test opens its gates and ends its calls itself; what it
 * leaves running or waiting must end by itself, or the audit fails.
 *
 * <pre>{@code
 * @RegisterExtension
 * final Engines engines = new Engines();
 * }</pre>
 */
public final class Engines implements AfterEachCallback {

    private final Map<GroupExecutor, Entry> entries = new LinkedHashMap<>();

    /** An executor with a {@link Witness} in its policy, audited after the test. */
    public GroupExecutor start(GroupPolicy policy) {
        return start(policy, Surroundings.SYSTEM);
    }

    /** As {@link #start(GroupPolicy)}, with that clock and without timers. */
    public GroupExecutor start(GroupPolicy policy, ManualClock clock) {
        return start(policy, clock.environment());
    }

    /** As {@link #start(GroupPolicy)}, in that environment. */
    public GroupExecutor start(GroupPolicy policy, Surroundings environment) {
        return start(policy, environment, ClusterSignals.NONE);
    }

    /** As that, with limits that several instances share. */
    public GroupExecutor start(GroupPolicy policy, Surroundings environment, ClusterSignals cluster) {
        Witness witness = new Witness();
        GroupExecutor executor = EngineAccess.newExecutor(witness.into(policy), environment, cluster);
        witness.watchOver(executor);
        return add(executor, witness, environment);
    }

    /** An executor with just that policy, no witness in it: for what a listener or a decorator would change. */
    public GroupExecutor startPlain(GroupPolicy policy) {
        return startPlain(policy, Surroundings.SYSTEM);
    }

    /** As {@link #startPlain(GroupPolicy)}, in that environment. */
    public GroupExecutor startPlain(GroupPolicy policy, Surroundings environment) {
        return startPlain(policy, environment, ClusterSignals.NONE);
    }

    /** As that, with limits that several instances share. */
    public GroupExecutor startPlain(GroupPolicy policy, Surroundings environment, ClusterSignals cluster) {
        return add(EngineAccess.newExecutor(policy, environment, cluster), null, environment);
    }

    private GroupExecutor add(GroupExecutor executor, Witness witness, Surroundings environment) {
        entries.put(executor, new Entry(witness, environment.timers()));
        return executor;
    }

    /** The witness of an executor made by {@code start}. */
    public Witness witness(GroupExecutor executor) {
        return entries.get(executor).witness;
    }

    /** Puts a fresh witness into an executor that has been audited, and a policy: for one that lives long. */
    public void renewWitness(GroupExecutor executor, GroupPolicy policy) {
        Witness witness = new Witness();
        witness.blind(); // the executor's totals are of its whole life
        executor.updatePolicy(witness.into(policy));
        witness.watchOver(executor);
        entries.put(executor, new Entry(witness, entries.get(executor).timers));
    }

    /** A new policy for an executor made by {@code start}, with its witness in it: for {@code updatePolicy}. */
    public GroupPolicy witnessed(GroupExecutor executor, GroupPolicy policy) {
        return witness(executor).into(policy);
    }

    /** Has the audit compare a handle with its future and with what the listener heard. */
    public <T> TaskHandle<T> watch(GroupExecutor executor, TaskHandle<T> handle) {
        return witness(executor).watch(handle);
    }

    /** Leaves an executor out of the audit; say why beside the call. */
    public void withoutAudit(GroupExecutor executor) {
        entries.remove(executor);
    }

    /** Audits an executor now. */
    public void audit(GroupExecutor executor) {
        Entry entry = entries.get(executor);
        Audit.check(executor, entry.witness, entry.timers);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        boolean failed = context.getExecutionException().isPresent();
        List<Throwable> found = new ArrayList<>();
        entries.keySet().forEach(executor -> {
            try {
                if (!failed) {
                    audit(executor);
                }
            } catch (RuntimeException | Error finding) {
                found.add(finding);
            }
            try {
                Deadline.within(() -> {
                    executor.shutdown();
                    return true;
                });
            } catch (Exception | AssertionError stuck) {
                found.add(new AssertionError("shutdown() did not return", stuck));
            }
        });
        if (!found.isEmpty()) {
            AssertionError error = new AssertionError(found.getFirst().getMessage(), found.getFirst());
            found.stream().skip(1).forEach(error::addSuppressed);
            throw error;
        }
    }

    private record Entry(Witness witness, boolean timers) {}
}
