package io.github.kobe.internal.permits;

import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTotals;
import io.github.kobe.internal.base.Core;
import io.github.kobe.internal.base.Counters;
import io.github.kobe.internal.base.Recording;
import io.github.kobe.internal.base.SafeRecorder;
import org.jspecify.annotations.Nullable;

/**
 * The recorder of a group's work, and the account of its counts. Written under the group's guard; read by any thread.
 */
public final class GroupRecord {

    private volatile Recording recording;
    /** That of the recording; plain, for it is read at each start and end. */
    private @Nullable SafeRecorder recorder;
    /** What the group has counted under other rules; {@code null}: nothing. The accounts of those have it too. */
    private volatile @Nullable Counters earlier;

    GroupRecord(Recording recording) {
        this.recording = recording;
        this.recorder = recording.recorder();
    }

    public Recording recording() {
        return recording;
    }

    // ---- user code, without any lock

    /** {@return whether somebody hears of the group's work} */
    public boolean isRecorded() {
        return recorder != null;
    }

    /** {@return whether somebody wants to know how long its work runs} */
    public boolean isTimed() {
        SafeRecorder heard = recorder;
        return heard != null && heard.wantsTimes;
    }

    /** Work that has waited is about to begin. */
    public void started(Node waited, Core clock) {
        SafeRecorder heard = recorder;
        if (heard != null && heard.wantsWaits) {
            heard.started(waited.waitedNanos(clock.now()));
        }
    }

    /**
     * Work has ended.
     *
     * @param nanos how long it ran; {@link SafeRecorder#UNTIMED}: that isn't known
     */
    public void ended(TaskStatus status, long nanos) {
        SafeRecorder heard = recorder;
        if (heard != null) {
            heard.completed(status, nanos);
        }
    }

    public void rejected(RejectionReason reason) {
        SafeRecorder heard = recorder;
        if (heard != null) {
            heard.rejected(reason);
        }
    }

    /** Work has left the queue without being let in; {@code reason} is {@code null} if it was cancelled. */
    void left(@Nullable RejectionReason reason) {
        if (reason == null) {
            ended(TaskStatus.CANCELLED, SafeRecorder.UNTIMED);
        } else {
            rejected(reason);
        }
    }

    // ---- under the guard

    /** Hands what the group has counted over to the account of its rule, as it is in the map no more. */
    void handOver(Counters counters) {
        recording.account().add(counters);
    }

    /**
     * Has the group counted and recorded by {@code made} from now on.
     *
     * @param counted gets what it has counted since it was recorded as it is
     * @param kept for what it has counted in all, of which it keeps account; {@code null}: it forgets that
     */
    void replace(Recording made, Counters counters, Counters counted, @Nullable Counters kept) {
        counters.moveTo(counted);
        recording.account().add(counted);
        if (kept != null) {
            if (earlier != null) {
                earlier.addTo(kept);
            }
            counted.addTo(kept);
        }
        earlier = kept;
        recording = made;
        recorder = made.recorder();
    }

    // ---- statistics

    /** {@return whether work of the group has ended, under any of its rules} Under the guard. */
    boolean hasCounted(Counters counters) {
        Counters before = earlier;
        return counters.ended() > 0 || (before != null && before.ended() > 0);
    }

    /** {@return how the group's work has ended under all its rules, with {@code open}, what waits or is in flight} */
    TaskTotals totals(Counters counters, long open) {
        Counters before = earlier;
        if (before == null) {
            return counters.totals(open);
        }
        Counters sum = new Counters();
        before.addTo(sum);
        counters.addTo(sum);
        return sum.totals(open);
    }
}
