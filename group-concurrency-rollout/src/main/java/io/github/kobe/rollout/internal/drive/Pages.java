package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.PlanNotFoundException;
import io.github.kobe.rollout.RecordedEvent;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads as much as is asked for. */
public final class Pages {

    private static final int MOST_EVENTS = 1_000;

    private Pages() {}

    public static List<PlanInfo> plans(PlanStore store, int limit) {
        requireLimit(limit);
        return store.findPlans(limit).stream().map(PlanRecord::info).toList();
    }

    public static List<TaskInfo> tasks(PlanStore store, PlanId planId, @Nullable TaskStatus status, int limit) {
        requireLimit(limit);
        requirePlan(store, planId);
        return store.findByPlanId(planId, status, limit).stream()
                .map(TaskRecord::info)
                .toList();
    }

    public static List<RecordedEvent> events(
            PlanStore store, PlanId planId, @Nullable TenantId tenantId, long after, int limit) {
        requirePlan(store, planId);
        if (after < 0) {
            throw new IllegalArgumentException("after is " + after + "; it must be at least 0");
        }
        if (limit < 1 || limit > MOST_EVENTS) {
            throw new IllegalArgumentException("limit is " + limit + "; it must be from 1 to " + MOST_EVENTS);
        }
        return store.findEvents(planId, tenantId, after, limit);
    }

    private static void requirePlan(PlanStore store, PlanId planId) {
        if (store.findPlan(planId).isEmpty()) {
            throw new PlanNotFoundException(planId);
        }
    }

    private static void requireLimit(int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit is " + limit + "; it must be at least 0");
        }
    }
}
