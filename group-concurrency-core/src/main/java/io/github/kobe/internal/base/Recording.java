package io.github.kobe.internal.base;

import io.github.kobe.GroupRecorder;
import org.jspecify.annotations.Nullable;

/**
 * What a group gets from its rule: the account for its counts, and the recorder of its work.
 *
 * @param asked the factory of the recorder; {@code null}: there was none
 */
public record Recording(
        RuleAccount account,
        GroupRecorder.@Nullable Factory asked,
        @Nullable SafeRecorder recorder) {

    /** Ends it: of a group that has gone or has another one, with what was counted meanwhile. Calls user code. */
    public void end(Counters counted) {
        if (recorder != null) {
            recorder.removed(counted);
        }
    }
}
