package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.WaveGate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is stored about a plan, except its tasks; for stores. Only the rules turn it into another one.
 *
 * @param id the plan
 * @param maxConcurrency how many of its tasks run at once
 * @param waves the waves in which its tasks begin
 * @param status its state
 * @param pauseAsked whether a pause was requested, so that it starts nothing
 * @param rollingBack whether it is being rolled back as a whole, or was in the end, and nothing was retried since
 * @param tally how many of its tasks are in each state
 * @param owed how many of its tasks have come to rest, but have a wish
 * @param abandoned how many of its tasks were cancelled after a stage of them had begun
 * @param progress its progress through its waves
 * @param drive the work for it
 * @param createdAt when it was created
 * @param createdBy by whom
 * @param startedAt when it was started
 * @param endedAt when it came to rest
 * @param sequence the number of its last event
 * @param epoch the number of the drive that may write it
 * @param wishes how many wishes were left with its tasks so far
 * @since 0.1.0
 */
public record PlanRecord(
        PlanId id,
        int maxConcurrency,
        Waves waves,
        PlanStatus status,
        boolean pauseAsked,
        boolean rollingBack,
        Map<TaskStatus, Integer> tally,
        int owed,
        int abandoned,
        WaveProgress progress,
        DriveState drive,
        Instant createdAt,
        String createdBy,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        long sequence,
        long epoch,
        long wishes) {

    /** Copies the counts. */
    public PlanRecord {
        EnumMap<TaskStatus, Integer> counts = new EnumMap<>(TaskStatus.class);
        counts.putAll(tally);
        counts.values().removeIf(count -> count == 0);
        tally = Collections.unmodifiableMap(counts);
    }

    public static PlanRecord created(PlanId id, int maxConcurrency, Waves waves, String by, Instant now) {
        return new PlanRecord(
                id,
                maxConcurrency,
                waves,
                PlanStatus.CREATED,
                false,
                false,
                Map.of(),
                0,
                0,
                WaveProgress.begin(waves),
                DriveState.none(now),
                now,
                by,
                null,
                null,
                0,
                0,
                0);
    }

    /** {@return what is shown of it} */
    public PlanInfo info() {
        return new PlanInfo(
                id,
                status,
                maxConcurrency,
                pauseAsked,
                tally,
                createdAt,
                createdBy,
                startedAt,
                endedAt,
                progress.current() + 1,
                waves.count(),
                waves.maxFailures() == null ? null : Integer.valueOf(waves.mostFailures(progress.current())),
                progress.gate());
    }

    /** {@return whether it no longer changes by itself} */
    public boolean isAtRest() {
        return status.isSettled() && drive.phase() == DriveState.Phase.OVER;
    }

    /** {@return whether it came to rest before that time; of those that have partially failed only if asked for} */
    public boolean hasEnded(Instant before, boolean partlyFailed) {
        return isAtRest()
                && (partlyFailed || status != PlanStatus.PARTIAL_FAILED)
                && endedAt != null
                && endedAt.isBefore(before);
    }

    /** {@return how many of its tasks are in that state} */
    public int count(TaskStatus status) {
        return tally.getOrDefault(status, 0);
    }

    /** {@return how many tasks it has} */
    public int size() {
        return tally.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** {@return of how many of its tasks something is still to come by itself, or is wanted} */
    public int open() {
        int open = owed;
        for (TaskStatus each : TaskStatus.values()) {
            open += each.isOpen() ? count(each) : 0;
        }
        return open;
    }

    /** {@return how many of those tasks have failed, forward or back, for which there is a limit} */
    int failures() {
        return waves.limitsEachWave()
                ? progress.failed().get(progress.current())
                : count(TaskStatus.FAILED) + count(TaskStatus.ROLLBACK_FAILED);
    }

    /** {@return how many of its tasks may have failed while others begin} */
    int mostFailures() {
        return waves.mostFailures(progress.current());
    }

    /** {@return how many of its tasks, in its order, may begin now} */
    public int reach() {
        return startedAt == null || pauseAsked || rollingBack ? 0 : waves.end(progress.current());
    }

    /** {@return when its gate may open or time out by itself, if it waits at one} */
    @Nullable
    public Instant gateAt() {
        WaveGate gate = progress.gate();
        return gate == null || pauseAsked ? null : Gates.nextLook(gate);
    }

    /** {@return since when there is the gate whose check is due, if one is} */
    public Optional<Instant> checkDue(Instant now) {
        WaveGate gate = progress.gate();
        return gate != null && WaveRules.waitsForCheck(this) && Gates.isBaked(gate, now)
                ? Optional.of(gate.since())
                : Optional.empty();
    }

    /** {@return when its check is to be asked, if it waits for one} What is due was asked just now. */
    public @Nullable Instant checkAt(Instant now, Duration interval) {
        WaveGate gate = progress.gate();
        if (gate == null || !WaveRules.waitsForCheck(this)) {
            return null;
        }
        return Gates.isBaked(gate, now) ? now.plus(interval) : gate.bakedAt();
    }

    /** {@return with the next drive, which runs in that process; what earlier ones write is refused} */
    public PlanRecord takenOverBy(String process) {
        return with(edit -> {
            edit.epoch = epoch + 1;
            edit.drive = drive.runBy(process);
        });
    }

    /** {@return with its drive in another state} */
    public PlanRecord driven(DriveState changed) {
        return with(edit -> edit.drive = changed);
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
            int waiting = after.status() == TaskStatus.PENDING ? 1 : 0;
            int failed = after.hasFailed() ? 1 : 0;
            if (before != null) {
                counts.merge(before.status(), -1, Integer::sum);
                edit.owed -= before.isOwed() ? 1 : 0;
                edit.abandoned -= before.isAbandoned() ? 1 : 0;
                waiting -= before.status() == TaskStatus.PENDING ? 1 : 0;
                failed -= before.hasFailed() ? 1 : 0;
            }
            edit.owed += after.isOwed() ? 1 : 0;
            edit.abandoned += after.isAbandoned() ? 1 : 0;
            edit.tally = counts;
            edit.progress = progress.counting(waves.waveOf(after.position()), waiting, failed);
        });
    }

    /** What changes in a plan. */
    static final class Edit {

        private final PlanRecord plan;
        int maxConcurrency;
        Waves waves;
        PlanStatus status;
        boolean pauseAsked;
        boolean rollingBack;
        Map<TaskStatus, Integer> tally;
        int owed;
        int abandoned;
        WaveProgress progress;
        DriveState drive;

        @Nullable
        Instant startedAt;

        @Nullable
        Instant endedAt;

        long sequence;
        long epoch;
        long wishes;

        private Edit(PlanRecord plan) {
            this.plan = plan;
            maxConcurrency = plan.maxConcurrency;
            waves = plan.waves;
            status = plan.status;
            pauseAsked = plan.pauseAsked;
            rollingBack = plan.rollingBack;
            tally = plan.tally;
            owed = plan.owed;
            abandoned = plan.abandoned;
            progress = plan.progress;
            drive = plan.drive;
            startedAt = plan.startedAt;
            endedAt = plan.endedAt;
            sequence = plan.sequence;
            epoch = plan.epoch;
            wishes = plan.wishes;
        }

        private PlanRecord record() {
            return new PlanRecord(
                    plan.id,
                    maxConcurrency,
                    waves,
                    status,
                    pauseAsked,
                    rollingBack,
                    tally,
                    owed,
                    abandoned,
                    progress,
                    drive,
                    plan.createdAt,
                    plan.createdBy,
                    startedAt,
                    endedAt,
                    sequence,
                    epoch,
                    wishes);
        }
    }
}
