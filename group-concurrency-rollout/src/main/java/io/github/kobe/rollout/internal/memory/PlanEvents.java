package io.github.kobe.rollout.internal.memory;

import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.RecordedEvent;
import io.github.kobe.rollout.RecordedEvent.Delivery;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.TenantId;
import java.time.Instant;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The events of one plan, by their positions. Guarded by the lock of the store. */
final class PlanEvents {

    private final NavigableMap<Long, Kept> all = new TreeMap<>();
    private final NavigableMap<Long, Kept> unpublished = new TreeMap<>();
    private long last;

    private static final class Kept {

        private final long position;
        private final RolloutEvent event;
        private Delivery delivery = Delivery.WAITING;
        private @Nullable Instant refusedAt;

        Kept(long position, RolloutEvent event) {
            this.position = position;
            this.event = event;
        }

        RecordedEvent recorded() {
            return new RecordedEvent(position, delivery, event);
        }
    }

    void add(RolloutEvent event) {
        last++;
        Kept kept = new Kept(last, event);
        all.put(last, kept);
        unpublished.put(last, kept);
    }

    boolean hasUnpublished() {
        return !unpublished.isEmpty();
    }

    List<RolloutEvent> findUnpublished(int limit) {
        return unpublished.values().stream()
                .limit(limit)
                .map(kept -> kept.event)
                .toList();
    }

    List<RecordedEvent> find(@Nullable TenantId tenantId, long after, int limit) {
        return all.tailMap(after, false).values().stream()
                .filter(kept -> tenantId == null || tenantId.equals(kept.event.tenantId()))
                .limit(limit)
                .map(Kept::recorded)
                .toList();
    }

    Instant refuse(RolloutEvent event, Instant now) {
        for (Kept kept : unpublished.values()) {
            if (kept.event.equals(event)) {
                if (kept.refusedAt == null) {
                    kept.refusedAt = now;
                }
                return kept.refusedAt;
            }
        }
        return now;
    }

    /** The events are the oldest that are not published. */
    void settle(List<RolloutEvent> events, Delivery delivery) {
        Set<RolloutEvent> left = new HashSet<>(events);
        Iterator<Kept> oldest = unpublished.values().iterator();
        while (!left.isEmpty() && oldest.hasNext()) {
            Kept kept = oldest.next();
            if (left.remove(kept.event)) {
                oldest.remove();
                kept.delivery = delivery;
                if (kept.event.occurrence() instanceof Occurrence.TaskProgress) {
                    all.remove(kept.position);
                }
            }
        }
    }
}
