package io.github.kobe.rollout;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What happened to a task or a plan; a {@link RolloutEvent} says to which one, and when.
 *
 * @since 0.1.0
 */
public sealed interface Occurrence {

    /** {@return why, if this is a failure} */
    default @Nullable FailureInfo failure() {
        return null;
    }

    /** {@return what happened, in words, such as {@code task started}, and why if this is a failure} */
    default String message() {
        FailureInfo failure = failure();
        String words = this instanceof PlanEntered entered
                ? "plan " + entered.status().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                : getClass()
                        .getSimpleName()
                        .replaceAll("(?<=[a-z])(?=[A-Z])", " ")
                        .toLowerCase(Locale.ROOT);
        return failure == null ? words : words + ": " + failure.message();
    }

    private static List<String> copy(@Nullable List<String> list) {
        return list == null ? List.of() : List.copyOf(list);
    }

    /**
     * Something that this version of the library can't read, since a newer one has recorded it.
     *
     * @param type its type
     * @param body its JSON text
     */
    record Unknown(String type, String body) implements Occurrence {}

    /**
     * A plan entered a state.
     *
     * @param status the state
     */
    record PlanEntered(PlanStatus status) implements Occurrence {
        /** Checks for {@code null} alone. */
        public PlanEntered {
            Objects.requireNonNull(status, "status");
        }
    }

    /**
     * A wave of a plan begins; only for plans with several waves.
     *
     * @param wave which, from 1
     * @param waves how many there are
     * @param tenants how many tasks of it wait
     */
    record WaveStarted(int wave, int waves, int tenants) implements Occurrence {}

    /**
     * A wave has ended, and the next one is held back.
     *
     * @param wave the one that has ended, from 1
     * @param bakeTime for how long at least
     * @param approvalTimeout how long an approval is awaited after that, if one is needed
     */
    record GateOpened(int wave, Duration bakeTime, @Nullable Duration approvalTimeout) implements Occurrence {}

    /**
     * Somebody has approved the next wave.
     *
     * @param wave the one that has ended, from 1
     * @param by who
     */
    record GateApproved(int wave, String by) implements Occurrence {}

    /**
     * The check of the next wave has passed.
     *
     * @param wave the one that has ended, from 1
     */
    record GateChecked(int wave) implements Occurrence {}

    /**
     * The check has found that the next wave must not begin; the plan is paused or rolled back.
     *
     * @param wave the one that has ended, from 1
     * @param failure why
     */
    record GateStopped(int wave, FailureInfo failure) implements Occurrence {}

    /**
     * Nobody has approved in time, or the check hasn't passed; the plan is paused.
     *
     * @param wave the one that has ended, from 1
     */
    record GateTimedOut(int wave) implements Occurrence {

        @Override
        public FailureInfo failure() {
            return new FailureInfo(
                    FailureInfo.GATE_TIMED_OUT,
                    "wave " + wave + " was not approved, or its check didn't pass, in time");
        }
    }

    /**
     * More tasks have failed than is allowed. Nothing new starts, and the plan is paused or rolled back.
     *
     * @param failures how many have failed, of the plan, or of the current wave if the limit is a percentage
     * @param maxFailures how many may fail
     * @param reaction what happens to the plan
     */
    record TooManyFailures(int failures, int maxFailures, FailureReaction reaction) implements Occurrence {

        @Override
        public FailureInfo failure() {
            return new FailureInfo(
                    FailureInfo.TOO_MANY_FAILURES,
                    failures + " tasks have failed, and " + maxFailures + " may; "
                            + (reaction == FailureReaction.PAUSE ? "nothing new starts" : "the plan is rolled back"));
        }
    }

    /**
     * Somebody has changed how many tasks of a plan run at once.
     *
     * @param maxConcurrency how many from now on
     * @param by who requested it
     */
    record ConcurrencyChanged(int maxConcurrency, String by) implements Occurrence {}

    /**
     * Somebody has added tasks to a plan, at its end.
     *
     * @param tasks how many
     * @param by who requested it
     */
    record TasksAdded(int tasks, String by) implements Occurrence {}

    /** A task was created. */
    record TaskCreated() implements Occurrence {}

    /** A task was validated. */
    record TaskValidated() implements Occurrence {}

    /**
     * A task was found to be invalid.
     *
     * @param failure everything that is wrong
     */
    record TaskValidationFailed(FailureInfo failure) implements Occurrence {}

    /**
     * A task began.
     *
     * @param totalStages how many stages it has
     */
    record TaskStarted(int totalStages) implements Occurrence {}

