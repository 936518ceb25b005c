package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.Wish;
import io.github.kobe.rollout.internal.rules.Boundaries;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What somebody wants of the tasks of a plan, and how a drive sees to it. Only the drive's thread uses it. */
final class TaskWishes {

    /** A transaction that cancels more would hold the plan for long. */
    private static final int CANCELLED_AT_ONCE = 500;

    private final RolloutEngine engine;
    private final Lease lease;
    private final TaskSignals signals;
    private final Backlog backlog;
    private final Runnable whenCommitted;

    /** How many wishes were left with them when they were read last; before that, another number. */
    private long read = -1;

    TaskWishes(RolloutEngine engine, Lease lease, TaskSignals signals, Backlog backlog, Runnable whenCommitted) {
        this.engine = engine;
        this.lease = lease;
        this.signals = signals;
        this.backlog = backlog;
        this.whenCommitted = whenCommitted;
    }

    /** {@return the tasks that something is wanted of, if that is news} Those that run know it now. */
    List<TaskRecord> tell(PlanRecord plan) {
        signals.remind();
        if (plan.wishes() == read) {
            return List.of();
        }
        List<TaskRecord> wished = engine.store().findWished(plan.id());
        for (TaskRecord task : wished) {
            signals.tell(task.id(), task.wants(Wish.Kind.CANCEL_NOW));
        }
        read = plan.wishes();
        return wished;
    }

    /** Each task that something is wanted of and that rests gets a thread, unless nothing but its end is wanted. */
    void heed(PlanRecord plan) {
        List<TaskId> cancelled = new ArrayList<>();
        for (TaskRecord task : tell(plan)) {
            boolean rests = !task.status().hasThread();
            if (rests && task.wantsCancel()) {
                cancelled.add(task.id());
            } else if (rests) {
                backlog.want(task.id());
            }
        }
        for (int from = 0; from < cancelled.size(); from += CANCELLED_AT_ONCE) {
            int to = Math.min(from + CANCELLED_AT_ONCE, cancelled.size());
            Set<TaskId> some = new LinkedHashSet<>(cancelled.subList(from, to));
            List<TaskId> begun = lease.persist(() -> cancelIdle(some));
            UserCode.run(() -> engine.options().forgetCheckpoints(begun));
            whenCommitted.run();
            backlog.remove(some);
        }
    }

    /** {@return those that have begun before} Needs no turn, since nothing runs for them. */
    private List<TaskId> cancelIdle(Set<TaskId> ids) {
        return engine.transact(ledger -> {
            lease.open(ledger);
            List<TaskId> begun = new ArrayList<>();
            for (TaskId id : ids) {
                TaskRecord task = ledger.task(id);
                if (task.wantsCancel() && !task.status().hasThread()) {
                    Boundaries.begin(ledger, task);
                }
                // Also what is cancelled already: if the answer to that was lost, this is tried again.
                if (task.startedAt() != null) {
                    begun.add(id);
                }
            }
            return begun;
        });
    }
}
