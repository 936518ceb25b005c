package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.FailureInfo;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A command to a task. */
public sealed interface TaskCommand {

    record Validate() implements TaskCommand {}

    record Accept() implements TaskCommand {}

    record Refuse(List<String> errors) implements TaskCommand {}

    /** To run for the first time, with what is known to be good for the tenant. */
    record Begin(@Nullable Snapshot lastKnownGood) implements TaskCommand {}

    /** What the tenant has before its first change. */
    record Remember(Snapshot previous) implements TaskCommand {}

    /** The current stage passed, or had nothing to do. */
    record PassStage(boolean skipped, boolean confirmed, Map<String, String> data) implements TaskCommand {}

    /** The current stage, or its rollback, failed, and runs again later. */
    record RetryStage(String stage, int retry, FailureInfo failure, Duration backOff) implements TaskCommand {}

    /** The current stage begins. */
    record OpenStage() implements TaskCommand {}

    /** The checkpoint can't be trusted: from the beginning. */
    record Restart() implements TaskCommand {}

    record Report() implements TaskCommand {}

    /** A node takes it over that has lost the one which ran it. */
    record Recover(String node, String lost) implements TaskCommand {}

    /** A node lives, also if it was taken for lost. */
    record Return(String node) implements TaskCommand {}

    record Complete() implements TaskCommand {}

    /** The current stage failed, or what is around the stages. */
    record Fail(FailureInfo failure, boolean ofStage) implements TaskCommand {}

    /** What a retry would go on from is not needed any more. */
    record Forget() implements TaskCommand {}

    record Pause(String by) implements TaskCommand {}

    record Resume(String by) implements TaskCommand {}

    record Cancel(String by, @Nullable FailureInfo failure) implements TaskCommand {}

    record Retry(boolean fromCheckpoint) implements TaskCommand {}

    record RollBack(String by) implements TaskCommand {}

    record UndoStage(int index) implements TaskCommand {}

    record MissStage(int index, FailureInfo failure) implements TaskCommand {}

    /** All stages were tried; {@code failure} if the tenant isn't healthy. */
    record EndRollback(@Nullable FailureInfo failure) implements TaskCommand {}
}
