package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.internal.rules.TaskRecord;

/**
 * A task that waits for its wave, for its plan to go on, or for its tenant.
 *
 * @param position where it is in the order of the plan, from 0
 */
record WaitingTask(TaskId id, TenantId tenant, int position) {

    static WaitingTask of(TaskRecord task) {
        return new WaitingTask(task.id(), task.tenantId(), task.position());
    }
}
