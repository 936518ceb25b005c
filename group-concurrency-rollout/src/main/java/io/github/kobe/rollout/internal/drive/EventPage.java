package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.RecordedEvent;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.internal.rules.PlanStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads some events of a plan. */
public final class EventPage {

    private static final int MOST = 1_000;

    private EventPage() {}

    public static List<RecordedEvent> of(
            PlanStore store, PlanId planId, @Nullable TenantId tenantId, long after, int limit) {
        if (after < 0) {
            throw new IllegalArgumentException("after is " + after + "; it must be at least 0");
        }
        if (limit < 1 || limit > MOST) {
            throw new IllegalArgumentException("limit is " + limit + "; it must be from 1 to " + MOST);
        }
        return store.findEvents(planId, tenantId, after, limit);
    }
}