    /**
     * The progress of a task; sent at each boundary, and at intervals in between.
     *
     * @param completed how many stages are done
     * @param total how many there are
     */
    record TaskProgress(int completed, int total) implements Occurrence {}

    /**
     * A task passed all its stages.
     *
     * @param duration the time since it began
     * @param stages the names of its stages
     */
    record TaskCompleted(Duration duration, List<String> stages) implements Occurrence {
        /** A list that is missing is empty. */
        public TaskCompleted {
            stages = copy(stages);
        }
    }

    /**
     * A task failed.
     *
     * @param failure why
     * @param completed the stages that are done
     * @param failedStage the one that isn't, if it was a stage that failed
     */
    record TaskFailed(
            FailureInfo failure,
            List<String> completed,
            @Nullable String failedStage) implements Occurrence {
        /** A list that is missing is empty. */
        public TaskFailed {
            completed = copy(completed);
        }
    }

    /**
     * A task was stopped between two stages.
     *
     * @param by who requested it
     * @param stage the stage that comes next
     */
    record TaskPaused(String by, String stage) implements Occurrence {}

    /**
     * A task continues after a pause.
     *
     * @param by who requested it
     * @param fromStage the stage with which it continues
     */
    record TaskResumed(String by, String fromStage) implements Occurrence {}

    /**
     * A task was cancelled.
     *
     * @param by who requested it
     * @param lastStage the last stage that was done, if any
     * @param failure why, if nobody requested it
     */
    record TaskCancelled(
            String by, @Nullable String lastStage, @Nullable FailureInfo failure) implements Occurrence {}

    /**
     * A task that was running when its node was lost continues.
     *
     * @param node the node on which it continues
     * @param stage the stage with which it continues, if any is left
     */
    record TaskRecovered(String node, @Nullable String stage) implements Occurrence {}

    /**
     * A retry of a failed task begins.
     *
     * @param fromCheckpoint whether it begins with the stage that failed
     */
    record TaskRetryStarted(boolean fromCheckpoint) implements Occurrence {}

    /**
     * A retry is over, however it ended.
     *
     * @param fromCheckpoint whether it began with the stage that failed
     */
    record TaskRetryCompleted(boolean fromCheckpoint) implements Occurrence {}

    /**
     * A task is being rolled back.
     *
     * @param reason why
     * @param stages the stages to roll back, in that order
     */
    record TaskRollingBack(String reason, List<String> stages) implements Occurrence {
        /** A list that is missing is empty. */
        public TaskRollingBack {
            stages = copy(stages);
        }
    }

    /**
     * A task was rolled back.
     *
     * @param previous what the tenant has again
     */
    record TaskRolledBack(DeployUnit previous) implements Occurrence {}

    /**
     * A task could not be rolled back.
     *
     * @param failure why
     * @param partial the stages that could be rolled back
     */
    record TaskRollbackFailed(FailureInfo failure, List<String> partial) implements Occurrence {
        /** A list that is missing is empty. */
        public TaskRollbackFailed {
            partial = copy(partial);
        }
    }

    /**
     * A stage began.
     *
     * @param stage its name
     * @param index its index, from 0
     */
    record StageStarted(String stage, int index) implements Occurrence {}

    /**
     * A stage passed.
     *
     * @param stage its name
     * @param index its index, from 0
     */
    record StageCompleted(String stage, int index) implements Occurrence {}

    /**
     * A stage had nothing to do.
     *
     * @param stage its name
     * @param index its index, from 0
     */
    record StageSkipped(String stage, int index) implements Occurrence {}

    /**
     * A stage failed.
     *
     * @param stage its name
     * @param index its index, from 0
     * @param failure why
     */
    record StageFailed(String stage, int index, FailureInfo failure) implements Occurrence {}

    /**
     * A stage, or its rollback, failed, and runs again.
     *
     * @param stage its name
     * @param retry which retry that is, from 1
     * @param failure why it failed
     * @param backOff how long it waits before that
     */
    record StageRetrying(String stage, int retry, FailureInfo failure, Duration backOff) implements Occurrence {}

    /**
     * A stage is being rolled back.
     *
     * @param stage its name
     */
    record StageRollingBack(String stage) implements Occurrence {}

    /**
     * A stage was rolled back.
     *
     * @param stage its name
     */
    record StageRolledBack(String stage) implements Occurrence {}

    /**
     * A stage could not be rolled back.
     *
     * @param stage its name
     * @param failure why
     */
    record StageRollbackFailed(String stage, FailureInfo failure) implements Occurrence {}
}
