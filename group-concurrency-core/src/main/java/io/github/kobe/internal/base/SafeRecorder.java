package io.github.kobe.internal.base;

import io.github.kobe.GroupRecorder;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Wraps the recorder of one group: what it throws is logged once for each method. It is called without any lock. */
public final class SafeRecorder {

    /** How long work ran that never began, or whose time nobody took. */
    public static final long UNTIMED = -1;

    private final Reports reports;
    private final String key;
    private final GroupRecorder recorder;
    public final boolean wantsTimes;
    public final boolean wantsWaits;

    private SafeRecorder(Reports reports, String key, GroupRecorder recorder) {
        this.reports = reports;
        this.key = key;
        this.recorder = recorder;
        wantsTimes = recorder.wantsTimes();
        wantsWaits = recorder.wantsWaits();
    }

    /** {@return what the factory gives for a group; {@code null}: nothing, or it failed} */
    public static @Nullable SafeRecorder ask(
            GroupRecorder.Factory factory, Reports reports, String key, @Nullable String rule) {
        try {
            GroupRecorder made = factory.recorder(key, Optional.ofNullable(rule));
            return made == null ? null : new SafeRecorder(reports, key, made);
        } catch (Throwable failure) {
            reports.methodFailed("recorder's factory", key, failure);
            return null;
        }
    }

    public void started(long queuedNanos) {
        try {
            recorder.started(queuedNanos);
        } catch (Throwable failure) {
            reports.methodFailed("recorder's started", key, failure);
        }
    }

    /** Tells of an end; of a time only if one is wanted and was taken. */
    public void completed(TaskStatus status, long nanos) {
        try {
            recorder.completed(status, wantsTimes ? Math.max(UNTIMED, nanos) : UNTIMED);
        } catch (Throwable failure) {
            reports.methodFailed("recorder's completed", key, failure);
        }
    }

    public void rejected(RejectionReason reason) {
        try {
            recorder.rejected(reason);
        } catch (Throwable failure) {
            reports.methodFailed("recorder's rejected", key, failure);
        }
    }

    void removed(Counters counted) {
        try {
            recorder.removed(counted.totals(0));
        } catch (Throwable failure) {
            reports.methodFailed("recorder's removed", key, failure);
        }
    }
}
