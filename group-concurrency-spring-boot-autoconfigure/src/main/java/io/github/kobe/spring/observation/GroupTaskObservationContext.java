package io.github.kobe.spring.observation;

import io.github.kobe.TaskStatus;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/** What a convention knows about the work that it names. */
public final class GroupTaskObservationContext extends Observation.Context {

    private final String executorName;
    private final String groupTag;
    private final String groupKey;
    private final String taskId;
    private final boolean groupKeyShown;
    private volatile @Nullable TaskStatus outcome;

    /**
     * Makes a context.
     *
     * @param executorName the name of the executor's bean
     * @param groupTag the key or pattern of the policy that the group falls under, or else {@code _default}
     * @param groupKey the group
     * @param taskId the task's id
     * @param groupKeyShown whether the group may be a value of a key
     */
    public GroupTaskObservationContext(
            String executorName, String groupTag, String groupKey, String taskId, boolean groupKeyShown) {
        this.executorName = executorName;
        this.groupTag = groupTag;
        this.groupKey = groupKey;
        this.taskId = taskId;
        this.groupKeyShown = groupKeyShown;
    }

    /** {@return the name of the executor's bean} */
    public String executorName() {
        return executorName;
    }

    /** {@return the key or pattern of the policy that the group falls under, or else {@code _default}} */
    public String groupTag() {
        return groupTag;
    }

    /** {@return the group} */
    public String groupKey() {
        return groupKey;
    }

    /** {@return whether the group may be a value of a key, as {@code group-concurrency.observations.group-key} says} */
    public boolean isGroupKeyShown() {
        return groupKeyShown;
    }

    /** {@return the task's id; empty if it has none} */
    public String taskId() {
        return taskId;
    }

    /** {@return how the work ended; {@code null}: it hasn't yet} */
    public @Nullable TaskStatus outcome() {
        return outcome;
    }

    void end(TaskStatus status) {
        outcome = status;
    }
}
