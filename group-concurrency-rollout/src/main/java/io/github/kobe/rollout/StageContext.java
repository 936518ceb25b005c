package io.github.kobe.rollout;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a step is done for. Used by the thread of the step alone.
 *
 * @since 0.1.0
 */
public final class StageContext {

    private final TaskRecord task;
    private final String stage;
    private final boolean rollingBack;
    private final RolloutSettings settings;
    private final Map<String, String> data;

    StageContext(TaskRecord task, String stage, boolean rollingBack, RolloutSettings settings) {
        this.task = task;
        this.stage = stage;
        this.rollingBack = rollingBack;
        this.settings = settings;
        data = new TreeMap<>(task.data());
    }

    /** {@return the plan} */
    public PlanId planId() {
        return task.planId();
    }

    /** {@return the task} */
    public TaskId taskId() {
        return task.id();
    }

    /** {@return the tenant} */
    public TenantId tenantId() {
        return task.tenantId();
    }

    /** {@return the name of the stage} */
    public String stageName() {
        return stage;
    }

    /** {@return what the task is to do} */
    public TenantChange change() {
        return task.change();
    }

    /** {@return where the tenant's instances are reached} */
    public List<NetworkEndpoint> endpoints() {
        return task.change().endpoints().stream()
                .map(NetworkEndpoint::ofTrusted)
                .toList();
    }

    /** {@return what the tenant had before, if that is known} */
    public Optional<ConfigSnapshot> previous() {
        return Optional.ofNullable(task.previous());
    }

    /** {@return whether the stage is being rolled back} */
    public boolean isRollingBack() {
        return rollingBack;
    }

    /** {@return the unit that the tenant should have after this: the new one, or during a rollback the previous one} */
    public ConfigSnapshot target() {
        ConfigSnapshot previous = task.previous();
        return rollingBack && previous != null ? previous : task.change().target();
    }

    /** {@return the configuration that the tenant is to have after this, as {@link #target()} has it} */
    public String config() {
        return target().config();
    }

    /** {@return which attempt of the task this is, from 1; each retry and each rollback is another one} */
    public int attempt() {
        return task.attempt();
    }

    /**
     * {@return a key for what this stage does} It is the same if the stage runs once more after a crash, and another one
     * for each retry and each rollback.
     */
    public String idempotencyKey() {
        return task.id() + "/" + task.attempt() + "/" + stage;
    }

    /**
     * {@return a number that grows whenever another node takes the plan over} Who remembers the highest, and refuses what
     * comes with a lower one, is safe from a node that has lost the plan and doesn't know it yet.
     */
    public long fencingToken() {
        return task.epoch();
    }

    /** {@return the settings that hold for the tenant} */
    public RolloutSettings settings() {
        return settings;
    }

    /** {@return what the stages of this run keep for those after them; saved when the stage passes} */
    public Map<String, String> data() {
        return data;
    }
}
