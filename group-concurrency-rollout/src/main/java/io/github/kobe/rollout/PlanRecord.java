package io.github.kobe.rollout;

import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All that is kept of a plan but for its tasks: for stores. Only the rules make another one of it.
 *
 * @param id the plan
 * @param maxConcurrency how many of its tasks run at once
 * @param status where it is
 * @param pauseAsked whether it is to start nothing
 * @param rollingBack whether it is being taken back as a whole
 * @param tally how many of its tasks are in each state
 * @param owed how many of its tasks have come to rest but for a wish
 * @param drive the work for it
 * @param createdAt when it was created
 * @param createdBy by whom
 * @param startedAt when it was started
 * @param endedAt when it came to rest
 * @param sequence the number of its last event
 * @param epoch the number of the drive that may write it
 * @since 0.1.0
 */
public record PlanRecord(
        PlanId id,
        int maxConcurrency,
        PlanStatus status,
        boolean pauseAsked,
        boolean rollingBack,
        Map<TaskStatus, Integer> tally,
        int owed,
        DriveState drive,
        Instant createdAt,
        String createdBy,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        long sequence,
        long epoch) {

    /** Copies the counts. */
    public PlanRecord {
        EnumMap<TaskStatus, Integer> counts = new EnumMap<>(TaskStatus.class);
        counts.putAll(tally);
        counts.values().removeIf(count -> count == 0);
        tally = Collections.unmodifiableMap(counts);
    }

    static PlanRecord created(PlanId id, int maxConcurrency, String by, Instant now) {
        return new PlanRecord(
                id,
                maxConcurrency,
                PlanStatus.CREATED,
                false,
                false,
                Map.of(),
                0,
                DriveState.NONE,
                now,
                by,
                null,
                null,
                0,
                0);
    }

    /** {@return how many of its tasks are in that state} */
    int count(TaskStatus status) {
        return tally.getOrDefault(status, 0);
    }

    /** {@return how many tasks it has} */
    int size() {
        return tally.values().stream().mapToInt(Integer::intValue).sum();
    }

    PlanRecord with(Consumer<Edit> change) {
        Edit edit = new Edit(this);
        change.accept(edit);
        return edit.record();
    }

    /** {@return with a task's state counted anew; {@code null} before it exists} */
    PlanRecord counting(@Nullable TaskRecord before, TaskRecord after) {
        if (before != null && before.status() == after.status() && before.isOwed() == after.isOwed()) {
            return this;
        }
        return with(edit -> {
            EnumMap<TaskStatus, Integer> counts = new EnumMap<>(TaskStatus.class);
            counts.putAll(tally);
            counts.merge(after.status(), 1, Integer::sum);
            if (before != null) {
                counts.merge(before.status(), -1, Integer::sum);
                edit.owed -= before.isOwed() ? 1 : 0;
            }
            edit.owed += after.isOwed() ? 1 : 0;
            edit.tally = counts;
        });
    }

    /** What changes in a plan. */
    static final class Edit {

        private final PlanRecord plan;
        PlanStatus status;
        boolean pauseAsked;
        boolean rollingBack;
        Map<TaskStatus, Integer> tally;
        int owed;
        DriveState drive;

        @Nullable
        Instant startedAt;

        @Nullable
        Instant endedAt;

        long sequence;
        long epoch;

        private Edit(PlanRecord plan) {
            this.plan = plan;
            status = plan.status;
            pauseAsked = plan.pauseAsked;
            rollingBack = plan.rollingBack;
            tally = plan.tally;
            owed = plan.owed;
            drive = plan.drive;
            startedAt = plan.startedAt;
            endedAt = plan.endedAt;
            sequence = plan.sequence;
            epoch = plan.epoch;
        }

        private PlanRecord record() {
            return new PlanRecord(
                    plan.id,
                    plan.maxConcurrency,
                    status,
                    pauseAsked,
                    rollingBack,
                    tally,
                    owed,
                    drive,
                    plan.createdAt,
                    plan.createdBy,
                    startedAt,
                    endedAt,
                    sequence,
                    epoch);
        }
    }
}
