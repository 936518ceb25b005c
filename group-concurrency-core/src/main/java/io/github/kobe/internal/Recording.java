package io.github.kobe.internal;

import io.github.kobe.GroupRecorder;
import org.jspecify.annotations.Nullable;

/**
 * What a group has of the rule that it is under: the account that its counts go to in the end, and who hears of its work.
 *
 * @param asked who was asked for the recorder; {@code null}: there was nobody
 */
record Recording(
        RuleAccount account,
        GroupRecorder.@Nullable Factory asked,
        @Nullable SafeRecorder recorder) {

    /** Ends it: of a group that has gone or has another one, with what was counted meanwhile. Calls user code. */
    void end(Counters counted) {
        if (recorder != null) {
            recorder.removed(counted);
        }
    }
}
