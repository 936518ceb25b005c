package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.TaskRecord;

/** Thrown if another drive has taken over the plan: this one may write nothing more. */
final class FencedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    FencedException(TaskRecord task, long epoch) {
        super("task " + task.id() + " belongs to drive " + task.epoch() + ", not " + epoch);
    }

    FencedException(PlanRecord plan, long epoch) {
        super("plan " + plan.id() + " belongs to drive " + plan.epoch() + ", not " + epoch);
    }

    FencedException(PlanId planId) {
        super("plan " + planId + " belongs to another drive of this node");
    }
}
