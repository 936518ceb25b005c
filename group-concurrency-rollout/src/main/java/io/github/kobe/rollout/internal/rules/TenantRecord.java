package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.StageContext;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TenantId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is stored about a tenant; for stores.
 *
 * @param id the tenant
 * @param claim the task that has it
 * @param waiting the tasks that wait for it, in the order in which their plans were started
 * @param lastTask the task that ran last
 * @param lastKnownGood what was last known to be good
 * @param token the highest {@linkplain StageContext#fencingToken() fencing token} that any task of it was given, 0 for
 *     none
 * @since 0.1.0
 */
public record TenantRecord(
        TenantId id,
        @Nullable TaskId claim,
        List<TaskId> waiting,
        @Nullable TaskId lastTask,
        @Nullable Snapshot lastKnownGood,
        long token) {

    /** Copies the collection. */
    public TenantRecord {
        waiting = List.copyOf(waiting);
    }

    /**
     * {@return a tenant that nothing is known of}
     *
     * @param id the tenant
     */
    public static TenantRecord unknown(TenantId id) {
        return new TenantRecord(id, null, List.of(), null, null, 0);
    }

    public boolean isHeldBy(TaskId task) {
        return task.equals(claim);
    }

    /** {@return with the claim of the task, which has it already or finds it free} */
    public TenantRecord claimedBy(TaskId task) {
        if (claim != null && !isHeldBy(task)) {
            throw new IllegalStateException(id + " is claimed by " + claim + ", not by " + task);
        }
        return new TenantRecord(id, task, without(task), lastTask, lastKnownGood, token);
    }

    /** {@return with the task at the end of those that wait} */
    public TenantRecord awaitedBy(TaskId task) {
        List<TaskId> queue = new ArrayList<>(without(task));
        queue.add(task);
        return new TenantRecord(id, claim, queue, lastTask, lastKnownGood, token);
    }

    /** {@return without the task, which neither has it nor waits for it any more; the next in line has it} */
    public TenantRecord leftBy(TaskId task) {
        if (!isHeldBy(task)) {
            return new TenantRecord(id, claim, without(task), lastTask, lastKnownGood, token);
        }
        return waiting.isEmpty()
                ? new TenantRecord(id, null, waiting, lastTask, lastKnownGood, token)
                : new TenantRecord(
                        id, waiting.getFirst(), waiting.subList(1, waiting.size()), lastTask, lastKnownGood, token);
    }

    TenantRecord ranBy(TaskId task) {
        return new TenantRecord(id, claim, waiting, task, lastKnownGood, token);
    }

    public TenantRecord confirmed(Snapshot good) {
        return new TenantRecord(id, claim, waiting, lastTask, good, token);
    }

    /** {@return with the next token} */
    TenantRecord fenced() {
        return new TenantRecord(id, claim, waiting, lastTask, lastKnownGood, token + 1);
    }

    /** {@return whether another task of the tenant has run since that one did} */
    public boolean hasMovedOnFrom(TaskId task) {
        return lastTask != null && !Objects.equals(lastTask, task);
    }

    private List<TaskId> without(TaskId task) {
        return waiting.stream().filter(each -> !each.equals(task)).toList();
    }
}
